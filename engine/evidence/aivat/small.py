"""AIVAT of hands of small games, from what their players have told and the values of a solution.

The values are those of histories if everybody goes on by the game's equilibrium, as found by CFR+: then no
variance is left when an equilibrium of a game for two plays against itself.  For three players it is only a
guess, but a good one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.evidence.aivat.enumerated import EnumeratedGame, InformationSet, Strategy
from engine.evidence.aivat.policy import Policy
from engine.evidence.aivat.ranges import PolicyError
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.rules import GameDefinition, HandState
from engine.solving.game_tree import GameTree
from engine.solving.solver import Solver
from engine.solving.walk import every_action

__all__ = ["PolicyError", "SmallGame", "solution"]

_ITERATIONS: Final = 1000


def solution(game: GameDefinition, iterations: int = _ITERATIONS) -> Strategy:
    """The average strategy in a small game after so many iterations of CFR+, close to an equilibrium."""
    solver = Solver(GameTree(game))
    solver.run(iterations)
    average = solver.average()
    table: dict[tuple[str, tuple[int, ...], tuple[int, ...]], list[float]] = {}
    for found in average.tree.information_sets():
        view = average.tree.hand_view(found)
        key = view.betting.text, tuple(sorted(view.own_cards)), _ordered(game, view.board)
        table[key] = [float(chance) for chance in average.policy[found.slots]]

    def chances(known: InformationSet) -> Sequence[float]:
        return table[known.betting.text, known.hole_cards, known.board]

    return chances


def _ordered(game: GameDefinition, board: Sequence[int]) -> tuple[int, ...]:
    """A board with the cards of each round ascending."""
    ordered: list[int] = []
    for end in game.board_ends:
        ordered += sorted(board[len(ordered) : end])
    return tuple(ordered)


class SmallGame:
    """AIVAT estimates of hands of a small game.

    Args:
        game: the game played (`engine.evidence.aivat.games.is_small`).
    """

    def __init__(self, game: GameDefinition) -> None:
        self._tree = EnumeratedGame(game)
        everybody = [solution(game)] * game.num_players
        # The last position wins the rest.
        self._values = [
            self._tree.expected_values(everybody, viewer) for viewer in range(game.num_players - 1)
        ]
        self._places = {hand: number for number, hand in enumerate(self._tree.hands)}
        self._remembered: dict[object, NDArray[np.float64]] = {}

    @property
    def num_hands(self) -> int:
        """The number of hands that a player may hold, which is that of a policy's rows."""
        return len(self._places)

    def place_of(self, cards: Sequence[int]) -> int:
        """The row of a policy for some hole cards."""
        return self._places[tuple(sorted(cards))]

    def won(
        self, hand: HandState, policies: Mapping[str, Policy], known: Collection[int]
    ) -> NDArray[np.float64]:
        """What each position won, with the luck taken out.  Shape (positions,).

        Args:
            hand: the hand at its end, with all cards.
            policies: by the betting in which they decided, of all decisions of known players.
            known: positions whose strategies are known.

        Raises:
            PolicyError: by what a player has told, it could not have done what it did.
        """
        key = (
            hand.betting.text,
            hand.board,
            tuple([() if each in known else cards for each, cards in enumerate(hand.deal.hole_cards)]),
            tuple(sorted((text, policy.triples.tobytes()) for text, policy in policies.items())),
        )
        if key not in self._remembered:
            self._remembered[key] = self._estimate(hand, policies, known)
        return self._remembered[key]

    def _estimate(
        self, hand: HandState, policies: Mapping[str, Policy], known: Collection[int]
    ) -> NDArray[np.float64]:
        def told(at: InformationSet) -> Sequence[float]:
            row = policies[at.betting.text].triples[self._places[at.hole_cards]]
            chances = [float(row[TRIPLE_INDEX[action.kind]]) for action in every_action(at.betting)]
            total = sum(chances)
            if not total > 0:
                raise PolicyError("a player told only of actions that are not legal")
            return [chance / total for chance in chances]

        strategies = dict.fromkeys(known, told)
        try:
            won = [
                self._tree.estimate(hand, strategies, values, viewer)
                for viewer, values in enumerate(self._values)
            ]
        except PolicyError:
            raise
        except ValueError as error:
            raise PolicyError(str(error)) from None
        return np.array([*won, -sum(won)])
