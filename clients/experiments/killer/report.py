"""What the book says: values of starting hands for some pots and bets, and their ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clients.experiments.findings import markdown_table
from engine.combos import STARTING_HAND_NAMES
from engine.evaluation.pot_odds import NO_RAKE, Rake
from engine.evaluation.preflop.flop_configs import FlopBook, FlopConfig

__all__ = ["report", "values"]

SHOWN: Final = ("AA", "AKs", "AKo", "JTs", "98s", "33", "22", "72o", "32o")
STAKES: Final = ((2.0, 2.0), (2.0, 4.0))
"""Pot at the flop and further bets of each, in bets."""
_RAKE: Final = Rake(5.0, 3.0)
"""The paper's question: 5 % of the pot, three small bets at most."""


def values(book: FlopBook) -> list[dict[str, Any]]:
    """EV(FlopConfig) of every starting hand against one opponent with any hand, with and without rake."""
    found = []
    for (pot, bets), (name, rake) in [
        (stakes, kind) for stakes in STAKES for kind in (("none", NO_RAKE), ("5 % up to 3", _RAKE))
    ]:
        config = FlopConfig(1.0, 1, 1.0, pot, bets)
        by_hand = [book.value(hand, config, rake) for hand in range(len(STARTING_HAND_NAMES))]
        found.append(
            {
                "pot": pot,
                "bets": bets,
                "rake": name,
                "ev": dict(zip(STARTING_HAND_NAMES, by_hand, strict=True)),
            }
        )
    return found


def report(results: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    rows = []
    for entry in results["values"]:
        worth = entry["ev"]
        ranks = [1 + sum(value > worth[hand] for value in worth.values()) for hand in ("AKs", "22")]
        rows.append(
            [f"{entry['pot']:g}, {entry['bets']:g}", entry["rake"], *(f"{worth[hand]:.3f}" for hand in SHOWN),
             " / ".join(map(str, ranks))]
        )  # fmt: skip
    return (
        "# What starting hands are worth by their flops\n\n"
        "EV against one opponent with any hand, flops that are not worth a bet being folded; in bets. "
        f"The book was made by `{results['made_by']}`.\n\n"
        + markdown_table(["pot, bets", "rake", *SHOWN, "rank of AKs / 22"], rows)
    )
