"""docs/tournaments.md: its example is a tournament, and its tables name every key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from server.league.formats.schedule import FORMATS
from server.league.plan import Rule
from tests.server.league.houses import plan_of, played
from tests.support.dealer_process import ROOT

GUIDE: Final = (ROOT / "docs/tournaments.md").read_text("utf-8")
EXAMPLE: Final = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)[0]


@pytest.mark.usefixtures("arena_workers")
def test_the_example_is_played(tmp_path: Path) -> None:
    plan = plan_of(EXAMPLE)
    assert plan.names == ("call", "wild", "always-raise")

    content = played(tmp_path, EXAMPLE.replace("seed = 7", "in_process = true\nseed = 7"))

    assert content["hands"] == 3 * 3 * 2 * 20
    assert {player["name"] for player in content["players"]} == set(plan.names)


def test_every_key_format_and_rule_is_described() -> None:
    files = ("server/league/plan_file.py", "server/table/rules/sit_and_go.py")
    source = "".join([(ROOT / file).read_text("utf-8") for file in files])
    keys = set(
        re.findall(r'\.(?:text|texts|whole|flag|choice|number|numbers|whole_or_\w+)\(\s*"(\w+)"', source)
    )
    words = set(re.findall(r"[\w-]+", GUIDE))

    assert len(keys) > 20
    assert keys - words == {"minutes"}  # levels by time are for rooms
    assert FORMATS.keys() - words == set()
    assert {each.value for each in Rule} - words == set()
