"""A bot as a program: connects, plays, and says in one line what went wrong.

Exit status: 0 the match is over, 1 it broke off, 2 usage, 130 on Ctrl-C, 128 plus its number after
another signal.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import attrs
import trio

from clients.core.agent import Agent
from clients.core.guess import RoomSeat
from clients.core.options import OptionError
from clients.core.session import SessionError, play
from engine.poker.rules import GameDefinition, GameDefinitionError, load_game, no_such_game
from engine.support.interruption import as_ctrl_c, first_of
from engine.support.seeds import parse_seed
from engine.support.user_input import parse_whole
from protocol import variables

if TYPE_CHECKING:
    import ssl

_RETRY_S: Final = 0.1
"""Between attempts to connect: soon enough for a person, cheap enough for a machine."""
_CONNECT_S: Final = 30.0
"""How long one attempt may take if the network does not answer at all."""


class ProgramError(Exception):
    """Ends a program: one line for stderr and the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def read_host(text: str) -> str:
    """A host from its text: an address, or a name that can be looked up.

    Raises:
        ProgramError: it is neither.
    """
    try:
        is_host = bool(text.strip()) and bool(text.encode("idna"))
    except UnicodeError:  # an empty or overlong label, or bytes that are not text
        is_host = False
    if not is_host:
        raise ProgramError(f"{text!r} is not a host name", 2)
    return text


@attrs.frozen
class TableAddress:
    """Where to play, and what is known about it in advance.

    Raises:
        ProgramError: the host is not valid.
    """

    host: str = attrs.field(converter=read_host)
    port: int
    wait_s: float = 0.0
    """How long to keep trying to connect."""
    game: GameDefinition | None = None
    """What is being played, said by the user."""
    fallback_game: GameDefinition | None = None
    """What is being played unless the server says otherwise."""
    token: str | None = None
    """The seat's credential."""
    extension: bool = True
    """Ask for Riverboat's own notes."""
    room: RoomSeat | None = None
    """The seat to ask for if this is a room's door; None for a seat's own port."""
    tls: Tls | None = None
    """How to use TLS; None for no TLS."""


@attrs.frozen
class Tls:
    """How to make sure that a room is the one it claims to be."""

    authority: str | None = None
    """File of the certificates to trust; None for those of the system."""

    def context(self) -> ssl.SSLContext:
        """The TLS context for the room.

        Raises:
            ProgramError: the file holds no certificates.
        """
        import ssl

        try:
            return ssl.create_default_context(cafile=self.authority)
        except (OSError, ssl.SSLError) as error:
            reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
            raise ProgramError(f"{self.authority} holds no certificates: {reason}", 2) from error


def read_port(text: str, least: int = 1) -> int:
    """A port from its text.

    Raises:
        ProgramError: it is not a number from `least` to 65535.
    """
    with contextlib.suppress(ValueError):
        port = parse_whole(text)
        if least <= port < 65536:
            return port
    raise ProgramError(f"expected a port from {least} to 65535, got {text!r}", 2)


_ANY_TABLE: Final = "any"


# Many parameters: each is an option of the commands that sit down.
def table_of_words(
    words: Sequence[str],
    *,
    room_name: str | None = None,
    chips: int | None = None,
    tls: bool = False,
    authority: str | None = None,
    wait_s: float = 0.0,
    game: str | None = None,
    token: str | None = None,
    extension: bool = True,
) -> TableAddress:
    """The table of an address as users type it: at a room's door with the seat to ask for there.

    The environment variables ``RIVERBOAT_GAME`` and ``RIVERBOAT_TOKEN`` add to the arguments.

    Args:
        words: see `read_address`.
        room_name: ours in the room.
        chips: to be brought to the table.
        tls: whether to speak TLS with the room.
        authority: certificates to trust then.
        wait_s: see `TableAddress`, as for the others.

    Raises:
        ProgramError: it is not an address, something is asked for that only rooms have, or a game that is
            named does not exist.
    """
    if authority is not None and not tls:
        raise ProgramError("--ca is for --tls", 2)
    host, port, table = read_address(words)
    if table is None and (room_name is not None or chips is not None or tls):
        raise ProgramError("--name, --chips, --tls and --ca are for a room: HOST:PORT/TABLE", 2)
    fallback = os.environ.get(variables.GAME)
    return TableAddress(
        host,
        port,
        wait_s,
        game=read_game(game) if game else None,
        fallback_game=read_game(fallback) if fallback and not game else None,
        token=token or os.environ.get(variables.TOKEN) or None,
        extension=extension,
        room=None if table is None else RoomSeat(table, room_name, chips),
        tls=Tls(authority) if tls else None,
    )


