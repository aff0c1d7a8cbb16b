"""CFR+ for games of one hole card and at most one board card, written for the reader: no tree is built, every
public state is a stack of matrices over the board and over what both players hold.  And all ends of such a
game, each with its chance and its AIVAT estimate.

Alternating updates, regrets cut at 0, the average weighted by the number of the iteration (Tammelin, 2014).
"""

import functools
from collections.abc import Collection, Iterator, Sequence

import attrs
import numpy as np

from engine.evidence.aivat.enumerated import (
    EnumeratedGame,
    EnumeratedSet,
    EnumeratedWalk,
    Matrix,
    Strategy,
    Values,
)
from engine.poker.rules import BettingState, GameDefinition, initial_betting, load_game
from engine.poker.rules.showdown import chips_won
from engine.solving.walk import every_action
from engine.support.arrays import Bools, Floats

# --- small equilibrium --------------------------------------------------------------------------------------


def uniform(information: EnumeratedSet) -> Sequence[float]:
    """Everything that is legal, equally often."""
    number = len(every_action(information.betting))
    return [1 / number] * number


def half_uniform(strategy: Strategy) -> Strategy:
    """A strategy, every second time replaced by chance."""
    return lambda information: [
        (a + b) / 2 for a, b in zip(strategy(information), uniform(information), strict=True)
    ]


def openspiel_leduc(iterations: int) -> Strategy:
    """OpenSpiel's CFR+ for Leduc: the average after some iterations, 10 ms each."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    average = solver.tabular_average_policy()  # the other kind dies with its solver
    deck = sorted(load_game("leduc").deck)
    numbers = {"f": 0, "c": 1, "r": 2}

    @functools.cache
    def chances(hole_cards: tuple[int, ...], board: tuple[int, ...], betting: BettingState) -> list[float]:
        own, dealt = deck.index(hole_cards[0]), [deck.index(card) for card in board]
        other = next(card for card in range(len(deck)) if card != own and card not in dealt)
        state = game.new_initial_state()
        for card in (own, other) if betting.position_to_act == 0 else (other, own):
            state.apply_action(card)
        for _, _, action in betting.steps():
            state.apply_action(numbers[str(action)])
            if state.is_chance_node():
                state.apply_action(dealt[0])
        found = average.action_probabilities(state)
        row = [float(found.get(numbers[str(action)], 0.0)) for action in every_action(betting)]
        return [chance / sum(row) for chance in row]

    return lambda information: chances(information.hole_cards, information.board, information.betting)


class CfrPlus:
    """A pair of strategies that comes closer to an equilibrium with every iteration."""

    def __init__(self, game: GameDefinition) -> None:
        cards = self._cards = sorted(game.deck)
        self._boards: list[tuple[int, ...]] = [(card,) for card in cards] if game.board_ends[-1] else [()]
        self._start = initial_betting(game)
        self._regrets: dict[str, Floats] = {}
        self._sums: dict[str, Floats] = {}
        # By board, and by the cards of positions 0 and 1.
        self._possible = np.array(
            [[[a != b and not {a, b} & set(board) for b in cards] for a in cards] for board in self._boards],
            np.float64,
        )
        self._chances = self._possible / self._possible.sum()
        self._chips: dict[str, Floats] = {}
        self._done = 0
        self._num_cards = len(cards)

    def run(self, iterations: int) -> None:
        """Go on for some iterations."""
        for _ in range(iterations):
            self._done += 1
            for player in (0, 1):
                ones = np.ones((len(self._boards), self._num_cards))
                self._walk(self._start, player, (ones, ones))
                for regrets in self._regrets.values():
                    np.maximum(regrets, 0.0, out=regrets)

    def strategy(self, information: EnumeratedSet) -> Sequence[float]:
        """The average."""
        betting = information.betting
        sums = self._sums[betting.text]
        board = self._boards.index(information.board) if betting.betting_round else 0
        row = sums[board, self._cards.index(information.hole_cards[0])]
        total = row.sum()
        return [float(share) for share in row / total] if total > 0 else uniform(information)

    def _walk(self, betting: BettingState, player: int, reach: tuple[Floats, Floats]) -> Floats:
        """What the player's hands are worth here, weighted by the others' and chance's part in coming here.

        Shape (boards, cards).
        """
        if betting.position_to_act is None:
            weighted = self._payoffs(betting) * self._chances
            if player == 0:
                worth: Floats = np.einsum("bij,bj->bi", weighted, reach[1])
            else:
                worth = -np.einsum("bij,bi->bj", weighted, reach[0])
            return worth
        position, actions, key = betting.position_to_act, tuple(every_action(betting)), betting.text
        shape = (len(self._boards), self._num_cards, len(actions))
        regrets = self._regrets.setdefault(key, np.zeros(shape))
        positive = np.maximum(regrets, 0.0)
        totals = positive.sum(axis=2, keepdims=True)
        sigma = np.where(totals > 0, positive / np.where(totals > 0, totals, 1), 1 / len(actions))
        values = []
        for column, action in enumerate(actions):
            after = list(reach)
            after[position] = reach[position] * sigma[:, :, column]
            values.append(self._walk(betting.apply(action), player, (after[0], after[1])))
        if position != player:
            total: Floats = np.sum(values, axis=0)
            return total
        stacked = np.stack(values, axis=2)
        mixed: Floats = (stacked * sigma).sum(axis=2)
        gained = stacked - mixed[:, :, None]
        if betting.betting_round == 0:  # the board has not been seen
            gained = np.broadcast_to(gained.sum(axis=0, keepdims=True), shape)
        regrets += gained
        self._sums.setdefault(key, np.zeros(shape))[...] += self._done * reach[position][:, :, None] * sigma
        return mixed

    def _payoffs(self, betting: BettingState) -> Floats:
        if betting.text not in self._chips:
            chips = np.zeros(self._possible.shape)
            for k, i, j in zip(*np.nonzero(self._possible), strict=True):
                pair = (self._cards[i],), (self._cards[j],)
                chips[k, i, j] = chips_won(betting, pair, self._boards[k])[0]
            self._chips[betting.text] = chips
        return self._chips[betting.text]


# --- enumerated ends ----------------------------------------------------------------------------------------


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
