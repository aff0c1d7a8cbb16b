"""Discounted CFR on a subgame of hold'em, one pair of hands and one river at a time, with its own betting.

Slow and plain: no sums by card, no order of hands, no lanes, no sharing of reach.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.poker.combos import combo_cards
from tests.oracles.hand_rank import hand_value

Floats = NDArray[np.float64]
Key = tuple[tuple[str, ...], tuple[int, ...], int]
"""Actions taken, the board, and the combo of the player to act."""


@dataclass
class SlowSubgame:
    """Two players with weights by combo; they may bet parts of the pot, where infinity is all-in."""

    board: tuple[int, ...]
    ranges: tuple[Floats, Floats]
    pot: float
    stack: float
    sizes: Sequence[float]
    regrets: dict[Key, Floats] = field(default_factory=dict)
    sums: dict[Key, Floats] = field(default_factory=dict)

    def learn(self, me: int, positive: float, negative: float, gain: float) -> None:
        """One player's pass."""
        self._added: Mapping[Key, list[Floats]] = defaultdict(list)
        self._weighed: dict[Key, Floats] = {}
        live = [np.flatnonzero(weights).tolist() for weights in self.ranges]
        for pair in itertools.product(live[0], live[1]):
            if len({*combo_cards(pair[0]), *combo_cards(pair[1])}) == 4:
                theirs = float(self.ranges[1 - me][pair[1 - me]])
                self._value(me, pair, theirs, (), self.board, self.pot, self.stack)
        # Averages belong to a hand, whatever the other holds: their weight is the hand's own reach.
        for hand in live[1 - me]:
            self._weigh(1 - me, hand, float(self.ranges[1 - me][hand]), (), self.board, self.pot, self.stack)
        for key, weighed in self._weighed.items():
            self.sums[key] = self.sums.get(key, np.zeros(len(weighed))) * gain + weighed
        for key, added in self._added.items():
            old = self.regrets.get(key, np.zeros(len(added[0])))
            self.regrets[key] = old * np.where(old > 0, positive, negative) + sum(added)

    def _strategy(self, key: Key, actions: int) -> Floats:
        good = np.maximum(self.regrets.get(key, np.zeros(actions)), 0)
        return good / good.sum() if good.sum() > 0 else np.full(actions, 1 / actions)

    def _options(
        self, bets: tuple[float, float], to_act: int, pot: float, stack: float
    ) -> list[tuple[str, float]]:
        level, facing = max(bets), max(bets) > bets[to_act]
        found = [("fold", -1.0), ("call", level)] if facing else [("check", level)]
        if level < stack:
            raised = {
                min(stack, max(level + size * (pot + 2 * level), 2 * level - min(bets)))
                for size in self.sizes
            }
            for amount in sorted(raised):
                name = f"{'raise' if level else 'bet'} {amount:g}"
                found.append(("all-in" if amount == stack else name, amount))
        return found

    def _value(
        self, me: int, pair: tuple[int, int], theirs: float, path: tuple[str, ...], board: tuple[int, ...],
        pot: float, stack: float, bets: tuple[float, float] = (0.0, 0.0), to_act: int = 0,
    ) -> float:  # fmt: skip
        """What `me` wins, times the other's reach; regrets are noted."""
        key = (path, board, pair[to_act])
        options = self._options(bets, to_act, pot, stack)
        strategy = self._strategy(key, len(options))
        values = np.zeros(len(options))
        for number, (name, amount) in enumerate(options):
            reach = theirs if to_act == me else theirs * strategy[number]
            taken = (*path, name)
            if name == "fold":
                lost = pot / 2 + min(bets)
                values[number] = reach * (-lost if to_act == me else lost)
            elif name == "call" or (name == "check" and to_act == 1):
                after = (*taken, "/")
                values[number] = self._next(me, pair, reach, after, board, pot + 2 * amount, stack - amount)
            else:
                put_in = (amount, bets[1]) if to_act == 0 else (bets[0], amount)
                values[number] = self._value(me, pair, reach, taken, board, pot, stack, put_in, 1 - to_act)
        if to_act != me:
            return float(values.sum())
        self._added[key].append(values - strategy @ values)
        return float(strategy @ values)

    def _next(
        self, me: int, pair: tuple[int, int], theirs: float, path: tuple[str, ...], board: tuple[int, ...],
        pot: float, stack: float,
    ) -> float:  # fmt: skip
        cards = [combo_cards(hand) for hand in pair]
        if len(board) == 5:
            ranks = [hand_value([*each, *board]) for each in cards]
            sign = (ranks[me] > ranks[1 - me]) - (ranks[me] < ranks[1 - me])
            return theirs * sign * pot / 2
        left = [card for card in range(52) if card not in {*board, *cards[0], *cards[1]}]
        total = 0.0
        for card in left:
            full = (*board, card)
            if stack == 0:
                total += self._next(me, pair, theirs, path, full, pot, stack)
            else:
                total += self._value(me, pair, theirs, path, full, pot, stack)
        return total / len(left)

    def _weigh(
        self, player: int, hand: int, own: float, path: tuple[str, ...], board: tuple[int, ...], pot: float,
        stack: float, bets: tuple[float, float] = (0.0, 0.0), to_act: int = 0,
    ) -> None:  # fmt: skip
        """Note the player's strategy with a hand at all its points below, weighted by its own reach."""
        options = self._options(bets, to_act, pot, stack)
        key = (path, board, hand)
        if to_act == player:
            strategy = self._strategy(key, len(options))
            self._weighed[key] = own * strategy
        for number, (name, amount) in enumerate(options):
            reach = own * strategy[number] if to_act == player else own
            taken = (*path, name)
            if name == "fold":
                continue
            if name == "call" or (name == "check" and to_act == 1):
                if len(board) < 5 and stack > amount:
                    for card in set(range(52)) - {*board, *combo_cards(hand)}:
                        below = (*taken, "/")
                        self._weigh(
                            player, hand, reach, below, (*board, card), pot + 2 * amount, stack - amount
                        )
            else:
                put_in = (amount, bets[1]) if to_act == 0 else (bets[0], amount)
                self._weigh(player, hand, reach, taken, board, pot, stack, put_in, 1 - to_act)
