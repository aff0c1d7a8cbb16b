"""``riverboat experiment range-of-skill``: whole, and consistent with itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.lab.experiments.runs import whole_run


def test_kuhns_game(tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = whole_run("range-of-skill", out, "--game kuhn-2p --epsilon 0.1 --epsilon 0.01").results

    (found,) = results["games"].values()
    gains = [step["gain"] for step in found["steps"]]
    assert gains[0] == pytest.approx(0.458333, abs=1e-6)  # the best response to uniform play, published
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] < 0.01 <= gains[-2]
    assert found["lengths"] == {"0.1": sum(g >= 0.1 for g in gains), "0.01": len(gains) - 1}
    for step in found["steps"]:
        assert step["mixture"] == pytest.approx(step["gain"], abs=1e-5)
    assert {path.name for path in out.iterdir()} == {
        "results.json", "results.md", "range-of-skill-kuhn-2p.png", "range-of-skill-kuhn-2p.svg", "tasks"
    }  # fmt: skip
