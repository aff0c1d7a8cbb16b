"""The portfolio bot: an equilibrium and answers to the usual opponents, and more and more of what wins.

It plays small games for two, such as Kuhn's and Leduc's.  Before it sits down it computes an equilibrium and
restricted Nash responses to players who always call, always raise, do both evenly, or anything; at the table
it plays a mixture of them, and after each hand the ones that would have won get more of the say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clients.agent import Agent, ProbabilityTriple, drawn
from clients.options import OptionError
from engine.rules import Action, ActionKind, GameDefinition, HandView

if TYPE_CHECKING:
    from engine.equilibrium.mixtures.portfolio import Portfolio as Strategies

OPPONENTS: Final = ((0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1))
"""Whom it has answers to, by how often they fold, call and raise."""
_MOST_NODES: Final = 200_000


class Portfolio(Agent):
    """Plays small games by an equilibrium and answers to usual opponents, those that win most above all.

    Args:
        part: of all hands in which an answer trusts its opponent to play as usual, 0 to 1.
        iterations: of CFR+ for each strategy.
        learn: off: all strategies have the same say for ever.

    Raises:
        ValueError: an option outside its range.
    """

    def __init__(self, part: float = 0.75, iterations: int = 400, learn: bool = True) -> None:
        if not 0 <= part <= 1:
            raise ValueError(f"part: expected 0 to 1, got {part}")
        if iterations < 1:
            raise ValueError(f"iterations: expected 1 or more, got {iterations}")
        self.part, self.iterations, self.learn = part, iterations, learn
        self.is_stateless = not learn
        self._strategies: Strategies | None = None
        self._finished = -1  # the last hand that was learnt from

    def prepare(self, game: GameDefinition | None) -> None:
        """Computes its strategies before the first cards are dealt.

        Raises:
            OptionError: the game is too large to be solved on the spot, or not for two.
        """
        if game is not None:
            self._settle(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """The same, where the game was not known before."""
        self._settle(game)

    @property
    def strategies(self) -> Strategies:
        """What it plays, the equilibrium first, and how much say each has.

        Raises:
            OptionError: no game has begun.
        """
        if self._strategies is None:
            raise OptionError("portfolio does not know yet what is being played")
        return self._strategies

    def choose_action(self, view: HandView) -> Action:
        """Drawn from the mixture, with one number of the generator."""
        return drawn(self.strategies.chances(view), self.rng)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """How likely a fold, a call and a raise are."""
        chances = dict.fromkeys((ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE), 0.0)
        for action, chance in self.strategies.chances(view).items():
            chances[action.kind] += chance
        return ProbabilityTriple(*chances.values())

    def hand_finished(self, view: HandView) -> None:
        """Learn from the hand, which may be reported twice."""
        if view.hand_number == self._finished or not self.learn:
            return
        self._finished = view.hand_number
        self.strategies.learn(view, view.chips_won()[view.position])

    def _settle(self, game: GameDefinition) -> None:
        if self._strategies is not None and self._strategies.tree.game == game:
            return
        from engine.equilibrium.game_tree import GameTree
        from engine.equilibrium.mixtures.portfolio import Portfolio as Strategies
        from engine.equilibrium.responses import restricted_nash
        from engine.equilibrium.sizes import TooLarge
        from engine.equilibrium.solver import Solver
        from engine.equilibrium.strategies import policy_with

        if game.num_players != 2:
            raise OptionError(f"portfolio plays games for two, this one is for {game.num_players}")
        try:
            tree = GameTree(game, most_nodes=_MOST_NODES)
        except TooLarge:
            raise OptionError("portfolio plays small games only, such as kuhn-2p and leduc") from None
        solver = Solver(tree)
        solver.run(self.iterations)
        policies = [solver.average().policy]
        policies += [
            restricted_nash(tree, policy_with(tree, weights), self.part, self.iterations)
            for weights in OPPONENTS
        ]
        self._strategies = Strategies(tree, policies)
