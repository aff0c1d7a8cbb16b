"""``riverboat match``: opens a table, launches or awaits the players, plays, reports (design 3)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import attrs
import click
from click import Choice, IntRange

from server.match import arguments
from server.match.launching.confinement import Grants
from server.match.launching.launcher import Terms
from server.match.launching.processes import adopt_orphans, keep_others_out
from server.match.plan import MatchPlan
from server.match.running import MatchRun
from server.records.evidence import Luck
from server.records.match_defaults import MATCH_DEFAULTS, time_limits
from server.support.options import ADDRESS, FOLDER, FOR_PROGRAMS, GAME, PATH, FiniteRange, flag, option
from server.table.config import MOST_SECONDS, MatchConfig

_Function = TypeVar("_Function", bound=Callable[..., Any])
_DEFAULT_HANDS: Final = 1000
_DEFAULT_MOST_HANDS: Final = 100_000


_FOR_PROGRAMS: Final = (
    "tokens", "token_files", "seed_file", "stateless", "no_rehearse", "end_with_stdin", "announce",
    "private",
)  # fmt: skip


def _seconds(name: str, text: str, least: float = 0.001, **more: Any) -> Callable[[_Function], _Function]:
    """An option for a number of seconds."""
    kind, default = FiniteRange(least, MOST_SECONDS), getattr(MATCH_DEFAULTS, name)
    more |= {"type": kind, "default": default, "show_default": True, "help": text}
    return click.option(f"--{name.replace('_', '-')}", **more)


@click.command("match", cls=arguments.ResumableCommand, apart={FOR_PROGRAMS: _FOR_PROGRAMS})
@click.argument("game", required=False, type=GAME)
@click.argument("players", nargs=-1, type=arguments.PLAYER, metavar="PLAYER PLAYER...")
@option(
    "--hands N",
    "Hands to play (deals, in a duplicate match); default 1000.  With --until: the most to play, "
    "default 100000.",
    IntRange(1, 2**32 - 1),
)
@flag(
    "--duplicate",
    "Play each deal once for each rotation of the players over the seats, so that luck cancels out.",
)
@option(
    "--until decided|X",
    "Stop once it is known for every pair of players which is better, or once results are known to "
    "+- X mbb/h.  The verdict stays valid although the result is looked at after every deal.",
    arguments.GOAL,
)
@option(
    "--jobs N",
    "Passes of a duplicate match to play in parallel.  With more jobs than passes, the hands of a pass "
    "are divided among several tables, each with its own players, or with --in-process among processes, but "
    "only if no player carries anything from hand to hand.",
    IntRange(1, 64),
    default=MATCH_DEFAULTS.jobs,
)
@flag(
    "--stateless",
    "With --jobs: players other than installed bots carry nothing from hand to hand, although they do "
    "not say so.",
)
@option(
    "--seed S",
    "Determines the cards and the players' own seeds.  'random': a key that nobody can guess, "
    "revealed after the last hand; or such a key, to play its match again.  A number up to 4294967295: the "
    "ACPC's cards, which a player can compute from a few hands; for bots you trust.",
    default="random",
)
@option(
    "--seed-file PATH",
    "A --seed, as the first line of a file, where other users of the machine cannot see it: /dev/fd/N.",
    PATH,
)
@option("--out DIR", "Match folder; default under matches/.", FOLDER)
@option(
    "--resume DIR",
    "Continue the match in folder DIR, which was cut short; do not repeat GAME, the PLAYERs and the "
    "options that define the match.",
    PATH,
)
@flag(
    "--no-rehearse",
    "With --resume: do not show the finished hands again to players who may have learned from them.",
)
@flag("--json as_json", "Print one JSON object on stdout and nothing else there.")
@option(
    "--report [FILE]",
    "Write a page about the match when it is over, as `riverboat report` does: --report=FILE, or "
    "--report as the last word for report.html in the match folder.",
    is_flag=False,
    flag_value="",
)
@flag("--live", "Write the page from the beginning, too: it shows the numbers so far, and reloads itself.")
@option("--host", "Address to listen on.", ADDRESS, default="127.0.0.1")
@option("--ports -p P,P,...", "Ports in seat order; 0 or missing: any.", default="")
@option(
    "--seat-token tokens SEAT=TOKEN",
    "A word that the client in a seat (from 1) must present; may be repeated.  All users of the machine "
    "can see it here: use --seat-token-file or the variables RIVERBOAT_SEAT_TOKEN_1 and so on instead.",
    multiple=True,
)
@option("--seat-token-file token_files SEAT=PATH", "A --seat-token, with the word in a file.", multiple=True)
@flag("--fixed-seats", "The button stays where it is.")
@option(
    "--on-failure acpc|fair|patient",
    "What a late answer, nonsense or a crash costs: the match; that hand, three times in a row; or that "
    "hand however often, with five minutes for a decision and three restarts.",
    arguments.POLICY,
    default=MATCH_DEFAULTS.on_failure,
)
@_seconds("response_time", "Seconds a player may take for one decision.")
@_seconds("first_response_time", "Seconds a player may take for its first decision of the match, if longer.")
@_seconds("hand_time", "Seconds a player may take in one hand.")
@_seconds("match_time", "Seconds per hand that a player may take, on average over the match.")
@_seconds("start_time", "Seconds a launched player may take to join.", least=0.1)
@_seconds(
    "grace",
    "With `fair` and `patient`: how long to wait for a vacant seat to be taken before folding hands for it.",
    least=0,
    metavar="SECONDS",
)
@option(
    "--recover N",
    "Restart a launched player that crashes during play, up to N times.",
    IntRange(0, 1000),
    default=MATCH_DEFAULTS.recover,
)
@option(
    "--rake P%[,CAP]",
    "The house takes P per cent of each pot that saw a flop, at most CAP small bets (big blinds in "
    "no-limit): 5%,3.",
)
@option(
    "--luck",
    "The luck to take out of the results that are shown beside the chips won: none; by equity, that of "
    "the cards; with AIVAT, also that of players whose strategy is known.",
    Choice([luck.value for luck in Luck]),
    default=MATCH_DEFAULTS.luck,
)
@flag(
    "--censor",
    "Leave deals in which a language model's provider failed out of rates and verdict; both figures are "
    "shown.  For players of one owner: whoever may choose when to fail wins by it.",
)
@flag("--explain", "Installed bots say by which numbers they decide: `replay` and the report show it.")
@flag(
    "--in-process",
    "Let installed bots play without sockets, for bots you trust: the same log and result, many times "
    "as fast; with --jobs on several processors.",
)
@option(
    "--limits NAME=N,...",
    "What each process of a player may use: cpu=SECONDS, memory=MB, processes=N, file-size=MB.",
    arguments.LIMITS,
)
@arguments.launch_options()
@option(
    "--private PATH",
    "With --sandbox: a player whose folder holds this sees its program alone.",
    multiple=True,
)
@flag("--end-with-stdin", "End the match when standard input is closed.")
@option(
    "--announce FD",
    "Write a JSON line to this file descriptor when a table is open: "
    '{"pass": 0, "seats": [{"seat", "name", "host", "port", "awaited"}, ...]}, where awaited seats are for '
    'players from outside; and {"error": ...} when the match cannot be played or goes wrong.',
    IntRange(0, 2**31 - 1),
)
def match(game: str, players: tuple[str, ...], **given: Any) -> None:
    """Play a match of GAME between the PLAYERs, in seat order.

    GAME is a game file or the name of a packaged game (`riverboat games`).  PLAYER is
    [NAME=]BOT[:KEY=VALUE,...] for an installed bot (`riverboat bots`), [NAME=]COMMAND LINE for any
    program, run as COMMAND HOST PORT, or [NAME=]wait for somebody who connects from outside.

    A match that was cut short, for example by Ctrl-C, is continued with `riverboat match --resume DIR`.
    """
    ctx = click.get_current_context()
    announcer = arguments.open_announcer(given["announce"])
    keep_others_out()  # before there is a key
    adopt_orphans()
    with announcer.telling_what_fails():
        until, luck, live = given["until"], Luck(given["luck"]), given["live"]
        arguments.check_sandboxes(given["sandbox"])
        definition = arguments.read_rake(given["rake"], arguments.read_game(game))
        arguments.check_goal(until, definition, game)
        arguments.check_censor(given["censor"], until, luck)
        seated = arguments.read_players(players, definition)
        sitting = arguments.open_sitting(ctx, given["out"], game)
        arguments.check_game(sitting, definition)
        config = MatchConfig(
            name="match",
            game=definition,
            game_text=game,
            hands=given["hands"] or (_DEFAULT_HANDS if until is None else _DEFAULT_MOST_HANDS),
            cards=arguments.read_cards(given["seed"], given["seed_file"]),
            names=tuple(player.name for player in seated),
            limits=time_limits(given),
            fixed_seats=given["fixed_seats"],
            on_failure=given["on_failure"],
            comment_failures=True,
            censors=given["censor"],
            host=given["host"],
            ports=arguments.read_ports(given["ports"], definition.num_players),
            seat_tokens=arguments.read_tokens(given["tokens"], given["token_files"], definition.num_players),
            quiet=True,
        )
        page = None
        if live or given["report"] is not None:
            page = arguments.new_page(sitting, given["report"] or "", is_live=live)
        if live:
            click.echo(f"live: {page}", err=True)
        arguments.check_jobs(given["jobs"], config.ports)
        if given["in_process"]:
            arguments.check_in_process(ctx, seated)
        else:
            arguments.check_pace(seated, config.limits)
        grants = Grants(*[given[field.name] for field in attrs.fields(Grants)])
        house = (sitting.folder, *map(Path, given["private"]))
        sandbox = arguments.read_sandbox(given["sandbox"], seated, house, grants)
        plan = MatchPlan(
            config=config,
            players=seated,
            folder=sitting.folder,
            duplicate=given["duplicate"],
            until=until,
            luck=luck,
            in_process=given["in_process"],
            explains=given["explain"],
            terms=Terms(given["start_time"], given["recover"], given["limits"], sandbox, grants),
            jobs=given["jobs"],
            trusts_programs=given["stateless"],
            rehearses=not given["no_rehearse"],
            sitting=sitting,
        )
        run = MatchRun(
            plan=plan,
            sitting=sitting,
            stored=arguments.stored_plan(ctx, sitting, config),
            announcer=announcer,
            as_json=given["as_json"],
            page=page,
            is_live=live,
            ends_with_stdin=given["end_with_stdin"],
        )
        status = run.play()
    sys.exit(status)
