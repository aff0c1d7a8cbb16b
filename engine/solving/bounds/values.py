"""What a best response wins on a flop: exact from the turn card on, cross-fitted before it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.poker.combos import (
    COMBO_HIGH,
    COMBO_LOW,
    NUM_COMBOS,
    NUM_STARTING_HANDS,
    STARTING_HAND_OF_COMBO,
    combos_without,
)
from engine.solving.bounds.players import Player
from engine.solving.bounds.river_round import BettingRound, Bettings, RiverRound, Shape
from engine.solving.bounds.sample import Board, Flop, next_cards
from engine.support.arrays import Floats, Floats32, Ints

Values = NDArray[Any]

_TURNS, _RIVERS = 45, 44
"""Turn and river cards that may come, given the board and both players' hole cards."""
_FLOPS, _FLOPS_LEFT = 22_100, 17_296
"""All flops, and the flops that both players' four hole cards leave possible."""


@attrs.frozen(eq=False)
class FlopValues:
    """What a best response wins on a flop, by starting hand and betting before it: shape (169, bettings).

    The unit is chips times the opponent's reach, added up over the hands of both players, as if all flops
    were like this one.
    """

    fitted: Floats
    """Decisions made on some turns and valued on others."""
    in_sample: Floats
    """Decisions made and valued on the same turns."""
    met: Floats
    """The opponent's reach alone, without chips; its mean over all flops is `Responder.met`."""


