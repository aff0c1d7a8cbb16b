"""The portfolio bot: mixes an equilibrium with answers to typical opponents, and learns which of them wins.

It has answers to players who always call, always raise, call or raise with equal probability, or do anything,
and plays a mixture of these answers and an equilibrium.  After each hand, strategies that would have won get
more weight.  In heads-up limit hold'em the strategies come with this program; in small games such as Kuhn's
and Leduc's they are computed before it sits down; `answers` names others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clients.bots.memory_file import KnownPlayers, Parts, Remembering
from clients.bots.strategy_files import saved_strategy, shipped_answers, shipped_strategy
from clients.core.agent import Mixing
from clients.core.options import OptionError, require_between
from engine.players.models.saved import saved_numbers
from engine.poker.rules import Action, GameDefinition, HandView
from engine.poker.rules.game_file import format_game
from engine.support.files.formats import digest_of

if TYPE_CHECKING:
    from engine.solving.mixtures import Portfolio as Strategies

OPPONENTS: Final = ((0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1))
"""The opponents it has answers to, by their weights of folding, calling and raising."""
_MOST_NODES: Final = 200_000

Learnt = dict[str, list[float]]
"""What was learnt against a player, by a digest of game and strategies."""


class _Opponents(KnownPlayers[Learnt]):
    """Knowledge of each player."""

    part, kind = "portfolio", dict

    def read(self, parts: Parts) -> Learnt:
        """Numbers by digest."""
        found = parts.get(self.part, {})
        return {str(digest): saved_numbers(found, digest, (-1,), -math.inf).tolist() for digest in found}

    def written(self, known: Learnt) -> Parts:
        """Numbers by digest."""
        return {self.part: known}


class Portfolio(Mixing, Remembering):
    """Mixes an equilibrium with answers to typical opponents, and gives most weight to those that win.

    Args:
        part: small games: the share of hands in which an answer trusts its opponent to play as modelled,
            0 to 1.
        iterations: small games: iterations of CFR+ for each strategy.
        answers: hold'em: strategy files with ``+`` between them, as `riverboat counter` and `riverboat solve`
            make them, to play besides the equilibrium that comes with this program; None for the answers
            that come with it.
        learn: off: all strategies keep their weight.
        memory: file that keeps what was learnt against opponents between matches, by their names.

    Raises:
        ValueError: an option outside its range, or a memory file that cannot be read, written or locked.
    """

    def __init__(
        self,
        part: float = 0.75,
        iterations: int = 400,
        answers: str | None = None,
        learn: bool = True,
        memory: Path | None = None,
    ) -> None:
        require_between("part", part, 0, 1)
        if iterations < 1:
            raise ValueError(f"iterations: expected 1 or more, got {iterations}")
        self.part, self.iterations, self.learn = part, iterations, learn
        self.is_stateless = not learn
        self._answers = [Path(name) for name in answers.split("+")] if answers else []
        self._game: GameDefinition | None = None
        self._strategies: Strategies | None = None
        self._opponents = _Opponents()
        self._learnt: Learnt = {}  # against the present one
        self._digest = ""  # of what is played and mixed
        self._opponents.learns = learn
        self.remember(memory, self._opponents)

    def prepare(self, game: GameDefinition | None) -> None:
        """Load or compute its strategies before the first cards are dealt.

        Raises:
            OptionError: the game is too large to be solved on the spot, or not for two.
        """
        if game is not None:
            self._settle(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load or compute its strategies if the game was not known before; remember the opponent."""
        self._settle(game)
        self._opponents.sit_down(seat, game.num_players, self.names)
        self._learnt = self._opponents.of_seat(1 - seat)
        answers = [str(path) for path in self._answers]
        self._digest = digest_of([format_game(game), self.part, self.iterations, answers], {})
        if self._digest in self._learnt:
            self.strategies.learnt = self._learnt[self._digest]

    @property
    def strategies(self) -> Strategies:
        """The strategies it mixes, the equilibrium first, with their weights.

        Raises:
            OptionError: no game has begun.
        """
        if self._strategies is None:
            raise OptionError("portfolio does not know yet what is being played")
        return self._strategies

    def chances(self, view: HandView) -> Mapping[Action, float]:
        """The probability of each action in the mixture."""
        return self.strategies.chances(view)

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The weights of its strategies, the equilibrium first."""
        weights = ", ".join([f"{weight:.3f}" for weight in self.strategies.weights])
        return {"weights": f"{weights}: the equilibrium, and answers to others"}

    def hand_finished(self, view: HandView) -> None:
        """Learn from the hand; its end may be reported twice."""
        if self.learn and self.is_news(view):
            self.strategies.learn(view)
            self._learnt[self._digest] = self.strategies.learnt
            self.save_memory(self.strategies.hands)

    def _settle(self, game: GameDefinition) -> None:
        if self._game == game:
            return
        if game.num_players != 2:
            raise OptionError(f"portfolio plays games for two, this one is for {game.num_players}")
        self._strategies = self._of_files(game) if game.is_holdem else self._computed(game)
        self._game = game

    def _of_files(self, game: GameDefinition) -> Strategies:
        """The strategies of hold'em, read from files."""
        from engine.solving.holdem.bucketed import BucketedStrategy
        from engine.solving.mixtures import HoldemPortfolio

        shipped = shipped_strategy(game)
        files = [saved_strategy(path, game).strategy for path in self._answers]
        found = [shipped, *(files or shipped_answers(game))]
        strategies = [each for each in found if isinstance(each, BucketedStrategy)]
        if len(strategies) < 2:
            raise OptionError(
                "portfolio knows limit-2p, and computes strategies of small games such as kuhn-2p and leduc: "
                "for others, such as nolimit-2p-100bb, give it answers=FILE+FILE, made by riverboat solve or "
                "counter"
            )
        return HoldemPortfolio(strategies)

    def _computed(self, game: GameDefinition) -> Strategies:
        """The strategies of a small game, computed now."""
        if self._answers:
            raise OptionError("portfolio: answers are for hold'em; for small games they are computed")
        from engine.solving.game_tree import GameTree
        from engine.solving.mixtures import SmallPortfolio
        from engine.solving.responses import restricted_nash
        from engine.solving.solver import Solver
        from engine.solving.strategies import policy_with
        from engine.solving.walk import TooLarge

        try:
            tree = GameTree(game, most_nodes=_MOST_NODES)
        except TooLarge:
            raise OptionError("portfolio plays hold'em and small games, such as kuhn-2p and leduc") from None
        solver = Solver(tree)
        solver.run(self.iterations)
        policies = [solver.average().policy]
        others = [policy_with(tree, weights) for weights in OPPONENTS]
        policies += [restricted_nash(tree, other, self.part, self.iterations) for other in others]
        return SmallPortfolio(tree, policies)
