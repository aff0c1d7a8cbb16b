"""Private tables: made in the browser, reached by their address, looked after by the one who sits longest.

The address is the invitation: the name of such a table cannot be guessed, and is in no list.
"""

from __future__ import annotations

import contextlib
import secrets
from typing import Any, Final

import attrs
import trio

from engine.poker.rules import load_game
from engine.support.user_input import parse_finite, parse_whole
from server.room.config import MOST_PACE_S, RoomConfig, TableConfig, with_stakes
from server.room.identities import stem_of
from server.room.room import Room
from server.room.tables.company import Company
from server.room.tables.place import Place, RequestRefused
from server.room.tables.table import RoomTable
from server.table.rules.line_up import usual_blinds

GAMES: Final = ("nolimit-6p", "nolimit-2p", "limit-6p", "limit-2p")
"""What may be played at them."""
_MOST_TABLES: Final = 50
_EMPTY_S: Final = 600.0
# After which a table at which no person sits closes.
_LOOK_S: Final = 30.0
_HELP: Final = "pace SECONDS, blinds SMALL/BIG, add BOT, remove BOT, kick NAME, chat on/off, pause or resume"


def bots_of(config: RoomConfig, use: str = "fill") -> tuple[str, ...]:
    """The bots that a host may add, or ask for advice: those that the room's file names."""
    return tuple(dict.fromkeys(bot for table in config.tables if table.fill for bot in getattr(table, use)))


def open_private(room: Room, address: str, game: str) -> str:
    """Open a private table for somebody at an address; returns its name.

    Raises:
        RequestRefused: the game is none of `GAMES`, there are too many tables, or guests have too few chips.
    """
    if game not in GAMES:
        raise RequestRefused(f"expected one of {', '.join(GAMES)}, got {game[:40]!r}")
    openers = [table.config.opener for table in room.tables.values() if table.config.opener is not None]
    if len(openers) >= _MOST_TABLES:
        raise RequestRefused(f"there are {_MOST_TABLES} private tables already: try again later")
    share = room.config.private_tables_per_address
    if openers.count(address) >= share:
        raise RequestRefused(f"your address has opened {share} private tables already: try again later")
    name = f"private-{secrets.token_hex(10)}"
    hosted: dict[str, Any] = {"private": True, "opener": address, "time_bank_s": 60}
    config = TableConfig(name, load_game(game), game, advice=bots_of(room.config, "advice"), **hosted)

    def furnish(table: RoomTable) -> None:
        table.company.on_host = TableHost(table, room.config).do
        room.start_soon(_close_when_empty, table)

    room.open_table(_for_guests(room.config, config), furnish)
    return name


async def _close_when_empty(table: RoomTable) -> None:
    seen = trio.current_time()
    while not table.closed.is_set():
        if any(not place.is_house for place in table.company.seated()):
            seen = trio.current_time()
        elif trio.current_time() - seen >= _EMPTY_S:
            table.close("nobody has been here for a while")
        with trio.move_on_after(_LOOK_S):
            await table.closed.wait()


def host_of(company: Company) -> Place | None:
    """The one who has sat there longest, and so looks after the table."""
    people = [place for place in company.seated() if not place.is_house and place.leaves is None]
    return min(people, key=lambda place: place.since, default=None)


@attrs.frozen
class TableHost:
    """Does what the host of a table asks for; most of it holds from the next hand on."""

    table: RoomTable
    room: RoomConfig

    def do(self, place: Place, text: str) -> str:
        """Do it; returns what everybody is told.

        Raises:
            RequestRefused: it cannot be done, or somebody else is the host.
        """
        table, config = self.table, self.table.config
        host = host_of(table.company)
        if host is not place:
            raise RequestRefused(f"{host.player.name if host else 'nobody'} is the host of this table")
        match text.split():
            case ["pace", what]:
                table.change(pace_s=_pace(what))
                done = f"sets the pace to {table.config.pace_s:g} s"
            case ["blinds", what]:
                table.change(**_blinds(self.room, config, what))
                small, big = sorted(table.config.game.blinds)[-2:]
                done = f"sets the blinds to {small}/{big}"
            case ["add", what]:
                bot = next((bot for bot in bots_of(self.room) if bot.partition(":")[0] == what), None)
                if bot is None or len(config.fill) >= config.seats - 1:
                    raise RequestRefused(f"expected a bot for a free seat, got {what[:40]!r}")
                table.change(fill=(*config.fill, bot))
                done = f"adds {what}"
            case ["remove" | "kick" as word, what]:
                self._dismiss(word, what)
                done = f"removes {what}"
            case ["chat", "on" | "off" as word]:
                table.change(chat=word == "on")
                done = f"switches the chat {word}"
            case ["pause" | "resume" as word]:
                table.company.is_held = word == "pause"
                done = "pauses the table" if table.company.is_held else "lets the table go on"
            case _:
                raise RequestRefused(f"expected {_HELP}, got {text[:40]!r}")
        return f"{place.player.name} {done}"

    def _dismiss(self, word: str, name: str) -> None:
        """Take the seat of a bot, which then does not come again, or of a player."""
        table = self.table
        stays = [each for each in table.company.seated() if each.player.name == name and each.leaves is None]
        if not stays or stays[0].is_house is (word == "kick"):
            kind = "bot" if word == "remove" else "player"
            raise RequestRefused(f"{name[:40]!r} is no {kind} that stays at this table")
        if word == "remove":
            stem = name.rpartition("-")[0]
            fill = table.config.fill
            first = next((at for at, bot in enumerate(fill) if stem_of(bot) == stem), len(fill))
            table.change(fill=fill[:first] + fill[first + 1 :])
        table.company.dismiss(name, "the host has decided so")


def _pace(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (seconds := parse_finite(text)) <= MOST_PACE_S:
            return seconds
    raise RequestRefused(f"pace: expected 0 to {MOST_PACE_S:g} seconds, got {text[:40]!r}")


def _blinds(room: RoomConfig, config: TableConfig, text: str) -> dict[str, Any]:
    """The table's game with other blinds, and chips to bring that go with them."""
    game = config.game
    try:
        small, big = map(parse_whole, text.split("/"))
    except ValueError:
        small = big = 0
    if game.is_limit or not 0 < small <= big <= config.game.stacks[0]:
        raise RequestRefused(f"blinds: expected SMALL/BIG at a no-limit table, got {text[:40]!r}")
    changed = attrs.evolve(game, blinds=usual_blinds(game.num_players, small, big))
    stakes = _for_guests(room, attrs.evolve(config, game=changed, least=0, most=0))
    return {"game": changed, "least": stakes.least, "most": stakes.most}


def _for_guests(room: RoomConfig, table: TableConfig) -> TableConfig:
    """The table with the usual buy-ins, which guests must be able to bring."""
    table = with_stakes(table)
    if room.guests and table.least > room.guest_chips:
        raise RequestRefused(f"a seat would cost {table.least} chips, and guests have {room.guest_chips}")
    return table
