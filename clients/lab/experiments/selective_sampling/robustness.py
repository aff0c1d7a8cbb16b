"""(g) Robustness: the values that a sampling bot states, compared with the chips that it wins.

Every decision is a point: the stated value of the chosen action, and the chips won from there to the end of
the hand.  If the simulation were right about everything, the line through the points would have slope 1 and
intercept 0.  Folds, which are worth 0 by definition, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clients.core.registry import make_bot
from clients.lab.experiments.regression import fit_line
from clients.lab.experiments.report import Column, Findings, columns, plot
from clients.lab.experiments.selective_sampling.duels import (
    HANDS_OF_A_MATCH,
    NotedSampling,
    cut_into_matches,
    make_sampling,
    play_duel,
)
from clients.lab.experiments.selective_sampling.settings import SamplingSettings, part_task
from clients.lab.experiments.tasks import Work
from engine.poker.rules import load_game
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed

OPPONENTS: Final = {
    "limit-2p": ("always-call", "random", "always-raise"),
    "nolimit-2p": ("always-call", "random", "always-all-in"),
}
WANTED_SLOPE: Final = (0.8, 1.2)
_BINS: Final = 8


def _play_match(
    game: str, opponent: str, seed: int, deals: int, settings: SamplingSettings
) -> dict[str, Any]:
    """Play a match and record every decision except folds.

    Returns:
        ``decisions``: stated value, realised value and deal of each; ``won``: per hand, on each deal.
    """
    agents = [(make_sampling(NotedSampling, settings, settings.trials), make_bot(opponent)) for _ in range(2)]
    won, decisions = play_duel(load_game(game), agents, seed, deals)
    points = [[each.stated.value, each.realised, each.deal] for each in decisions if not each.stated.is_fold]
    return {"decisions": points, "won": won.tolist()}


def _match_up(
    game: str, opponent: str, seed: int, settings: SamplingSettings, work: Work
) -> tuple[dict[str, Any], dict[float, Estimate]]:
    """The result against one opponent; and a curve, means of equal parts of the decisions by stated value."""
    tasks = [
        part_task(
            "robustness", f"robustness, {game} against {opponent}", _play_match,
            game=game, opponent=opponent, seed=match_seed, deals=deals, settings=settings,
        )
        for match_seed, deals in cut_into_matches(settings.duel_hands, seed)
    ]  # fmt: skip
    tables: list[NDArray[np.float64]] = []
    won: list[float] = []
    for found in work.each(tasks):
        # Deals are numbered from 0 in each match.
        shift = np.array([0.0, 0.0, float(HANDS_OF_A_MATCH * len(tables))])
        tables.append(np.array(found["decisions"], np.float64).reshape(-1, 3) + shift)
        won += found["won"]
    points = np.concatenate(tables)
    stated, realised = points[:, 0], points[:, 1]
    line = fit_line(stated.tolist(), realised.tolist(), points[:, 2].astype(int).tolist())
    unit = "sb" if load_game(game).is_limit else "bb"
    work.progress(f"robustness: {game}, {opponent}: slope {line.slope}, intercept {line.intercept} {unit}")
    numbers = {
        "game": game,
        "opponent": opponent,
        "unit": unit,
        "decisions": len(points),
        "slope": line.slope,
        "intercept": line.intercept,
        "mean_stated": float(stated.mean()),
        "mean_realised": float(realised.mean()),
        "won_per_hand": estimate(won),
    }
    parts = [part for part in np.array_split(np.argsort(stated, kind="stable"), _BINS) if len(part)]
    return numbers, {float(stated[part].mean()): estimate(realised[part].tolist()) for part in parts}


def robustness(settings: SamplingSettings, work: Work) -> Findings:
    """Each opponent of each game."""
    match_ups, plots = [], []
    for game, opponents in OPPONENTS.items():
        curves: dict[str, Mapping[float, Estimate | float]] = {}
        for number, opponent in enumerate(opponents):
            seed = derive_seed(settings.seed, 16 * len(game) + number)
            match_up, curves[opponent] = _match_up(game, opponent, seed, settings, work)
            match_ups.append(match_up)
        stated = [value for each in curves.values() for value in each]
        curves["as stated"] = {end: end for end in (min(stated), max(stated))}
        plots.append(
            plot(
                f"robustness-{game}",
                f"Stated values and what was won, {game}",
                f"stated value of the chosen action, {match_up['unit']}",
                f"won from there on, {match_up['unit']}",
                curves,
            )
        )
    low, high = WANTED_SLOPE
    shown: dict[str, Column] = {
        "game": "game",
        "against": "opponent",
        "decisions": lambda row: f"{row['decisions']:,}",
        "slope": "slope",
        "intercept": lambda row: f"{row['intercept']} {row['unit']}",
        "mean stated": lambda row: f"{row['mean_stated']:+z.3f}",
        "mean realised": lambda row: f"{row['mean_realised']:+z.3f}",
        "won per hand": lambda row: f"{row['won_per_hand']} {row['unit']}",
        f"slope within {low} to {high}": lambda row: "yes" if low <= row["slope"].mean <= high else "no",
    }
    report = (
        f"`{settings.sampling_bot()}` heads-up, {settings.duel_hands:,} hands against each opponent, every "
        "deal from both seats; the errors allow for the dependence of decisions on the same deal.\n\n"
        + columns(shown, match_ups)
    )
    return Findings({"match_ups": match_ups}, report, plots)
