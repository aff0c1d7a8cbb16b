"""``riverboat tournament``: many matches from one file."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import click
import trio
from click import IntRange

from engine.support.files import write_whole
from engine.support.interruption import held_back, stopped_by_a_signal
from engine.support.user_input import told_as
from server.league.house import Folder, TournamentFault, play
from server.league.match import match_cards
from server.league.plan import Match
from server.league.plan_file import parse_plan
from server.league.report.words import Progress, table_of
from server.league.running import cluster, processes
from server.league.running.in_process import InProcessRunner
from server.league.sit_and_go.running import SeatedRunner, SitAndGoRunner
from server.match.launching.processes import adopt_orphans, keep_others_out
from server.match.sittings.sitting import new_folder
from server.records.logs import RESULT_FILE, LogError
from server.records.pages import NEEDED, can_be_made
from server.support.console import say
from server.support.errors import only, os_error_in_words
from server.support.options import FOLDER, flag, option
from server.support.private_files import FILE_MODE
from server.support.toml_text import FileMistake, read_text

_HOME: Final = Path("tournaments")


class Refused(click.ClickException):
    """A file or a folder cannot be used: one line, without the command's usage."""

    exit_code = 2


@click.command("tournament")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@option("--out DIR", "Folder of the tournament; default under tournaments/.", FOLDER)
@flag(
    "--resume",
    "Continue the tournament in DIR, if there is one: after it was cut short, or with players, "
    "matches or games that have been added to FILE.",
)
@option(
    "--workers N",
    "Matches played in parallel; default half the processors of this machine, or all of a cluster's.",
    IntRange(1, 1000),
)
@option(
    "--scheduler ADDRESS",
    "Play on the workers of the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786 "
    "(docs/cluster.md).",
)
@flag("--watch", "Show the standings in the terminal while it is played.")
@flag("--json as_json", "Print one JSON object on stdout and nothing else there.")
def tournament(
    file: Path,
    out: Path | None,
    resume: bool,
    workers: int | None,
    scheduler: str | None,
    watch: bool,
    as_json: bool,
) -> None:
    """Play the tournament that FILE describes, and rank its players.

    If it is cut short, the same command with --resume continues it.  Everything is derived from the logs of
    the matches, which `riverboat verify DIR` checks.  docs/tournaments.md describes FILE.

    Exit status: 0 done, 1 a fault, 2 a mistake in FILE or on the command line, 3 a player failed, 130 Ctrl-C.
    """
    with told_as(Refused, FileMistake):
        source = read_text(file)
        plan = parse_plan(source, file)
    check_cluster(scheduler)
    if scheduler is not None and plan.sit_and_go is not None:
        raise click.UsageError(
            "--scheduler does not go with a sit-and-go, whose tables are in this process: leave it out"
        )
    if out is None:
        if resume:
            raise click.UsageError("--resume needs --out DIR, the folder of the tournament")
        out = new_folder(_HOME, re.sub(r"[^\w.-]+", "-", plan.name) or "tournament")
    keep_others_out()
    adopt_orphans()
    mistake = processes.first_fault(plan.entrants)
    if mistake is not None:
        raise Refused(f"{file}:{mistake[0]}: {mistake[1]}")

    if not can_be_made():
        say(f"no report.html: {NEEDED}")
    with held_back() as noted:
        with told_as(Refused, TournamentFault, processes.CannotPlay):
            folder = Folder.open(out, processes.with_sandboxes(plan, out, say), source, say, resume=resume)
        with contextlib.closing(folder):

            async def show() -> None:
                await Progress(folder, trio.current_time, watch=watch).show()

            status, fault = run_house(folder, noted, show, workers, scheduler)
            status = _tell_all(folder, status, fault, as_json=as_json)
    if status not in (0, processes.EXIT_FAILED):
        say(f"to go on with it: riverboat tournament {file} --out {out} --resume")
    sys.exit(status)


def check_cluster(scheduler: str | None) -> None:
    """Refuse a scheduler where Dask is not installed."""
    if scheduler is not None and not cluster.is_installed():
        raise click.UsageError(cluster.NEEDED)


