"""Opponents as people name them: installed bots, programs, players who connect from outside."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from clients.core.agent import Agent
from clients.core.registry import fill_table, installed_bots, make_bot
from clients.lab.seats.remote import command_seat, waiting_seat
from engine.poker.rules import GameDefinition

__all__ = [
    "Opponent",
    "fill_seats",
    "is_program",
    "opponent_names",
    "read_opponent",
    "waits_for_somebody",
]

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
