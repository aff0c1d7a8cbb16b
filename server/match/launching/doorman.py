"""Who may take the seat of a player we have launched: that player's processes.

A port is open to everybody on the machine, and a bot that knows its opponent's port can be there first.  On
Linux a connection's owner must therefore belong to the session of the process that was launched for the
seat, or descend from it, or have the seat's token in its environment (like a process that a launcher starts
in the background, although it has left the session).  A client whose owner cannot be found, because it is on
another machine or another user's, must say the token.  A client known to belong to somebody else is refused.

If the system does not tell who owns a connection, players that can say the token must do so, and the others
are let in.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Sequence
from typing import Final

import attrs
import trio

from protocol import variables
from server.match.launching import processes
from server.match.launching.players import Player
from server.table.config import Admission

_TOKEN_BYTES: Final = 18


@attrs.define(eq=False)
class _Seat:
    player: Player
    token: str
    """Generated, or the user's."""
    chosen_token: str | None
    """The user's, which the client in this seat must say."""
    process: int | None = None
    """The latest process launched; it leads a session."""
    listener: socket.socket | None = None
    """Inside its sandbox, if it has one."""
    given: socket.socket | None = None
    """A duplicate of it, which the table listens at."""
    is_settled: trio.Event = attrs.Factory(trio.Event)
    """It has been launched, or will not be."""
    is_known: bool = False
    """The last client to enter was recognised as the player."""


class Doorman:
    """Knows the players of one match.

    Args:
        players: by seat.
        tokens: those that the user has chosen for seats; None or missing for others.
        say: takes lines for people.
        has_sandboxes: players are launched in sandboxes, and connect there.
    """

    def __init__(
        self,
        players: Sequence[Player],
        tokens: Sequence[str | None],
        say: Callable[[str], None],
        *,
        has_sandboxes: bool = False,
    ) -> None:
        self._has_sandboxes = has_sandboxes
        chosen = (*tokens, *[None] * len(players))
        self._seats = [
            _Seat(player, token or secrets.token_urlsafe(_TOKEN_BYTES), token)
            for player, token in zip(players, chosen, strict=False)
        ]
        self._say = say
        self._reported: set[tuple[int, int | None]] = set()

    def token(self, seat: int) -> str:
        """The token that a seat's player is given."""
        return self._seats[seat].token

    def is_launched(self, seat: int, process: int | None, listener: socket.socket | None = None) -> None:
        """Note that a seat's process has been started.

        Args:
            seat: its number.
            process: None if it could not be started.
            listener: where it connects inside its sandbox.
        """
        self._seats[seat].process = process
        former, given = self._seats[seat].listener, self._seats[seat].given
        if former is not None:  # nobody comes there any more
            former.close()
        if listener is not None and given is not None and given.fileno() >= 0:
            trio.lowlevel.notify_closing(given)
            given.close()
        self._seats[seat].listener = listener
        self._seats[seat].is_settled.set()

    def knows(self, seat: int) -> bool:
        """Whether the client of a seat is certainly its player."""
        return self._seats[seat].is_known

    def close(self) -> None:
        """Close the listening sockets of sandboxes."""
        for seat in self._seats:
            if seat.listener is not None:
                seat.listener.close()
                seat.listener = None

    async def listener(self, number: int) -> socket.socket | None:
        """The listening socket of a seat's sandbox, which the caller closes; None if there is none.

        It is closed when the player is started again, in another sandbox: then there is another one.
        """
        seat = self._seats[number]
        if self._has_sandboxes and seat.player.command is not None:
            await seat.is_settled.wait()
        if seat.listener is None:
            return None
        seat.given = seat.listener.dup()
        return seat.given

    async def judge(self, number: int, connection: socket.socket) -> Admission:
        """The condition for a seat: a client in a sandbox is its player."""
        seat = self._seats[number]
        if seat.player.command is None:
            return Admission(seat.chosen_token)
        await seat.is_settled.wait()
        if seat.listener is not None:
            seat.is_known = True
            return Admission(seat.chosen_token, is_player=True)
        return await trio.to_thread.run_sync(self._judge_owner, number, connection)

    def _judge_owner(self, number: int, connection: socket.socket) -> Admission:
        seat = self._seats[number]
        seat.is_known = False
        if not processes.can_be_traced():
            return Admission(seat.token if seat.player.is_bot else seat.chosen_token)
        inode = processes.client_inode(connection)
        if inode is None:
            return Admission(seat.token)
        everybody = processes.processes()
        families = {
            each: processes.family(other.process, everybody)
            for each, other in enumerate(self._seats)
            if other.process is not None
        }
        if any(processes.owners(inode, families.get(number, set()))):
            seat.is_known = True
            return Admission(seat.chosen_token, is_player=True)
        found = list(processes.owners(inode, set(everybody)))
        culprit = next((each for each in families if families[each].intersection(found)), None)
        if culprit is None:
            if any(processes.variable_of(owner, variables.TOKEN) == seat.token for owner in found):
                return Admission(seat.chosen_token, is_player=True)
            if seat.chosen_token is not None or not found:
                return Admission(seat.token)
        whose = "a process of " + self._seats[culprit].player.name if culprit is not None else "a stranger"
        if (number, culprit) not in self._reported:
            self._reported.add((number, culprit))
            trio.from_thread.run_sync(
                self._say, f"{whose} tried to sit down for {seat.player.name} and was turned away"
            )
        return Admission(None, f"it is {whose}")
