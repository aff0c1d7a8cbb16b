"""Many tables of one game in one compiled loop, for learners that make a batch of decisions at a time.

The rules are those of ``engine.kernels.poker.betting``, which equal those of ``engine.poker.rules``; each
table has its own generator for the cards, which differs from the ACPC dealer's.  Actions are numbers,
observations are vectors whose layout the caller chooses (`Places`); amounts are in big blinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from engine.hands.betting_arrays import game_array
from engine.kernels.learning.table_batch import (
    HISTORY_COLUMNS,
    NO_CARD,
    Places,
    Plan,
    Results,
    SeatKind,
    Tables,
    step_tables,
)
from engine.kernels.poker.betting import MAX_PLAYERS, NODE_SIZE
from engine.kernels.poker.tables import ranking_table
from engine.poker.rules import Deal, GameDefinition, hand_rank, initial_betting
from engine.support.arrays import Ints, Words

__all__ = ["HISTORY_COLUMNS", "SCRIPTED", "Places", "SeatKind", "TableBatch"]

SCRIPTED: Final[Mapping[str, SeatKind]] = {
    "always-call": SeatKind.ALWAYS_CALL,
    "always-fold": SeatKind.ALWAYS_FOLD,
    "always-raise": SeatKind.ALWAYS_RAISE,
    "always-all-in": SeatKind.ALWAYS_ALL_IN,
    "random": SeatKind.RANDOM,
}
"""The players that can sit at these tables, by the names of the bots that play the same."""


class TableBatch:
    """Tables that are stepped together.

    Args:
        game: the game to play.
        num_tables: the number of tables.
        kinds: the player in each seat; at least one is outside, that is, played by the caller.
        places: where the fields of an observation begin.
        most_spent: by position, the chips from which stacks are counted.
        sizes: no-limit games: the sizes of raises, as shares of the pot.

    Raises:
        ValueError: antes, a game in which nobody can act, or hands of a size that cannot be ranked.
    """

    def __init__(
        self,
        game: GameDefinition,
        num_tables: int,
        kinds: Sequence[SeatKind],
        *,
        places: Places,
        most_spent: Sequence[int],
        sizes: Sequence[float] = (),
    ) -> None:
        cards = game.num_hole_cards + game.board_ends[-1]
        if not (cards <= 2 or 5 <= cards <= 7):
            raise ValueError(f"expected hands of 1, 2, 5, 6 or 7 cards, got {cards}")
        if initial_betting(game).is_finished:
            raise ValueError("expected a game in which somebody can act")
        if len(kinds) != game.num_players or SeatKind.OUTSIDE not in kinds:
            raise ValueError(f"expected {game.num_players} players, one of them outside, got {list(kinds)}")
        self.game: Final = game
        self.num_tables: Final = num_tables
        self._plan = Plan(
            game_array(game),
            np.array(game.board_ends, np.int64),
            game.num_hole_cards,
            np.array(most_spent, np.int64),
            np.array(kinds, np.int64),
            np.array(sizes, np.float64),
            places,
            ranking_table(),
            _small_ranks(game) if cards <= 2 else np.zeros((0, 0), np.int64),
        )
        self._tables = Tables(
            np.zeros((num_tables, 1), np.uint64),
            np.tile(np.array(game.deck, np.uint8), (num_tables, 1)),
            np.full(num_tables, -1, np.int64),
            np.zeros((num_tables, MAX_PLAYERS), np.int64),
            np.zeros((num_tables, NODE_SIZE), np.int64),
            np.zeros(num_tables, np.int64),
        )
        players = game.num_players
        num_actions = 3 if game.is_limit else 3 + len(sizes)
        self.results: Final = Results(
            np.zeros((num_tables, places.size), np.float32),
            np.zeros((num_tables, num_actions), np.int8),
            np.zeros((num_tables, players), np.float64),
            np.zeros((num_tables, players), np.float64),
            np.zeros(num_tables, np.int64),
            np.ones(num_tables, np.bool_),
            np.zeros(num_tables, np.int64),
            np.zeros(num_tables, np.bool_),
        )
        """The results of the last step; the next step overwrites them."""

    def begin(self, seeds: Words) -> None:
        """Begin a match at every table; the same seed gives the same cards.

        Args:
            seeds: shape (tables,).
        """
        self._tables.random_states[:, 0] = seeds
        self._tables.decks[:] = np.array(self.game.deck, np.uint8)
        self._tables.hands[:] = -1
        self.results.ended[:] = True
        self.step(np.zeros(self.num_tables, np.int64))

    def step(self, actions: Ints) -> None:
        """Play an action at each table whose hand is not over; begin another hand at the others.

        Args:
            actions: numbers of actions, shape (tables,), C-contiguous.  An illegal action is changed as the
                dealer would change it.

        Raises:
            RuntimeError: no outside seat is ever asked.
        """
        if not step_tables(self._plan, self._tables, self.results, actions):
            raise RuntimeError(
                "a thousand hands were over before the learner was asked: nothing to learn here"
            )

    def deal(self, table: int) -> Deal:
        """All cards of the hand being played at a table, for tests and spectators."""
        game = self.game
        cards = tuple(self._tables.decks[table].tolist())
        holes, end = game.num_hole_cards, game.num_hole_cards * game.num_players
        return Deal(
            tuple([cards[first : first + holes] for first in range(0, end, holes)]),
            cards[end : end + game.board_ends[-1]],
        )


def _small_ranks(game: GameDefinition) -> Ints:
    """Ranks of hands of one or two cards, by card; shape (53, 53)."""
    ranks = np.zeros((NO_CARD + 1, NO_CARD + 1), np.int64)
    for first in game.deck:
        ranks[first, NO_CARD] = hand_rank((first,))
        for second in game.deck:
            if second != first:
                ranks[first, second] = hand_rank((first, second))
    return ranks
