"""``riverboat match``: opens a table, launches or awaits the players, plays, reports (design 3)."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import click

from engine.files.lock import FileIsLocked
from engine.match_key import MatchKey, MatchSeed, parse_match_seed
from engine.rules import GameDefinition, GameDefinitionError, load_game, no_such_game
from engine.user_input import did_you_mean, parse_whole
from server.in_process.checks import check_in_process
from server.launching.announcement import Announcer
from server.launching.launched_match import MatchPlan
from server.launching.players import Player, PlayerError, parse_players
from server.launching.process_control import adopt_orphans, keep_others_out
from server.launching.sandbox import why_there_are_none
from server.parameters import FiniteRange, ListeningAddress
from server.report.evidence import Luck
from server.seat_tokens import hidden_tokens
from server.sittings.command import ResumableCommand, check_game, sitting_of, stored_plan
from server.sittings.running import run_match
from server.sittings.sitting import Sitting
from server.table.config import MOST_SECONDS, MatchConfig, OnFailure, TimeLimits, check_names

_DEFAULT_HANDS: Final = 1000
_DEFAULT_MOST_HANDS: Final = 100_000


@click.command("match", cls=ResumableCommand)
@click.argument("game", required=False)
@click.argument("players", nargs=-1, metavar="PLAYER PLAYER...")
@click.option(
    "--hands",
    type=click.IntRange(1, 2**32 - 1),
    help="Hands to play (deals, in a duplicate match); default 1000.  With --until the most to play, "
    "default 100000.",
)
@click.option(
    "--duplicate",
    is_flag=True,
    help="Play each deal once for each rotation of the players over the seats, so that luck cancels out.",
)
@click.option(
    "--until",
    type=FiniteRange(min=0, min_open=True),
    metavar="X",
    help="Stop once every player's result is known to +- X mbb/h.  Intervals are widened for the interim "
    "looks.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Passes of a duplicate match played side by side; with --in-process, processes.",
)
@click.option(
    "--seed",
    default="random",
    show_default=True,
    metavar="S",
    help="What the cards and the players' own seeds follow from.  'random': a key that nobody guesses, "
    "revealed after the last hand; or such a key, to play its match again.  A number up to 4294967295: the "
    "ACPC's cards, which a player can find out from a few hands: for bots you trust.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Match folder; default under matches/."
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Go on with the match in folder DIR, which was cut short, as it was begun: without GAME, PLAYERs "
    "and the options that make the match.",
)
@click.option(
    "--no-rehearse",
    is_flag=True,
    help="With --resume: do not show the finished hands again to players who may have learned from them.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else there."
)
@click.option(
    "--report",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Write a page about the match when it is over, as `riverboat report` does: --report=FILE, or "
    "--report as the last word, for report.html in its folder.",
)
@click.option(
    "--host", type=ListeningAddress(), default="127.0.0.1", show_default=True, help="Address to listen on."
)
@click.option("--ports", "-p", default="", metavar="P,P,...", help="Ports in seat order; 0 or missing: any.")
@click.option(
    "--seat-token",
    "tokens",
    multiple=True,
    metavar="SEAT=TOKEN",
    help="A word the client of a seat (from 1) must present; may be repeated.  All users of the machine can "
    "see it here: better use --seat-token-file, or the variables RIVERBOAT_SEAT_TOKEN_1 and so on.",
)
@click.option(
    "--seat-token-file",
    "token_files",
    multiple=True,
    metavar="SEAT=PATH",
    help="The same, with the word in a file.",
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
    type=FiniteRange(0.001, MOST_SECONDS),
    default=10.0,
    show_default=True,
    help="Seconds a player may take for one decision.",
)
@click.option(
    "--first-response-time",
    type=FiniteRange(0.001, MOST_SECONDS),
    default=60.0,
    show_default=True,
    help="Seconds a player may take for its first decision of the match, if that is more.",
)
@click.option(
    "--hand-time",
    type=FiniteRange(0.001, MOST_SECONDS),
    default=600.0,
    show_default=True,
    help="Seconds a player may take in one hand.",
)
@click.option(
    "--match-time",
    type=FiniteRange(0.001, MOST_SECONDS),
    default=7.0,
    show_default=True,
    help="Seconds per hand that a player may take, on average over the match.",
)
@click.option(
    "--start-time",
    type=FiniteRange(0.1, MOST_SECONDS),
    default=600.0,
    show_default=True,
    help="Seconds a launched player may take to join.",
)
@click.option(
    "--grace",
    type=FiniteRange(0, MOST_SECONDS),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="With `--on-failure fold`: how long a seat that was left is waited for, before hands are folded "
    "for it.",
)
@click.option(
    "--recover",
    type=click.IntRange(0, 1000),
    default=0,
    show_default=True,
    metavar="N",
    help="Start a launched player that crashes in play again, up to N times.",
)
@click.option(
    "--luck",
    type=click.Choice([luck.value for luck in Luck]),
    default=Luck.EQUITY.value,
    show_default=True,
    help="What luck is taken out of results, beside the chips that were won: none; by equity what the cards "
    "brought; with AIVAT also what players drew whose strategy is known.",
)
@click.option(
    "--in-process",
    is_flag=True,
    help="Let installed bots play without sockets, for bots you trust: the same log and result, many times "
    "as fast; with --jobs on several processors.",
)
@click.option(
    "--sandbox",
    is_flag=True,
    help="Launch players where they see neither others' processes nor files and reach only their table "
    "(needs bwrap).",
)
@click.option(
    "--end-with-stdin",
    is_flag=True,
    help="End the match when standard input is closed: for programs that launch one.",
)
@click.option(
    "--announce",
    type=click.IntRange(min=0),
    metavar="FD",
    help="Write a JSON line to this file descriptor when a table is open, for programs that launch one: "
    '{"pass": 0, "seats": [{"seat", "name", "host", "port", "awaited"}, ...]}, where awaited seats are for '
    'players from outside; or {"error": ...}, if there is to be no table.',
)
def match(
    game: str,
    players: tuple[str, ...],
    hands: int | None,
    duplicate: bool,
    until: float | None,
    jobs: int,
    seed: str,
    out: Path | None,
    resume: Path | None,
    no_rehearse: bool,
    as_json: bool,
    report: str | None,
    host: str,
    ports: str,
    tokens: tuple[str, ...],
    token_files: tuple[str, ...],
    fixed_seats: bool,
    on_failure: str,
    response_time: float,
    first_response_time: float,
    hand_time: float,
    match_time: float,
    start_time: float,
    grace: float,
    recover: int,
    luck: str,
    in_process: bool,
    sandbox: bool,
    end_with_stdin: bool,
    announce: int | None,
) -> None:
    """Play a match of GAME between the PLAYERs, in seat order.

    GAME is a game file or the name of a packaged game (`riverboat games`).  PLAYER is
    [NAME=]BOT[:KEY=VALUE,...] for an installed bot (`riverboat bots`), [NAME=]COMMAND LINE for any
    program, run as COMMAND HOST PORT, or [NAME=]wait for somebody who connects from outside.

    A match that was cut short, by Ctrl-C for one, is played on with `riverboat match --resume DIR`.
    """
    # Long, because each option is a parameter, on a line of its own.
    ctx = click.get_current_context()
    announcer = _announcer(announce)
    keep_others_out()  # before there is a key
    adopt_orphans()
    try:
        if sandbox:
            _check_sandboxes(recover)
        definition = _load_game(game)
        seated = _players(players, definition)
        sitting = _sitting(ctx, out, game)
        check_game(sitting, definition)
        config = MatchConfig(
            name="match",
            game=definition,
            game_text=game,
            hands=hands or (_DEFAULT_HANDS if until is None else _DEFAULT_MOST_HANDS),
            cards=_cards(seed),
            names=tuple(player.name for player in seated),
            limits=TimeLimits(
                response=response_time,
                first_response=first_response_time,
                hand=hand_time,
                per_hand=match_time,
                grace=grace,
            ),
            fixed_seats=fixed_seats,
            on_failure=OnFailure(on_failure),
            comment_failures=True,
            host=host,
            ports=_ports(ports, definition.num_players),
            seat_tokens=_tokens(tokens, token_files, definition.num_players),
            quiet=True,
        )
        page = None if report is None else _page(sitting, report)
        _check_jobs(jobs, duplicate=duplicate or in_process, ports=config.ports)
        if in_process:
            check_in_process(ctx, seated)
        plan = MatchPlan(
            config, seated, sitting.folder, duplicate, jobs, until, start_time, recover, sandbox,
            end_with_stdin, sitting, in_process, not no_rehearse, Luck(luck),
        )  # fmt: skip
    except click.UsageError as error:
        announcer.failed(error.format_message())
        raise
    sys.exit(
        run_match(plan, sitting, stored_plan(ctx, sitting, config), announcer, as_json=as_json, page=page)
    )


# --- arguments ---------------------------------------------------------------------------------------


def _announcer(descriptor: int | None) -> Announcer:
    try:
        return Announcer(descriptor)
    except OSError as error:
        raise click.UsageError(f"--announce {descriptor}: {error.strerror}") from None


def _check_sandboxes(recover: int) -> None:
    fault = why_there_are_none()
    if fault is not None:
        raise click.UsageError(f"--sandbox: {fault}")
    if recover:
        raise click.UsageError(
            "--recover does not go with --sandbox: a player started again would not find its table"
        )


def _check_jobs(jobs: int, *, duplicate: bool, ports: tuple[int, ...]) -> None:
    if jobs > 1 and not duplicate:
        raise click.UsageError("--jobs is for the passes of a --duplicate match, and for --in-process")
    if jobs > 1 and any(ports):
        raise click.UsageError(
            "passes that are played side by side cannot share ports: use one of --jobs, --ports"
        )


def _load_game(text: str) -> GameDefinition:
    try:
        return load_game(text, lambda line: click.echo(line, err=True))
    except OSError as error:
        raise click.UsageError(no_such_game(text, error.strerror or str(error))) from None
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
    for player in players:
        if player.is_unknown_word:
            raise click.UsageError(f"{player.problem()}{did_you_mean(player.text.rpartition('=')[2], bots)}")
    fault = check_names([player.name for player in players])
    if fault is not None:
        raise click.UsageError(fault)
    return players


def _cards(text: str) -> MatchSeed | MatchKey:
    try:
        return parse_match_seed(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _ports(text: str, seats: int) -> tuple[int, ...]:
    with contextlib.suppress(ValueError):
        ports = tuple(parse_whole(item.strip() or "0") for item in text.split(",")) if text else ()
        if all(port < 65536 for port in ports):
            if len(ports) > seats:
                raise click.UsageError(f"the game has {seats} seats, got {len(ports)} ports: {text}")
            return ports
    raise click.UsageError(f"expected ports from 0 to 65535 with commas between them, got {text!r}")


def _tokens(items: tuple[str, ...], files: tuple[str, ...], seats: int) -> tuple[str | None, ...]:
    try:
        tokens = hidden_tokens(files, os.environ, seats)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    numbers = [str(number) for number in range(1, seats + 1)]
    for item in items:
        seat, equals, token = item.partition("=")
        if not (equals and seat in numbers and token and not token.split()[1:]):
            raise click.UsageError(
                f"expected --seat-token SEAT=TOKEN with a seat from 1 to {seats}, got {item!r}"
            )
        tokens[int(seat) - 1] = token
    return tuple(tokens)


def _page(sitting: Sitting, file: str) -> Path:
    from server.report.review.command import require_new_page  # nobody waits for it who wants no page

    return require_new_page(sitting.folder, file)


def _sitting(ctx: click.Context, out: Path | None, game: str) -> Sitting:
    try:
        return sitting_of(ctx, out, game)
    except FileIsLocked:
        raise click.UsageError(f"another match is being played in {out}") from None
    except OSError as error:
        where = f"match folder {out}" if out is not None else "folder of the match under matches/"
        raise click.UsageError(f"the {where} cannot be made: {error.strerror}") from None
