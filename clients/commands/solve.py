"""``riverboat solve``: computes a strategy that nobody can beat, and saves it.

A checkpoint beside the strategy, ``FILE.checkpoint``, is replaced all along: whatever ends the program, all
but what was computed since the last one is kept, and ``--resume`` goes on exactly there.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import attrs
import click

from clients.one_line import MOST_SECONDS, CommandError, FiniteRange, OneLineCommand, json_option, seed_option
from engine.interruption import as_ctrl_c, held_back

if TYPE_CHECKING:
    from engine.equilibrium.solver import Algorithm, Solver
    from engine.equilibrium.values import Exploitability

_ITERATIONS: Final = {"mcfr": 1_000_000}
_USUAL_ITERATIONS: Final = 1000
"""Where neither iterations nor minutes are given, by algorithm."""
_STEP_S: Final = 0.3
"""How long the solver runs before it looks at signals and the clock."""
_SAY_EVERY_S: Final = 2.0
_ALGORITHMS: Final = ("cfr", "cfr+", "dcfr", "lcfr", "mcfr")


@attrs.frozen
class _Plan:
    """What is asked for."""

    game: str
    save: Path
    algorithm: str
    seed: int
    iterations: int | None
    """In all; None for as many as there is time for."""
    seconds: float | None
    every_s: float
    """Between checkpoints."""

    @property
    def notes(self) -> dict[str, Any]:
        """What runs that go on from each other have in common."""
        return {"algorithm": self.algorithm} | ({"seed": self.seed} if self.algorithm == "mcfr" else {})


# Many parameters: each is an option.
@click.command(cls=OneLineCommand)
@click.argument("game")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="Gets the strategy; FILE.checkpoint keeps what --resume needs.",
)
@click.option(
    "--iterations",
    type=click.IntRange(min=1),
    metavar="N",
    help="Iterations in all; default 1000, with mcfr 1000000.",
)
@click.option(
    "--minutes", type=FiniteRange(0, MOST_SECONDS / 60, min_open=True), metavar="M", help="As long as this."
)
@click.option(
    "--algorithm",
    type=click.Choice(_ALGORITHMS),
    default="cfr+",
    show_default=True,
    help="Counterfactual regret minimisation: as it was, CFR+, discounted, linear, or by external sampling.",
)
@seed_option("strategy", default=1)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, metavar="J", help="Threads; small games take one."
)
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint of FILE, if there is one.")
@click.option("--force", is_flag=True, help="Begin anew though FILE or its checkpoint is there.")
@click.option(
    "--checkpoint-every",
    type=FiniteRange(0, MOST_SECONDS),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Between two savings.",
)
@json_option()
def solve(
    game: str,
    save: Path,
    iterations: int | None,
    minutes: float | None,
    algorithm: str,
    seed: int,
    jobs: int,
    resume: bool,
    force: bool,
    checkpoint_every: float,
    as_json: bool,
) -> None:
    """Compute a strategy for GAME that no opponent can win much of, and save it.

    It then plays as `riverboat bot equilibrium HOST PORT --set strategy=FILE`, and `riverboat exploitability
    FILE` measures it.  Same game, algorithm, seed and number of iterations, same strategy, however often the
    run was interrupted.  Ctrl-C saves and ends with status 130.
    """
    from engine.files.lock import FileIsLocked, FileLock

    if iterations is not None and minutes is not None:
        raise CommandError("--iterations and --minutes: expected one of them")
    if jobs > 1:
        raise CommandError(f"--jobs {jobs}: {algorithm} walks a small game on one thread")
    if minutes is None and iterations is None:
        iterations = _ITERATIONS.get(algorithm, _USUAL_ITERATIONS)
    seconds = None if minutes is None else 60 * minutes
    plan = _Plan(game, save, algorithm, seed, iterations, seconds, checkpoint_every)
    try:
        lock = FileLock(save)
    except FileIsLocked as error:
        raise CommandError(f"{save} is being written by another program: choose another file") from error
    except OSError as error:
        raise CommandError(f"{save} cannot be written: {error.strerror or error}") from error
    try:
        with as_ctrl_c() as interruption:  # while kernels compile; in the long run it is held back
            status = _solve(plan, resume, force, as_json)
    except KeyboardInterrupt:
        status = interruption.status
    finally:
        lock.release()
    if status:
        raise click.exceptions.Exit(status)


def _solve(plan: _Plan, resume: bool, force: bool, as_json: bool) -> int:
    """All of it; the exit status."""
    from engine.equilibrium.strategy_file import StrategyFileError, checkpoint_path

    try:
        solver = _prepared(plan, resume, force)
        before = solver.iterations
        start = time.monotonic()
        status = _run(plan, solver, as_json)
        seconds = time.monotonic() - start
        found = _save(plan, solver)
    except StrategyFileError as error:
        raise CommandError(str(error)) from error
    scale = 1000 / solver.tree.game.big_blind
    report = {
        "game": plan.game,
        "algorithm": plan.algorithm,
        "iterations": solver.iterations,
        "seed": plan.seed,
        "save": str(plan.save),
        "checkpoint": str(checkpoint_path(plan.save)),
        "information_sets": solver.tree.num_information_sets,
        "exploitability": found.mean * scale,
        "value": found.values[0] * scale,
        "seconds": round(seconds, 3),
        "iterations_per_second": round((solver.iterations - before) / max(seconds, 1e-9), 1),
        "interrupted": status != 0,
    }
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo(
            f"{plan.game}: {solver.iterations} iterations of {plan.algorithm}, exploitability "
            f"{found.mean * scale:.4f} mbb/h, value {found.values[0] * scale:+.3f}, {seconds:.1f} s, "
            f"saved in {plan.save}"
        )
    return status


def _prepared(plan: _Plan, resume: bool, force: bool) -> Solver:
    """The solver, where its last run left off or at the beginning."""
    from clients.program import ProgramError, read_game
    from engine.equilibrium.game_tree import game_tree
    from engine.equilibrium.sizes import TooLarge
    from engine.equilibrium.solver import Solver
    from engine.equilibrium.strategy_file import StrategyFileError, checkpoint_path, read_checkpoint

    checkpoint = checkpoint_path(plan.save)
    if not resume and not force:
        for path in (plan.save, checkpoint):
            if path.exists():
                raise CommandError(f"{path} is there already: --resume, --force, or choose another file")
    try:
        tree = game_tree(read_game(plan.game))
    except (ProgramError, TooLarge) as error:
        raise CommandError(str(error)) from error
    solver = Solver(tree, cast("Algorithm", plan.algorithm), seed=plan.seed)
    if resume and checkpoint.exists():
        try:
            solver.restore(read_checkpoint(checkpoint, tree.game, plan.notes))
        except StrategyFileError:
            raise
        except ValueError as error:
            raise CommandError(f"{checkpoint} is damaged: {error}") from error
        if plan.iterations is not None and solver.iterations > plan.iterations:
            raise CommandError(
                f"{checkpoint} has {solver.iterations} iterations already: expected as many or more"
            )
    elif resume and plan.save.exists():
        raise CommandError(f"{checkpoint} is missing, without which {plan.save} cannot be taken up again")
    elif force:
        checkpoint.unlink(missing_ok=True)  # a later --resume must not go on from the former run
    return solver


def _run(plan: _Plan, solver: Solver, quiet: bool) -> int:
    """Solve to the end or to a signal, with checkpoints; the exit status."""
    size = 1
    start = saved = time.monotonic()
    with _shown(plan, quiet) as show, held_back() as signals:
        while not signals and not _is_over(plan, solver, start):
            left = size if plan.iterations is None else min(size, plan.iterations - solver.iterations)
            began = time.monotonic()
            solver.run(left)
            now = time.monotonic()
            # As many as fit into a step, but never suddenly many: the first ones compile.
            size = max(1, min(4 * left, int(left * _STEP_S / max(now - began, 1e-9))))
            if now - saved >= plan.every_s:
                show(solver, _save(plan, solver))
                saved = time.monotonic()
            else:
                show(solver, None)
    is_whole = _is_over(plan, solver, start)
    return 128 + signals[0] if signals and not is_whole else 0


def _is_over(plan: _Plan, solver: Solver, start: float) -> bool:
    if plan.iterations is not None:
        return solver.iterations >= plan.iterations
    return plan.seconds is not None and time.monotonic() - start >= plan.seconds


def _save(plan: _Plan, solver: Solver) -> Exploitability:
    """Replace checkpoint and strategy, in this order; how exploitable the strategy is."""
    from engine.equilibrium.strategy_file import checkpoint_path, write_checkpoint, write_strategy
    from engine.equilibrium.values import exploitability

    strategy = solver.average()
    found = exploitability(solver.tree, strategy.policy)
    game = solver.tree.game
    write_checkpoint(checkpoint_path(plan.save), game, solver.state(), plan.notes)
    write_strategy(
        plan.save, strategy, {"game": plan.game, **plan.notes, "iterations": solver.iterations}
    )  # fmt: skip
    return found


_Show = Callable[["Solver", "Exploitability | None"], None]


@contextmanager
def _shown(plan: _Plan, quiet: bool) -> Iterator[_Show]:
    """Progress on stderr: a bar on a terminal, else a line for each checkpoint."""
    said = time.monotonic()

    def text(solver: Solver, found: Exploitability) -> str:
        scale = 1000 / solver.tree.game.big_blind
        return f"exploitability {found.mean * scale:.4f} mbb/h"

    if quiet or not sys.stderr.isatty():

        def say(solver: Solver, found: Exploitability | None) -> None:
            if found is not None and not quiet:
                of = "" if plan.iterations is None else f" of {plan.iterations}"
                click.echo(f"{solver.iterations}{of} iterations, {text(solver, found)}, saved", err=True)

        yield say
        return

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from engine.equilibrium.values import exploitability

    with Progress(
        TextColumn("solving"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.description}"), console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task("", total=plan.iterations)

        def move(solver: Solver, found: Exploitability | None) -> None:
            nonlocal said
            bar.update(task, completed=solver.iterations)
            if found is None and time.monotonic() - said >= _SAY_EVERY_S:
                found = exploitability(solver.tree, solver.average().policy)
            if found is not None:
                said = time.monotonic()
                bar.update(task, description=text(solver, found))

        yield move
