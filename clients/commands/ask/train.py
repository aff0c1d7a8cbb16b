"""``riverboat train``: a learner plays many hands in this process, and its knowledge is saved.

Checkpoints are written from time to time: whatever ends the program, only the hands since the last one are
lost.
"""

from __future__ import annotations

import itertools
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click import IntRange

from clients.commands import BOT_NAME, refusing
from clients.core import one_line
from clients.core.agent import Agent
from clients.core.options import OptionError
from clients.core.program import ProgramError, read_game
from clients.core.registry import UnknownBot, installed_bots
from engine.poker.cards import RANKS
from engine.poker.rules import GameDefinition
from engine.support.interruption import as_ctrl_c, held_back
from engine.support.intervals import Winnings
from engine.support.text import table
from engine.support.user_input import told_as
from server.support.options import FILE, GAME, PATH, option

if TYPE_CHECKING:
    from clients.learners.training import TrainingPlan

_DEFAULT_GAMES: Final = {2: "nolimit-2p-100bb", 5: "nolimit-5p-100bb", 6: "nolimit-6p-100bb"}
"""The game of the Poker Learner thesis, by the number of seats."""

_CHECKPOINT_EVERY: Final = 10_000
"""Hands between checkpoints at a table in this process, which take some seconds."""
_CHECKPOINT_EVERY_ALONE: Final = 2_000_000
"""Hands between checkpoints in a learner's own loop, which take some ten seconds."""


@click.command(cls=one_line.OneLineCommand)
@click.argument("learner", type=BOT_NAME)
@option(
    "--against BOT[,BOT...]",
    "The opponents, in seat order; may be repeated.  If there are fewer than seats, they are repeated.  "
    "May be omitted for a learner that has opponents of its own: street-learner.",
    multiple=True,
)
@option("--hands N", "Hands to play.", IntRange(1), required=True)
@one_line.seed_option("knowledge")
@option("--save FILE", "File that keeps what is learnt.", FILE, required=True)
@option("--resume FILE", "Begin with the knowledge in this file; may be the same as --save.", FILE)
@option("--game GAME", "The game; default: no-limit with blinds 1/2 and 200 chips at 2, 5 or 6 seats.", GAME)
@option(
    "--checkpoint-every N", "Hands between two saves; default 10000, without --against 2000000.", IntRange(1)
)
@one_line.json_option()
def train(
    learner: str,
    against: tuple[str, ...],
    hands: int,
    seed: int,
    save: Path,
    resume: Path | None,
    game: str | None,
    checkpoint_every: int | None,
    as_json: bool,
) -> None:
    """Train LEARNER, a bot that learns, against other bots or by itself, and save what it knows.

    It then plays as `riverboat bot LEARNER HOST PORT --set knowledge=FILE`.  Ctrl-C saves and ends with
    status 130.
    """
    from clients.learners.training import TrainingPlan, TrainsItself, make_learner, release, train as training

    try:
        opponents = split_opponents(against, installed_bots())
        definition, game_name, opponents = _table(game, opponents)
        plan = TrainingPlan(definition, opponents, hands, seed)
        if resume is not None:
            _copy(learner, resume, save)
        elif save.exists():
            raise one_line.CommandError(
                f"{save} is there already: --resume {save} goes on from it, or choose another file"
            )
        agent = make_learner(learner, save)
        try:
            if not opponents and not isinstance(agent, TrainsItself):
                raise one_line.CommandError(f"{learner} has no opponents of its own: --against BOT[,BOT...]")
            every = checkpoint_every or (_CHECKPOINT_EVERY if opponents else _CHECKPOINT_EVERY_ALONE)
            with as_ctrl_c():  # while kernels compile; in play it is held back
                result = _run(agent, training(agent, plan), plan, every, as_json)
        finally:
            release(agent)
    except (UnknownBot, OptionError, ProgramError) as error:
        raise one_line.CommandError(str(error)) from error
    except (ImportError, AttributeError) as error:
        raise click.ClickException(f"a bot cannot be loaded: {error}") from error

    winnings, seconds, status = result
    rate = winnings.rate(definition.big_blind)
    if as_json:
        report = {
            "learner": learner, "game": game_name, "against": list(opponents), "hands": winnings.hands,
            "seed": plan.seed, "save": str(save), "chips": winnings.chips,
            "mbb_per_hand": round(rate.mean, 3), "ci95": None if rate.ci95 is None else round(rate.ci95, 3),
            "seconds": round(seconds, 3), "hands_per_second": round(winnings.hands / seconds, 1),
            "interrupted": status != 0,
        }  # fmt: skip
        click.echo(json.dumps(report))
    else:
        click.echo(
            f"{learner}: {winnings.hands} hands of {game_name}, seed {plan.seed}, {rate.text(1)} mbb/h "
            f"while learning, {winnings.hands / seconds:.0f} hands/s, saved in {save}"
        )
    if status:
        raise click.exceptions.Exit(status)


def split_opponents(texts: Sequence[str], bots: object) -> tuple[str, ...]:
    """``["a,b:x=1,y=2", "c"]`` as ``("a", "b:x=1,y=2", "c")``.

    A piece that does not begin with the name of a bot continues the options of the one before.

    Args:
        texts: the texts as typed.
        bots: a container of the names of all bots.

    Raises:
        CommandError: no opponent is named.
    """
    opponents: list[str] = []
    for text in texts:
        for place, piece in enumerate(text.split(",")):
            if place and piece.partition(":")[0] not in bots and ":" in opponents[-1]:  # type: ignore[operator]
                opponents[-1] += "," + piece
            else:
                opponents.append(piece)
    if not all(opponents):
        raise one_line.CommandError(
            f"--against {','.join(texts)!r}: expected names of bots between the commas"
        )
    return tuple(opponents)