def _tell_all(folder: Folder, status: int, fault: str | None, *, as_json: bool) -> int:
    """Report the result, and what went wrong; returns the exit status."""
    try:
        content = tell(folder, is_complete=fault is None and status == 0)
    except (LogError, OSError) as error:
        what = f"the result cannot be written: {error.strerror}" if isinstance(error, OSError) else str(error)
        fault, content = fault or what, None
    if content is not None:
        with contextlib.suppress(BrokenPipeError):
            click.echo(json.dumps(content) if as_json else table_of(content))
    if fault is not None:
        click.echo(fault, err=True)
        return 1
    if status:
        return status
    return processes.EXIT_FAILED if content is not None and content["failures"] else 0


def tell(folder: Folder, *, is_complete: bool) -> dict[str, Any]:
    """Write a tournament's result, with its pages; returns the contents of ``result.json``.

    Raises:
        LogError: a log cannot be read.
        OSError: it cannot be written.
    """
    from server.league.report.pages import write_report  # loads jinja2
    from server.league.standings import standings  # loads numpy

    content = standings(folder, is_complete=is_complete)
    write_whole(folder.path / RESULT_FILE, json.dumps(content, indent=2) + "\n", mode=FILE_MODE)
    write_report(folder, content)
    return content


def _cards_of(folder: Folder, match: Match) -> str | None:
    """The seed or key of a match's cards, as text; None if it draws keys of its own."""
    if folder.root is None:
        return None
    return match_cards(folder.root, match, common=folder.plan.common_seeds).text


def runner_of(folder: Folder) -> processes.LocalRunner:
    """The runner that plays the matches of a tournament on this machine."""
    if folder.plan.sit_and_go is not None:
        runner = SitAndGoRunner if folder.plan.in_process else SeatedRunner
        return runner(folder.plan, folder.root, folder.path)
    if folder.plan.in_process:
        return InProcessRunner(folder.plan, folder.root, folder.path)
    return processes.ProcessRunner(folder.plan, functools.partial(_cards_of, folder), folder.path)


def cluster_runner(folder: Folder, client: Any, address: str) -> cluster.ClusterRunner:
    """The runner that has the matches of a tournament played by the workers of a cluster.

    Args:
        folder: of the tournament.
        client: a ``distributed.Client``.
        address: of its scheduler.
    """
    words = functools.partial(processes.match_words, folder.plan, path=folder.path)
    return cluster.ClusterRunner(client, address, words, functools.partial(_cards_of, folder))


Play = Callable[[Folder, Any, int], Awaitable[object]]
"""Plays with a runner, so many matches in parallel."""


def run_house(
    folder: Folder,
    noted: list[int],
    show: Callable[[], Awaitable[None]],
    workers: int | None = None,
    scheduler: str | None = None,
    runners: Callable[[Callable[[Folder], Any]], Any] | None = None,
    do: Play = play,
) -> tuple[int, str | None]:
    """Play until everything is played or a signal comes.

    Args:
        folder: of the tournament.
        noted: signals that have come before.
        show: shows how far it is, until it is cancelled.
        workers: matches played in parallel; None for as many as fit.
        scheduler: of the Dask cluster that plays them; None for this machine.
        runners: the runner, from what makes one for a folder; None for the one of `folder`.
        do: plays.

    Returns:
        The exit status; and what went wrong in a line, or None.
    """

    def made(make: Callable[[Folder], Any]) -> Any:
        return make(folder) if runners is None else runners(make)

    async def house() -> int:
        async with stopped_by_a_signal(noted) as stop:
            stop.nursery.start_soon(show)
            if scheduler is not None:
                async with cluster.connected(scheduler, functools.partial(click.echo, err=True)) as client:
                    there = made(functools.partial(cluster_runner, client=client, address=scheduler))
                    await do(folder, there, workers or cluster.num_threads(client))
            else:
                runner = made(runner_of)
                try:
                    await do(folder, runner, workers or max(1, (os.cpu_count() or 2) // 2))
                finally:
                    await runner.close()
        return stop.status

    try:
        return trio.run(house, restrict_keyboard_interrupt_to_checkpoints=True), None
    except BaseException as error:
        fault = only(error, processes.CannotPlay, TournamentFault, OSError)
        if fault is None:
            raise
        return 1, os_error_in_words(fault) if isinstance(fault, OSError) else str(fault)
