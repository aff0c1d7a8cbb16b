"""docs/environments.md: what it shows runs, and what it lists is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import clients.lab.environments
from clients.lab.environments.observations import Encoder
from engine.poker.rules import load_game
from tests.support.dealer_process import ROOT
from tests.support.doubles import python_blocks

GUIDE = ROOT / "docs" / "environments.md"


def test_its_blocks_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}

    for block in python_blocks(GUIDE):
        exec(compile(block, "environments.md", "exec"), names)

    first, second = capsys.readouterr().out.splitlines()
    assert re.match(r"[+-]\d+\.\d big blinds; MATCHSTATE:", first)
    assert second.startswith("(")
    assert (tmp_path / "episodes.log").read_text().count("STATE:") == 1


def test_its_tables_are_complete() -> None:
    text = GUIDE.read_text("utf-8")

    for field in (*Encoder(load_game("leduc")).layout.fields, "action_mask"):
        assert f"| `{field}` |" in text
    for name, game in clients.lab.environments.GAMES.items():
        assert f'| `{name}` | `game="{game}"` |' in text
