"""Hole cards of several players drawn together from their weight tables.

The distribution is the product of the tables, conditional on no card being held twice.  Hands are drawn from
each table by itself, and all of them again until no two share a card.  That is exact for any tables; its cost
is the number of attempts, which grows as the tables get narrower and overlap more.

Source: rejection sampling, J. von Neumann, "Various techniques used in connection with random digits"
(1951); drawing from a table in constant time, A. J. Walker (1977).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from engine.hands.equity import alias_tables
from engine.hands.hand_strength import check_weights
from engine.kernels.players.trials import joint_sampling as kernels
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS, combos_without
from engine.support.arrays import Bytes, Floats, Words

MAX_ATTEMPTS: Final = 20_000
"""Attempts for one trial.  Ten players with any cards need 35 on average."""

_POSITIONS: Final = 10


class JointSampler:
    """Deals trials: hole cards for everybody, and the board to come.

    Args:
        own_cards: our hole cards.
        own_position: our position.
        board: the board cards so far.
        tables: by position, the weights of the others' combos, shape (1326,).  Combos with our cards or the
            board's are ignored; a player whose table has nothing else may hold any two cards.
        passive: positions whose cards do not matter, since they have folded.  Of these, players who hold all
            cards with equal probability are not dealt in: it makes no difference to the others.
        max_attempts: the most attempts for one trial.  After that, hands are drawn one after the other, each
            from what the hands before it have left of its table, which is not quite the joint distribution
            (`dealt_in_turn`).

    Raises:
        ValueError: wrong cards or tables.
    """

    def __init__(
        self,
        own_cards: Sequence[int],
        own_position: int,
        board: Sequence[int],
        tables: Mapping[int, Floats],
        *,
        passive: Sequence[int] = (),
        max_attempts: int = MAX_ATTEMPTS,
    ) -> None:
        free = combos_without((*own_cards, *board))
        if len({*own_cards, *board}) != len(own_cards) + len(board):
            raise ValueError("expected different cards in our hand and on the board")
        left: dict[int, Floats] = {}
        for position, table in tables.items():
            weights = np.where(free, check_weights(table), 0.0)
            if not weights.any():
                weights = free.astype(np.float64)
            if position not in passive or weights[free].max() != weights[free].min():
                left[position] = weights
        # Narrow tables first, so that conflicts are found early.
        breadths = {place: table.sum() ** 2 / (table @ table) for place, table in left.items()}  # in combos
        order = sorted(left, key=lambda position: (breadths[position], position))
        tables_in_order = np.array([left[position] for position in order]).reshape(-1, NUM_COMBOS)
        self._hands = kernels.Hands(
            np.array(order, np.int64), tables_in_order, *alias_tables(tables_in_order), COMBO_CARDS
        )
        self._seen = np.array((*own_cards, *board), np.uint8)
        self._own_position = own_position
        self._max_attempts = max_attempts
        self.dealt_in_turn = 0
        """Trials so far that were drawn one hand after the other, after `max_attempts`."""

    def deal(self, trials: int, seed: int) -> tuple[Bytes, Bytes, Words]:
        """Hole cards, shape (trials, 10, 2), boards, shape (trials, 5), and a number for each trial.

        Cards of positions that are not dealt in are 0.

        Args:
            trials: the number of trials.
            seed: the seed, below 2**63.
        """
        holes = np.zeros((trials, _POSITIONS, 2), np.uint8)
        boards = np.empty((trials, 5), np.uint8)
        seeds = np.empty(trials, np.uint64)
        self.dealt_in_turn += kernels.deal_jointly(
            self._hands, self._seen, self._own_position, self._max_attempts, seed, holes, boards, seeds
        )
        return holes, boards, seeds
