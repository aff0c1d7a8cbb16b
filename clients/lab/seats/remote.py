"""Opponents as people name them, and remote players: those at the other end of a connection.

At an environment's table a remote player has the dealer's end of the line protocol, over a socket that
blocks.  There is no second thread and no event loop: whoever steps the environment reads and writes, always
with a deadline, so nobody can wait for anybody who waits for them.  The table calls the hooks of an agent, as
it does for everybody; here they become messages.

*Resource handling*: `close` ends connection and process; a process also ends with ours.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final, TypeAlias

import attrs

import protocol
from clients.core.agent import Agent
from clients.core.registry import fill_table, installed_bots, make_bot
from clients.lab.testing.agents import ClientSeat
from engine.poker.rules import CALL, Action, GameDefinition, HandView
from engine.support.user_input import parse_whole, printable
from protocol.extension import introduction
from server.match.launching.confinement import sandboxed
from server.match.launching.launcher import Terms
from server.match.launching.players import Player, players_environment
from server.match.launching.processes import signal_group

_MOST_NONSENSE: Final = 100
"""Lines in one turn that are no answer to what was asked."""
_GRACE_S: Final = 2.0
"""For a process to end by itself, and again after it was asked to."""
_LAST_WORDS: Final = 2000
"""Bytes of what a program has written that are searched for its last line."""


@attrs.frozen
class SeatLost(Exception):  # what has happened, as `PlayerLeft`
    """A remote player cannot go on."""

    seat: int
    name: str
    kind: str
    """``not-found``, ``crashed``, ``disconnected``, ``stalled`` or ``nonsense``."""
    detail: str

    def as_dict(self) -> dict[str, str | int]:
        """The same for records: `seat`, `name`, `kind`, `detail`."""
        return attrs.asdict(self)

    def __str__(self) -> str:
        return f"{self.name} (seat {self.seat}) {self.kind}: {self.detail}"


@attrs.frozen
class Patience:
    """How long we wait for a remote player."""

    response_s: float = 10.0
    """For an action, and for a message to be taken."""
    start_s: float = 60.0
    """Until it has sat down."""


def command_seat(command: Sequence[str], terms: Terms | None = None) -> Callable[[], RemoteSeat]:
    """A maker of seats for a program, started as ``COMMAND HOST PORT``.

    Args:
        command: the program, with its arguments.
        terms: its sandbox, if it has one, and what it is granted.
    """
    return lambda: RemoteSeat(command, ("127.0.0.1", 0), terms or Terms())


def waiting_seat(address: str) -> Callable[[], RemoteSeat]:
    """What makes a seat at ``HOST:PORT`` for a player who connects from outside.

    Raises:
        ValueError: that is no address.
    """
    host, _, digits = address.rpartition(":")
    try:
        port = parse_whole(digits)
    except ValueError:
        port = 0
    if not (host and 0 < port < 2**16):
        raise ValueError(f"expected tcp://HOST:PORT, a port for a player to connect to, got tcp://{address}")
    return lambda: RemoteSeat(None, (host.strip("[]"), port))


class RemoteSeat(ClientSeat):
    """Somebody at the other end of a connection.

    Args:
        command: what starts the player; None for one who comes from outside.
        address: where they connect; port 0 for any.
        terms: of the program.
    """

    def __init__(
        self, command: Sequence[str] | None, address: tuple[str, int], terms: Terms | None = None
    ) -> None:
        self._command, self._address, self._terms = command, address, terms or Terms()
        self._patience = Patience()
        self._listener: socket.socket | None = None
        self._socket: socket.socket | None = None
        self._notes: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._output: IO[bytes] | None = None
        self._ending: weakref.finalize[..., RemoteSeat] | None = None

    # --- sitting down ------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Have a place to connect to, where nobody has done so yet.

        Raises:
            OSError: there is no such place; one line for people.
        """
        if self._socket is not None or self._listener is not None:
            return
        host, port = self._address
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            self._listener = socket.create_server(self._address, family=family)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OSError(error.errno, f"cannot listen on {host}:{port}: {reason}") from error

    def open(
        self, game: GameDefinition, game_name: str | None, seat: int, names: Sequence[str], patience: Patience
    ) -> None:
        """Have a place to connect to, and start the player's program, if it is one we start.

        Raises:
            SeatLost: there is no such program, or no such port.
        """
        self.game, self.seat, self.names, self._patience = game, seat, tuple(names), patience
        self._notes = introduction(game, names, seat)
        if self._socket is not None:
            assert self._connection is not None
            if self._connection.state is protocol.State.TO_ACT:  # of the hand that was broken off
                self._connection.send(protocol.TurnWithdrawn())
            return
        try:
            self.listen()
        except OSError as error:
            raise self._lost("not-found", str(error.strerror)) from error
        if self._command is not None:
            self._start(self._command, game_name)

    def _start(self, command: Sequence[str], game_name: str | None) -> None:
        assert self._listener is not None
        host, port = self._listener.getsockname()[:2]
        player, sandbox = Player("", "", tuple(command)), self._terms.sandbox
        granted = self._terms.grants.to(player).pass_env
        environment = players_environment(command, os.environ, granted)
        environment[protocol.variables.SEED] = str(self.seed)
        if game_name is not None:
            environment[protocol.variables.GAME] = game_name
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # for as long as the program runs
        ours, theirs = socket.socketpair()
        with ours, theirs:
            line = [*command, host, str(port)]
            if sandbox is not None:
                environment = sandboxed(environment, granted)
                line = sandbox.command_line(player, line, port, theirs.fileno())
            try:
                self._process = subprocess.Popen(
                    line, env=environment, stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._output,
                    start_new_session=True, pass_fds=() if sandbox is None else (theirs.fileno(),),
                )  # fmt: skip
            except OSError as error:
                raise self._lost("not-found", f"{command[0]}: {error.strerror or error}") from error
            theirs.close()
            _, inside, _, _ = socket.recv_fds(ours, 1, 1)  # where it connects in its sandbox
        if inside:
            self._listener.close()
            self._listener = socket.socket(fileno=inside[0])
        self._ending = weakref.finalize(self, _abandon, self._process, (self._listener, self._output))

    def wait_for_player(self) -> None:
        """Let the player in, and hear which protocol they speak.

        Raises:
            SeatLost: nobody came in time, or somebody who speaks no protocol.
        """
        if self._socket is not None:
            return
        due = time.monotonic() + self._patience.start_s
        listener = self._listener
        assert listener is not None
        while not select.select([listener], [], [], min(0.05, max(0.0, due - time.monotonic())))[0]:
            if self._process is not None and self._process.poll() is not None:
                raise self._lost("crashed", f"it {self._how_it_ended()} before it sat down")
            if time.monotonic() >= due:
                raise self._lost("stalled", f"nobody sat down within {self._patience.start_s:g} s")
        self._socket, _ = listener.accept()
        listener.close()
        self._listener = None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = protocol.DealerConnection(self.game)
        event = self._next_event(due)
        assert isinstance(event, protocol.Version)  # the only thing that may come first

    # --- the table's calls -------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action:
        """What the player answers; a call where the answer is no action, as the ACPC's dealer has it.

        Raises:
            SeatLost: no answer.
        """
        due = time.monotonic() + self._patience.response_s
        for _ in range(_MOST_NONSENSE):  # comments count as well: nobody needs so many
            event = self._next_event(due)
            if isinstance(event, protocol.Reply):
                return event.action or CALL
        raise self._lost("nonsense", f"{_MOST_NONSENSE} lines in one turn, and none was an answer")

    # --- the line ----------------------------------------------------------------------------------------

    def _next_event(self, due: float) -> protocol.Event:
        connection, line = self._connection, self._socket
        assert connection is not None
        assert line is not None
        try:
            while (event := connection.next_event()) is protocol.NEED_DATA:
                line.settimeout(max(0.001, due - time.monotonic()))
                connection.receive_data(line.recv(1 << 16))
        except TimeoutError:
            raise self._lost("stalled", f"no answer within {self._patience.response_s:g} s") from None
        except protocol.ProtocolError as error:
            raise self._lost("nonsense", str(error)) from error
        except OSError as error:
            raise self._gone(error.strerror or str(error)) from error
        self._heed(event)
        return event

    def _send(self, data: bytes) -> None:
        line = self._socket
        assert line is not None
        line.settimeout(self._patience.response_s)
        try:
            line.sendall(data)
        except TimeoutError:
            detail = f"took no message for {self._patience.response_s:g} s"
            raise self._lost("stalled", detail) from None
        except OSError as error:
            raise self._gone(error.strerror or str(error)) from error

    # --- the end -----------------------------------------------------------------------------------------

    def _gone(self, why: str = "the connection was closed") -> SeatLost:
        """A connection that has ended, of a program that may have done so too."""
        if self._process is None:
            return self._lost("disconnected", why)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
            return self._lost("crashed", f"it {self._how_it_ended()}")
        return self._lost("disconnected", why)

    def _lost(self, kind: str, detail: str) -> SeatLost:
        assert self.names is not None
        self.close()
        return SeatLost(self.seat, self.names[self.seat], kind, detail)

    def _how_it_ended(self) -> str:
        assert self._process is not None
        status, words = self._process.returncode, ""
        if self._output is not None:
            size = self._output.seek(0, os.SEEK_END)
            self._output.seek(max(0, size - _LAST_WORDS))
            lines = self._output.read().decode("utf-8", "replace").split("\n")
            words = next((printable(line.strip()) for line in reversed(lines) if line.strip()), "")
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"{how} ({words})" if words else how

    def close(self) -> None:
        """End the connection and the program; may be called again."""
        for line in (self._socket, self._listener):
            if line is not None:
                line.close()
        self._socket = self._listener = self._connection = None
        if self._ending is not None:
            self._ending.detach()
            self._ending = None
            assert self._process is not None
            _end(self._process, _GRACE_S)
        if self._output is not None:
            self._output.close()
            self._output = None


