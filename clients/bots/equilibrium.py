"""The equilibrium bot: plays a strategy that was computed beforehand, by chance as the strategy says.

With ``strategy=FILE`` it plays a file that `riverboat solve` has made, and refuses any other game.  Without,
it plays the strategies of heads-up limit hold'em, and of no-limit with 100 big blinds, that come with this
program, or solves a small game, such as Kuhn's or Leduc's, before it sits down.

A strategy of no-limit hold'em knows raises of a few sizes.  Others stand for one of these, by chances that
the pseudo-harmonic mapping gives (`engine.equilibrium.holdem.translation`).
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from clients.agent import Agent, Chances, ProbabilityTriple, Triples, drawn
from clients.bots.strategy_files import saved_strategy, shipped_strategy
from clients.options import OptionError
from engine.rules import Action, GameDefinition, HandView

if TYPE_CHECKING:
    from engine.equilibrium.holdem.bucketed import BucketedStrategy
    from engine.equilibrium.strategies import Strategy

    AnyStrategy = Strategy | BucketedStrategy

_ITERATIONS: Final = 1000
"""Of CFR+, where no file is given: Leduc to a quarter of a thousandth of an ante in a tenth of a second."""
_MOST_NODES: Final = 200_000
"""A game with more is not solved on the spot: a minute, on a slow machine."""


class Equilibrium(Agent):
    """Plays a strategy file, a shipped one of heads-up hold'em, or the equilibrium of a small game.

    Args:
        strategy: made by `riverboat solve GAME --save FILE`; None for the one that comes with this program,
            or to solve a small game at once.
    """

    is_stateless = True

    def __init__(self, strategy: Path | None = None) -> None:
        self._path = strategy
        self._strategy: AnyStrategy | None = None
        if strategy is not None:
            self._strategy = saved_strategy(strategy).strategy

    def prepare(self, game: GameDefinition | None) -> None:
        """Has a strategy before the first cards are dealt.

        Raises:
            OptionError: the game is not the file's, or too large to be solved on the spot.
        """
        if game is not None:
            self._settle(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Has a strategy for what is being played.

        Raises:
            OptionError: the game is not the file's, or too large to be solved on the spot.
        """
        self._settle(game)

    def choose_action(self, view: HandView) -> Action:
        """Drawn by the chances of the strategy, with one number of the generator."""
        return drawn(self.strategy.chances(view), self.rng)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """How likely a fold, a call and a raise of any size are."""
        return self.strategy.triple(view)

    def triples(self, view: HandView) -> Triples | None:
        """The same for all that we could hold: all combos in hold'em, all sets of hole cards elsewhere."""
        from engine.equilibrium.holdem.bucketed import BucketedStrategy

        strategy = self.strategy
        if isinstance(strategy, BucketedStrategy):
            return strategy.triples(view.betting, view.board)
        if not view.game.is_limit:
            return None  # raises have sizes
        return [
            (0.0, 1.0, 0.0) if {*cards} & {*view.board} else strategy.triple(_holding(view, cards))
            for cards in itertools.combinations(sorted(view.game.deck), view.game.num_hole_cards)
        ]

    def size_chances(self, view: HandView, total: int) -> Chances | None:
        """How likely a raise is to be one to a total, by combo, in no-limit hold'em."""
        from engine.equilibrium.holdem.bucketed import BucketedStrategy

        strategy = self.strategy
        if not isinstance(strategy, BucketedStrategy) or view.game.is_limit:
            return None
        return strategy.size_chances(view.betting, view.board, total)

    @property
    def strategy(self) -> AnyStrategy:
        """What it plays.

        Raises:
            OptionError: no game has begun, and no file was given.
        """
        if self._strategy is None:
            raise OptionError("equilibrium does not know yet what is being played")
        return self._strategy

    def _settle(self, game: GameDefinition) -> None:
        if self._strategy is not None and self._strategy.game == game:
            return
        if self._path is not None:
            self._strategy = saved_strategy(self._path, game).strategy  # which says how the games differ
        else:
            self._strategy = shipped_strategy(game) or _solved(game)


def _holding(view: HandView, cards: tuple[int, ...]) -> HandView:
    """The same with other hole cards."""
    hole_cards = list(view.hole_cards)
    hole_cards[view.position] = cards
    return attrs.evolve(view, hole_cards=tuple(hole_cards))


def _solved(game: GameDefinition) -> Strategy:
    from engine.equilibrium.game_tree import GameTree
    from engine.equilibrium.sizes import TooLarge
    from engine.equilibrium.solver import Solver

    try:
        solver = Solver(GameTree(game, most_nodes=_MOST_NODES))
    except TooLarge:
        raise OptionError(
            "equilibrium knows limit-2p and nolimit-2p-100bb, and solves small games such as kuhn-2p and "
            "leduc: for others, such as nolimit-2p, give it strategy=FILE, made by riverboat solve GAME "
            "--save FILE"
        ) from None
    solver.run(_ITERATIONS)
    return solver.average()
