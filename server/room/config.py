"""What a room is, as frozen values; `server.room.room_file` reads them from a file."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Final

import attrs

from engine.rules import GameDefinition, load_game
from server.room.tables.line_up import Entry
from server.room.tables.settling import Rake
from server.sit_and_go.terms import SitAndGo
from server.table.config import TimeLimits

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
"""Names of players and tables: for logs, addresses and pages alike."""
DEFAULT_HTTP: Final = 8000


class RoomError(Exception):
    """The room cannot be as it is asked for; the message is one line."""


class Policy(StrEnum):
    """How chips and hands belong together at a table."""

    MATCH = "match"
    """Everybody begins every hand with the game's stacks; what is won is a score and no chips."""
    RING = "ring"
    """Chips are brought to the table, carry over from hand to hand, and are taken away again."""
    SIT_AND_GO = "sit-and-go"
    """Everybody pays the same and begins with the same; blinds rise, who has lost all is out, and places are
    paid."""


@attrs.frozen
class TableConfig:
    """A table of the room."""

    name: str
    game: GameDefinition
    game_text: str
    """The game as the operator named it."""
    policy: Policy = Policy.RING
    fill: tuple[str, ...] = ()
    """Bots of the house that take empty seats, in turn, and make room for others."""
    least: int = 0
    """Chips to bring at least."""
    most: int = 0
    """Chips to bring at most, top-ups included."""
    rake: Rake = attrs.field(factory=Rake)
    joining: Entry = Entry.WAITS
    """On what condition newcomers are dealt in."""
    rebuy: bool = True
    """Who has lost all chips brings the same again, as long as there are enough in the account."""
    seats_for_one: bool = False
    """One player may have several seats."""
    alone: bool = False
    """Bots of the house play although nobody else is there."""
    pause_s: float = 0.0
    """Between two hands."""
    limits: TimeLimits = attrs.field(factory=lambda: TimeLimits(30.0, 600.0, 1e6, grace=10.0))
    keep_seat_s: float = 120.0
    """For which the seat of somebody who has lost the connection, or sits out, is kept."""
    port: int | None = None
    """Where plain ACPC clients take a seat; 0 for any port, None for none."""
    port_without_tls: bool = False
    """No TLS is spoken there, whatever the room speaks: clients of old do not."""
    sit_and_go: SitAndGo | None = None
    """How it goes, at such a table; `least` and `most` are what everybody pays."""

    @property
    def seats(self) -> int:
        """How many there are."""
        return self.game.num_players

    @property
    def usual(self) -> int:
        """Chips that somebody brings who does not say how many."""
        return min(self.most, max(self.least, 100 * self.game.big_blind))


@attrs.frozen
class Certificate:
    """What TLS is spoken with."""

    certificate: Path
    key: Path


@attrs.frozen
class RoomConfig:
    """A room."""

    tables: tuple[TableConfig, ...]
    host: str = "127.0.0.1"
    port: int = 4000
    data: Path = Path("room")
    """The folder of the ledger and the logs."""
    guests: bool = True
    """Whoever has no token may play, under a name that is nobody's."""
    guest_chips: int = 100_000
    """That a guest is given, and which go back when they leave."""
    connections: int = 5000
    """Most connections at a time."""
    connections_per_address: int = 1000
    """The same from one address."""
    guesses_per_minute: int = 10
    """Wrong tokens from one address, after which it has to wait."""
    requests_per_second: float = 20.0
    """That are read of one client."""
    tls: Certificate | None = None
    http: int | None = DEFAULT_HTTP
    """The port of the pages for people; 0 for any, None for no pages."""
    is_http_chosen: bool = False
    """The operator has named it; otherwise another is as good."""
    show_cards_after: float = 0.0
    """Seconds after a hand's end in which pages do not tell what its showdown has shown."""


def default_room() -> RoomConfig:
    """The room without a file: three ring tables on loopback, with bots that make room."""
    bots = ("simple", "hand-strength", "random")
    return RoomConfig(
        tuple(
            [
                with_stakes(TableConfig(name, load_game(name), name, fill=bots, port=0))
                for name in ("limit-2p", "limit-6p", "nolimit-6p")
            ]
        )
    )


def with_stakes(table: TableConfig) -> TableConfig:
    """A table with buy-ins for those that are not given: 20 to 200 big blinds."""
    blind = table.game.big_blind
    least = table.least or 20 * blind
    return attrs.evolve(table, least=least, most=table.most or max(least, 200 * blind))
