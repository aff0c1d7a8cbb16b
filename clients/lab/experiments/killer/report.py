"""The values of starting hands by the book, for some pots and bets, and their ranks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from clients.lab.experiments.findings import Plot, markdown_table
from clients.lab.experiments.killer.rake import rake_plots, rake_report
from clients.reports.grids import draw_grid
from clients.reports.plots import Curve
from engine.hands.flop_configs import FlopBook, FlopConfig
from engine.hands.pot_odds import NO_RAKE, Rake
from engine.poker.combos import STARTING_HAND_NAMES

__all__ = ["draw_values", "plots", "report", "values"]

SHOWN: Final = ("AA", "AKs", "AKo", "JTs", "98s", "33", "22", "72o", "32o")
STAKES: Final = ((2.0, 2.0), (2.0, 4.0))
"""The pot at the flop and each player's further bets, in bets."""
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
    book = (
        "# What starting hands are worth by their flops\n\n"
        "EV in bets against one opponent with any hand; flops that are not worth a bet are folded. "
        f"The book was made by `{results['made_by']}`.\n\n"
        + markdown_table(["pot, bets", "rake", *SHOWN, "rank of AKs / 22"], rows)
    )
    return book + (rake_report(results["rake"]) if "rake" in results else "")


def plots(results: Mapping[str, Any]) -> list[Plot]:
    """The values of all starting hands, each sorted from the best to the worst; and who beats the rake."""
    ranks = [float(rank) for rank in range(1, len(STARTING_HAND_NAMES) + 1)]
    curves = tuple(
        Curve(
            f"pot {entry['pot']:g}, bets {entry['bets']:g}, rake {entry['rake']}",
            ranks,
            sorted(entry["ev"].values(), reverse=True),
        )
        for entry in results["values"]
    )
    title = "starting hands against one opponent with any hand, by their flops"
    values = Plot("values", title, "starting hands, from the best", "EV in bets", curves)
    return [values, *rake_plots(results.get("rake", ()))]


def draw_values(folder: Path, results: Mapping[str, Any]) -> None:
    """Draw the values of each starting hand for the highest bets, as ``hands.png`` and ``hands.svg``.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    entry = max(
        (entry for entry in results["values"] if entry["rake"] == "none"), key=lambda entry: entry["bets"]
    )
    worth = 100 * np.array([entry["ev"][name] for name in STARTING_HAND_NAMES])
    title = f"EV in hundredths of a bet, pot {entry['pot']:g}, {entry['bets']:g} further bets of each"
    for kind in (".png", ".svg"):
        draw_grid(str(folder / f"hands{kind}"), worth, title)
