"""``riverboat match``: opens a table, launches or awaits the players, plays, reports (design 3)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any, Final

import attrs
import click
import trio

from engine.rules import GameDefinition, GameDefinitionError, game_path, load_game
from engine.seeds import derive_seed
from server.config import MatchConfig, OnFailure, TimeLimits, check_names
from server.errors import Failure, FailureKind, MatchAborted
from server.launcher import Launcher
from server.match import MatchOutcome, MatchServer
from server.players import Player, PlayerError, parse_players
from server.results import PlayerResult, player_results

EXIT_FAULT: Final = 1
EXIT_PLAYER_FAILED: Final = 3
_PROGRESS_S: Final = 0.1


@click.command("match")
@click.argument("game")
@click.argument("players", nargs=-1, required=True, metavar="PLAYER PLAYER...")
@click.option(
    "--hands", type=click.IntRange(1, 2**32 - 1), default=1000, show_default=True, help="Hands to play."
)
@click.option(
    "--seed",
    default="random",
    show_default=True,
    metavar="S",
    help="Of the cards and of the players' own seeds.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Match folder; default under matches/."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else there."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--ports", "-p", default="", metavar="P,P,...", help="Ports in seat order; 0 or missing: any.")
@click.option(
    "--seat-token",
    "tokens",
    multiple=True,
    metavar="SEAT=TOKEN",
    help="A word the client of a seat (from 1) must present; may be repeated.",
)
@click.option("--fixed-seats", is_flag=True, help="The button stays where it is.")
@click.option(
    "--on-failure",
    type=click.Choice([policy.value for policy in OnFailure]),
    default=OnFailure.FOLD.value,
    show_default=True,
    help="When a player fails: end the match, or check and fold for it until it is back.",
)
@click.option(
    "--response-time",
    type=click.FloatRange(min=0.001),
    default=10.0,
    show_default=True,
    help="Seconds a player may take for one decision.",
)
@click.option(
    "--hand-time",
    type=click.FloatRange(min=0.001),
    default=600.0,
    show_default=True,
    help="Seconds a player may take in one hand.",
)
@click.option(
    "--match-time",
    type=click.FloatRange(min=0.001),
    default=7.0,
    show_default=True,
    help="Seconds a hand that a player may take on average over the match.",
)
@click.option(
    "--start-time",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    help="Seconds a launched player may take to join.",
)
@click.option(
    "--end-with-stdin",
    is_flag=True,
    help="End the match when standard input is closed: for programs that launch one.",
)
def match(
    game: str,
    players: tuple[str, ...],
    hands: int,
    seed: str,
    out: Path | None,
    as_json: bool,
    host: str,
    ports: str,
    tokens: tuple[str, ...],
    fixed_seats: bool,
    on_failure: str,
    response_time: float,
    hand_time: float,
    match_time: float,
    start_time: float,
    end_with_stdin: bool,
) -> None:
    """Play a match of GAME between the PLAYERs, in seat order.

    GAME is a game file or the name of a packaged game (`riverboat games`).  PLAYER is
    [NAME=]BOT[:KEY=VALUE,...] for an installed bot (`riverboat bots`), [NAME=]COMMAND LINE for any
    program, run as COMMAND HOST PORT, or [NAME=]wait for somebody who connects from outside.
    """
    definition = _load_game(game)
    seated = _players(players, definition)
    folder = _match_folder(out, game)
    limits = TimeLimits(response=response_time, hand=hand_time, per_hand=match_time)
    config = MatchConfig(
        name="match",
        game=definition,
        game_text=game,
        hands=hands,
        seed=_seed(seed),
        names=tuple(player.name for player in seated),
        limits=limits,
        fixed_seats=fixed_seats,
        on_failure=OnFailure(on_failure),
        comment_failures=True,
        host=host,
        ports=_ports(ports),
        seat_tokens=_tokens(tokens, definition.num_players),
        log_path=folder / "match.log",
        quiet=True,
    )
    status = _run(_Match(config, seated, folder, as_json, start_time, end_with_stdin))
    sys.exit(status)


# --- arguments ---------------------------------------------------------------------------------------


def _load_game(text: str) -> GameDefinition:
    try:
        return load_game(text)
    except OSError as error:
        raise click.UsageError(
            f"there is no game {text!r}: {error.strerror} (`riverboat games` lists the packaged ones)"
        ) from None
    except GameDefinitionError as error:
        raise click.UsageError(str(error)) from None


def _players(texts: tuple[str, ...], game: GameDefinition) -> tuple[Player, ...]:
    bots = {entry.name for entry in entry_points(group="riverboat.bots")}
    try:
        players = parse_players(texts, bots)
    except PlayerError as error:
        raise click.UsageError(str(error)) from None
    if len(players) != game.num_players:
        raise click.UsageError(
            f"the game is for {game.num_players} players, got {len(players)}: {' '.join(texts)}"
        )
    fault = check_names([player.name for player in players])
    if fault is not None:
        raise click.UsageError(fault)
    return players


def _seed(text: str) -> int:
    if text == "random":
        return int.from_bytes(os.urandom(4), "little")
    if not (text.isascii() and text.isdecimal()):
        raise click.UsageError(f"expected a seed, a whole number or 'random', got {text!r}")
    return int(text) % 2**32


def _ports(text: str) -> tuple[int, ...]:
    ports = [item.strip() or "0" for item in text.split(",")] if text else []
    if not all(item.isascii() and item.isdecimal() and int(item) < 65536 for item in ports):
        raise click.UsageError(f"expected ports from 0 to 65535 with commas between them, got {text!r}")
    return tuple(map(int, ports))


def _tokens(items: tuple[str, ...], seats: int) -> tuple[str | None, ...]:
    tokens: list[str | None] = [None] * seats
    for item in items:
        seat, equals, token = item.partition("=")
        if not (equals and seat.isdecimal() and 1 <= int(seat) <= seats and token and not token.split()[1:]):
            raise click.UsageError(
                f"expected --seat-token SEAT=TOKEN with a seat from 1 to {seats}, got {item!r}"
            )
        tokens[int(seat) - 1] = token
    return tuple(tokens)


def _match_folder(out: Path | None, game: str) -> Path:
    """The folder of this match, made; what an earlier match left there is moved aside, never overwritten."""
    if out is None:
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        base = Path("matches") / f"{stamp}-{Path(game).name.removesuffix('.game')}"
        out, number = base, 1
        while out.exists():
            number += 1
            out = base.with_name(f"{base.name}-{number}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        earlier = [out / name for name in ("match.log", "result.json", "dealer.err", "players")]
        earlier = [path for path in earlier if path.exists()]
        if earlier:
            number = 1
            while (out / f"earlier-{number}").exists():
                number += 1
            aside = out / f"earlier-{number}"
            aside.mkdir()
            for path in earlier:
                path.rename(aside / path.name)
    except OSError as error:
        raise click.UsageError(f"the match folder {out} cannot be made: {error.strerror}") from None
    return out


# --- running -----------------------------------------------------------------------------------------


@attrs.frozen
class _Match:
    config: MatchConfig
    players: tuple[Player, ...]
    folder: Path
    as_json: bool
    start_s: float
    ends_with_stdin: bool = False

    def say(self, text: str) -> None:
        """A line for people."""
        click.echo(text, err=self.as_json)


class _FileConsole:
    """Warnings and failures go into the match folder; how far the match is, to the progress display."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115 - closed in close()
        self.hands_done = 0

    def out(self, text: str) -> None:
        pass  # the score is in the log and in the result

    def err(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "surrogateescape"))

    def hand_finished(self, hand_number: int) -> None:
        self.hands_done = hand_number + 1

    def close(self) -> None:
        self._file.close()