def _abandon(process: subprocess.Popen[bytes], files: Sequence[socket.socket | IO[bytes]]) -> None:
    """The end of a seat that nobody has closed: of the whole program, perhaps."""
    for file in files:
        file.close()
    _end(process, 0.2)


def _end(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """Have a program end: by itself, since its connection is closed; by request; by force."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace_s)
        signal_group(process.pid, number)  # also what it has left behind
    process.wait()


Opponent: TypeAlias = str | Callable[[], Agent]
"""An installed bot ``BOT[:KEY=VALUE,...]``; a command line, run as ``COMMAND HOST PORT``; ``tcp://HOST:PORT``,
where the table waits for a player who connects; or what makes an agent."""

_TCP: Final = "tcp://"


def is_program(opponent: str) -> bool:
    """Whether a text is a command line: it has a blank or a ``/``, and names no installed bot."""
    return ("/" in opponent or " " in opponent) and opponent.partition(":")[0] not in installed_bots()


def waits_for_somebody(opponent: object) -> bool:
    """Whether it is ``tcp://HOST:PORT``."""
    return isinstance(opponent, str) and opponent.startswith(_TCP)


def fill_seats(game: GameDefinition, opponents: Sequence[Opponent]) -> list[Opponent]:
    """The opponents of one player, in seat order.

    Raises:
        ValueError: none, or more than there are seats.
    """
    seats = fill_table(game.num_players, tuple(opponents)) if opponents else None
    if seats is None:
        raise ValueError(f"expected 1 to {game.num_players - 1} opponents, got {len(opponents)}")
    return list(seats)


def read_opponent(opponent: Opponent) -> Callable[[], Agent]:
    """What makes the agent for an opponent; for remote players a `RemoteSeat`, which is to be connected.

    Raises:
        UnknownBot: a single word that names no installed bot.
        ValueError: an address or a command that cannot be read, options that the bot does not take.
    """
    if not isinstance(opponent, str):
        return opponent
    if opponent.startswith(_TCP):
        return waiting_seat(opponent.removeprefix(_TCP))
    if is_program(opponent):
        words = shlex.split(opponent)
        if not words:
            raise ValueError(f"expected a command line, got {opponent!r}")
        return command_seat(words)
    make_bot(opponent)  # to fail here, where somebody reads it
    return lambda: make_bot(opponent)


def opponent_names(opponents: Sequence[Opponent]) -> list[str]:
    """A name for each: the bot's, the program's, the address; repeats get ``-2``, ``-3``."""
    names: list[str] = []
    for opponent in opponents:
        if not isinstance(opponent, str):
            plain = getattr(opponent, "__name__", "agent")
        elif opponent.startswith(_TCP):
            plain = "remote"
        elif is_program(opponent):
            plain = Path(shlex.split(opponent)[-1]).stem
        else:
            plain = opponent.partition(":")[0]
        plain = "".join([c for c in plain if c.isalnum() or c in "-_."]) or "agent"
        count, name = 1, plain
        while name in names:
            count += 1
            name = f"{plain}-{count}"
        names.append(name)
    return names