def _table(game: str | None, opponents: tuple[str, ...]) -> tuple[GameDefinition, str, tuple[str, ...]]:
    """The game, its name, and an opponent for each other seat; no opponents if none is named."""
    if game is None:
        seats = len(opponents) + 1 if opponents else 2
        if seats not in _DEFAULT_GAMES:
            raise one_line.CommandError(f"{len(opponents)} opponents: expected 1, 4 or 5, or --game GAME")
        game = _DEFAULT_GAMES[seats]
    definition = read_game(game)
    others = definition.num_players - 1
    if len(opponents) > others:
        raise one_line.CommandError(f"{game} has seats for {others} opponents, got {len(opponents)}")
    if not opponents:
        return definition, game, ()
    return definition, game, tuple(opponents[k % len(opponents)] for k in range(others))


def _copy(learner: str, source: Path, target: Path) -> None:
    """Put a knowledge file and its journal where training will go on with them."""
    from clients.learners.knowledge_file import journal_path
    from clients.learners.training import make_learner, release

    release(make_learner(learner, source, learn=False))  # refuses what it cannot use
    if target.exists():
        if target.samefile(source):
            return
        raise one_line.CommandError(f"{target} is there already: choose another file, or --resume {target}")
    with told_as(one_line.CommandError, OSError, what=f"{target} cannot be written: "):
        if journal_path(source).exists():
            shutil.copyfile(journal_path(source), journal_path(target))
        shutil.copyfile(source, target)


def _run(
    agent: Agent, training: Iterator[Winnings], plan: TrainingPlan, checkpoint_every: int, quiet: bool
) -> tuple[Winnings, float, int]:
    """Train to the end or to a signal; what was won, in how many seconds, and the exit status."""
    from clients.learners.training import Learner

    assert isinstance(agent, Learner)
    winnings = Winnings()
    saved = 0
    start = time.perf_counter()
    first = list(itertools.islice(training, 1))  # compiles kernels: a signal ends it at once
    # Now a signal is noted, so that no hand is left half learnt.
    with _shown(plan.hands, quiet) as show, held_back() as signals:
        for winnings in itertools.chain(first, training):
            is_due = winnings.hands - saved >= checkpoint_every
            if is_due:
                agent.save_knowledge()
                saved = winnings.hands
            show(winnings.hands, is_due)
            if signals:
                break
        if winnings.hands > saved:
            agent.save_knowledge()
    if winnings.hands == 0:
        raise one_line.CommandError("nothing was trained")
    status = 128 + signals[0] if signals and winnings.hands < plan.hands else 0
    return winnings, time.perf_counter() - start, status


@contextmanager
def _shown(hands: int, quiet: bool) -> Iterator[Callable[[int, bool], None]]:
    """Progress on stderr: a bar on a terminal, else a line for each checkpoint."""
    if sys.stderr.isatty() and not quiet:
        from rich.progress import TextColumn, TimeRemainingColumn

        rate = TextColumn("{task.fields[rate]}")
        with one_line.progress_bar("training", TimeRemainingColumn(), rate) as bar:
            task = bar.add_task("", total=hands, rate="")

            def move(done: int, saved: bool) -> None:
                speed = bar.tasks[0].finished_speed or bar.tasks[0].speed
                bar.update(task, completed=done, rate=f"{speed:.0f} hands/s" if speed else "")

            yield move
        return

    def say(done: int, saved: bool) -> None:
        if saved and not quiet:
            click.echo(f"{done} of {hands} hands, saved", err=True)

    yield say


@click.command(cls=one_line.OneLineCommand)
@click.argument("file", type=PATH)
@option("--hand HAND", "Only this starting hand: 72o, A7s, TT.")
@option("--min-updates N", "Only states that were learnt from at least this often.", IntRange(0), default=1)
@one_line.json_option()
def knowledge(file: Path, hand: str | None, min_updates: int, as_json: bool) -> None:
    """Show what the knowledge file FILE holds: for each state, the weight of each action.

    Reading needs no lock: a learner may be playing with it.
    """
    from clients.learners.knowledge_file import KnowledgeError
    from clients.learners.reports import StateQuery, report_on
    from engine.poker.combos import parse_starting_hand

    with refusing(ValueError, what="--hand "), refusing(KnowledgeError):
        group = None if hand is None else parse_starting_hand(_spelled(hand))
        found, report = report_on(file, StateQuery(group, min_updates))
    if as_json:
        names = [name.removesuffix(" %").replace(" ", "_") for name in report.columns]
        rows = [dict(zip(names, row, strict=True)) for row in report.rows]
        click.echo(json.dumps({"learner": found.kind, "game": found.game, **report.summary, "rows": rows}))
        return
    facts = ", ".join(f"{name} {value}" for name, value in report.summary.items())
    click.echo(f"{found.kind}, {found.game}: {facts}")
    for line in _lines(report.columns, report.rows):
        click.echo(line)


def _spelled(hand: str) -> str:
    """The usual name of a starting hand: ``72o`` for ``27O``."""
    ranks = hand[:2].upper()
    if not set(ranks) <= set(RANKS):
        return hand
    return "".join(sorted(ranks, key=RANKS.index, reverse=True)) + hand[2:].lower()


def _lines(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """The lines of a table: numbers are right-aligned, percentages have their sign."""
    heads = [name.removesuffix(" %") for name in columns]
    signs = ["%" if name.endswith("%") else "" for name in columns]
    cells = [[f"{value}{sign}" for value, sign in zip(row, signs, strict=True)] for row in rows]
    texts = [k for k, value in enumerate(rows[0] if rows else heads) if isinstance(value, str)]
    return table([heads, *cells], left=texts)
