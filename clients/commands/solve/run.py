"""One run of ``riverboat solve``: from its last checkpoint to the next, with progress, curve and report.

The points of the learning curve lie equally far apart on a logarithmic scale.  In small games they are
exact.  In limit hold'em each is a pair of bounds from a best response on the same few flops: the flops' luck
moves the whole curve up or down, hardly its shape.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import click
import numpy as np

from clients.commands import refusing
from clients.commands.solve.plan import SAY_EVERY_S, AnySolver, Plan, new_solver
from clients.core.one_line import CommandError, progress_bar
from engine.solving.bounds.estimate import best_response_on_flops
from engine.solving.bounds.players import BucketedPlayer
from engine.solving.bounds.sample import Flop, draw_flops
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.solver import Solver
from engine.solving.strategies import Exploitability, Strategy, exploitability
from engine.solving.strategy_file import checkpoint_path, read_checkpoint, write_checkpoint, write_strategy
from engine.support.interruption import held_back

_STEP: Final = 10.0 ** (1 / 8)
"""From the iterations of one point to those of the next, in small games."""
_STEP_ON_BOARDS: Final = 2.0
_FIRST_ON_BOARDS: Final = 125
"""A point in hold'em takes some twenty seconds, as long as a few hundred boards."""
_FLOPS: Final = 4
_TURNS: Final = 4
"""Of each flop."""


class _Stopped(Exception):
    """A point was given up, because the program is to end."""


class LearningCurve:
    """The points of one run.

    Args:
        plan: what is solved.

    Raises:
        CommandError: the game is one whose strategies cannot be measured while they are learnt.
    """

    def __init__(self, plan: Plan) -> None:
        self._scale = 1000 / plan.definition.big_blind
        self._flops: list[Flop] = []
        self._step = _STEP
        self.due = 1
        """The number of iterations after which the next point is to be measured."""
        if plan.definition.is_holdem:
            if not plan.definition.is_limit:
                raise CommandError(
                    "--plot: no-limit strategies take too long to measure while they are learnt: use "
                    f"'riverboat exploitability {plan.save}' afterwards"
                )
            self._flops = list(draw_flops(_FLOPS, _TURNS, np.random.default_rng((plan.seed, 2))))
            self._step, self.due = _STEP_ON_BOARDS, _FIRST_ON_BOARDS
        self.points: list[dict[str, Any]] = []
        """By point `iterations`, `exploitability` and `upper` in mbb/h; `upper` is None where it is exact."""
        self.seconds = 0.0
        """The time that measuring has taken."""

    def go_on(self, done: int) -> None:
        """The next point comes after more iterations than have been done."""
        while self.due <= done:
            self.due = max(self.due + 1, round(self.due * self._step))

    def measure(self, solver: AnySolver, is_stopped: Callable[[], bool]) -> None:
        """Add the point of this moment, unless it is there already or the program is stopped meanwhile."""
        if self.points and self.points[-1]["iterations"] == solver.iterations:
            return
        began = time.monotonic()
        try:
            if self._flops:
                found: tuple[float, float | None] = self._bounds(solver, is_stopped)
            else:
                exact = _measured(solver)
                assert exact is not None  # a small game's
                found = exact.mean, None
        except _Stopped:
            return
        finally:
            self.seconds += time.monotonic() - began
        lower, upper = (None if each is None else each * self._scale for each in found)
        self.points.append({"iterations": solver.iterations, "exploitability": lower, "upper": upper})
        self.go_on(solver.iterations)

    def draw(self, path: str, game: str) -> None:
        """Draw the points.

        Raises:
            PlotError: the picture cannot be written.
        """
        from clients.reports.plots import draw_learning_curve

        points = [(each["iterations"], each["exploitability"], each["upper"]) for each in self.points]
        what = "boards" if self._flops else "iterations"
        draw_learning_curve(path, points, f"a strategy for {game} as it is learnt", what)

    def _bounds(self, solver: AnySolver, is_stopped: Callable[[], bool]) -> tuple[float, float]:
        """The cross-fitted and the in-sample bound, in chips a hand."""

        def seen() -> None:
            if is_stopped():
                raise _Stopped

        strategy = solver.average()
        assert isinstance(strategy, BucketedStrategy)
        found = best_response_on_flops(strategy.game, BucketedPlayer(strategy), self._flops, seen=seen)
        return found.lower.value, found.upper.value


_STEP_S: Final = 0.3
"""How long the solver runs before it looks at signals and the clock."""


def carry_out(plan: Plan, *, resume: bool, force: bool, plot: str | None, as_json: bool) -> int:
    """Solve, save and report; the exit status.

    Args:
        plan: what is asked for.
        resume: whether to go on from the last checkpoint.
        force: whether to replace what is there.
        plot: the picture of the learning curve; None for none.
        as_json: whether the report is JSON.

    Raises:
        CommandError: it cannot be done.
        ArchiveError: a file cannot be read or written.
    """
    curve = None if plot is None else LearningCurve(plan)
    solver = _prepared(plan, resume, force)
    before = solver.iterations
    if curve is not None:
        curve.go_on(before)
    start = time.monotonic()
    status = _run(plan, solver, curve, as_json)
    seconds = time.monotonic() - start - (0.0 if curve is None else curve.seconds)
    found = _save(plan, solver)
    scale = 1000 / plan.definition.big_blind
    tree = solver.tree if isinstance(solver, Solver) else solver.betting
    report = {
        "game": plan.game, "algorithm": plan.algorithm, "iterations": solver.iterations, "seed": plan.seed,
        "save": str(plan.save), "checkpoint": str(checkpoint_path(plan.save)),
        "information_sets": tree.num_information_sets,
        "exploitability": None if found is None else found.mean * scale,
        "value": None if found is None else found.values[0] * scale, "seconds": round(seconds, 3),
        "iterations_per_second": round((solver.iterations - before) / max(seconds, 1e-9), 1),
        "interrupted": status != 0,
    }  # fmt: skip
    if plot is not None and curve is not None:
        report["curve"] = curve.points
        curve.draw(plot, plan.game)
    text = (
        f"{plan.game}: {solver.iterations} iterations of {plan.algorithm}, {_text(plan, found)}, "
        f"{seconds:.1f} s, saved in {plan.save}"
    )
    click.echo(json.dumps(report) if as_json else text)
    return status


