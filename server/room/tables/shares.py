"""Shares: guests of one address do not keep all seats of a table from others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from server.room.tables.place import Arrival, Place, Visitor


def _addresses(places: Iterable[Place | None]) -> dict[Place, str]:
    """The addresses of the guests who stay, by place."""
    return {
        place: place.visitor.address
        for place in places
        if place is not None and place.leaves is None and place.visitor is not None and place.visitor.is_guest
    }


def one_too_many(places: Sequence[Place | None], newcomer: Visitor) -> Place | None:
    """The guest's seat that a newcomer gets where no seat is left; None for no such seat.

    It is the last of the address with the most, if that has at least two more than the newcomer's; a
    registered player's own address does not count.
    """
    addresses = _addresses(places)
    shares = Counter(addresses.values())
    own = shares[newcomer.address] if newcomer.is_guest else 0
    most = max(shares.values(), default=0)
    crowd = [place for place, address in addresses.items() if shares[address] == most >= own + 2]
    return crowd[-1] if crowd else None


def in_order_of_shares(arrivals: Iterable[Arrival], places: Sequence[Place | None]) -> list[Arrival]:
    """Those who wait for a seat, guests of crowded addresses last."""
    shares = Counter(_addresses(places).values())
    return sorted(arrivals, key=lambda each: each.visitor.is_guest and shares[each.visitor.address])
