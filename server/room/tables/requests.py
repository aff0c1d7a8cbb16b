"""What somebody who has a seat asks of the table, between two hands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.support.user_input import parse_whole
from protocol import Request
from server.room.tables.place import Place, Visitor

if TYPE_CHECKING:
    from server.room.tables.company import Company


def answer(company: Company, place: Place, visitor: Visitor, request: Request) -> None:
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
        case "top-up":
            try:
                place.top_up = min(parse_whole(request.text), company.config.most)
            except ValueError as error:
                visitor.say("refused", f"top-up: {error}")
        case _:
            visitor.say("refused", f"{request.word}: leave the table first")