class Responder:
    """A best response in one seat.

    Args:
        rounds: the betting of the game.
        player: the opponent.
        position: the position of the best response.
    """

    def __init__(self, rounds: Sequence[BettingRound], player: Player, position: int) -> None:
        self.rounds = rounds
        self.position = position
        self._player = player
        self._river = RiverRound(rounds, player, position)
        shape = rounds[0].shape
        chances = self._chances(shape, rounds[0].bettings, np.ones((NUM_COMBOS, 1), np.float32), ())
        folds, ends = descend(shape, position, np.ones((NUM_COMBOS, 1), np.float32), chances)
        self.preflop_folds = [
            _by_starting_hand(value).ravel() if value.size else value
            for value in self._folded(shape, folds, np.zeros(1, np.float32), ())
        ]
        """The value of the fold at each node before the flop, by starting hand; empty where there is none."""
        self._reach = np.concatenate(ends, axis=1)
        self.met = _by_starting_hand(_meeting(self._reach))
        """The opponent's reach at the flop, added up by our starting hand; shape (169, bettings)."""

    def on_flop(self, flop: Flop, seen: Callable[[], None]) -> FlopValues:
        """What the best response wins on a flop.

        Args:
            flop: the flop, with its turns.
            seen: called after each turn card.
        """
        betting, board = self.rounds[1], flop.board
        shape = betting.shape
        reach = self._reach * _live(board)
        chances = self._chances(shape, betting.bettings, reach, board)
        folds, ends = descend(shape, self.position, reach, chances)
        folded = self._folded(shape, folds, betting.staked, board)
        # Lanes of the turn: the bettings before the flop, and within them the ends of the round.
        lanes = np.stack(ends, axis=-1).reshape(NUM_COMBOS, -1)
        reached = np.flatnonzero(lanes.any(axis=0))
        sums, mets = np.zeros((2, *lanes.shape)), np.zeros((2, *lanes.shape))
        for card, names, cards in next_cards(board, (board,)):
            wanted = [[turn in turns for turn in cards] for turns in flop.turns]
            if not any(map(any, wanted)):
                continue
            on = (*board, card)
            worth, met = self._on_turn(board, card, lanes), np.zeros(lanes.shape, np.float32)
            met[:, reached] = _meeting(lanes[:, reached] * _live(on), on)
            seen()
            for half in (0, 1):
                for renamed, is_wanted in zip(names, wanted[half], strict=True):
                    if is_wanted:
                        sums[half, renamed] += worth
                        mets[half, renamed] += met
        for half, turns in enumerate(flop.turns):
            scale = (52.0 - len(board)) / (len(turns) * _TURNS)
            sums[half] *= scale
            mets[half] *= scale
        expected = _meeting(lanes, board)

        def valued(decides: list[int], pays: list[int]) -> Floats:
            taught, come = sums[decides].mean(axis=0), mets[decides].mean(axis=0)
            paid, met = sums[pays].mean(axis=0), mets[pays].mean(axis=0)
            pair = controlled(taught, come, expected, paid[None], met[None])
            by_end = pair.reshape(2, NUM_COMBOS, len(betting.bettings), -1)
            ends = [by_end[..., end] for end in range(by_end.shape[-1])]
            worth = ascend(shape, self.position, folded, ends, decided_by_first)
            return _by_starting_hand(worth[1]) * (_FLOPS / _FLOPS_LEFT)

        came = _by_starting_hand(_meeting(reach, board)) * (_FLOPS / _FLOPS_LEFT)
        in_sample = valued([0, 1], [0, 1])
        if flop.is_whole:
            return FlopValues(in_sample, in_sample, came)
        fitted = (valued([0], [1]) + valued([1], [0])) / 2
        return FlopValues(fitted, in_sample, came)

    def _on_turn(self, flop: Board, card: int, lanes: Floats32) -> Floats32:
        """The best response's winnings from the start of each betting on the turn, shape (1326, lanes)."""
        board = (*flop, card)
        reached = np.flatnonzero(lanes.any(axis=0))
        worth = np.zeros(lanes.shape, np.float32)
        if not len(reached):
            return worth
        betting = self.rounds[2]
        shape, bettings = betting.shape, [betting.bettings[lane] for lane in reached.tolist()]
        reach = np.ascontiguousarray(lanes[:, reached]) * _live(board)
        chances = self._chances(shape, bettings, reach, board)
        folds, ends = descend(shape, self.position, reach, chances)
        folded = self._folded(shape, folds, betting.staked[reached], board)
        shown = self._on_rivers(flop, card, reached, ends)
        worth[:, reached] = ascend(
            shape, self.position, folded, shown, functools.partial(functools.reduce, np.maximum)
        )
        return worth

    def _on_rivers(self, flop: Board, card: int, reached: Ints, ends: Sequence[Floats32]) -> list[Floats32]:
        """The best response's winnings after each end of the turn's betting, averaged over all rivers."""
        lanes = self._river.lanes(reached.tolist(), ends)
        for river, names, _ in next_cards((*flop, card), (flop, (card,))):
            self._river.add((*flop, card, river), names, lanes)
        sums = [np.zeros(end.shape, np.float32) for end in ends]
        for each in lanes:
            sums[each.end][:, each.columns] = each.worth / np.float32(_RIVERS)
        return sums

    def _chances(
        self, shape: Shape, bettings: Bettings, reach: Floats32, board: Board
    ) -> list[Floats32 | None]:
        """The opponent's chances at its nodes of a round, shape (3, 1326, lanes) each; None at the others."""
        is_reached = np.asarray(reach.any(axis=0))
        nodes = [number for number, node in enumerate(shape) if node.position != self.position]
        asked = [
            betting[number] if is_reached[lane] else None
            for number in nodes
            for lane, betting in enumerate(bettings)
        ]
        classes, chances = self._player.chances(asked, board)
        by_node = chances.reshape(len(nodes), len(bettings), 3, -1)
        table = np.ascontiguousarray(by_node.transpose(0, 2, 3, 1))[:, :, classes]
        found: list[Floats32 | None] = [None] * len(shape)
        for place, number in enumerate(nodes):
            found[number] = table[place]
        return found

    def _folded(
        self, shape: Shape, folds: Sequence[Floats32 | None], staked: Floats32, board: Board
    ) -> list[Floats32]:
        """The value of the fold at each node, given the reach there; empty where there is none."""
        found = []
        for node, reach in zip(shape, folds, strict=True):
            sign = -1 if node.position == self.position else 1
            chips = sign * (staked + np.float32(node.fold))
            found.append(np.zeros(0, np.float32) if reach is None else _meeting(reach, board) * chips)
        return found


