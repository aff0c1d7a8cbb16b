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
from typing import TYPE_CHECKING, Final

import click

from clients.commands.solve.bucket_options import buckets_option, clusters_option, textures_option
from clients.commands.solve.learning_curve import LearningCurve
from clients.commands.solve.plan import (
    ON_BOARDS,
    SAY_EVERY_S,
    Plan,
    game_and_algorithm,
    new_solver,
)
from clients.core.bet_sizes import parse_bet_sizes
from clients.core.one_line import (
    MOST_SECONDS,
    CommandError,
    FiniteRange,
    GameName,
    OneLineCommand,
    json_option,
    plot_option,
    refuse_options,
    seed_option,
)
from engine.support.interruption import as_ctrl_c, held_back

if TYPE_CHECKING:
    from clients.commands.solve.plan import AnySolver
    from engine.poker.rules import GameDefinition
    from engine.solving.holdem.kinds import AbstractionKind
    from engine.solving.strategies import Exploitability

_ITERATIONS: Final = {"mcfr": 1_000_000}
_USUAL_ITERATIONS: Final = 1000
"""Where neither iterations nor minutes are given, by algorithm."""
_SLIPS: Final = 0.03
"""With pcs; see docs/equilibrium.md for what it is good for."""
_STEP_S: Final = 0.3
"""How long the solver runs before it looks at signals and the clock."""
_ALGORITHMS: Final = ("cfr", "cfr+", "dcfr", "lcfr", "mcfr", "pcs")


