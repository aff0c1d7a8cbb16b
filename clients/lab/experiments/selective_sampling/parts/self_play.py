"""(a) Self-play: bots that simulate against bots that play by formula; in the papers at a table of ten.

Loki's simulating version won $1,075 more per 1,000 hands of $10/$20 than the best version that did not
simulate if its trials used formula decisions, and $880 more with a plain, fast probability triple.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any, Final

import attrs

from clients.core.registry import make_bot
from clients.lab.experiments.findings import Findings, Plot, markdown_table
from clients.lab.experiments.line_up import LineUp, chips_by_seat, matches
from clients.lab.experiments.resuming import Work, keep
from clients.lab.experiments.selective_sampling.settings import Settings
from clients.lab.experiments.selective_sampling.tasks import PartTask
from clients.reports.plots import Curve
from engine.evidence.confidence_sequence import ConfidenceSequence
from engine.evidence.payoff_bounds import payoff_bounds
from engine.poker.rules import load_game
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed

LOKI: Final = {"formula decisions": 1075.0, "fast triples": 880.0}
"""Loki's results in dollars per 1,000 hands."""
DOLLARS: Final = 10.0
"""The small bet of the papers' game, in dollars."""
DEALS_OF_A_MATCH: Final = 50
"""Long enough for models to learn, short enough to divide among processes."""


@attrs.frozen
class Match(PartTask):
    """Some deals between two kinds of bots, in all rotations of a line-up."""

    game: str
    line_up: LineUp
    first: str
    others: str
    seed: int
    deals: int

    def __str__(self) -> str:
        return f"self-play, {self.line_up.name}"


def play_match(match: Match) -> dict[str, list[float]]:
    """Play a match; returns ``won``: small bets per hand of a bot of the first kind, on each deal."""
    game = load_game(match.game)
    assert game.small_bet is not None
    won = [
        chips_by_seat(
            game,
            [make_bot(match.first if is_first else match.others) for is_first in seated],
            match.seed,
            match.deals,
        )
        for seated in match.line_up.passes()
    ]
    found: dict[str, list[float]] = {"won": (match.line_up.mean_of_first(won) / game.small_bet).tolist()}
    keep(match, found)
    return found


@attrs.frozen
class Gain:
    """The result of a line-up."""

    line_up: LineUp
    hands: int
    estimate: Estimate
    """Small bets per hand."""
    course: tuple[tuple[int, Estimate], ...]
    """The estimates over time, each with the number of hands played by then."""

    @property
    def dollars(self) -> Estimate:
        """The result in dollars per 1,000 hands."""
        return self.estimate.scaled(1000 * DOLLARS)

    @property
    def lead(self) -> Estimate:
        """How much more a bot of the first kind won than one of the others, in sb/h; the game is zero-sum."""
        return self.estimate.scaled(self.line_up.seats / (self.line_up.seats - self.line_up.first))

    def as_json(self) -> dict[str, Any]:
        """For ``results.json``."""
        return {
            "line_up": self.line_up.name,
            "hands": self.hands,
            "gain_sb_per_hand": self.estimate.as_json(),
            "gain_dollars_per_1000_hands": self.dollars.as_json(),
            "lead_over_formula_sb_per_hand": self.lead.as_json(),
        }


def play_line_up(line_up: LineUp, settings: Settings, work: Work) -> Gain:
    """Play until all hands are played, or the gain is known well enough."""
    passes = len(line_up.passes())
    deals = max(2, round(settings.hands / passes))
    until = None if settings.until is None else settings.until / 1000  # sb/h, as the values are
    follower = None if until is None else _gain_of_a_player(settings.game)
    seed = derive_seed(settings.seed, line_up.first)
    tasks = [
        Match(
            work.folder, settings.game, line_up, settings.sampling_bot(), settings.formula, match_seed, number
        )
        for match_seed, number in matches(deals, DEALS_OF_A_MATCH, seed)
    ]
    won: list[float] = []
    course: list[tuple[int, Estimate]] = []
    is_known = False
    with contextlib.closing(work.each(play_match, tasks)) as results:
        for result in results:
            for gain in result["won"]:
                won.append(gain)
                if follower is not None:
                    follower.add(gain)
                    is_known = _half_width(follower) <= (until or 0.0)
                    if is_known:
                        break
            course.append((len(won) * passes, _known(won, follower)))
            if is_known:
                break
    work.progress(f"self-play {line_up.name}: {len(won) * passes} hands, {course[-1][1]} sb/h")
    return Gain(line_up, len(won) * passes, course[-1][1], tuple(course))


def _gain_of_a_player(game_text: str) -> ConfidenceSequence:
    """A new confidence sequence for a player's gain in a game, in small bets per hand."""
    game = load_game(game_text)
    bounds = payoff_bounds(game)
    assert bounds is not None  # bets of a limit game are bounded
    assert game.small_bet is not None
    low, high = bounds.of_a_player()
    return ConfidenceSequence(low / game.small_bet, high / game.small_bet)


def _half_width(follower: ConfidenceSequence) -> float:
    """How far the mean may be from the true one, whenever you look; nothing fits a changing mean."""
    return math.inf if follower.distance is None else follower.distance


def _known(won: list[float], follower: ConfidenceSequence | None) -> Estimate:
    if follower is None:
        return estimate(won)
    return attrs.evolve(estimate(won), ci95=follower.distance)


def run(settings: Settings, work: Work) -> Findings:
    """Half the table against the other half, and one against all others, or the line-ups asked for."""
    seats = load_game(settings.game).num_players
    numbers_of_first = settings.simulating or sorted({seats // 2, 1}, reverse=True)
    line_ups = [LineUp(first, seats) for first in numbers_of_first]
    gains = [play_line_up(line_up, settings, work) for line_up in line_ups]
    header = [
        "sampling against formula",
        "hands",
        "won per hand, sb",
        "per 1000 hands, $",
        "lead over formula, sb",
    ]
    rows = [
        [gain.line_up.name, f"{gain.hands:,}", gain.estimate, gain.dollars.text(0), gain.lead]
        for gain in gains
    ]
    rows += [
        [f"Loki, {name}", "", f"{won / 1000 / DOLLARS:+z.4f}", f"{won:+z.0f}", ""]
        for name, won in LOKI.items()
    ]
    report = (
        f"`{settings.sampling_bot()}` against `{settings.formula}` at {settings.game}; every deal is played "
        "in each rotation of the seats, intervals are 95 %, from per-deal means"
        + (", and hold whenever you look.\n\n" if settings.until is not None else ".\n\n")
        + markdown_table(header, rows)
        + "\nWhat a bot of the first kind wins grows with the number of others it wins from; the lead over "
        "them does not.  The paper says how much more one program won than the other, not at which table.\n"
    )
    plot = Plot(
        "self-play",
        f"Sampling bots against formula bots, {settings.game}",
        "hands",
        "$ per 1000 hands of $10/$20",
        tuple(
            Curve(
                gain.line_up.name,
                [hands for hands, _ in gain.course],
                [1000 * DOLLARS * each.mean for _, each in gain.course],
                [1000 * DOLLARS * (each.ci95 or 0.0) for _, each in gain.course],
            )
            for gain in gains
        ),
        levels=tuple((f"Loki, {name}", won) for name, won in LOKI.items()),
    )
    numbers = {
        "game": settings.game,
        "sampling": settings.sampling_bot(),
        "formula": settings.formula,
        "line_ups": [gain.as_json() for gain in gains],
        "loki_dollars_per_1000_hands": LOKI,
    }
    return Findings(numbers, report, [plot])
