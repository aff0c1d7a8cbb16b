"""What ``riverboat solve`` is asked for, and the solver that does it, by the kind of game."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import attrs
import click

from clients.commands import refusing
from clients.core.one_line import CommandError
from clients.core.program import ProgramError, read_game
from engine.poker.rules import GameDefinition
from engine.solving.game_tree import game_tree
from engine.solving.holdem import betting
from engine.solving.holdem.abstraction import Abstraction
from engine.solving.holdem.board_solver import BoardSolver
from engine.solving.holdem.deal_solver import DealSolver
from engine.solving.holdem.kinds import AbstractionKind, make_abstraction, make_opponent, noted_menus
from engine.solving.solver import Algorithm, Solver
from engine.solving.walk import TooLarge

AnySolver = Solver | BoardSolver | DealSolver


_WHOLE: Final = "cfr+"
ON_BOARDS: Final = "pcs"
_ON_DEALS: Final = "mcfr"
"""Algorithms, where none is given: of small games, of limit hold'em, of no-limit hold'em."""
SAY_EVERY_S: Final = 2.0


@attrs.frozen(kw_only=True)
class Plan:
    """The request; settings of hold'em mean nothing in small games."""

    game: str
    save: Path
    definition: GameDefinition
    algorithm: str
    seed: int
    abstraction: AbstractionKind
    buckets: tuple[int, int, int]
    board_classes: tuple[int, int, int]
    trembles: float
    best_responses: bool
    """Whether the opponent plays a best response on the river."""
    clusters: tuple[int, int] | None
    """Of boards that the opponent tells apart; None where it plays what the strategy does."""
    menus: betting.Menus
    """No-limit hold'em: raises."""
    jobs: int
    iterations: int | None
    """In all; None for as many as there is time for."""
    seconds: float | None
    checkpoint_every: float
    """Between checkpoints."""

    @property
    def notes(self) -> dict[str, Any]:
        """The notes that a run and its continuation share, by their names in files."""
        if not self.definition.is_holdem:
            seed = {"seed": self.seed} if self.algorithm == _ON_DEALS else {}
            return {"algorithm": self.algorithm} | seed
        own: dict[str, Any] = {"answers": self.best_responses} if self.algorithm == ON_BOARDS else {}
        if self.clusters is not None:
            own["clusters"] = list(self.clusters)
        if self.menus:
            own["sizes"] = noted_menus(self.menus)
        return own | {
            "algorithm": self.algorithm, "seed": self.seed, "abstraction": self.abstraction,
            "buckets": list(self.buckets), "textures": list(self.board_classes), "slips": self.trembles,
        }  # fmt: skip


def game_and_algorithm(game: str, algorithm: str | None) -> tuple[GameDefinition, str]:
    """The game to be solved, and the method."""
    with refusing(ProgramError):
        definition = read_game(game)
    on_boards = betting.is_heads_up_limit_holdem(definition)
    on_deals = betting.is_heads_up_no_limit_holdem(definition)
    if algorithm is None:
        algorithm = ON_BOARDS if on_boards else _ON_DEALS if on_deals else _WHOLE
    if algorithm == ON_BOARDS and not on_boards:
        raise CommandError(f"--algorithm pcs solves limit hold'em for two; for {game} expected another")
    if on_deals and algorithm != _ON_DEALS:
        raise CommandError(f"--algorithm {algorithm} walks all of a small game; for {game} expected mcfr")
    return definition, algorithm


def new_solver(plan: Plan) -> AnySolver:
    """The solver at its beginning."""
    if plan.algorithm == ON_BOARDS:
        return _on_boards(plan)
    if plan.definition.is_holdem and plan.algorithm == _ON_DEALS:
        return _on_deals(plan)
    return _of_whole_game(plan)


def _of_whole_game(plan: Plan) -> Solver:
    """Small games, as a tree."""
    with refusing(TooLarge):
        tree = game_tree(plan.definition)
    return Solver(tree, cast(Algorithm, plan.algorithm), seed=plan.seed)


def _on_boards(plan: Plan) -> BoardSolver:
    """Limit hold'em for two, on buckets and sampled boards."""
    abstraction, opponent = _abstraction(plan), None
    if plan.clusters is not None:
        with refusing(ValueError, what="--clusters: "):
            opponent = make_opponent(abstraction, plan.clusters, _shown("clustering boards"))
    return BoardSolver(
        plan.definition, abstraction, seed=plan.seed, jobs=plan.jobs, trembles=plan.trembles,
        best_responses=plan.best_responses, opponent=opponent,
    )  # fmt: skip


def _on_deals(plan: Plan) -> DealSolver:
    """No-limit hold'em for two, on buckets, sizes of raises and sampled deals."""
    abstraction = _abstraction(plan)
    with refusing(ValueError, what=f"{plan.game}: "), refusing(TooLarge, what="--bets: "):
        return DealSolver(plan.definition, abstraction, plan.menus, seed=plan.seed, trembles=plan.trembles)


def _abstraction(plan: Plan) -> Abstraction:
    """Hands in buckets, from this machine's cache or made now."""
    with refusing(ValueError, what="--buckets: "):
        return make_abstraction(plan.abstraction, plan.buckets, plan.board_classes, _shown("classing hands"))


def _shown(what: str) -> Callable[[int, int], None]:
    """Says now and then how far work has come that is done once a machine."""
    said = time.monotonic()

    def show(done: int, of: int) -> None:
        nonlocal said
        if time.monotonic() - said >= SAY_EVERY_S:
            said = time.monotonic()
            click.echo(f"{what}, once a machine: {done} of {of} flops", err=True)

    return show