def _prepared(plan: Plan, resume: bool, force: bool) -> AnySolver:
    """The solver, where its last run left off or at the beginning."""
    checkpoint = checkpoint_path(plan.save)
    if not resume and not force:
        for path in (plan.save, checkpoint):
            if path.exists():
                raise CommandError(f"{path} is there already: --resume, --force, or choose another file")
    solver = new_solver(plan)
    if resume and checkpoint.exists():
        state = read_checkpoint(checkpoint, plan.definition, plan.notes)
        with refusing(ValueError, what=f"{checkpoint} is damaged: "):
            solver.restore(state)
        if plan.iterations is not None and solver.iterations > plan.iterations:
            raise CommandError(
                f"{checkpoint} has {solver.iterations} iterations already: expected as many or more"
            )
    elif resume and plan.save.exists():
        raise CommandError(f"{checkpoint} is missing, without which {plan.save} cannot be taken up again")
    elif force:
        checkpoint.unlink(missing_ok=True)  # a later --resume must not go on from the former run
    return solver


def _run(plan: Plan, solver: AnySolver, curve: LearningCurve | None, quiet: bool) -> int:
    """Solve to the end or to a signal, with checkpoints and points of a curve; the exit status."""
    size = 1
    start = saved = time.monotonic()
    with _shown(plan, quiet) as show, held_back() as signals:
        while not signals and not _is_over(plan, solver, start):
            left = size if plan.iterations is None else min(size, plan.iterations - solver.iterations)
            if curve is not None:
                left = min(left, curve.due - solver.iterations)
            began = time.monotonic()
            solver.run(left)
            now = time.monotonic()
            # As many as fit into a step, but never suddenly many: the first ones compile.
            size = max(1, min(4 * left, int(left * _STEP_S / max(now - began, 1e-9))))
            if curve is not None and (solver.iterations == curve.due or _is_over(plan, solver, start)):
                curve.measure(solver, lambda: bool(signals))
            is_due = now - saved >= plan.checkpoint_every
            show(solver, _save(plan, solver) if is_due else None, is_due)
            if is_due:
                saved = time.monotonic()
    return 128 + signals[0] if signals and not _is_over(plan, solver, start) else 0


def _is_over(plan: Plan, solver: AnySolver, start: float) -> bool:
    if plan.iterations is not None:
        return solver.iterations >= plan.iterations
    return plan.seconds is not None and time.monotonic() - start >= plan.seconds


def _save(plan: Plan, solver: AnySolver) -> Exploitability | None:
    """Replace checkpoint and strategy, in this order; how exploitable the strategy is, in a small game."""
    write_checkpoint(checkpoint_path(plan.save), plan.definition, solver.state(), plan.notes)
    write_strategy(
        plan.save, solver.average(), {"game": plan.game, **plan.notes, "iterations": solver.iterations}
    )
    return _measured(solver)


def _measured(solver: AnySolver) -> Exploitability | None:
    """How exploitable the strategy is so far; None where that takes longer than the solving."""
    strategy = solver.average()
    return exploitability(strategy.tree, strategy.policy) if isinstance(strategy, Strategy) else None


def _text(plan: Plan, found: Exploitability | None) -> str:
    if found is None:
        return f"{'-'.join(map(str, plan.buckets))} buckets"
    scale = 1000 / plan.definition.big_blind
    return f"exploitability {found.mean * scale:.4f} mbb/h, value {found.values[0] * scale:+z.3f}"


_Show = Callable[["AnySolver", "Exploitability | None", bool], None]


@contextmanager
def _shown(plan: Plan, quiet: bool) -> Iterator[_Show]:
    """Progress on stderr: a bar on a terminal, else a line for each checkpoint."""
    said = time.monotonic()

    if quiet or not sys.stderr.isatty():

        def say(solver: AnySolver, found: Exploitability | None, saved: bool) -> None:
            if saved and not quiet:
                of = "" if plan.iterations is None else f" of {plan.iterations}"
                click.echo(f"{solver.iterations}{of} iterations, {_text(plan, found)}, saved", err=True)

        yield say
        return

    from rich.progress import TextColumn, TimeElapsedColumn

    with progress_bar("solving", TimeElapsedColumn(), TextColumn("{task.description}")) as bar:
        task = bar.add_task("", total=plan.iterations)

        def move(solver: AnySolver, found: Exploitability | None, saved: bool) -> None:
            nonlocal said
            bar.update(task, completed=solver.iterations)
            if not saved and time.monotonic() - said < SAY_EVERY_S:
                return
            said = time.monotonic()
            bar.update(task, description=_text(plan, found if saved else _measured(solver)))

        yield move
