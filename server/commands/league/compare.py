"""``riverboat compare``: is a new version better than the old one?"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from click import Choice, IntRange

from engine.evidence.field_test import Bounds, Decision
from engine.support.files import write_whole
from engine.support.interruption import held_back
from engine.support.seeds import random_seed
from engine.support.user_input import told_as
from server.commands.league.tournament import Refused, check_cluster, run_house
from server.league.comparing.house import ArmsRunner, Course
from server.league.comparing.plan import Comparison, read_field, stored_seed
from server.league.comparing.result import Way, result_of, table_of, write_page
from server.league.comparing.versions import sides_of
from server.league.house import TournamentFault
from server.league.running.processes import CannotPlay
from server.match.arguments import PLAYER, read_game
from server.match.launching.players import PlayerError
from server.match.launching.processes import adopt_orphans, keep_others_out
from server.match.sittings.sitting import new_folder
from server.records.evidence import Luck
from server.records.logs import RESULT_FILE, LogError
from server.records.pages import require_page
from server.support.console import say
from server.support.options import GAME, PATH, Parsed, flag, option
from server.support.private_files import FILE_MODE
from server.support.toml_text import FileMistake

_HOME: Final = Path("comparisons")
_STATUS: Final = {Decision.ACCEPTED: 0, Decision.REJECTED: 4, Decision.UNDECIDED: 5}
_MOST_SEED: Final = 2**32 - 1
_TEST: Final = "Gained (gain:LOW,HIGH in mbb/h)? Nothing lost (hold:LOW,HIGH; for less code: simplify)?"
_LUCK: Final = "Luck to take out: none; by equity; with AIVAT, also that of players who state policies."
_TESTS: Final = Parsed("test", Bounds.parse)


@click.command("compare")
@click.argument("old", type=PLAYER)
@click.argument("new", type=PLAYER)
@option("--against PLAYER", "An opponent; may be repeated.", PLAYER, multiple=True)
@option("--field FILE.toml", "A file with opponents, [[opponents]].", PATH)
@option("--game GAME", "What is played.", GAME, default="limit-2p")
@option("--test TEST", _TEST, _TESTS, default="gain", show_default="gain:0,20")
@option("--hands N", "Most deals.", IntRange(1, 10**7), default=20_000)
@option("--jobs N", "Matches played in parallel.", IntRange(1, 1000))
@option("--scheduler ADDRESS", "Play on this Dask cluster (docs/cluster.md).")
@flag("--resume", "Go on with the comparison in the folder of --out.")
@flag("--mirror", "Let NEW play against OLD as well.")
@option("--luck", _LUCK, Choice([luck.value for luck in Luck]), default="equity", show_default=False)
@option("--seed S", "Of cards and players.", IntRange(0, _MOST_SEED))
@option("--out DIR", "The folder; default under comparisons/.", PATH)
@flag("--json as_json", "Print one JSON object on stdout, nothing else.")
@flag("--report", "Write report.html in the folder.")
@told_as(Refused, CannotPlay, FileMistake, LogError, PlayerError, TournamentFault)
def compare(out: Path | None, *, resume: bool, report: bool, **given: Any) -> None:
    """Is NEW better than OLD?  Both play the same deals against the same opponents.

    OLD, NEW and opponents are players as in `riverboat match`: bots, command lines, folders.  FOLDER@COMMIT
    is a folder with a bot.toml as it was at a commit, BOT@COMMIT a bot of Riverboat's own tree.  The test is
    declared before the first hand, in plan.toml, and may be looked at at any time.

    Exit status: 0 accepted, 4 rejected, 5 undecided, 1 a fault, 2 a mistake on the command line, 130 Ctrl-C.
    """
    if bool(given["against"]) == (given["field"] is not None):
        raise click.UsageError("expected opponents: --against PLAYER, once or more, or --field FILE.toml")
    check_cluster(given["scheduler"])
    if resume and out is None:
        raise click.UsageError("--resume needs --out DIR, the folder of the comparison")
    if report:
        require_page()
    keep_others_out()
    adopt_orphans()
    game = read_game(given["game"])
    folder = out or new_folder(_HOME, Path(given["game"]).name.removesuffix(".game"))
    trees, kept = folder / "versions", stored_seed(folder) if resume else None
    try:
        plan = Comparison(
            old=sides_of([given["old"]], trees)[0],
            new=sides_of([given["new"]], trees)[0],
            opponents=read_field(given["against"], given["field"], trees),
            game=game,
            game_text=given["game"],
            bounds=given["test"],
            most_deals=given["hands"],
            seed=next(seed for seed in (given["seed"], kept, random_seed() & _MOST_SEED) if seed is not None),
            luck=Luck(given["luck"]),
            mirror=given["mirror"],
        )
        with held_back() as noted:
            course = Course(plan, folder, say, resume=resume)
            with contextlib.closing(course.folder):
                status, fault = 0, None
                if not course.is_over:
                    jobs = given["jobs"]
                    if jobs is None and given["scheduler"] is None and plan.in_process:
                        jobs = os.cpu_count()
                    at, runners = given["scheduler"], partial(ArmsRunner, course)
                    status, fault = run_house(course.folder, noted, Way(course).show, jobs, at, runners)
                if fault is None or course.test.deals:
                    _tell(course, as_json=given["as_json"], report=report)
    except OSError as error:
        raise click.ClickException(f"{error.filename or folder}: {error.strerror or error}") from None
    if fault is not None:
        say(fault)
    if not course.is_over:
        say(f"to go on with it: the same command with --out {shlex.quote(str(folder))} --resume")
    sys.exit(status or _STATUS[course.decision])


def _tell(course: Course, *, as_json: bool, report: bool) -> None:
    """Write and print the result so far.

    Raises:
        OSError: it cannot be written.
    """
    content, folder = result_of(course), course.folder.path
    write_whole(folder / RESULT_FILE, json.dumps(content, indent=1) + "\n", mode=FILE_MODE)
    if report:
        say(f"report: {write_page(folder, content)}")
    with contextlib.suppress(BrokenPipeError):
        click.echo(json.dumps(content) if as_json else table_of(content, folder))
