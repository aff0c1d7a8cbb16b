"""The equilibrium bot: plays a strategy that was computed beforehand, drawing each action at random from it.

With ``strategy=FILE`` it plays a file that `riverboat solve` has made, and refuses any other game.  Without
one it plays the strategies of heads-up limit hold'em, and of no-limit with 100 big blinds, that come with
this program, or solves a small game, such as Kuhn's or Leduc's, before it sits down.

A strategy of no-limit hold'em knows raises of a few sizes.  An opponent's raise of another size stands for
one of these, with probabilities given by the pseudo-harmonic mapping
(`engine.solving.holdem.betting`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from clients.bots.strategy_files import saved_strategy, shipped_strategy
from clients.core.agent import Chances, Mixing, Triples, described
from clients.core.options import OptionError
from engine.poker.rules import Action, GameDefinition, HandView

if TYPE_CHECKING:
    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.strategies import Strategy

    AnyStrategy = Strategy | BucketedStrategy

_ITERATIONS: Final = 1000
"""Iterations of CFR+ if no file is given: a tenth of a second to solve Leduc to 0.00025 antes."""
_MOST_NODES: Final = 200_000
"""Games with more nodes are not solved on the spot: these take a minute on a slow machine."""


class Equilibrium(Mixing):
    """Plays a strategy file, the packaged strategy for heads-up hold'em, or a small game's equilibrium.

    Args:
        strategy: made by `riverboat solve GAME --save FILE`; None to play the one that comes with this
            program, or to solve a small game at once.
    """

    is_stateless = True

    def __init__(self, strategy: Path | None = None) -> None:
        self._path = strategy
        self._strategy: AnyStrategy | None = None
        if strategy is not None:
            self._strategy = saved_strategy(strategy).strategy

    def prepare(self, game: GameDefinition | None) -> None:
        """Load or compute a strategy before the first cards are dealt.

        Raises:
            OptionError: the game is not the file's, or too large to be solved on the spot.
        """
        if game is not None:
            self._settle(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load or compute a strategy for the game, unless that is done.

        Raises:
            OptionError: the game is not the file's, or too large to be solved on the spot.
        """
        self._settle(game)

    def chances(self, view: HandView) -> Mapping[Action, float]:
        """The strategy's probability of each action."""
        return self.strategy.chances(view)

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The strategy's probabilities of all actions."""
        chances = self.chances(view).items()
        return {"strategy": ", ".join([f"{described(action)} {chance:.4f}" for action, chance in chances])}

    def triples(self, view: HandView) -> Triples | None:
        """The same for every hand we could hold: all combos in hold'em, otherwise all sets of hole cards.

        Returns:
            One triple per hand; None in a small no-limit game, where a triple does not tell raises apart.
        """
        from engine.solving.holdem.bucketed import BucketedStrategy

        strategy = self.strategy
        if isinstance(strategy, BucketedStrategy):
            return strategy.triples(view.betting, view.board)
        if not view.game.is_limit:
            return None  # raises have sizes
        holdings = itertools.combinations(sorted(view.game.deck), view.game.num_hole_cards)
        dead, never = {*view.board}, (0.0, 1.0, 0.0)
        return [never if dead & {*cards} else strategy.triple(_holding(view, cards)) for cards in holdings]

    def size_chances(self, view: HandView, total: int) -> Chances | None:
        """The probability, by combo, that a raise is a raise to `total`; None outside no-limit hold'em."""
        from engine.solving.holdem.bucketed import BucketedStrategy

        strategy = self.strategy
        if not isinstance(strategy, BucketedStrategy) or view.game.is_limit:
            return None
        return strategy.size_chances(view.betting, view.board, total)

    @property
    def strategy(self) -> AnyStrategy:
        """The strategy it plays.

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
    """The same view with other hole cards of our own."""
    hole_cards = list(view.hole_cards)
    hole_cards[view.position] = cards
    return attrs.evolve(view, hole_cards=tuple(hole_cards))


def _solved(game: GameDefinition) -> Strategy:
    from engine.solving.game_tree import GameTree
    from engine.solving.solver import Solver
    from engine.solving.walk import TooLarge

    try:
        solver = Solver(GameTree(game, most_nodes=_MOST_NODES))
    except TooLarge:
        raise OptionError(
            "equilibrium knows limit-2p, nolimit-2p and nolimit-2p-100bb, and solves small games such as "
            "kuhn-2p and leduc: for others for two give it strategy=FILE, made by riverboat solve GAME "
            "--save FILE"
        ) from None
    solver.run(_ITERATIONS)
    return solver.average()
