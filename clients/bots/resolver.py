"""The resolver: plays a blueprint, and from the river or turn on solves the rest of the hand at the table.

With every hand apart it answers bets of any size by solving, where its blueprint takes them for one of the
few that it knows.  Its work is counted, not clocked: the same seed and options give the same match on any
machine, unless `clock` is set, or a decision would take longer than the table allows: then a comment line
says how many iterations were made.  See `engine.solving.subgames.resolving`.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clients.bots.strategy_files import bucketed_strategy, shipped_strategy
from clients.core.agent import Agent, Chances, ProbabilityTriple, drawn
from clients.core.options import OptionError, require_between, require_one_of
from engine.poker.combos import combo_index
from engine.poker.rules import Action, GameDefinition, HandView

if TYPE_CHECKING:
    from engine.solving.subgames.resolving import TableSolver
    from engine.support.arrays import Floats

_ROUNDS: Final = {"turn": 2, "river": 3}
_OF_THE_CLOCK: Final = 0.6
"""The share of the dealer's time limit in which solutions are to end."""


class Resolver(Agent):
    """Plays a blueprint, then solves the rest of the hand at the table, again after bets outside its tree.

    Args:
        strategy: the blueprint, made by `riverboat solve nolimit-2p-100bb --save FILE`; None for the one that
            comes with this program.
        first: the first round that is solved, turn or river.
        iterations: of each solution.
        clock: stop a solution after the iteration in which so many seconds run out; 0 for never.
        mixed: how far the opponent is held to the range that it should have, 0 to 1; 1 is unsafe.
        threads: how many work on a turn; the answers do not depend on it.

    Raises:
        ValueError: an option outside its range.
    """

    is_stateless = True
    wants_clock = True

    def __init__(
        self,
        strategy: Path | None = None,
        first: str = "turn",
        iterations: int = 100,
        clock: float = 0.0,
        mixed: float = 0.8,
        threads: int = 2,
    ) -> None:
        require_one_of("first", first, tuple(_ROUNDS))
        require_between("iterations", iterations, 1, 10_000)
        require_between("threads", threads, 1, 64)
        require_between("mixed", mixed, 0, 1)
        if clock < 0:
            raise ValueError(f"clock: expected 0 or more, got {clock:g}")
        self._path = strategy
        self._effort: dict[str, Any] = {
            "iterations": iterations, "seconds": clock or None, "first_round": _ROUNDS[first], "mixed": mixed,
            "threads": threads,
        }  # fmt: skip
        self._solver: TableSolver | None = None

    def prepare(self, game: GameDefinition | None) -> None:
        """Load the blueprint and compile what solves, before the first cards are dealt.

        Raises:
            OptionError: there is no blueprint for the game.
        """
        if game is not None:
            self._settle(game)
            from engine.compiling import subgames

            subgames()
            self.solver.rehearse()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load the blueprint, unless that is done.

        Raises:
            OptionError: there is no blueprint for the game.
        """
        self._settle(game)

    def choose_action(self, view: HandView) -> Action:
        """An action drawn from the solution in force, with one number of the generator."""
        solver, solved = self.solver, len(self.solver.solved)
        if self.seconds_to_act is not None:
            solver.deadline = time.monotonic() + _OF_THE_CLOCK * self.seconds_to_act
        try:
            actions, chances = solver.chances(view.betting, view.board, view.position)
        finally:
            solver.deadline = math.inf
        done = [iterations for _, iterations in solver.solved[solved:]]
        if any(iterations < solver.effort.iterations for iterations in done):
            self.comment = f"iterations {' '.join(map(str, done))}"
        row = chances[combo_index(*view.own_cards)].tolist()
        return drawn(dict(zip(actions, row, strict=True)), self.rng)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of a fold, a call and a raise of any size."""
        return ProbabilityTriple(*self.triples(view)[combo_index(*view.own_cards)].tolist())

    def triples(self, view: HandView) -> Floats:
        """The same for every combo; a state that nobody has played to is solved like any other."""
        from engine.solving.holdem.bucketed import triples_of

        return triples_of(*self.solver.chances(view.betting, view.board, view.position))

    def size_chances(self, view: HandView, total: int) -> Chances | None:
        """The probability, by combo, that a raise is a raise to `total`."""
        from engine.solving.holdem.bucketed import sizes_of

        return sizes_of(*self.solver.chances(view.betting, view.board, view.position), total)

    @property
    def solver(self) -> TableSolver:
        """What it plays.

        Raises:
            OptionError: no game has begun.
        """
        if self._solver is None:
            raise OptionError("resolver does not know yet what is being played")
        return self._solver

    def _settle(self, game: GameDefinition) -> None:
        if self._solver is not None and self._solver.blueprint.game == game:
            return
        from engine.solving.subgames.resolving import Effort, TableSolver

        blueprint = bucketed_strategy(self._path) if self._path else shipped_strategy(game)
        if blueprint is None or game.is_limit or blueprint.game != game or len({*game.stacks}) != 1:
            raise OptionError(
                "resolver plays heads-up no-limit hold'em with equal stacks: nolimit-2p, nolimit-2p-100bb, "
                "or a game for which strategy=FILE was made by riverboat solve GAME --save FILE"
            )
        self._solver = TableSolver(blueprint, Effort(**self._effort))
