"""The configuration of a room, as frozen values; `server.room.room_file` reads them from a file."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Final

import attrs

from engine.poker.rules import GameDefinition, Rake, load_game
from server.table.config import TimeLimits
from server.table.rules.line_up import Joining
from server.table.rules.sit_and_go import SitAndGo

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
"""Names of players and tables: for logs, addresses and pages alike."""
DEFAULT_HTTP: Final = 8000


class RoomError(Exception):
    """The room cannot be what was asked for; the message is one line."""


class Policy(StrEnum):
    """How chips and hands are related at a table."""

    MATCH = "match"
    """Everybody begins every hand with the game's stacks; winnings are a score, not chips."""
    RING = "ring"
    """Chips are brought to the table, carry over from hand to hand, and are taken away again."""
    SIT_AND_GO = "sit-and-go"
    """Everybody pays the same and begins with the same; blinds rise, players without chips are out, and
    places are paid."""


@attrs.frozen
class TableConfig:
    """A table of the room."""

    name: str
    game: GameDefinition
    game_text: str
    """The game as the operator named it."""
    policy: Policy = Policy.RING
    fill: tuple[str, ...] = ()
    """The house's bots that take empty seats, in turn, and leave when others need them."""
    least: int = 0
    """The fewest chips to bring."""
    most: int = 0
    """The most chips to bring, top-ups included."""
    rake: Rake = attrs.field(factory=Rake)
    joining: Joining = Joining.WAITS
    """On what condition newcomers are dealt in."""
    rebuy: bool = True
    """A player who has lost all chips buys in again for the same, as long as the account has enough."""
    seats_for_one: bool = False
    """One player may have several seats."""
    alone: bool = False
    """The house's bots play even if nobody else is there."""
    pause_s: float = 0.0
    """Between two hands."""
    limits: TimeLimits = attrs.field(factory=lambda: TimeLimits(30.0, 600.0, 1e6, grace=10.0))
    keep_seat_s: float = 120.0
    """How long a seat is kept for somebody who has lost the connection or sits out."""
    port: int | None = None
    """Where plain ACPC clients take a seat; 0 for any port, None for none."""
    port_without_tls: bool = False
    """That port uses no TLS, whatever the room uses: old clients cannot speak it."""
    sit_and_go: SitAndGo | None = None
    """The terms of a sit-and-go, at such a table; `least` and `most` are then what everybody pays."""

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return self.game.num_players

    @property
    def usual(self) -> int:
        """Chips that a player brings without saying how many."""
        return min(self.most, max(self.least, 100 * self.game.big_blind))


@attrs.frozen
class Certificate:
    """A certificate for TLS, with its key."""

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
    """Players without a token may play, under a name that is nobody's."""
    guest_chips: int = 100_000
    """Chips that a guest is given, and gives back when leaving."""
    connections: int = 5000
    """Most connections at a time."""
    connections_per_address: int = 1000
    """The same from one address."""
    guesses_per_minute: int = 10
    """Wrong tokens from one address after which it has to wait."""
    requests_per_second: float = 20.0
    """That are read of one client."""
    tls: Certificate | None = None
    http: int | None = DEFAULT_HTTP
    """The port of the pages for people; 0 for any, None for no pages."""
    is_http_chosen: bool = False
    """The operator has chosen that port; otherwise any other will do."""
    show_cards_after: float = 0.0
    """Seconds after a hand's end during which pages hide the cards shown at its showdown."""


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
