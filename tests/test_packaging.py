"""What a package index shows: absolute links only, and extras that are enough."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from tests.support.dealer_process import ROOT

PROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
README: Mapping[str, Any] = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]


def test_links_and_pictures_of_the_readme_are_absolute_in_the_metadata() -> None:
    (fragment,) = README["fragments"]
    text = (ROOT / fragment["path"]).read_text("utf-8")
    relative = re.findall(r"\]\((?!https?:|#)([^)]+)\)", text)
    for each in README["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)

    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(relative) > 10
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    place = PROJECT["project"]["urls"]["Source"].removeprefix("https://github.com/")
    ours = [link for link in links if "riverboat" in link]
    assert len(ours) >= len(relative)
    assert all(f"/{place}/" in link for link in ours)
    for path in relative:
        assert (ROOT / path.partition("#")[0]).exists()


def test_a_package_says_who_made_it_and_where_its_sources_are() -> None:
    project = PROJECT["project"]
    assert project["authors"] == [{"name": "The Riverboat developers"}]
    assert {"Source", "Documentation", "Changelog", "Issues"} == set(project["urls"])
    assert "readme" in project["dynamic"]
