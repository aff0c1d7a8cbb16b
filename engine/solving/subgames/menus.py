"""The sizes of bets that a subgame knows, by street and player, and how people write them.

A size is a part of the pot (``60%``), a multiple of the bet that it raises (``2.5x``), geometric (``e``: the
part of the pot that, bet on every street to come, gets all chips in; ``3e``: within three bets), or all-in
(``a``).  A raise by a part of the pot is *to* the bet plus that part of the pot after a call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import attrs

STREETS: Final = ("flop", "turn", "river")
Where = tuple[int, float, tuple[float, float], int]
"""A point of the betting: street, pot at its start, both players' bets, and who is to act."""
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)%|(\d+(?:\.\d+)?)x|(\d*)e|(a)")


@attrs.frozen
class Size:
    """The size of a bet or raise: one of a part of the pot, a multiple, or a number of geometric bets."""

    pot: float = 0.0
    times: float = 0.0
    geometric: int = -1
    """Within how many bets all chips are in; 0 for one on each street to come."""
    is_all_in: bool = False


def parse_sizes(text: str, *, is_raise: bool = False) -> tuple[Size, ...]:
    """The sizes of a list such as ``33%, 75%, a``; an empty text has none.

    Raises:
        ValueError: something else stands there, or a first bet is a multiple.
    """
    found = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        match = _SIZE.fullmatch(word)
        pot, times, geometric, all_in = match.groups() if match else (None, None, None, None)
        if match is None or (times and not is_raise) or (pot and not float(pot) > 0):
            multiple = ", a multiple of the bet such as 2.5x" if is_raise else ""
            raise ValueError(f"expected sizes such as 60%, e, a{multiple}, got {word!r}")
        found.append(
            Size(
                float(pot or 0) / 100, float(times or 0), -1 if geometric is None else int(geometric or 0),
                all_in is not None,
            )
        )  # fmt: skip
    return tuple(found)


@attrs.frozen
class Menu:
    """The bets of a player on a street."""

    bets: tuple[Size, ...] = ()
    raises: tuple[tuple[Size, ...], ...] = ((),)
    """Sizes of the first raise, of the second, and so on; the last are for all that follow."""
    leads: tuple[Size, ...] | None = None
    """Bets of the first player into the one who bet last on the street before ("donk"); None for `bets`."""


def parse_menu(text: str) -> Menu:
    """A menu written as ``bets / raises / leads``: ``60%, a / 100%``.

    Raises:
        ValueError: it cannot be read.
    """
    parts = text.split("/")
    if len(parts) > 3:
        raise ValueError(f"expected bets / raises / leads, got {text!r}")
    bets, raises = parts[0], parts[1] if len(parts) > 1 else ""
    return Menu(
        parse_sizes(bets),
        (parse_sizes(raises, is_raise=True),),
        parse_sizes(parts[2]) if len(parts) > 2 else None,
    )


@attrs.frozen(kw_only=True)
class BettingPlan:
    """The betting that a subgame knows, from its first street on."""

    menus: Mapping[str, tuple[Menu, Menu]]
    """Both players' menus by street; a street without one has no bets."""
    most_raises: int = 0
    """Bets and raises on one street; 0 for any number."""
    all_in_from: float = 0.0
    """A bet after whose call less than this part of the pot is left behind becomes all-in."""
    add_all_in_to: float = 0.0
    """All-in is added where it is at most this part of the pot."""
    merging: float = 0.0
    """Sizes so close to the next larger one are left out; see `merged`."""
    most_of_stack: float = 1.0
    """A bet of more than this part of the chips at the very start becomes all-in."""
    most_of_left: float = 1.0
    """The same of the chips that the player has left."""
    unit: float = 0.0
    """Bets are whole multiples of it; 0 for any."""
    least_bet: float = 0.0
    """The least that a bet or raise adds."""
    played: Mapping[Where, float] = attrs.field(factory=dict)
    """Bets that were really made, each where it was; they are added whatever else the betting allows."""
