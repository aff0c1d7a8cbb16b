"""Programs for programs, which play installed bots for the house.

``riverboat arena-worker`` plays hands between them, for ``riverboat match --in-process``: its input and
output are defined in `server.match.shards`, and what the bots print goes to stderr.

``riverboat seat-bots`` seats them at the tables of a room as the room asks for: each line on stdin is a
JSON object with ``bot`` (as in ``riverboat match``), ``table``, ``name`` and ``token``.  A bot plays until
the room takes its seat; the program ends when stdin ends.  When a bot ends otherwise, a JSON object with its
``name`` and the ``error`` goes to stdout.  With ``--check BOT`` it only makes bots, and says which it cannot.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from typing import IO, Any, Final

import click
import trio

from clients.commands.play.seat_options import ending
from clients.core.agent import Agent, explained
from clients.core.arena import Arena
from clients.core.guess import RoomSeat
from clients.core.options import OptionError, make_agent, parse_settings
from clients.core.program import ProgramError, TableAddress, join_table, read_port
from clients.core.registry import UnknownBot, load_bot, make_bot
from clients.core.session import Refusal, SessionError
from engine.poker.match_key import parse_match_seed
from engine.poker.rules import Action, HandState, HandView, parse_game
from engine.support.interruption import die_of
from engine.support.seeds import parse_seed
from server.match.shards import Frame, Readiness, ShardFailure, ShardOrder, Share
from server.table.records import comment_line

_KNOWN: Final = (ProgramError, SessionError, OptionError, UnknownBot)
_FRAME_S: Final = 0.2
# After which finished hands are sent although the chunk is not complete.


@click.command(hidden=True)
def arena_worker() -> None:
    """Play hands between installed bots, for a match that is played in-process."""
    die_of(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the house tidies up
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    try:
        status = 0
        while not status and (order := sys.stdin.buffer.readline()):
            status = _work(ShardOrder.parse(order), sys.stdin.buffer, output)
        sys.exit(status)
    except BrokenPipeError:
        sys.exit(0)  # nobody wants more


def _work(order: ShardOrder, orders: IO[bytes], output: IO[bytes]) -> int:
    """Play what the house orders; returns the exit status, 0 where another order may follow."""
    agents: list[Agent] = []
    try:
        for (name, settings), seed in zip(order.bots, order.seeds, strict=True):
            agents.append(make_agent(name, load_bot(name), parse_settings(settings)))
            agents[-1].seed = seed
        table = _Table(order, agents, output)
    except Exception as error:
        seat = len(agents) if len(agents) < len(order.bots) else _seat_at_fault(error, agents)
        output.write(Readiness((), _failure(seat, error, None)).line())
        return 1
    output.write(Readiness(tuple(agent.is_stateless for agent in agents)).line())
    share = orders.readline()
    if not share:
        return 0  # we are not needed
    try:
        trio.run(table.play, Share.parse(share))
    except BrokenPipeError:
        raise
    except Exception as error:
        table.hand_over(_failure(_seat_at_fault(error, agents), error, table.hand_number))
        return 1
    return 0


class _Table:
    """A table that sends its hands to the house.

    Raises:
        Exception: an agent cannot prepare itself.
    """

    def __init__(self, order: ShardOrder, agents: Sequence[Agent], output: IO[bytes]) -> None:
        game = parse_game(order.definition)
        self._arena = Arena(
            game, agents, 0, names=order.names, fixed_seats=order.fixed_seats, seed_agents=False,
            dealer=parse_match_seed(order.cards).dealer(game),
        )  # fmt: skip
        self._has_fixed_seats = order.fixed_seats
        self._output = output
        self._comments: list[str] = []
        if order.explains:
            for name, agent in zip(order.names, agents, strict=True):
                _explain(agent, name, self._comments.append)
        self._lines: list[str] = []
        self._told: list[str] = []
        self._disclose = self._told.append if order.discloses else None
        self._chips: list[tuple[float, ...]] = []
        self._due = 0.0
        self.hand_number = 0
        """The next."""

    async def play(self, share: Share) -> None:
        """Play a share of the hands."""
        self._due = time.monotonic() + _FRAME_S
        for chunk in share.chunks():
            self._arena.skip(chunk.start - self.hand_number)
            self.hand_number = chunk.start
            await self._arena.play_async(
                len(chunk), record=self._lines.append, on_hand=self._count, disclose=self._disclose
            )
            self.hand_over()

    def _count(self, state: HandState, chips: tuple[float, ...]) -> None:
        shift = 0 if self._has_fixed_seats else self.hand_number % len(chips)
        self._chips.append(chips[len(chips) - shift :] + chips[: len(chips) - shift])
        self.hand_number += 1
        if time.monotonic() > self._due:
            self.hand_over()

    def hand_over(self, failure: ShardFailure | None = None) -> None:
        """Send the hands that are finished."""
        del self._lines[len(self._chips) :]  # of a hand after which a bot failed
        if self._lines or failure is not None:
            comments = "".join(self._comments)
            data = memoryview(Frame(self._lines, self._chips, failure, self._told, comments).line())
            while data:
                data = data[self._output.write(data) :]
        for kept in (self._lines, self._told, self._comments, self._chips):
            kept.clear()
        self._due = time.monotonic() + _FRAME_S


def _explain(agent: Agent, name: str, keep: Callable[[str], object]) -> None:
    """Have an agent say by which numbers it decides, a line for each decision as the house keeps it."""
    choose = agent.choose_action

    def say(view: HandView) -> None:
        text = explained(agent, view)
        if text is not None:
            keep(comment_line(view.hand_number, name, view.betting.text, text))

    def choose_action(view: HandView) -> Action | Awaitable[Action]:
        chosen = choose(view)
        if isinstance(chosen, Action):
            say(view)
            return chosen
        return later(view, chosen)

    async def later(view: HandView, chosen: Awaitable[Action]) -> Action:
        action = await chosen
        say(view)
        return action

    setattr(agent, "choose_action", choose_action)  # noqa: B010  # a method of this one


def _failure(seat: int, error: Exception, hand_number: int | None) -> ShardFailure:
    traceback.print_exception(error)
    what = " ".join(str(error).split()) or type(error).__name__
    return ShardFailure(seat, what, hand_number)


def _seat_at_fault(error: Exception, agents: Sequence[Agent]) -> int:
    """Whose method an exception comes from."""
    seats = {id(agent): seat for seat, agent in enumerate(agents)}
    found = [
        seats[id(frame.f_locals["self"])]
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if id(frame.f_locals.get("self")) in seats
    ]
    return found[-1] if found else 0


@click.command(hidden=True)
@click.argument("host", required=False, default="")
@click.argument("port", required=False, default="")
@click.option("--check", "bots", multiple=True, metavar="BOT")
def seat_bots(host: str, port: str, bots: tuple[str, ...]) -> None:
    """Seat bots at the tables of the room HOST PORT, as it asks on stdin."""
    die_of(signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the room continues without us, or ends us
    if bots:
        for bot in bots:
            try:
                make_bot(bot)
            except Exception as error:
                _report(bot, error)
        return
    with ending("seat-bots"):
        trio.run(_seat_all, host, read_port(port))


def _report(name: str, error: Exception) -> None:
    """Tell the room that a bot could not be made, or has ended."""
    kind = "" if isinstance(error, _KNOWN) else f"{type(error).__name__}: "
    print(json.dumps({"name": name, "error": kind + " ".join(str(error).split())}), flush=True)


async def _seat_all(host: str, port: int) -> None:
    """Start a task for each line of stdin; end when stdin ends."""
    async with trio.open_nursery() as nursery, trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stdin:
        text = b""
        while data := await stdin.receive_some():
            *lines, text = (text + data).split(b"\n")
            for line in lines:
                nursery.start_soon(_seat, host, port, json.loads(line))
        nursery.cancel_scope.cancel()


async def _seat(host: str, port: int, order: dict[str, Any]) -> None:
    """Run one bot, from taking its seat to the end; its errors do not affect others."""
    try:
        agent = make_bot(str(order["bot"]))
        agent.seed = parse_seed("random")
        seat = RoomSeat(str(order["table"]), name=str(order["name"]))
        address = TableAddress(host, port, token=str(order["token"]), room=seat)
        await join_table(agent, address, lambda line: None)
    except Refusal:
        pass  # somebody else took the seat first; the room asks again
    except Exception as error:
        _report(str(order["name"]), error)