class _Interrupted(Exception):
    """A signal asked us to stop."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _run(task: _Match) -> int:
    """Play and report; returns the exit status."""
    missing = {
        seat: Failure(FailureKind.NOT_FOUND, problem)
        for seat, player in enumerate(task.players)
        if (problem := player.problem()) is not None
    }
    started = datetime.now(UTC)
    crashes: dict[int, str] = {}
    console = _FileConsole(task.folder / "dealer.err")
    try:
        server = MatchServer(task.config, console)
        if missing:  # nobody plays a thousand hands against a misspelt name
            for seat, failure in missing.items():
                server.seats[seat].failures.append(failure)
            outcome = server.outcome()
        else:
            server.open()
            outcome, crashes = trio.run(_play, task, server, console)
    except (OSError, ExceptionGroup) as error:  # a full disk, a match folder that was taken away
        if isinstance(error, ExceptionGroup) and error.split(OSError)[1] is not None:
            raise
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        click.echo(f"the match broke off: {error}", err=True)
        return EXIT_FAULT
    except MatchAborted as error:
        click.echo(error.lines.strip(), err=True)
        return EXIT_FAULT
    except _Interrupted as interruption:
        click.echo(
            f"interrupted after {console.hands_done} hands; {task.folder}/match.log has them", err=True
        )
        return interruption.status
    finally:
        console.close()
    results = player_results(outcome, task.config.game, crashes)
    report = _report(task, outcome, results, started)
    _write_result(task.folder / "result.json", report)
    if task.as_json:
        click.echo(json.dumps(report["result"]))
    else:
        _print_results(task, outcome, results)
    if any(result.failure is not None for result in results):
        return EXIT_PLAYER_FAILED
    if outcome.error is not None:
        click.echo(outcome.error.strip(), err=True)
        return EXIT_FAULT
    return 0


async def _play(
    task: _Match, server: MatchServer, console: _FileConsole
) -> tuple[MatchOutcome, dict[int, str]]:
    config = task.config
    launcher = Launcher(task.folder / "players", task.start_s)
    connect_host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(config.host, config.host)
    for seat, player in enumerate(task.players):
        if player.command is None:
            where = f"{config.host} port {server.ports[seat]}"
            task.say(f"seat {seat + 1} ({player.name}): waiting for a player on {where}")
    finished: list[MatchOutcome] = []
    signals: list[int] = []
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_await_signal, signals, nursery.cancel_scope)
            if task.ends_with_stdin:
                nursery.start_soon(_await_end_of_stdin, signals, nursery.cancel_scope)
            if not task.as_json:
                nursery.start_soon(_show_progress, config.hands, console, task.say)
            seeds = [derive_seed(config.seed, seat) for seat in range(len(task.players))]
            nursery.start_soon(
                launcher.start,
                task.players,
                seeds,
                connect_host,
                str(game_path(config.game_text)),
                server,
                nursery,
            )
            finished.append(await server.run())
            await launcher.settle()
            nursery.cancel_scope.cancel()
    finally:
        await launcher.end()
    if signals:
        raise _Interrupted(130 if signals[0] == signal.SIGINT else 128 + signals[0])
    return finished[0], launcher.crashes()


async def _await_signal(signals: list[int], scope: trio.CancelScope) -> None:
    """Ctrl-C and its like end the match in good order: files complete, no process left."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as received:
        async for number in received:
            signals.append(number)
            scope.cancel()