def descend(
    shape: Shape, responder: int, reach: Floats32, chances: Sequence[Floats32 | None]
) -> tuple[list[Floats32 | None], list[Floats32]]:
    """The opponent's reach throughout a round.

    Args:
        shape: the tree of the round.
        responder: the position of the best response, which may do anything.
        reach: the opponent's reach at the start, shape (1326, lanes).
        chances: the opponent's chances at its own nodes, each of shape (3, 1326, lanes); None at the others.

    Returns:
        Its reach at the fold of each node, None where there is no fold; and at each end of the round.  Each
        array has shape (1326, lanes).
    """
    at: list[Floats32] = [reach] * len(shape)
    folds: list[Floats32 | None] = [None] * len(shape)
    ends = []
    for number, node in enumerate(shape):
        theirs, said = at[number], chances[number]
        folded, called, raised = (theirs,) * 3 if said is None else (theirs * each for each in said)
        assert (said is None) == (node.position == responder)
        if node.fold >= 0:
            folds[number] = folded
        if node.call >= 0:
            ends.append(called)
        else:
            at[node.after_call] = called
        if node.after_raise >= 0:
            at[node.after_raise] = raised
    return folds, ends


def ascend(
    shape: Shape,
    responder: int,
    folds: Sequence[Values],
    ends: Sequence[Values],
    best: Callable[[list[Values]], Values],
) -> Values:
    """The value of a round, from the values of its ends.

    Args:
        shape: the tree of the round.
        responder: the position of the best response.
        folds: the value of the fold at each node; anything where there is no fold.
        ends: the values of the ends of the round, in order.
        best: combines the values of the best response's options into one.
    """
    worth: list[Values | None] = [None] * len(shape)
    left = list(ends)
    for number in range(len(shape) - 1, -1, -1):
        node = shape[number]
        called = left.pop() if node.call >= 0 else worth[node.after_call]
        raised = worth[node.after_raise] if node.after_raise >= 0 else None
        options = [each for each in (called, raised) if each is not None]
        if node.fold >= 0:
            options.append(np.broadcast_to(folds[number], options[0].shape))
        worth[number] = best(options) if node.position == responder else functools.reduce(np.add, options)
    found = worth[0]
    assert found is not None
    return found


def decided_by_first(options: list[Floats]) -> Floats:
    """The values, in all rows, of the option that is best in the first row; shape (rows, ...)."""
    stacked = np.stack(options)
    choice = np.argmax(stacked[:, 0], axis=0)
    return np.take_along_axis(stacked, choice[None, None], axis=0)[0]


def controlled(taught: Floats, come: Floats, expected: Values, paid: Floats, met: Floats) -> Floats:
    """Values corrected for hands that the drawn cards made rarer or more frequent than they are on average.

    How often the opponent is met is known on average over all cards, so it serves as a control variate.  Its
    coefficients come from the cards on which decisions are made.

    Args:
        taught: values on the cards on which decisions are made.
        come: how often the opponent was met on those cards.
        expected: how often it is met on average over all cards.
        paid: values to correct, one row for each set of cards, shape (rows, ...).
        met: how often the opponent was met on those sets, in the same shape.

    Returns:
        In the first row the corrected values for deciding, then the corrected rows of `paid`; shape (rows +
        1, ...).
    """
    rate = np.divide(taught, come, out=np.zeros_like(taught), where=come > 0)
    return np.concatenate([(rate * expected)[None], paid - rate * (met - expected)])


_HOLDING: Final = np.zeros((52, NUM_COMBOS), np.float32)
_HOLDING[COMBO_HIGH, np.arange(NUM_COMBOS)] = 1.0
_HOLDING[COMBO_LOW, np.arange(NUM_COMBOS)] = 1.0


def _meeting(weights: Floats32, board: Board = ()) -> Floats32:
    """The total weight of the hands that each combo can meet, shape (1326, lanes).

    Args:
        weights: shape (1326, lanes), 0 for combos that share a card with the board.
        board: the board; the result is 0 for combos that share a card with it.
    """
    by_card = _HOLDING @ weights
    return (weights.sum(axis=0) - by_card[COMBO_HIGH] - by_card[COMBO_LOW] + weights) * _live(board)


def _live(board: Board) -> Floats32:
    """1 for combos that share no card with a board, else 0; shape (1326, 1)."""
    return combos_without(board).astype(np.float32)[:, None]


def _by_starting_hand(worth: NDArray[np.floating]) -> Floats:
    """Sums over the combos of each starting hand, shape (169, lanes)."""
    sums = np.zeros((NUM_STARTING_HANDS, worth.shape[1]))
    np.add.at(sums, STARTING_HAND_OF_COMBO, worth)
    return sums
