"""A pre-flop learner at a table of rule-based players, in one compiled loop.

It equals the table of ``clients.core.arena`` with the same seed, hand for hand: the same cards, the same
choices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from engine.hands.betting_arrays import game_array
from engine.kernels.learning.preflop_learner import (
    Learner as Learner,
    LearnerLastAction as LearnerLastAction,
    Way as Way,
)
from engine.kernels.learning.preflop_table import Table, play_hands
from engine.kernels.learning.rule_players import NUM_NUMBERS, RuleKind, Script, Simple
from engine.kernels.mersenne import STATE_SIZE
from engine.kernels.poker.tables import ranking_table
from engine.poker.rules import GameDefinition, acpc_generator

KINDS: Final[Mapping[str, RuleKind]] = {
    kind.name.lower().replace("_", "-"): kind for kind in RuleKind if kind is not RuleKind.LEARNER
}
"""The rule-based players, by the name of their script."""


def can_be_played(game: GameDefinition) -> bool:
    """Whether the loop can play a game: no-limit hold'em without antes and rake."""
    is_plain = not (game.is_limit or game.has_antes or game.has_rake)
    return is_plain and game.num_hole_cards == 2 and game.board_ends == (0, 3, 4, 5) and len(game.deck) == 52


class PreflopLearnerTable:
    """A table with a learner in seat 0.

    Args:
        game: the game to play (`can_be_played`).
        seed: the seed of the cards.
        scripts: the scripts of the other seats: the name of the rules (`KINDS`), their numbers, and a table
            for looking up starting hands, if they need one: 2704 numbers, that of the cards a and b at
            ``52 * a + b``.
        seeds: the seeds of the other seats, for players who make random decisions.
        learner: the learner's options and knowledge, changed in place.
        take_in: is given them after each `play`.
    """

    def __init__(
        self,
        game: GameDefinition,
        seed: int,
        scripts: Sequence[tuple[str, Sequence[float], Sequence[float]]],
        seeds: Sequence[int],
        learner: Learner,
        take_in: Callable[[Learner], None],
    ) -> None:
        n = game.num_players
        kinds, numbers = np.zeros(n, np.int64), np.zeros((n, NUM_NUMBERS))
        lookup, raising = np.zeros((n, 52 * 52)), np.ones((n, 2))
        for seat, (name, given, places) in enumerate(scripts, 1):
            kinds[seat] = KINDS[name]
            numbers[seat, : len(given)] = given
            lookup[seat, : len(places)] = places
            if KINDS[name] == RuleKind.SIMPLE:  # one table for all, since they agree about what is usual
                raising[:] = given[Simple.PRIOR_HANDS], given[Simple.PRIOR_RAISES]
        self._script = Script(
            kinds, numbers, lookup, np.array([0, *seeds], np.int64), ranking_table(), np.zeros(0)
        )
        generator = np.zeros(STATE_SIZE, np.uint32)
        generator[:-1] = acpc_generator(seed).getstate()[1][:-1]
        self._learner, self._take_in = learner, take_in
        self._table = Table(
            game_array(game), np.array(game.deck, np.uint8), np.array(game.board_ends, np.int64), generator,
            np.zeros(1, np.int64), np.zeros(n), np.zeros(1), raising,
        )  # fmt: skip

    @property
    def hands(self) -> int:
        """Hands played so far."""
        return int(self._table.hand[0])

    @property
    def chips(self) -> tuple[float, ...]:
        """Chips won by each seat so far."""
        return tuple(self._table.chips.tolist())

    @property
    def squares(self) -> float:
        """The sum of squares of what seat 0 has won in each hand."""
        return float(self._table.squares[0])

    def play(self, hands: int) -> None:
        """Play some more hands."""
        play_hands(self._table, self._learner, self._script, hands)
        self._take_in(self._learner)
