"""The experiment ``selective-sampling``: its parts, one after the other, and the first of them.

(a) Self-play: bots that simulate against bots that play by formula; in the papers at a table of ten.  Loki's
simulating version won $1,075 more per 1,000 hands of $10/$20 than the best version that did not simulate if
its trials used formula decisions, and $880 more with a plain, fast probability triple.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import attrs

from clients.core.agent import Agent
from clients.core.registry import make_bot
from clients.lab.experiments import harness
from clients.lab.experiments.command import experiment_command
from clients.lab.experiments.selective_sampling.equal_time import equal_time
from clients.lab.experiments.selective_sampling.settings import PARTS, SamplingSettings, part_task, read_parts
from clients.lab.experiments.selective_sampling.spots import obvious_moves, stability, uniform_dealing
from clients.lab.experiments.selective_sampling.stated_values import robustness, wrong_models
from engine.evidence.confidence_sequence import ConfidenceSequence, payoff_bounds
from engine.poker.rules import load_game
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed

LOKI: Final = {"formula decisions": 1075.0, "fast triples": 880.0}
"""Loki's results in dollars per 1,000 hands."""
DOLLARS: Final = 10.0
"""The small bet of the papers' game, in dollars."""
DEALS_OF_A_MATCH: Final = 50
"""Long enough for models to learn, short enough to divide among processes."""


# --- (a) self-play ---------------------------------------------------------------------------------------


def match_task(line_up: harness.LineUp, settings: SamplingSettings, seed: int, deals: int) -> harness.Task:
    """Some deals between two kinds of bots, in all rotations of a line-up."""
    return part_task(
        "self-play", f"self-play, {line_up.name}", _play_match,
        game=settings.game, line_up=line_up, first=settings.sampling_bot(), others=settings.formula,
        seed=seed, deals=deals,
    )  # fmt: skip


def _play_match(
    game: str, line_up: harness.LineUp, first: str, others: str, seed: int, deals: int
) -> dict[str, list[float]]:
    """``won``: small bets per hand of a bot of the first kind, on each deal."""

    def seated(rotation: Sequence[bool]) -> list[Agent]:
        return [make_bot(first if is_first else others) for is_first in rotation]

    return {"won": line_up.play(load_game(game), seated, seed, deals).tolist()}


def play_line_up(
    line_up: harness.LineUp, settings: SamplingSettings, work: harness.Work
) -> tuple[dict[str, Any], dict[float, Estimate]]:
    """Play until all hands are played, or the gain is known well enough.

    Returns:
        The result, and the gain in small bets per hand over time, by the number of hands played by then.
    """
    passes = len(line_up.passes())
    until = (settings.until or 0.0) / 1000  # sb/h, as the values are
    follower = None if settings.until is None else _gain_of_a_player(settings.game)
    seed = derive_seed(settings.seed, line_up.first)
    cut = harness.matches(max(2, round(settings.hands / passes)), DEALS_OF_A_MATCH, seed)
    tasks = [match_task(line_up, settings, *match) for match in cut]
    won: list[float] = []
    course: dict[float, Estimate] = {}
    is_known = False
    with contextlib.closing(work.each(tasks)) as results:
        for result in results:
            for gain in result["won"]:
                won.append(gain)
                if follower is not None:
                    follower.add(gain)
                    is_known = follower.distance is not None and follower.distance <= until
                    if is_known:
                        break
            known = estimate(won)
            if follower is not None:
                known = attrs.evolve(known, ci95=follower.distance)
            course[len(won) * passes] = known
            if is_known:
                break
    work.progress(f"self-play {line_up.name}: {len(won) * passes} hands, {known} sb/h")
    # How much more than one of the others; the game is zero-sum.
    lead = known.scaled(line_up.seats / (line_up.seats - line_up.first))
    return {
        "line_up": line_up.name, "hands": len(won) * passes, "gain_sb_per_hand": known,
        "gain_dollars_per_1000_hands": known.scaled(1000 * DOLLARS), "lead_over_formula_sb_per_hand": lead,
    }, course  # fmt: skip


def _gain_of_a_player(game_text: str) -> ConfidenceSequence:
    """A new confidence sequence for a player's gain in a game, in small bets per hand."""
    game = load_game(game_text)
    bounds = payoff_bounds(game)
    assert bounds is not None  # bets of a limit game are bounded
    assert game.small_bet is not None
    low, high = bounds.of_a_player()
    return ConfidenceSequence(low / game.small_bet, high / game.small_bet)


