"""A seat for a person, put together: which table, and how to talk to them.

A table is somebody else's (`TableAddress`) or one's own (`clients.human.own_table`); a person sits at this
terminal or comes by telnet.  Exit status: 0 the match is over or was left, 1 it broke off,
2 usage, 3 an opponent failed, 130 on Ctrl-C.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from clients.core.program import TableAddress, join_table
from clients.human.agent import Human
from clients.human.own_table import House, HouseOptions, open_house
from clients.human.shell import Ending, run_program, sit_down
from clients.human.style import DISPLAYS, PLAIN, Style, detect_style
from clients.human.telnet import TelnetDesk, open_telnet_port
from clients.human.terminal import Terminal
from engine.poker.match_key import parse_match_seed
from engine.poker.rules.hand_words import format_chips
from engine.support.text import rate

Table = TableAddress | HouseOptions
"""Somebody else's, or one's own."""
_PLAYER_FAILED: Final = 3


def play_at_terminal(table: Table, display: str, output: TextIO, environment: Mapping[str, str]) -> int:
    """Play at this terminal; returns the exit status."""
    if sys.stdin is None:
        print("play: standard input is closed: there is nothing to type at", file=sys.stderr)
        return 2
    if display == "auto":
        style = detect_style(output.isatty(), output.encoding, environment)
    else:
        style = DISPLAYS[display]
    terminal = Terminal(sys.stdin.fileno(), output, style)
    human = Human(terminal, table.hands if isinstance(table, HouseOptions) else None)

    async def play() -> int:
        async with _opened(table, human.say) as (seat, house):
            human.say(f"Joining the table at {seat.host} port {seat.port}.")
            join = functools.partial(join_table, human, seat, human.say)
            return await _play(human, table, house, join, functools.partial(terminal.listen, human))

    return run_program("play", play, human.say)


def play_over_telnet(table: Table, display: str, address: tuple[str, int], program: str) -> int:
    """Offer a seat to the person who connects to a port; returns the exit status."""

    def report(line: str) -> None:
        print(f"{program}: {line}", file=sys.stderr, flush=True)

    style: Style = PLAIN if display == "auto" else DISPLAYS[display]
    desk = TelnetDesk(style, report)
    human = Human(desk, table.hands if isinstance(table, HouseOptions) else None)

    def say(line: str) -> None:
        human.say(line)
        report(line)

    async def play() -> int:
        listeners = await open_telnet_port(*address)
        host, port = listeners[0].socket.getsockname()[:2]
        async with _opened(table, say) as (seat, house):
            report(f"the seat is open on {host} port {port}: telnet {host} {port}, or nc {host} {port}")

            async def join() -> int:
                await desk.first_person.wait()  # a seat that is taken before that only loses hands
                human.say("Joining the table.")
                return await join_table(human, seat, say)

            listen = functools.partial(desk.listen, human, listeners)
            try:
                return await _play(human, table, house, join, listen, report)
            finally:
                await desk.finish()
                for listener in listeners:
                    listener.socket.close()

    return run_program(program, play, say)


@contextlib.asynccontextmanager
async def _opened(
    table: Table, say: Callable[[str], None]
) -> AsyncIterator[tuple[TableAddress, House | None]]:
    """The address to connect to; a table of our own is opened first, and closed afterwards."""
    if isinstance(table, TableAddress):
        yield table, None
        return
    say(f"Opening a table: {table.game}, against {', '.join(table.opponents)}.")
    async with open_house(table.command(), say) as house:
        host, port = await house.find_seat()
        yield TableAddress(host, port), house


async def _play(
    human: Human,
    table: Table,
    house: House | None,
    join: Callable[[], Awaitable[int]],
    listen: Callable[[], Awaitable[None]],
    report: Callable[[str], None] | None = None,
) -> int:
    """Play to the end, and show the result and the place of the hands' record; returns the exit status."""
    try:
        ending = await sit_down(human, join, listen)
        if report is not None:
            report(ending.text)
        return await _conclude(human, ending, house)
    finally:
        human.say(human.summary())
        if isinstance(table, HouseOptions):
            human.say(f"The hands are in {table.folder / 'match.log'}.")


async def _conclude(human: Human, ending: Ending, house: House | None) -> int:
    """Say how it ended; returns the exit status."""
    human.say(ending.text)
    if house is None:
        if not ending.is_played_out and ending.status == 0:
            human.say("The dealer goes on without you, or ends the match, as its policy says.")
        return ending.status
    if not (ending.is_played_out or ending.status == 1):
        return ending.status
    result = await house.result()
    if result is None:
        return ending.status or 1
    for line in describe_result(result):
        human.say(line)
    failed = any("failure" in player for player in result["players"])
    return ending.status or (_PLAYER_FAILED if failed else 0)


def describe_result(result: Mapping[str, Any]) -> list[str]:
    """The result of a match as the house reports it, in lines."""
    hands = result["hands"]
    cards = parse_match_seed(result["key"]).label if "key" in result else f"seed {result['seed']}"
    lines = [f"Result after {hands} {'hand' if hands == 1 else 'hands'}, {cards}:"]
    for player in result["players"]:
        line = f"  {player['name']:<16}  {format_chips(player['chips'], sign=True):>10} chips"
        if player["mbb_per_hand"] is not None:
            won = rate(player["mbb_per_hand"], player["ci95"], 0, unit="mbb/h")
            line += "  " + won.replace("±", "+-")  # terminals may show ASCII alone
        lines.append(line)
    for player in result["players"]:
        if "failure" in player:
            where = player.get("failure_hand")
            when = "" if where is None else f" in hand {where + 1}"
            lines.append(f"  {player['name']} {player['failure']}{when}: {player['failure_detail']}")
    return lines


OPPONENTS: Final = ("formula", "random")
"""Opponents where none are named: the first of these that is installed."""
GAMES_BY_PLAYERS: Final = {2: "limit-2p", 3: "limit-3p", 6: "limit-6p", 10: "limit-10p"}
"""Games where none is named, by the number of players."""


def default_folder(stamp: str, game: str) -> Path:
    """The folder of a match, beside those of ``riverboat match``."""
    return Path("matches") / f"{stamp}-play-{Path(game).name.removesuffix('.game')}"
