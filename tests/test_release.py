"""What goes with a release agrees with it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.support.dealer_process import ROOT, run_to_end


def version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def test_it_is_cited_by_its_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    assert citation["version"] == version()
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    news = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {version()} ({citation['date-released']})\n" in news


def test_every_supported_python_is_tried() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "check.yml").read_text("utf-8"))
    matrix = workflow["jobs"]["check"]["strategy"]["matrix"]

    assert matrix["python"][0] == "3.11"
    assert any(step.get("run") == ".ci/run" for step in workflow["jobs"]["check"]["steps"])


@pytest.mark.slow
def test_every_command_has_a_manual_page(tmp_path: Path) -> None:
    run_to_end([sys.executable, "-m", "docs.man_pages", str(tmp_path)], ROOT, timeout=None, check=True)

    pages = {path.name for path in tmp_path.iterdir()}
    assert {"riverboat.1", "riverboat-match.1", "riverboat-bot.1", "riverboat-experiment-killer.1"} <= pages
    assert r"\-\-duplicate" in (tmp_path / "riverboat-match.1").read_text("utf-8")
