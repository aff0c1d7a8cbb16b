"""The exploitability of a strategy of heads-up limit hold'em: a lower and an upper bound from drawn flops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs
import numpy as np

from engine.poker.rules import GameDefinition
from engine.solving.bounds.players import Player
from engine.solving.bounds.river_round import rounds_of
from engine.solving.bounds.sample import Flop, next_cards
from engine.solving.bounds.values import FlopValues, Responder, ascend, controlled, decided_by_first
from engine.support.arrays import Floats

_DEALS = 1326 * 1225
"""Ways to deal hole cards to one player and then to the other."""


@attrs.frozen
class Bound:
    """The winnings of a best response, in chips per hand."""

    value: float
    """The mean over both seats."""
    se: float
    """The standard error of `value`, from the spread between flops; 0 if all flops were used."""
    by_seat: tuple[float, float]
    """The winnings in each position of the best response."""


@attrs.frozen
class FlopsEstimate:
    """Two bounds on the exploitability of a strategy."""

    lower: Bound
    """Cross-fitted: what a playable strategy wins, so on average at most what the best response wins."""
    upper: Bound
    """In-sample: on average at least what the best response wins."""


def count_turns(flops: Sequence[Flop]) -> int:
    """The number of calls of `seen` that `best_response_on_flops` makes, both seats together."""
    return 2 * sum(
        any(card in turns for card in cards for turns in flop.turns)
        for flop in flops
        for _, _, cards in next_cards(flop.board, (flop.board,))
    )


def best_response_on_flops(
    game: GameDefinition,
    player: Player,
    flops: Sequence[Flop],
    *,
    jobs: int = 1,
    seen: Callable[[], None] = lambda: None,
) -> FlopsEstimate:
    """Bounds on what a best response wins from a strategy, averaged over both seats.

    Args:
        game: heads-up limit hold'em.
        player: the strategy.
        flops: all flops, or two halves drawn independently of each other.
        jobs: the number of threads; used only for players that are fixed.  The result does not depend on it.
        seen: called after each turn card in each seat, from any thread.

    Raises:
        ValueError: the game is another one, or what the player returns are not chances.
    """
    rounds = rounds_of(game)
    responders = [Responder(rounds, player, position) for position in (0, 1)]

    def on(flop: Flop) -> list[FlopValues]:
        return [responder.on_flop(flop, seen) for responder in responders]

    if jobs == 1 or not player.is_fixed:
        values = list(map(on, flops))
    else:
        with ThreadPoolExecutor(jobs) as pool:
            values = list(pool.map(on, flops))
    return FlopsEstimate(*(_bound(responders, flops, values, is_fitted=each) for each in (True, False)))


def _bound(
    responders: Sequence[Responder],
    flops: Sequence[Flop],
    values: Sequence[Sequence[FlopValues]],
    *,
    is_fitted: bool,
) -> Bound:
    """The lower (fitted) or upper (in-sample) bound.

    Args:
        responders: one for each seat.
        flops: the flops used.
        values: what the responders win, by flop and then by seat.
        is_fitted: whether the lower bound is wanted.
    """
    weights = np.array([flop.weight for flop in flops])
    halves = np.array([flop.half for flop in flops])
    won = np.zeros((2, len(flops)))
    for responder in responders:
        seat = responder.position
        paid = np.array([of[seat].fitted if is_fitted else of[seat].in_sample for of in values])
        met = np.array([of[seat].met for of in values])
        for half in np.unique(halves):
            own = np.flatnonzero(halves == half)
            teachers = np.flatnonzero(halves != half) if is_fitted and half >= 0 else np.arange(len(flops))
            taught, come = (
                np.average(each[teachers], axis=0, weights=weights[teachers]) for each in (paid, met)
            )
            rows = controlled(taught, come, responder.met, paid[own], met[own])
            won[seat, own] = _before_the_flop(responder, rows)[1:]
    both = won.mean(axis=0)
    is_sampled = bool((halves >= 0).all())
    se = float(np.std(both, ddof=1)) / math.sqrt(len(both)) if is_sampled else 0.0
    return Bound(float(weights @ both), se, (float(weights @ won[0]), float(weights @ won[1])))


def _before_the_flop(responder: Responder, rows: Floats) -> Floats:
    """Chips per hand for each row, shape (rows,), if the first row makes the decisions before the flop.

    Args:
        responder: the best response in one seat.
        rows: what each row says of the flop, shape (rows, 169, bettings).
    """
    ends = [rows[:, :, number] for number in range(rows.shape[2])]
    worth = ascend(
        responder.rounds[0].shape, responder.position, responder.preflop_folds, ends, decided_by_first
    )
    return worth.sum(axis=1) / _DEALS
