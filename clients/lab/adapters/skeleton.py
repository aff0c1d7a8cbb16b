"""Bots of the university competitions (MIT's and those derived from it), in any language: the bot `skeleton`.

Their wire is spoken, not their classes: we listen, run ``COMMAND PORT``, and each of our lines is answered by
one clause.  A line has the clauses since the last::

    T30.000        seconds left
    P0             at the start of a hand: 0 on the button, 1 in the big blind
    HAs,Kd         our cards
    F C K R8       every action of both players; a raise is to a total of the betting round
    B2c,7d,Jh      the board, when cards have come
    O9s,9h         the opponent's cards, after a showdown
    D-8            chips won in the hand; answered by K
    Q              the end

The commands to build and to run a bot come from the folder's ``commands.json``, as there.  Their games are
heads-up with equal stacks; the yearly twists are not played.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import shlex
import socket
import subprocess
from pathlib import Path
from typing import Final

import trio

from clients.core.agent import Agent
from clients.core.options import OptionError, require_holdem
from clients.core.session import SessionError
from engine.poker.rules import CALL, FOLD, Action, GameDefinition, HandView, raise_to
from engine.poker.rules.hand_words import deeds
from engine.support.user_input import quoted, told_as
from protocol.agents.observation import texts

_CONNECT_S: Final = 30.0
_QUIT_S: Final = 2.0
_MOST_LINE: Final = 200
_NO_CLOCK_S: Final = 30.0
_WRITTEN: Final = {"fold": "F", "check": "K", "call": "C"}
_READ: Final = {"F": FOLD, "K": CALL, "C": CALL}


class Skeleton(Agent):
    """Plays as a program that speaks the wire of the university competitions' skeletons.

    Args:
        command: the command line, to which a port is added; without it that of the folder's commands.json.
        folder: where it runs.
        build: also run the command that builds it.

    Raises:
        ValueError: there is no command.
    """

    wants_clock = True

    def __init__(self, command: str = "", folder: Path = Path(), build: bool = False) -> None:
        self._folder = folder
        commands = {} if command and not build else _commands(folder)
        self._command = shlex.split(command) if command else commands.get("run", [])
        self._build = commands.get("build", []) if build else []
        if not self._command:
            raise ValueError(f"expected command=..., or run in {folder / 'commands.json'}")
        self._process: subprocess.Popen[bytes] | None = None
        self._stream: trio.SocketStream | None = None
        self._sock: socket.socket | None = None
        self._read = bytearray()
        self._owed = 0  # answers to questions that the house has not waited for
        self._ended: list[str] = []  # the last clauses of the hand before
        self._is_told = False  # that this hand has begun
        self._steps = 0  # actions that have been told

    def prepare(self, game: GameDefinition | None) -> None:
        """Build it.

        Raises:
            SessionError: that fails.
        """
        if self._build:
            with told_as(SessionError, OSError, what=f"{self._build[0]} cannot be run: "):
                done = subprocess.run(self._build, cwd=self._folder, capture_output=True, check=False)
            if done.returncode:
                lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
                raise SessionError(f"{' '.join(self._build)} failed: {lines[-1]}")

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Refuse what their games are not.

        Raises:
            OptionError: not heads-up hold'em with equal stacks.
        """
        require_holdem("skeleton", game)
        if game.num_players != 2 or len(set(game.stacks)) != 1 or game.is_limit:
            raise OptionError("skeleton plays heads-up no-limit games with equal stacks")

    def hand_started(self, view: HandView) -> None:
        """A new hand, which is told with the first question."""
        self._is_told, self._steps = False, 0

    async def choose_action(self, view: HandView) -> Action:
        """Asks the program.

        Raises:
            SessionError: it has ended, or says something else.
        """
        if self._stream is None:
            await self._start()
        if self._ended:
            ended, self._ended = self._ended, []
            await self._exchange(ended)
        return _action(await self._exchange(self._news(view)), view)

    def hand_finished(self, view: HandView) -> None:
        """Keep the end, which is told before the next hand."""
        clauses = self._news(view)
        other = 1 - view.position
        if view.betting.is_showdown:
            clauses.append("O" + ",".join(texts(view.hole_cards[other])))
        self._ended = [*self._ended, *clauses, f"D{int(view.chips_won()[view.position])}"]

    # --- what is told --------------------------------------------------------------------------------------

    def _news(self, view: HandView) -> list[str]:
        """The clauses about everything that is new in a hand."""
        seconds = _NO_CLOCK_S if self.seconds_to_act is None else self.seconds_to_act
        clauses = [f"T{seconds:.3f}"]
        if not self._is_told:
            self._is_told = True
            clauses += [f"P{1 - view.position}", "H" + ",".join(texts(view.own_cards))]
        done, ends = deeds(view.betting), view.game.board_ends
        for deed in done[self._steps :]:
            clauses.append(_WRITTEN.get(deed.word) or f"R{deed.total}")
            for street in range(deed.before.betting_round + 1, deed.after.betting_round + 1):
                clauses.append("B" + ",".join(texts(view.board[: ends[street]])))
                if deed.after.is_finished:
                    clauses += ["K", "K"]  # all in: there they are asked all the same
        self._steps = len(done)
        return clauses

    # --- the program ---------------------------------------------------------------------------------------

    async def _start(self) -> None:
        """Run the program, and wait until it has connected."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            with told_as(SessionError, OSError, what=f"{self._command[0]} cannot be run: "):
                line = [*self._command, str(port)]
                self._process = subprocess.Popen(line, cwd=self._folder)  # noqa: ASYNC220  # not waited for
            atexit.register(self._quit)
            listener.setblocking(False)
            with trio.move_on_after(_CONNECT_S):
                await trio.lowlevel.wait_readable(listener)
            try:
                self._sock, _ = listener.accept()
            except BlockingIOError:
                raise SessionError(f"{self._command[0]} has not connected in {_CONNECT_S:g} s") from None
        self._sock.setblocking(False)
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = trio.SocketStream(trio.socket.from_stdlib_socket(self._sock.dup()))

    async def _exchange(self, clauses: list[str]) -> str:
        """Say a line, and hear the clause that answers it."""
        assert self._stream is not None  # it has been started
        self._owed += 1
        try:
            await self._stream.send_all(f"{' '.join(clauses)}\n".encode())
            while True:
                line = await self._line(self._stream)
                self._owed -= 1
                if not self._owed:
                    return line
        except trio.BrokenResourceError as error:
            raise SessionError(f"{self._command[0]} has ended") from error

    async def _line(self, stream: trio.SocketStream) -> str:
        while b"\n" not in self._read:
            data = await stream.receive_some()
            if not data or len(self._read) > _MOST_LINE:
                raise SessionError(f"{self._command[0]} has ended" if not data else "it sends no lines")
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return line.decode("ascii", "replace").strip()

    def _quit(self) -> None:
        """Say goodbye; for the end of our process."""
        if self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.settimeout(_QUIT_S)
                ended = f"{' '.join(self._ended)}\n" if self._ended else ""
                self._sock.sendall(f"{ended}Q\n".encode())
                self._sock.recv(_MOST_LINE)
        if self._process is not None:
            try:
                self._process.wait(_QUIT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()


def _commands(folder: Path) -> dict[str, list[str]]:
    """The commands of a folder's ``commands.json``."""
    file = folder / "commands.json"
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    for name in ("build", "run"):
        words = found.get(name, []) if isinstance(found, dict) else None
        if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
            raise ValueError(f"{file}: {name}: expected a list of words")
    return dict(found)


def _action(clause: str, view: HandView) -> Action:
    """The action of a clause; one that is not legal is corrected by the house."""
    kind, size = clause[:1], clause[1:]
    if kind == "R" and size.isascii() and size.isdecimal() and len(size) < 10:
        return raise_to(int(size) + max(view.betting.spent_before_round()))
    if clause in _READ:
        return _READ[clause]
    raise SessionError(f"expected F, C, K or R with a total, got {quoted(clause)!r}")
