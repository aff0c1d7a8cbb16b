"""``riverboat solve``: computes a strategy that nobody can beat, and saves it.

A checkpoint beside the strategy, ``FILE.checkpoint``, is replaced all along: whatever ends the program, all
but what was computed since the last one is kept, and ``--resume`` goes on exactly there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from clients.core import one_line
from clients.core.options import parse_menus
from engine.support.interruption import as_ctrl_c
from engine.support.user_input import told_as
from server.support.options import FILE, FOR_EXPERTS, GAME, FiniteRange, GroupedCommand, Parsed, flag, option

if TYPE_CHECKING:
    from engine.solving.holdem.betting import Menus
    from engine.solving.holdem.kinds import AbstractionKind

_USUAL_ITERATIONS: Final = 1000
_SAMPLED_ITERATIONS: Final = 1_000_000
"""Where neither iterations nor minutes are given; the latter for mcfr in small games."""
_TREMBLES: Final = 0.03
"""With pcs; see docs/equilibrium.md for what it is good for."""
_ALGORITHMS: Final = ("cfr", "cfr+", "dcfr", "lcfr", "mcfr", "pcs")
_OF_HOLDEM: Final = ("abstraction", "buckets", "board_classes", "trembles", "best_responses", "clusters")
"""Options that mean nothing in small games."""
_OF_SPOTS: Final = ("report", "estimate", "print_tree")
_OF_GAMES: Final = (
    *_OF_HOLDEM, "menus", "algorithm", "seed", "save", "resume", "force", "checkpoint_every", "plot",
)  # fmt: skip
"""Options that mean nothing with a spot, and without one."""
_FORMERLY: Final = {
    "--textures": "--board-classes",
    "--slips": "--trembles",
    "--answers": "--best-responses",
    "--no-answers": "--no-best-responses",
}
"""Names of options until the last release: still read, with a warning, until the next."""


class SolveCommand(GroupedCommand, one_line.OneLineCommand):
    """A command that knows the former names of its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Click's own, once options have their present names."""
        return super().parse_args(ctx, [self._renamed(text) for text in args])

    def _renamed(self, text: str) -> str:
        name, equals, value = text.partition("=")
        if name not in _FORMERLY:
            return text
        click.echo(
            f"{name} is called {_FORMERLY[name]} now; the old name goes with the next release", err=True
        )
        return f"{_FORMERLY[name]}{equals}{value}"


def _numbers(counts: tuple[int, ...], expected: str, last: tuple[int, ...] | None = None) -> Parsed:
    """So many numbers with commas between them.

    Args:
        counts: how many there may be.
        expected: what a message about anything else says.
        last: what the last of them may be; None for any number.
    """

    def read(text: str) -> tuple[int, ...]:
        parts = [part.strip() for part in text.split(",")]
        numbers = tuple(int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 5)
        if len(numbers) != len(parts) or len(parts) not in counts or (last and numbers[-1] not in last):
            raise ValueError(f"expected {expected}, got {text!r}")
        return numbers

    return Parsed("numbers", read)


