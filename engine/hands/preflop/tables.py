"""The shipped tables of the 169 starting hands: income rates for 2 to 10 players and exact raw odds.

One JSON file, ``engine/data/preflop/tables.json``; the file beside it tells how it was made.  Reading it
needs no compiled code; how the numbers come about is described in ``engine.hands.preflop.roll_outs``.

Starting hands are numbered as in ``engine.poker.combos``: arrays of 169 are the usual 13 x 13 grid,
``reshape(13, 13)``, suited hands at (high, low).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

import attrs
import numpy as np

from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_NAMES
from engine.support.arrays import Floats, read_only
from engine.support.files.archive import Archive, array_of, decode_archive

SCHEMA_VERSION: Final = 1
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 10

_KIND: Final = "riverboat preflop tables"


def check_players(players: int) -> None:
    """Refuse a number of players of which there is no table.

    Raises:
        ValueError: not 2 to 10 players.
    """
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise ValueError(f"{players} players: expected {MIN_PLAYERS} to {MAX_PLAYERS}")


@attrs.frozen(eq=False)
class PreflopTable:
    """The income rates of the starting hands at a table of one size, in thousandths of a small bet a hand."""

    players: int
    """Players dealt in, 2 to 10."""
    roll_out: Floats
    """Everybody calls one bet and checks down: ``1000 * (players * share of the pot - 1)``.  Shape (169,)."""
    roll_out_standard_error: Floats
    """Shape (169,)."""
    iterated: Floats
    """Opponents play the hands that are worth it: what playing the hand earns over folding it.  Shape (169,).
    """
    iterated_standard_error: Floats
    """Shape (169,)."""

    @property
    def shares(self) -> Floats:
        """The share of the pot against ``players - 1`` random hands dealt together, shape (169,)."""
        return (self.roll_out / 1000 + 1) / self.players

    @property
    def share_standard_errors(self) -> Floats:
        """The standard errors of `shares`, shape (169,)."""
        return self.roll_out_standard_error / 1000 / self.players


@attrs.frozen(eq=False)
class PreflopTables:
    """The income rates for every number of players, and the raw odds."""

    tables: tuple[PreflopTable, ...]
    """For 2 to 10 players, in this order."""
    raw_odds: Floats
    """Share of the pot against 1 to 9 random hands, the power taken on each of all boards.  Shape (169, 9).
    """
    made_by: str
    """The command that makes these tables."""

    def table(self, players: int) -> PreflopTable:
        """The income rates for a number of players.

        Raises:
            ValueError: not 2 to 10 players.
        """
        check_players(players)
        return self.tables[players - MIN_PLAYERS]


_RATES: Final = ("roll_out", "roll_out_standard_error", "iterated", "iterated_standard_error")


def format_tables(tables: PreflopTables) -> str:
    """The tables as an archive, a JSON text: rates to a tenth of a milli-bet, odds to six digits."""
    meta = {
        "made_by": tables.made_by,
        "starting_hands": STARTING_HAND_NAMES,
        "raw_odds": dict(zip(STARTING_HAND_NAMES, tables.raw_odds.round(6).tolist(), strict=True)),
        "tables": [
            {"players": table.players, **{name: getattr(table, name).round(1).tolist() for name in _RATES}}
            for table in tables.tables
        ],
    }
    return Archive(_KIND, SCHEMA_VERSION, meta).encode().decode()


def parse_tables(text: str) -> PreflopTables:
    """The tables of a text made by `format_tables`.

    Raises:
        ArchiveError: not JSON, another kind or version of file, or arrays that do not fit.
    """
    archive = decode_archive(text.encode(), _KIND, SCHEMA_VERSION, "the file of preflop tables")
    with archive.checked():
        meta = archive.meta
        if list(meta["starting_hands"]) != list(STARTING_HAND_NAMES):
            raise ValueError("the starting hands stand in another order")
        numbers = {"raw_odds": [meta["raw_odds"][name] for name in STARTING_HAND_NAMES]}
        raw_odds = _frozen(numbers, "raw_odds", (NUM_STARTING_HANDS, MAX_PLAYERS - 1))
        tables = tuple(
            PreflopTable(
                entry["players"], **{name: _frozen(entry, name, (NUM_STARTING_HANDS,)) for name in _RATES}
            )
            for entry in meta["tables"]
        )
        if [table.players for table in tables] != list(range(MIN_PLAYERS, MAX_PLAYERS + 1)):
            raise ValueError(f"expected one table for {MIN_PLAYERS} to {MAX_PLAYERS} players each")
        return PreflopTables(tables, raw_odds, str(meta["made_by"]))


def _frozen(numbers: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> Floats:
    return read_only(array_of({name: np.array(numbers[name], np.float64)}, name, shape, "f"))


@functools.cache
def shipped_tables() -> PreflopTables:
    """The tables that come with Riverboat, read once."""
    return parse_tables(resources.files("engine").joinpath("data/preflop/tables.json").read_text("utf-8"))
