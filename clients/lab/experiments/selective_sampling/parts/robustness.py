"""(g) Robustness: the values that a sampling bot states, compared with the chips that it wins.

Every decision is a point: the stated value of the chosen action, and the chips won from there to the end of
the hand.  If the simulation were right about everything, the line through the points would have slope 1 and
intercept 0.  Folds, which are worth 0 by definition, are left out.
"""

from __future__ import annotations

from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.registry import make_bot
from clients.lab.experiments.findings import Findings, Plot, markdown_table
from clients.lab.experiments.regression import fit_line
from clients.lab.experiments.resuming import Work, keep
from clients.lab.experiments.selective_sampling.bots import NotedSampling, make_sampling
from clients.lab.experiments.selective_sampling.duels import HANDS_OF_A_MATCH, cut_into_matches, play_duel
from clients.lab.experiments.selective_sampling.settings import Settings
from clients.lab.experiments.selective_sampling.tasks import PartTask
from clients.reports.plots import Curve
from engine.poker.rules import load_game
from engine.support.intervals import estimate
from engine.support.seeds import derive_seed

OPPONENTS: Final = {
    "limit-2p": ("always-call", "random", "always-raise"),
    "nolimit-2p": ("always-call", "random", "always-all-in"),
}
WANTED_SLOPE: Final = (0.8, 1.2)
_BINS: Final = 8


@attrs.frozen
class Match(PartTask):
    """Deals against one opponent, from both seats."""

    game: str
    opponent: str
    seed: int
    deals: int
    settings: Settings

    def __str__(self) -> str:
        return f"robustness, {self.game} against {self.opponent}"


def play_match(match: Match) -> dict[str, Any]:
    """Play a match and record every decision except folds, in small bets (big blinds in no-limit games).

    Returns:
        ``decisions``: stated value, realised value and deal of each; ``won``: per hand, on each deal.
    """
    settings = match.settings
    agents = [
        (make_sampling(NotedSampling, settings, settings.trials), make_bot(match.opponent)) for _ in range(2)
    ]
    won, decisions = play_duel(load_game(match.game), agents, match.seed, match.deals)
    points = [[each.stated.value, each.realised, each.deal] for each in decisions if not each.stated.is_fold]
    found = {"decisions": points, "won": won.tolist()}
    keep(match, found)
    return found


def run(settings: Settings, work: Work) -> Findings:
    """Each opponent of each game."""
    rows: list[list[object]] = []
    numbers: list[dict[str, object]] = []
    plots: list[Plot] = []
    for game, opponents in OPPONENTS.items():
        unit = "sb" if load_game(game).is_limit else "bb"
        curves: list[Curve] = []
        for number, opponent in enumerate(opponents):
            seed = derive_seed(settings.seed, 16 * len(game) + number)
            matches = [
                Match(work.folder, game, opponent, match_seed, deals, settings)
                for match_seed, deals in cut_into_matches(settings.duel_hands, seed)
            ]
            tables: list[NDArray[np.float64]] = []
            won: list[float] = []
            for found in work.each(play_match, matches):
                # Deals are numbered from 0 in each match.
                shift = np.array([0.0, 0.0, float(HANDS_OF_A_MATCH * len(tables))])
                tables.append(np.array(found["decisions"], np.float64).reshape(-1, 3) + shift)
                won += found["won"]
            points = np.concatenate(tables)
            line = fit_line(points[:, 0].tolist(), points[:, 1].tolist(), points[:, 2].astype(int).tolist())
            gain = estimate(won)
            inside = WANTED_SLOPE[0] <= line.slope.mean <= WANTED_SLOPE[1]
            work.progress(
                f"robustness: {game}, {opponent}: slope {line.slope}, intercept {line.intercept} {unit}"
            )
            rows.append(
                [
                    game, opponent, f"{len(points):,}", line.slope, f"{line.intercept} {unit}",
                    f"{points[:, 0].mean():+z.3f}", f"{points[:, 1].mean():+z.3f}", f"{gain} {unit}",
                    "yes" if inside else "no",
                ]
            )  # fmt: skip
            curves.append(_calibration(opponent, points))
            numbers.append(
                {
                    "game": game,
                    "opponent": opponent,
                    "unit": unit,
                    "decisions": len(points),
                    "slope": line.slope.as_json(),
                    "intercept": line.intercept.as_json(),
                    "mean_stated": float(points[:, 0].mean()),
                    "mean_realised": float(points[:, 1].mean()),
                    "won_per_hand": gain.as_json(),
                }
            )
        plots.append(
            Plot(
                f"robustness-{game}",
                f"Stated values and what was won, {game}",
                f"stated value of the chosen action, {unit}",
                f"won from there on, {unit}",
                (*curves, _diagonal(curves)),
            )
        )
    header = [
        "game", "against", "decisions", "slope", "intercept", "mean stated", "mean realised", "won per hand",
        f"slope within {WANTED_SLOPE[0]} to {WANTED_SLOPE[1]}",
    ]  # fmt: skip
    report = (
        f"`{settings.sampling_bot()}` heads-up, {settings.duel_hands:,} hands against each opponent, every "
        "deal from both seats; the errors allow for the dependence of decisions on the same deal.\n\n"
        + markdown_table(header, rows)
    )
    return Findings({"match_ups": numbers}, report, plots)


def _calibration(name: str, points: NDArray[np.float64]) -> Curve:
    """Means of equal parts of the decisions, by stated value."""
    order = np.argsort(points[:, 0], kind="stable")
    parts = [part for part in np.array_split(order, _BINS) if len(part)]
    realised = [estimate(points[part, 1].tolist()) for part in parts]
    return Curve(
        name,
        [float(points[part, 0].mean()) for part in parts],
        [each.mean for each in realised],
        [each.ci95 or 0.0 for each in realised],
    )


def _diagonal(curves: list[Curve]) -> Curve:
    ends = [min(min(curve.x) for curve in curves), max(max(curve.x) for curve in curves)]
    return Curve("as stated", ends, ends)