def _sizes_option(context: click.Context, parameter: click.Parameter, text: str) -> tuple[float, ...]:
    """Sizes of raises."""
    try:
        return parse_bet_sizes(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


# Many parameters: each is an option.
@click.command(cls=OneLineCommand)
@click.argument("game", type=GameName())
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="Where to save the strategy; FILE.checkpoint keeps what --resume needs.",
)
@click.option(
    "--iterations",
    type=click.IntRange(min=1),
    metavar="N",
    help="Iterations in total (in hold'em: boards); default 1000, with mcfr in small games 1000000.",
)
@click.option(
    "--minutes", type=FiniteRange(0, MOST_SECONDS / 60, min_open=True), metavar="M", help="As long as this."
)
@click.option(
    "--algorithm",
    type=click.Choice(_ALGORITHMS),
    help="Counterfactual regret minimisation: plain, CFR+, discounted, linear, by external sampling or "
    "public chance sampling; default cfr+, for heads-up limit hold'em pcs, for no-limit mcfr.",
)
@seed_option("strategy", default=1)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, metavar="J", help="Threads, with pcs only.")
@click.option(
    "--abstraction",
    type=click.Choice(["distributions", "percentiles"]),
    default="distributions",
    show_default=True,
    help="In hold'em: hands are classified by the distribution of the strength they may reach (k-means, "
    "which takes a minute once), or by percentile of the mean of its square.",
)
@click.option(
    "--buckets",
    callback=buckets_option,
    metavar="F,T,R",
    help="In hold'em: classes of hands on flop, turn and river, or one number for all; default 60,60,20, for "
    "percentiles 20.",
)
@click.option(
    "--textures",
    callback=textures_option,
    default="1,1,1",
    show_default=True,
    metavar="F,T,R",
    help="With distributions: kinds of boards that are distinguished on flop, turn and river, or one number "
    "for the river: 1; 2, by whether three are suited; 4, also by pairs; 8, by four suited, two pairs; any "
    "other number on flop and turn, up to 255: k-means of boards by what each starting hand is worth there.",
)
@click.option(
    "--slips",
    type=FiniteRange(0, 1, max_open=True),
    metavar="PART",
    help="In hold'em: in this fraction of its actions the opponent acts at random, so that answers to what "
    "it would never do are learnt, too; default 0.03 with pcs, else 0.",
)
@click.option(
    "--answers/--no-answers",
    default=None,
    help="With pcs: on the river the opponent plays a best response, computed for each board, instead of "
    "what it has learnt itself; default.",
)
@click.option(
    "--clusters",
    callback=clusters_option,
    metavar="F,T",
    help="With answers and distributions: the opponent learns for itself, and distinguishes so many kinds of "
    "boards on flop and turn; default: it plays what the strategy does in the other seat.",
)
@click.option(
    "--bets",
    "sizes",
    callback=_sizes_option,
    default="half+pot+all-in",
    show_default=True,
    metavar="SIZES",
    help="In no-limit hold'em: the raises that the strategy knows, as fractions of the pot; later, a raise "
    "of another size is treated as one of these, chosen at random.",
)
@click.option("--resume", is_flag=True, help="Continue from the last checkpoint of FILE, if there is one.")
@click.option("--force", is_flag=True, help="Begin anew although FILE or its checkpoint exists.")
@click.option(
    "--checkpoint-every",
    type=FiniteRange(0, MOST_SECONDS),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between two saves.",
)
@plot_option(
    "how exploitability falls as iterations are added: exact in small games, two bounds from a few flops in "
    "limit hold'em, where each point takes some twenty seconds"
)
@json_option()
def solve(
    game: str,
    save: Path,
    iterations: int | None,
    minutes: float | None,
    algorithm: str | None,
    seed: int,
    jobs: int,
    abstraction: AbstractionKind,
    buckets: tuple[int, int, int] | None,
    textures: tuple[int, int, int],
    slips: float | None,
    answers: bool | None,
    clusters: tuple[int, int] | None,
    sizes: tuple[float, ...],
    resume: bool,
    force: bool,
    checkpoint_every: float,
    plot: str | None,
    as_json: bool,
) -> None:
    """Compute a strategy for GAME from which no opponent can win much, and save it.

    It then plays as `riverboat bot equilibrium HOST PORT --set strategy=FILE`, and `riverboat exploitability
    FILE` measures it.  The same game, algorithm, seed and number of iterations give the same strategy, no
    matter how often the run was interrupted.  Ctrl-C saves and ends with status 130.
    """
    from engine.solving.holdem.kinds import KINDS
    from engine.support.files.lock import FileIsLocked, FileLock

    if iterations is not None and minutes is not None:
        raise CommandError("--iterations and --minutes: expected one of them")
    definition, algorithm = game_and_algorithm(game, algorithm)
    _refuse_others(click.get_current_context(), definition)
    if jobs > 1 and algorithm != ON_BOARDS:
        raise CommandError(f"--jobs {jobs}: {algorithm} works on one thread")
    if answers and algorithm != ON_BOARDS:
        raise CommandError(f"--answers is for pcs, got --algorithm {algorithm}")
    if answers is None:
        answers = algorithm == ON_BOARDS
    if clusters is not None and not answers:
        raise CommandError("--clusters is for pcs with --answers")
    if slips is None:
        slips = _SLIPS if algorithm == ON_BOARDS else 0.0
    if minutes is None and iterations is None:
        usual = _USUAL_ITERATIONS if definition.is_holdem else _ITERATIONS.get(algorithm)
        iterations = usual or _USUAL_ITERATIONS
    seconds = None if minutes is None else 60 * minutes
    plan = Plan(
        game, save, definition, algorithm, seed, abstraction, buckets or KINDS[abstraction],
        textures, slips, answers, clusters,
        sizes if definition.is_holdem and not definition.is_limit else (), jobs,
        iterations, seconds, checkpoint_every,
    )  # fmt: skip
    try:
        lock = FileLock(save)
    except FileIsLocked as error:
        raise CommandError(f"{save} is being written by another program: choose another file") from error
    except OSError as error:
        raise CommandError(f"{save} cannot be written: {error.strerror or error}") from error
    try:
        with as_ctrl_c() as interruption:  # while kernels compile; in the long run it is held back
            status = _solve(plan, resume, force, plot, as_json)
    except KeyboardInterrupt:
        status = interruption.status
    finally:
        lock.release()
    if status:
        raise click.exceptions.Exit(status)


def _refuse_others(context: click.Context, definition: GameDefinition) -> None:
    """Say so where options of other games are given.

    Raises:
        click.UsageError: there is one.
    """
    if not definition.is_holdem:
        refuse_options(
            context, ("abstraction", "buckets", "textures", "slips", "answers", "clusters"), "for hold'em"
        )
    if not definition.is_holdem or definition.is_limit:
        refuse_options(context, ("sizes",), "for no-limit hold'em")


