"""Both ends of a conversation, joined without a network."""

import tomllib
from pathlib import Path
from typing import Any

from engine.poker.rules import GameDefinition, HandState, load_game, parse_betting
from protocol import (
    NEED_DATA,
    Comment,
    DealerConnection,
    Event,
    Greeting,
    Note,
    PlayerConnection,
    Reply,
    StateUpdate,
    TurnToAct,
    Version,
)
from tests.support.hands.golden_files import deals_from

LEDUC = load_game("leduc")


def state_of(game: GameDefinition, betting: str, hand_number: int = 0, seed: int = 0) -> HandState:
    """A hand after some betting; its cards follow from a seed."""
    return HandState(parse_betting(game, betting), hand_number, next(deals_from(game, seed)))


def drain(connection: DealerConnection | PlayerConnection) -> list[Event]:
    """All events that are waiting in a connection."""
    events: list[Event] = []
    while (event := connection.next_event()) is not NEED_DATA:
        assert isinstance(event, Event)
        events.append(event)
    return events


def dealer_after(*received: bytes, game: GameDefinition = LEDUC) -> tuple[DealerConnection, list[Event]]:
    """A dealer's connection that has received some bytes, and its events."""
    connection = DealerConnection(game)
    for data in received:
        connection.receive_data(data)
    return connection, drain(connection)


class ConnectionPair:
    """A dealer's and a player's connection, joined.

    Whatever one side sends arrives at once.  After each message both must be in the same state.
    """

    def __init__(self, game: GameDefinition) -> None:
        self.dealer = DealerConnection(game)
        self.player = PlayerConnection(game)

    def from_dealer(self, event: StateUpdate | TurnToAct | Greeting | Note) -> list[Event]:
        """Send something from the dealer; returns the player's events."""
        data = self.dealer.send(event)
        if data:
            self.player.receive_data(data)
        events = drain(self.player)
        assert self.dealer.state is self.player.state
        return events

    def from_player(self, event: Version | Greeting | Comment | Reply) -> list[Event]:
        """Send something from the player; returns the dealer's events."""
        self.dealer.receive_data(self.player.send(event))
        events = drain(self.dealer)
        assert self.dealer.state is self.player.state
        return events


def joined(game: GameDefinition = LEDUC) -> ConnectionPair:
    """A pair of connections after the handshake."""
    pair = ConnectionPair(game)
    assert pair.from_player(Version()) == [Version()]
    return pair


def lines(section: str) -> dict[str, list[Any]]:
    """Tables of lines, and of how they are understood: a section of ``tests/protocol/lines.toml``."""
    text = (Path(__file__).parent.parent / "protocol" / "lines.toml").read_text("utf-8")
    found: dict[str, list[Any]] = tomllib.loads(text)[section]
    return found
