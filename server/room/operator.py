"""What an operator may ask of an open room: a local socket in the room's folder, and a token beside it.

A request is one line, a JSON object with ``token`` and ``do``; so is the answer, which has ``error`` if the
room does not do it.  Only the room's own user can read the socket and the token; the token is never on a
command line.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import trio

from engine.support.files.whole import write_whole
from engine.support.user_input import told_as
from server.room.config import RoomError, TableConfig
from server.room.identities import check_name, register, renew
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import Ledger, LedgerIsFull
from server.room.room import Room
from server.support.private_files import FILE_MODE
from server.support.seat_tokens import same_token

SOCKET: Final = "operator.sock"
TOKEN: Final = "operator.token"
_LONGEST: Final = 64 * 1024
_PATIENCE_S: Final = 10.0
_LONGEST_PATH: Final = 100
# Of a socket; the system's limit is 107.


class Operator:
    """Answers the operator.

    Args:
        room: the open room.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._token = secrets.token_hex(32)
        self._known: dict[str, TableConfig] = {table.name: table for table in room.config.tables}

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Listen until cancelled; reports as started when it listens.

        Raises:
            RoomError: the socket cannot be opened.
        """
        folder = self._room.config.data
        path = folder / SOCKET
        with told_as(RoomError, OSError, what=f"{path}: "):
            (folder / TOKEN).unlink(missing_ok=True)
            write_whole(folder / TOKEN, self._token + "\n", mode=FILE_MODE)
            path.unlink(missing_ok=True)  # left by a room that was killed; the ledger's lock is ours
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            with _reachable(path) as name:
                listener.bind(name)
            os.chmod(path, FILE_MODE)
            listener.listen(8)
        trio_listener = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
        task_status.started()
        try:
            await trio.serve_listeners(self._answer, [trio_listener])
        finally:
            path.unlink(missing_ok=True)

    async def _answer(self, stream: trio.SocketStream) -> None:
        """Answer one request."""
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async with stream:
                line = b""
                with trio.move_on_after(_PATIENCE_S):
                    while b"\n" not in line and len(line) < _LONGEST:
                        data = await stream.receive_some()
                        if not data:
                            break
                        line += data
                await stream.send_all(json.dumps(self.answer(line)).encode() + b"\n")

    def answer(self, line: bytes) -> dict[str, Any]:
        """Do what a request asks for, and return the answer."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return {"error": "expected one JSON object in a line"}
        if not isinstance(request, dict) or not isinstance(request.get("do"), str):
            return {"error": "expected a JSON object with do"}
        if not same_token(str(request.get("token", "")).encode(), self._token.encode()):
            return {"error": "the operator's token is wrong"}
        try:
            return self._do(request["do"], request)
        except (RoomError, LedgerError, LedgerIsFull) as error:
            return {"error": str(error)}

    def _do(self, what: str, request: Mapping[str, Any]) -> dict[str, Any]:
        room = self._room
        name = str(request.get("name", ""))
        reason = str(request.get("reason") or "the operator has decided so")
        match what:
            case "list":
                return self._list()
            case "open":
                if name not in self._known:
                    raise RoomError(f"there is no table {name!r} in the room's file")
                room.open_table(self._known[name])
            case "close":
                room.close_table(name, reason)
            case "kick":
                if not room.kick(name, reason):
                    raise RoomError(f"{name!r} has no seat")
            case "ban" | "unban":
                player = room.ledger.player(name)
                if player is None:
                    raise RoomError(f"there is no player {name!r}")
                room.ledger.ban(player, is_banned=what == "ban")
                if what == "ban":
                    room.kick(name, reason)
            case "message":
                room.message(str(request.get("text", "")), request.get("table"))
            case "add-player" | "new-token":
                answer = manage(room.ledger, request)
                room.kick(name, "the operator has given out a token for this name")
                return answer
            case _:
                raise RoomError(f"there is nothing called {what!r} to do")
        return {}

    def _list(self) -> dict[str, Any]:
        tables = [
            {
                "name": name,
                "policy": str(table.config.policy),
                "game": table.config.game_text,
                "hands": table.hands_played,
                "paused": table.is_paused,
                "unfilled": table.company.filling.unfilled,
                "seats": [
                    None
                    if place is None
                    else {"player": place.player.name, "chips": place.stack, "there": place.is_there}
                    for place in table.places
                ],
            }
            for name, table in self._room.tables.items()
        ]
        return {"tables": tables, "connections": self._room.door.connections}


def manage(ledger: Ledger, request: Mapping[str, Any]) -> dict[str, Any]:
    """Make a player, or another token for one; the answer has the token, which is kept nowhere else.

    Raises:
        LedgerError: the name is taken, unknown, or not a valid name.
    """
    name = str(request.get("name", ""))
    check_name(name)
    if request["do"] == "new-token":
        _, token = renew(ledger, name)
    else:
        _, token = register(ledger, name, int(request.get("chips", 0)))
    return {"player_token": token}


def ask(folder: Path, request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Send a request to the room of a folder; None where no room is open there.

    Raises:
        RoomError: the room does not do it, or does not answer.
    """
    try:
        token = (folder / TOKEN).read_text(encoding="ascii").strip()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(_PATIENCE_S)
            with _reachable(folder / SOCKET) as name:
                sock.connect(name)
            sock.sendall(json.dumps({**request, "token": token}).encode() + b"\n")
            with sock.makefile("rb") as file:
                line = file.readline()
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except OSError as error:
        raise RoomError(f"{folder / SOCKET}: {error.strerror or error}") from error
    try:
        answer = json.loads(line)
    except ValueError:
        raise RoomError(f"the room of {folder} gave no answer") from None
    if "error" in answer:
        raise RoomError(str(answer["error"]))
    return dict(answer)


@contextlib.contextmanager
def _reachable(path: Path) -> Iterator[str]:
    """A name for a socket that is short enough for the system."""
    text = str(path)
    if len(os.fsencode(text)) <= _LONGEST_PATH:
        yield text
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