def _solve(plan: Plan, resume: bool, force: bool, plot: str | None, as_json: bool) -> int:
    """All of it; the exit status."""
    from engine.solving.strategy_file import StrategyFileError, checkpoint_path

    curve = None if plot is None else LearningCurve(plan)
    try:
        solver = _prepared(plan, resume, force)
        before = solver.iterations
        if curve is not None:
            curve.go_on(before)
        start = time.monotonic()
        status = _run(plan, solver, curve, as_json)
        seconds = time.monotonic() - start - (0.0 if curve is None else curve.seconds)
        found = _save(plan, solver)
    except StrategyFileError as error:
        raise CommandError(str(error)) from error
    scale = 1000 / plan.definition.big_blind
    report = {
        "game": plan.game,
        "algorithm": plan.algorithm,
        "iterations": solver.iterations,
        "seed": plan.seed,
        "save": str(plan.save),
        "checkpoint": str(checkpoint_path(plan.save)),
        "information_sets": solver.num_information_sets,
        "exploitability": None if found is None else found.mean * scale,
        "value": None if found is None else found.values[0] * scale,
        "seconds": round(seconds, 3),
        "iterations_per_second": round((solver.iterations - before) / max(seconds, 1e-9), 1),
        "interrupted": status != 0,
    }
    if plot is not None and curve is not None:
        report["curve"] = curve.points
        curve.draw(plot, plan.game)
    if as_json:
        click.echo(json.dumps(report))
    else:
        click.echo(
            f"{plan.game}: {solver.iterations} iterations of {plan.algorithm}, {_text(plan, found)}, "
            f"{seconds:.1f} s, saved in {plan.save}"
        )
    return status


def _prepared(plan: Plan, resume: bool, force: bool) -> AnySolver:
    """The solver, where its last run left off or at the beginning."""
    from engine.solving.strategy_file import StrategyFileError, checkpoint_path, read_checkpoint

    checkpoint = checkpoint_path(plan.save)
    if not resume and not force:
        for path in (plan.save, checkpoint):
            if path.exists():
                raise CommandError(f"{path} is there already: --resume, --force, or choose another file")
    solver = new_solver(plan)
    if resume and checkpoint.exists():
        try:
            solver.restore(read_checkpoint(checkpoint, plan.definition, plan.notes))
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
            if now - saved >= plan.every_s:
                show(solver, _save(plan, solver), True)
                saved = time.monotonic()
            else:
                show(solver, None, False)
    is_whole = _is_over(plan, solver, start)
    return 128 + signals[0] if signals and not is_whole else 0


def _is_over(plan: Plan, solver: AnySolver, start: float) -> bool:
    if plan.iterations is not None:
        return solver.iterations >= plan.iterations
    return plan.seconds is not None and time.monotonic() - start >= plan.seconds


def _save(plan: Plan, solver: AnySolver) -> Exploitability | None:
    """Replace checkpoint and strategy, in this order; how exploitable the strategy is, in a small game."""
    from engine.solving.strategy_file import checkpoint_path, write_checkpoint, write_strategy

    write_checkpoint(checkpoint_path(plan.save), plan.definition, solver.state(), plan.notes)
    write_strategy(
        plan.save, solver.average(), {"game": plan.game, **plan.notes, "iterations": solver.iterations}
    )
    return _measured(solver)


def _measured(solver: AnySolver) -> Exploitability | None:
    """How exploitable the strategy is so far; None where that takes longer than the solving."""
    from engine.solving.strategies import Strategy, exploitability

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

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("solving"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.description}"), console=Console(stderr=True), transient=True,
    ) as bar:  # fmt: skip
        task = bar.add_task("", total=plan.iterations)

        def move(solver: AnySolver, found: Exploitability | None, saved: bool) -> None:
            nonlocal said
            bar.update(task, completed=solver.iterations)
            if not saved and time.monotonic() - said < SAY_EVERY_S:
                return
            said = time.monotonic()
            bar.update(task, description=_text(plan, found if saved else _measured(solver)))

        yield move