async def _await_end_of_stdin(signals: list[int], scope: trio.CancelScope) -> None:
    """The program that launched us has gone, or closes the pipe to say that it wants no more."""
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stdin:
        with contextlib.suppress(trio.BrokenResourceError):
            while await stdin.receive_some():
                pass
    signals.append(signal.SIGHUP)
    scope.cancel()


async def _show_progress(hands: int, console: _FileConsole, say: Callable[[str], None]) -> None:
    """How far the match is: a bar on a terminal, else a line every tenth of the way."""
    if sys.stderr.isatty():
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("hands"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=RichConsole(stderr=True), transient=True) as progress:
            bar = progress.add_task("hands", total=hands)
            while True:
                progress.update(bar, completed=console.hands_done)
                await trio.sleep(_PROGRESS_S)
    said = 0
    while True:
        await trio.sleep(_PROGRESS_S)
        tenth = console.hands_done * 10 // hands
        if tenth > said:
            said = tenth
            say(f"{console.hands_done} of {hands} hands")


# --- reporting ---------------------------------------------------------------------------------------


def _report(
    task: _Match, outcome: MatchOutcome, results: tuple[PlayerResult, ...], started: datetime
) -> dict[str, Any]:
    """What ``result.json`` holds; ``["result"]`` is what ``--json`` prints."""
    config = task.config
    result = {
        "game": config.game_text,
        "hands": outcome.hands,
        "deals": outcome.hands,
        "seed": config.seed,
        "duplicate": False,
        "players": [each.as_json(config.game) for each in results],
        "logs": [str(path) for path in [config.log_path] if path is not None and path.exists()],
        "seconds": outcome.seconds,
        "hands_per_second": outcome.hands / outcome.seconds if outcome.seconds > 0 else None,
    }
    limits = config.limits
    return {
        "result": result,
        "file": {
            **result,
            "version": version("riverboat"),
            "commands": [player.text for player in task.players],
            "options": {
                "hands": config.hands,
                "fixed_seats": config.fixed_seats,
                "on_failure": config.on_failure.value,
                "host": config.host,
                "response_time": limits.response,
                "hand_time": limits.hand,
                "match_time": limits.per_hand,
                "start_time": task.start_s,
            },
            "error": outcome.error,
            "started": started.isoformat(timespec="seconds"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        },
    }


def _write_result(path: Path, report: dict[str, Any]) -> None:
    """Write ``result.json`` whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(report["file"], indent=2) + "\n")
    partial.replace(path)


def _print_results(task: _Match, outcome: MatchOutcome, results: tuple[PlayerResult, ...]) -> None:
    config = task.config
    is_limit = config.game.is_limit
    heads = ["player", "chips", "mbb/h (95 %)"]
    heads += ["sb/h (95 %)"] if is_limit else []
    heads += ["decision ms: median", "p99", "max"]
    rows = [[*_rates(result, config.game), *_times(result)] for result in results]
    speed = f", {outcome.hands / outcome.seconds:.0f} hands/s" if outcome.seconds > 0 else ""
    title = f"{config.game_text}: {outcome.hands} hands, seed {config.seed}, {outcome.seconds:.1f} s{speed}"
    if sys.stdout.isatty():
        from rich.console import Console as RichConsole
        from rich.table import Table

        table = Table(title=title, title_justify="left")
        for k, head in enumerate(heads):
            table.add_column(head, justify="left" if k == 0 else "right", overflow="fold")
        for row in rows:
            table.add_row(*row)
        RichConsole().print(table)
    else:
        click.echo(title)
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        for row in (heads, *rows):
            cells = [
                row[0].ljust(widths[0]),
                *[cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)],
            ]
            click.echo("  ".join(cells).rstrip())
    for result in results:
        if result.failure is not None:
            hand = result.failure.hand_number
            where = "" if hand is None else f" in hand {hand}"
            more = f" (first of {result.failures} failures)" if result.failures > 1 else ""
            click.echo(f"{result.name} {result.failure.kind.value}{where}: {result.failure.detail}{more}")
    click.echo(
        f"log: {config.log_path}" if config.log_path and config.log_path.exists() else f"in {task.folder}"
    )


def _rates(result: PlayerResult, game: GameDefinition) -> list[str]:
    cells = [result.name, f"{result.chips:+.2f}".rstrip("0").rstrip(".")]
    mbb, half = result.mbb_per_hand, result.ci95
    cells.append("-" if mbb is None else f"{mbb:+.1f}" + ("" if half is None else f" ± {half:.1f}"))
    if game.is_limit:
        sb, small_bet = result.sb_per_hand, game.small_bet
        if sb is None or not small_bet:
            cells.append("-")
        else:
            half_sb = "" if half is None else f" ± {half / 1000 * game.big_blind / small_bet:.4f}"
            cells.append(f"{sb:+.4f}{half_sb}")
    return cells


def _times(result: PlayerResult) -> list[str]:
    times = result.decision_seconds
    if times is None:
        return ["-", "-", "-"]
    return [f"{seconds * 1000:.2f}" for seconds in (times.median, times.p99, times.max)]
