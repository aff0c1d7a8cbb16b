"""What somebody who has a seat asks of the table, between two hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from engine.support.user_input import parse_whole
from protocol import NEED_DATA, ConnectionClosed, Request
from server.room.config import TableConfig
from server.room.tables.contest import Contest
from server.room.tables.place import Place, RequestRefused, Visitor
from server.table.seating import Seating

_LONGEST_CHAT: Final = 200
_MOST_UNREAD: Final = 64 * 1024
# Bytes that a client may send while it is not asked.


class Management(Protocol):
    """Those at a table (`server.room.tables.company`), as far as a request goes."""

    config: TableConfig
    seating: Seating
    on_show: Callable[[str, int, tuple[int, ...]], object]
    on_host: Callable[[Place, str], str] | None

    @property
    def contest(self) -> Contest | None:
        """The sit-and-go that is played here, if one is."""

    def tell(self, lines: Sequence[str], *, people_only: bool = False) -> None:
        """Say lines to everybody, or to people alone."""


def hear(company: Management, place: Place) -> None:
    """Handle a player's requests, and notice whether they are still there."""
    visitor, client = place.visitor, place.seat.client
    if visitor is None:
        return
    if visitor.client.has_left.is_set():
        place.lost()
        return
    if client is None or place.seat.is_away:
        return
    requests = list(client.requests)
    client.requests.clear()
    data = client.channel.try_receive()
    connection = client.connection
    if data is not None:
        connection.receive_data(data)
    while (event := connection.next_event()) is not NEED_DATA:
        if isinstance(event, Request):
            requests.append(event)
        elif isinstance(event, ConnectionClosed):
            company.seating.cut_off(place.seat)
            place.lost()
            return
    for request in requests:
        answer(company, place, visitor, request)
    # Between hands the end of a stream counts at once, even if earlier lines are still waiting for a
    # turn.
    if data == b"" or connection.num_buffered > _MOST_UNREAD:
        company.seating.cut_off(place.seat)
        place.lost()
        return
    company.seating.flush(place.seat, client)


def answer(company: Management, place: Place, visitor: Visitor, request: Request) -> None:
    """Do what a player asks for, or refuse it."""
    match request.word:
        case "leave":
            place.leaves = "you have left the table"
        case "sit-out" | "sit-in" | "top-up" if company.contest is not None:
            visitor.say("refused", f"{request.word}: not in a sit-and-go")
        case "sit-out":
            place.sits_out = True
            visitor.say("message", "you sit out")
        case "sit-in":
            place.sits_out = False
            visitor.say("message", "you are dealt in again, when it is your turn to come in")
        case "show":
            if place.unshown is not None and request.text == str(place.unshown[0]):
                company.on_show(place.player.name, *place.unshown)
                place.unshown = None
        case "chat" if not company.config.chat:
            visitor.say("refused", "chat: it is off at this table")
        case "chat" if not place.breath.take():
            visitor.say("refused", "chat: wait a little: too much at once")
        case "chat":
            text = " ".join(request.text.split())[:_LONGEST_CHAT]
            company.tell([f"{place.player.name}: {text}"] if text else [], people_only=True)
        case "host" if company.on_host is not None:
            try:
                company.tell([company.on_host(place, request.text)])
            except RequestRefused as refusal:
                visitor.say("refused", f"{refusal}")
        case "top-up":
            try:
                place.top_up = min(parse_whole(request.text), company.config.most)
            except ValueError as error:
                visitor.say("refused", f"top-up: {error}")
        case _:
            visitor.say("refused", f"{request.word}: leave the table first")