def self_play(settings: SamplingSettings, work: harness.Work) -> harness.Findings:
    """Half the table against the other half, and one against all others, or the line-ups asked for."""
    seats = load_game(settings.game).num_players
    numbers_of_first = settings.simulating or sorted({seats // 2, 1}, reverse=True)
    line_ups = [play_line_up(harness.LineUp(first, seats), settings, work) for first in numbers_of_first]
    shown: dict[str, harness.Column] = {
        "sampling against formula": "line_up",
        "hands": lambda row: f"{row['hands']:,}" if "hands" in row else None,
        "won per hand, sb": "gain_sb_per_hand",
        "per 1000 hands, $": lambda row: row["gain_dollars_per_1000_hands"].text(0),
        "lead over formula, sb": "lead_over_formula_sb_per_hand",
    }
    lokis: list[dict[str, Any]] = [
        {"line_up": f"Loki, {name}", "gain_sb_per_hand": f"{won / 1000 / DOLLARS:+z.4f}",
         "gain_dollars_per_1000_hands": Estimate(won, None, 0)}
        for name, won in LOKI.items()
    ]  # fmt: skip
    report = (
        f"`{settings.sampling_bot()}` against `{settings.formula}` at {settings.game}; every deal is played "
        "in each rotation of the seats, intervals are 95 %, from per-deal means"
        + (", and hold whenever you look.\n\n" if settings.until is not None else ".\n\n")
        + harness.columns(shown, [*(numbers for numbers, _ in line_ups), *lokis])
        + "\nWhat a bot of the first kind wins grows with the number of others it wins from; the lead over "
        "them does not.  The paper says how much more one program won than the other, not at which table.\n"
    )
    title, y = f"Sampling bots against formula bots, {settings.game}", "$ per 1000 hands of $10/$20"
    curves = {
        numbers["line_up"]: {hands: each.scaled(1000 * DOLLARS) for hands, each in course.items()}
        for numbers, course in line_ups
    }
    levels = tuple((f"Loki, {name}", won) for name, won in LOKI.items())
    picture = harness.plot("self-play", title, "hands", y, curves, levels=levels)
    numbers = {
        "game": settings.game, "sampling": settings.sampling_bot(), "formula": settings.formula,
        "line_ups": [each for each, _ in line_ups], "loki_dollars_per_1000_hands": LOKI,
    }  # fmt: skip
    return harness.Findings(numbers, report, [picture])


# --- all parts -------------------------------------------------------------------------------------------

DONE_BY: Final[dict[str, tuple[str, Callable[[SamplingSettings, harness.Work], harness.Findings]]]] = {
    "a": ("Self-play: sampling bots against formula bots", self_play),
    "b": ("Stability of values and decisions", stability),
    "c": ("Obvious moves", obvious_moves),
    "d": ("Selective against uniform sampling", uniform_dealing),
    "e": ("Wrong models", wrong_models),
    "f": ("Costly and cheap trials in the same time", equal_time),
    "g": ("What is stated and what is realised", robustness),
}
"""The heading of each part, and the function that does it, by letter."""


@experiment_command(SamplingSettings, "what each task found", seeded="results")
def selective_sampling(settings: SamplingSettings, work: harness.Work) -> Iterator[harness.Findings]:
    """Reproduce Loki's selective sampling: self-play, stability, obvious moves; Poki's warnings; costs.

    Parts: a self-play, b stability, c obvious-moves, d uniform-dealing, e wrong-models, f equal-time,
    g robustness.  Files are written after each part; the time left is that of the part's present matches.
    Part f also measures the processor time of a trial, the only number that differs from run to run.
    """
    parts: dict[str, Any] = {}
    report = f"# Selective sampling\n\nSeed {settings.seed}; Riverboat {harness.VERSION}.\n"
    for letter in read_parts(settings.parts):
        heading, do = DONE_BY[letter]
        start = time.monotonic()
        part = do(settings, work)
        parts[PARTS[letter]] = part.numbers
        report += f"\n## ({letter}) {heading}\n\n{part.report}"
        if work.plots:
            report += "".join(f"\n![{each.title}]({each.name}.png)\n" for each in part.plots)
        yield harness.Findings({"settings": settings, "parts": parts}, report, part.plots)
        work.progress(f"({letter}) {heading}: done in {time.monotonic() - start:.0f} s")
