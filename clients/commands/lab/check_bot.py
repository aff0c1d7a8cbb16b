"""``riverboat check-bot``: what is wrong with a bot?"""

from __future__ import annotations

import contextlib
import json
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import trio
from click import IntRange

from clients.lab.check_bot.conversation import Limits
from clients.lab.check_bot.examination import Examination, Game
from clients.lab.check_bot.findings import as_json, as_junit, as_text, has_passed
from clients.lab.check_bot.launched import GAME_PLACE, Launching
from engine.poker.rules import ALIASES, load_game, packaged_games
from engine.support.files.whole import write_whole
from engine.support.interruption import as_ctrl_c
from engine.support.user_input import did_you_mean, told_as
from server.match.arguments import LIMITS, check_sandboxes, launch_options, read_game, read_sandbox
from server.match.launching.confinement import Grants, ProcessLimits
from server.match.launching.players import Player, PlayerError, installed_bots, parse_players
from server.match.launching.processes import adopt_orphans
from server.support.options import FILE, FOLDER, FiniteRange, flag, option
from server.table.config import MOST_SECONDS

_FIRST_GAMES: Final = ("limit-2p", "nolimit-2p", "nolimit-3p", "limit-3p")
"""The games of each kind that are tried first: the ACPC's."""
_SECONDS: Final = FiniteRange(0.01, MOST_SECONDS)


@click.command("check-bot")
@click.argument("words", nargs=-1, required=True, metavar="COMMAND")
@option(
    "--game -g games GAME",
    "A game that the bot plays; may be repeated.  Default: all that come with the package, of which it "
    "may turn out not to play some.",
    multiple=True,
)
@option("--hands N", "Random hands, in all.", IntRange(0, 10**6), default=1000)
@option("--seed S", "Of cards, players and bot.", IntRange(0, 2**32 - 1), default=1)
@flag("--json json_wanted", "Print one JSON object on stdout and nothing else there.")
@option("--junit FILE", "Write JUnit XML, for build servers.", FILE)
@option(
    "--out DIR",
    "Keep what the bot writes: NUMBER-GAME.err and .out, a pair for each time it was started.",
    FOLDER,
)
@option("--response-time", "Seconds for one decision.", _SECONDS, default=10.0)
@option("--first-response-time", "Seconds for the first decision, if that is more.", _SECONDS, default=60.0)
@option("--start-time", "Seconds to connect.", FiniteRange(0.1, MOST_SECONDS), default=60.0)
@option("--memory MB", "Memory that it may use.", IntRange(1), default=2048)
@launch_options()
@option("--limits NAME=N,...", "What each of its processes may use, as in `riverboat match`.", LIMITS)
@click.pass_context
def check_bot(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    games: tuple[str, ...],
    hands: int,
    seed: int,
    json_wanted: bool,
    junit: Path | None,
    out: Path | None,
    response_time: float,
    first_response_time: float,
    start_time: float,
    memory: int,
    sandbox: bool,
    limits: ProcessLimits | None,
    **granted: Any,
) -> None:
    """Put a bot through everything that a table can do to it, and say what is wrong with it.

    COMMAND is a PLAYER as in `riverboat match`: an installed bot, or a command line that is run as
    COMMAND HOST PORT.  In it {game} is replaced by the path of a game file, for programs that are told what
    is played.

    Exit status: 0 nothing is wrong, 3 something is.
    """
    player = _read_player(words)
    named = [Game(text, read_game(text), text) for text in games]
    check_sandboxes(sandbox)
    grants = Grants(**granted).to(player)
    first = max(response_time, first_response_time)

    def say(line: str) -> None:
        click.echo(line, err=True)

    with _folder(out) as folder:
        if sandbox or grants != Grants():
            read_sandbox(sandbox, [player], [folder], grants)
        plan = Examination(
            launch=Launching(player, folder, say, sandbox, limits, grants), games=named or _all_games(),
            are_named=bool(named), knows_games=any(GAME_PLACE in word for word in player.command or ()),
            limits=Limits(response_time, first, start_time, slow=min(Limits().slow, response_time / 2)),
            hands=hands, seed=seed, most_memory=memory * 2**20, folder=folder,
            say=say if not json_wanted else lambda line: None,
        )  # fmt: skip
        adopt_orphans()
        with as_ctrl_c(under_trio=True):  # Ctrl-C and similar signals end the bot and then us
            findings = trio.run(plan.run)
    if junit is not None:
        write_whole(junit, as_junit(findings, player.text))
    click.echo(json.dumps(as_json(findings)) if json_wanted else as_text(findings))
    if not has_passed(findings.verdicts()):
        ctx.exit(3)


def _read_player(words: tuple[str, ...]) -> Player:
    """The player of a PLAYER; several words are its command line."""
    bots = installed_bots()
    text = words[0] if len(words) == 1 else shlex.join(words)
    with told_as(click.UsageError, PlayerError):
        (player,) = parse_players([text], bots)
    if player.command is None:
        raise click.UsageError("check-bot launches the bot itself, often: expected a command, got 'wait'")
    fault = player.problem()
    if fault is not None:
        raise click.UsageError(f"{fault}{did_you_mean(text, bots) if player.is_unknown_word else ''}")
    return player


def _all_games() -> list[Game]:
    """All packaged games by their short names, in the order in which they are tried."""
    aliases = {name: alias for alias, name in ALIASES.items()}
    names = [aliases.get(name, name) for name in packaged_games()]
    games = [Game(name, load_game(name), name) for name in names]

    def order(game: Game) -> tuple[int, int, str]:
        first = _FIRST_GAMES.index(game.name) if game.name in _FIRST_GAMES else len(_FIRST_GAMES)
        return first, game.definition.num_players, game.name

    return sorted(games, key=order)


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """The folder of the bot's output, which vanishes unless it was named."""
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        yield out
    else:
        with tempfile.TemporaryDirectory(prefix="riverboat-check-") as temporary:
            yield Path(temporary)