# Many parameters: each is an option.
@click.command(cls=SolveCommand, apart={FOR_EXPERTS: (*_OF_HOLDEM, "menus", "checkpoint_every")})
@click.argument("game", type=GAME, required=False)
@option(
    "--spot FILE",
    "Instead of a game: a board, ranges, pot, stack and sizes in TOML, as TexasSolver's commands, or as "
    "postflop-solver's fields in JSON.",
    FILE,
)
@option("--report FILE", "With --spot: write a page on which to look through the answer.", FILE)
@flag("--estimate", "With --spot: only say what it costs.")
@flag("--print-tree", "With --spot: only show the betting.")
@option("--save FILE", "Where to save the strategy; FILE.checkpoint keeps what --resume needs.", FILE)
@option(
    "--iterations N",
    "Iterations in total (in hold'em: boards); default 1000, with mcfr in small games 1000000.",
    click.IntRange(min=1),
)
@option("--minutes M", "As long as this.", FiniteRange(0, one_line.MOST_SECONDS / 60, min_open=True))
@option(
    "--algorithm",
    "Counterfactual regret minimisation: plain, CFR+, discounted, linear, by external sampling or public "
    "chance sampling; default cfr+, for heads-up limit hold'em pcs, for no-limit mcfr.",
    click.Choice(_ALGORITHMS),
)
@one_line.seed_option("strategy", default=1)
@option(
    "--jobs N", "Threads, with pcs and --spot only.", click.IntRange(1, 64), default=1, show_default=False
)
@option(
    "--abstraction",
    "In hold'em: hands are classified by the distribution of the strength they may reach (k-means, which "
    "takes a minute once), or by percentile of the mean of its square.",
    click.Choice(["distributions", "percentiles"]),
    default="distributions",
)
@option(
    "--buckets F,T,R",
    "In hold'em: classes of hands on flop, turn and river, or one number for all; default 60,60,20, for "
    "percentiles 20.",
    _numbers((1, 3), "a number, or three such as 100,100,30"),
)
@option(
    "--board-classes F,T,R",
    "With distributions: classes of boards that are distinguished on flop, turn and river, or one number for "
    "the river: 1; 2, by whether three are suited; 4, also by pairs; 8, by four suited, two pairs; any other "
    "number on flop and turn, up to 255: k-means of boards by what each starting hand is worth there.",
    _numbers((1, 3), "1, 2, 4 or 8, or three of these such as 1,4,8", last=(1, 2, 4, 8)),
    default="1,1,1",
)
@option(
    "--trembles PART",
    "In hold'em: in this fraction of its actions the opponent acts at random, so that answers to what it "
    "would never do are learnt, too; default 0.03 with pcs, else 0.",
    FiniteRange(0, 1, max_open=True),
)
@option(
    "--best-responses/--no-best-responses",
    "With pcs: on the river the opponent plays a best response, computed for each board, instead of what it "
    "has learnt itself; default.",
    default=None,
)
@option(
    "--clusters F,T",
    "With best responses and distributions: the opponent learns for itself, and distinguishes so many "
    "classes of boards on flop and turn; default: it plays what the strategy does in the other seat.",
    _numbers((2,), "two numbers such as 100,100"),
)
@option(
    "--bets menus SIZES",
    "In no-limit hold'em: the raises that the strategy knows, as fractions of the pot; others are treated as "
    "one of these, at random.  By round, with commas; by number of raises, with colons: pot,half+pot:all-in.",
    Parsed("menus", parse_menus),
    default="half+pot+all-in",
)
@flag("--resume", "Continue from the last checkpoint of FILE, if there is one.")
@flag("--force", "Begin anew although FILE or its checkpoint exists.")
@option(
    "--checkpoint-every SECONDS", "Time between two saves.", FiniteRange(0, one_line.MOST_SECONDS),
    default=30.0,
)  # fmt: skip
@one_line.plot_option(
    "how exploitability falls as iterations are added: exact in small games, two bounds from a few flops in "
    "limit hold'em, where each point takes some twenty seconds"
)
@one_line.json_option()
def solve(
    game: str | None,
    spot: Path | None,
    save: Path | None,
    iterations: int | None,
    minutes: float | None,
    algorithm: str | None,
    jobs: int,
    abstraction: AbstractionKind,
    buckets: tuple[int, ...] | None,
    board_classes: tuple[int, ...],
    trembles: float | None,
    best_responses: bool | None,
    clusters: tuple[int, int] | None,
    menus: Menus,
    resume: bool,
    force: bool,
    plot: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Compute a strategy for GAME from which no opponent can win much, and save it.

    It then plays as `riverboat bot equilibrium HOST PORT --set strategy=FILE`, and `riverboat exploitability
    FILE` measures it.  The same game, algorithm, seed and number of iterations give the same strategy, no
    matter how often the run was interrupted.  Ctrl-C saves and ends with status 130.

    With --spot it solves hold'em for two from a flop, turn or river on, every hand apart.
    """
    from clients.commands.solve.plan import ON_BOARDS, Plan, game_and_algorithm
    from clients.commands.solve.run import carry_out
    from engine.solving.holdem.kinds import KINDS
    from engine.support.files.archive import ArchiveError, lock_archive

    if iterations is not None and minutes is not None:
        raise one_line.CommandError("--iterations and --minutes: expected one of them")
    seconds = None if minutes is None else 60 * minutes
    of_spot = {name: asked.pop(name) for name in _OF_SPOTS}
    if spot is not None:
        _answer(
            game, file=spot, iterations=iterations, seconds=seconds, threads=jobs, as_json=as_json, **of_spot
        )  # fmt: skip
        return
    one_line.refuse_options(click.get_current_context(), _OF_SPOTS, "for --spot")
    if game is None or save is None:
        raise one_line.CommandError(f"expected {'GAME, or --spot FILE' if game is None else '--save FILE'}")
    definition, algorithm = game_and_algorithm(game, algorithm)
    on_boards, is_no_limit_holdem = algorithm == ON_BOARDS, definition.is_holdem and not definition.is_limit
    if best_responses is None:
        best_responses = on_boards
    for names, may_be, purpose in (
        (_OF_HOLDEM, definition.is_holdem, "for hold'em"),
        (("menus",), is_no_limit_holdem, "for no-limit hold'em"),
        (("jobs",), on_boards or jobs == 1, f"for pcs: {algorithm} works on one thread"),
        (("best_responses",), on_boards or not best_responses, f"for pcs, got --algorithm {algorithm}"),
        (("clusters",), best_responses, "for pcs with --best-responses"),
    ):
        if not may_be:
            one_line.refuse_options(click.get_current_context(), names, purpose)
    if minutes is None and iterations is None:
        is_sampled = algorithm == "mcfr" and not definition.is_holdem
        iterations = _SAMPLED_ITERATIONS if is_sampled else _USUAL_ITERATIONS
    if trembles is None:
        trembles = _TREMBLES if on_boards else 0.0
    if len(board_classes) == 1:
        board_classes = (1, 1, *board_classes)
    plan = Plan(
        game=game, save=save, definition=definition, algorithm=algorithm, abstraction=abstraction,
        buckets=_three(buckets or KINDS[abstraction]), board_classes=_three(board_classes), trembles=trembles,
        best_responses=best_responses, clusters=clusters, menus=menus if is_no_limit_holdem else (),
        jobs=jobs, iterations=iterations, seconds=seconds, **asked,
    )  # fmt: skip
    with told_as(one_line.CommandError, ArchiveError):
        lock = lock_archive(save, "choose another file")
    try:
        with as_ctrl_c():  # while kernels compile; in the long run it is held back
            status = carry_out(plan, resume=resume, force=force, plot=plot, as_json=as_json)
    finally:
        lock.release()
    if status:
        raise click.exceptions.Exit(status)


def _answer(game: str | None, **asked: Any) -> None:
    """Solve a spot instead of a game."""
    from clients.commands.solve.spot import SpotPlan, solve_spot

    one_line.refuse_options(click.get_current_context(), _OF_GAMES, "for games, not for spots")
    if game is not None:
        raise one_line.CommandError("expected GAME or --spot, got both")
    if status := solve_spot(SpotPlan(**asked)):
        raise click.exceptions.Exit(status)


def _three(numbers: tuple[int, ...]) -> tuple[int, int, int]:
    """Numbers for flop, turn and river; one is for all."""
    flop, turn, river = numbers * 3 if len(numbers) == 1 else numbers
    return flop, turn, river