def read_address(words: Sequence[str]) -> tuple[str, int, str | None]:
    """Host, port and table of ``HOST PORT``, ``HOST:PORT`` or ``HOST:PORT/TABLE``; the table is None for the
    first, and ``any`` for the second.

    Raises:
        ProgramError: it is none of them.
    """
    if len(words) == 2:
        return words[0], read_port(words[1]), None
    address, _, table = words[0].partition("/")
    host, colon, port = address.rpartition(":")
    if not colon or not host or len(words) != 1 or table.split() != [table][: bool(table)]:
        raise ProgramError(f"expected HOST PORT, or a room's HOST:PORT/TABLE, got {' '.join(words)!r}", 2)
    return host.strip("[]"), read_port(port), table or _ANY_TABLE


def read_seed(text: str) -> int:
    """A seed from its text; ``random`` draws one from the operating system.

    Raises:
        ProgramError: it is not a whole number, 0 or more.
    """
    try:
        return parse_seed(text)
    except ValueError as error:
        raise ProgramError(str(error), 2) from error


def read_game(text: str) -> GameDefinition:
    """GAME as users type it: a game file's path or a packaged game's name.

    Raises:
        ProgramError: there is no such game, or it cannot be played.
    """
    try:
        return load_game(text, lambda line: print(line, file=sys.stderr, flush=True))
    except OSError as error:
        raise ProgramError(no_such_game(text, error.strerror or str(error)), 2) from error
    except GameDefinitionError as error:
        raise ProgramError(str(error), 2) from error


@trio.lowlevel.enable_ki_protection
async def join_table(agent: Agent, table: TableAddress, warn: Callable[[str], None]) -> int:
    """Connect and play to the end; returns the number of hands finished.

    Ctrl-C ends it while it waits and while the agent thinks; elsewhere it could interrupt trio's own work,
    such as starting a task, which trio does not survive.

    Raises:
        ProgramError: nobody answers there.
        SessionError: the match broke off.
    """
    async with await connect(table) as stream:
        return await play(
            agent, stream, table.game, fallback=table.fallback_game, extension=table.extension,
            token=table.token, warn=warn, room=table.room,
        )  # fmt: skip


async def connect(table: TableAddress) -> trio.abc.Stream:
    """Connect, with TLS if that is asked for.

    Raises:
        ProgramError: nobody answers there, or somebody we do not trust.
    """
    stream = await _connect(table)
    if table.tls is None:
        return stream
    import ssl

    try:
        context = table.tls.context()
        secure = trio.SSLStream(stream, context, server_hostname=table.host, https_compatible=True)
        with trio.fail_after(_CONNECT_S):
            await secure.do_handshake()
    except (trio.BrokenResourceError, trio.TooSlowError) as error:
        await trio.aclose_forcefully(stream)
        where = f"{table.host} port {table.port}"
        fault = error.__cause__
        if isinstance(fault, ssl.SSLCertVerificationError):
            why = fault.verify_message
            raise ProgramError(f"{where}: its certificate is not to be trusted: {why}") from error
        raise ProgramError(f"{where} does not speak TLS") from error
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return secure


async def _connect(table: TableAddress) -> trio.SocketStream:
    deadline = trio.current_time() + table.wait_s
    while True:
        try:
            with trio.fail_after(max(_CONNECT_S, table.wait_s)):
                return await trio.open_tcp_stream(table.host, table.port)
        except (OSError, trio.TooSlowError) as error:
            if trio.current_time() + _RETRY_S > deadline:
                reason = _reason(error)
                raise ProgramError(f"cannot connect to {table.host} port {table.port}: {reason}") from error
        await trio.sleep(_RETRY_S)


def _reason(error: BaseException) -> str:
    """Why connecting failed, in the words of the innermost error; trio wraps one error per address."""
    while (inner := error.__cause__ or first_of(error)) is not error:
        error = inner
    if isinstance(error, trio.TooSlowError):
        return "no answer"
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)  # < 0: a name not found
    return str(error)


def main(program: str, start: Callable[[], tuple[Agent, TableAddress]]) -> int:
    """Run a bot and turn everything that can go wrong into one line and an exit status.

    Args:
        program: begins every line on stderr.
        start: makes the agent, seeded, and finds the table; may raise ProgramError or OptionError.
    """

    def say(line: str) -> None:
        print(f"{program}: {line}", file=sys.stderr, flush=True)

    try:
        with as_ctrl_c(under_trio=True):
            agent, table = start()
            agent.prepare(table.game or table.fallback_game)
            trio.run(join_table, agent, table, say)
    except (OptionError, ProgramError, SessionError) as error:
        say(str(error))
        return error.status
    return 0


def run_agent(factory: Callable[[], Agent]) -> int:
    """`clients.run` without the exit: a user's own bot as a program that takes ``HOST PORT``."""
    program, arguments = os.path.basename(sys.argv[0]) or "bot", sys.argv[1:]

    def start() -> tuple[Agent, TableAddress]:
        if len(arguments) != 2:
            raise ProgramError(f"usage: {program} HOST PORT", 2)
        table = table_of_words(arguments)
        agent = factory()
        seed = os.environ.get(variables.SEED) or "random"
        agent.seed, agent.seeded = read_seed(seed), seed != "random"
        agent.explains = bool(os.environ.get(variables.EXPLAIN))
        return agent, table

    return main(program, start)
