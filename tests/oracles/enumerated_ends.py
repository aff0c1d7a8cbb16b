"""All ends of a game that is small enough, each with its chance and its AIVAT estimate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import attrs
import numpy as np

from engine.evidence.aivat.enumerated import EnumeratedGame, EnumeratedWalk, Matrix, Strategy, Values
from engine.poker.rules import BettingState
from engine.solving.walk import every_action
from engine.support.arrays import Bools


@attrs.frozen(eq=False)
class End:
    """All hands of play that end in one public state.  Arrays have an axis for the hands of each position;
    entries of hands that cannot be held together mean nothing."""

    betting: BettingState
    board: tuple[int, ...]
    is_possible: Bools
    """Whether hands can be held together on this board."""
    chips: Matrix
    """What the viewer wins."""
    reach: Matrix
    """The probability of this end with these hands, under the strategies of `EnumeratedEnds.ends`."""
    estimate: Matrix
    """The viewer's AIVAT estimate."""


class EnumeratedEnds(EnumeratedGame):
    """A game whose ends are enumerated too."""

    def ends(
        self, strategies: Sequence[Strategy], known: Collection[int], values: Values, viewer: int = 0
    ) -> Iterator[End]:
        """All ends of the game.

        Args:
            strategies: by position, of all players: those of unknown players only determine probabilities.
            known: positions whose strategies enter the estimate; none for chance only.
            values: to the viewer.
            viewer: the position whose winnings are estimated.
        """
        possible = self.possible(())
        walk = self._beginning(known, values, viewer)
        yield from self._ends_from(walk, possible / possible.sum(), strategies, known, values)

    def _ends_from(
        self,
        walk: EnumeratedWalk,
        play: Matrix,
        strategies: Sequence[Strategy],
        known: Collection[int],
        values: Values,
    ) -> Iterator[End]:
        """The ends after a walk that is taken, with all hands, with the probabilities `play`."""
        betting, board = walk.betting, walk.board
        if len(board) < betting.num_board_cards:
            boards = list(self.boards_after(board, betting.num_board_cards))
            number = sum(self.possible(after).astype(np.float64) for after in boards)
            for after in boards:
                chance = self.possible(after) / np.maximum(number, 1)
                dealt = self._after_deal(walk, after, known, values)
                yield from self._ends_from(dealt, play * chance, strategies, known, values)
            return
        position = betting.position_to_act
        if position is None:
            chips = self.chips(betting, board, walk.viewer)
            yield End(betting, board, self.possible(board), chips, play, self._estimate(walk, known))
            return
        chances = self._strategy_at(strategies[position], betting, board)
        if position in known:
            walks = self._acted(walk, chances, known, values)
        else:
            walks = [attrs.evolve(walk, betting=betting.apply(action)) for action in every_action(betting)]
        for column, acted in enumerate(walks):
            taken = play * self._along(position, chances[:, column])
            yield from self._ends_from(acted, taken, strategies, known, values)
