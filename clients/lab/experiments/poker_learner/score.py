"""How much of chapter 5 of the thesis is reproduced: signs, sizes, places and learnt rows, counted.

*Sign*: a learner wins or loses as the thesis's does, heads-up with learning on.  *Size*: by the same amount,
within a quarter.  *Place*: it takes the same place in a competition as the thesis's.  *Row*: in a state of
Tables 5.5 to 5.8 the same action has the greatest share.  Frozen play has no counterpart in the thesis, and
does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clients.lab.experiments.poker_learner.thesis import THESIS_PLACES, thesis_rate

__all__ = ["TOLERANCE", "score", "score_lines"]

TOLERANCE: Final = 0.25
"""The share of the thesis's figure by which ours may differ to count as the same size."""


def score(results: Mapping[str, Any]) -> dict[str, Any]:
    """The score for ``results.json``: for each kind how many agree, of how many, and which do not.

    Args:
        results: ``heads_up``, ``competition`` and ``learned`` of the summary.
    """
    signs: dict[str, bool] = {}
    sizes: dict[str, bool] = {}
    for bot, entries in results["heads_up"].items():
        for learner, entry in entries.items():
            ours, printed = entry["learning"]["bb_per_hand"]["mean"], thesis_rate(bot, learner)
            name = f"{learner} against {bot}"
            signs[name] = ours * printed > 0
            sizes[name] = abs(ours - printed) <= TOLERANCE * abs(printed)
    places = {
        f"{learner} at {table}": entry["place"] == THESIS_PLACES[learner]
        for table, entries in results["competition"].items()
        for learner, entry in entries.items()
    }
    rows = {}
    for learner, learnt in results["learned"].items():
        for row in learnt:
            state = " ".join((row["hand"], row["position"], row["last_player"], row["last_action"]))
            rows[f"{learner}: {state}"] = _agrees(row)
    kinds = {"signs": signs, "sizes": sizes, "places": places, "rows": rows}
    return {
        kind: {
            "come_out": sum(found.values()),
            "of": len(found),
            "not": [name for name, comes_out in found.items() if not comes_out],
        }
        for kind, found in kinds.items()
    }


def _agrees(row: Mapping[str, Any]) -> bool:
    ours, printed = row["percent"], row["thesis"]
    return ours is not None and ours[printed.index(max(printed))] == max(ours)


def score_lines(found: Mapping[str, Any]) -> list[str]:
    """The score as lines of Markdown."""
    labels = {
        "signs": "won or lost as in the thesis, heads-up",
        "sizes": f"within {TOLERANCE:.0%} of it",
        "places": "the same place in a competition",
        "rows": "the same action in a state of Tables 5.5 to 5.8",
    }
    lines = ["## What comes out\n"]
    for kind, label in labels.items():
        part = found[kind]
        if not part["of"]:
            continue
        missing = f"; not {', '.join(part['not'])}" if part["not"] else ""
        lines.append(f"* {part['come_out']} of {part['of']} {label}{missing}.")
    return [*lines, ""]
