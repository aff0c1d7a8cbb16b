"""The configuration of a room, as frozen values, and ``room.toml``, in which its operator describes it.

Every mistake in the file is reported in one line that says where it is and what was expected there.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import attrs

from engine.poker.rules import GameDefinition, Rake
from server.support.addresses import listening_address
from server.support.toml_text import FileMistake, Section, parse_toml, read_text
from server.table.config import MOST_SECONDS, TimeLimits
from server.table.rules.line_up import Joining, posts_blinds
from server.table.rules.sit_and_go import MOST_CHIPS, SitAndGo, read_terms

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
"""Names of players and tables: for logs, addresses and pages alike."""
DEFAULT_HTTP: Final = 8000
MOST_PACE_S: Final = 60.0
"""The longest time for which an action or the end of a hand may stand."""


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


def _said(kind: str, key: str, default: Any, **bounds: Any) -> Any:
    """A field that ``room.toml`` may say.

    Args:
        kind: the method of `Section` that reads it.
        key: in the file.
        default: if the file does not say it.
        bounds: for that method.
    """

    def read(section: Section) -> Any:
        return getattr(section, kind)(key, default, **bounds)

    return attrs.field(default=default, metadata={"read": read})


def _what_is_said(section: Section, config: type[attrs.AttrsInstance]) -> dict[str, Any]:
    """The fields of a class as a section has them, by name."""
    fields = [field for field in attrs.fields(config) if "read" in field.metadata]
    return {field.name: field.metadata["read"](section) for field in fields}


@attrs.frozen
class TableConfig:
    """A table of the room."""

    name: str
    game: GameDefinition
    game_text: str
    """The game as the operator named it."""
    policy: Policy = Policy.RING
    fill: tuple[str, ...] = _said("texts", "fill", ())
    """The house's bots that take empty seats, in turn, and leave when others need them."""
    advice: tuple[str, ...] = _said("texts", "advice", ("formula",))
    """Bots that a person who plays against the house's bots alone may ask in the browser."""
    least: int = 0
    """The fewest chips to bring."""
    most: int = 0
    """The most chips to bring, top-ups included."""
    rake: Rake = attrs.field(factory=Rake)
    joining: Joining = Joining.WAITS
    """On what condition newcomers are dealt in."""
    rebuy: bool = _said("flag", "rebuy", True)
    """A player who has lost all chips buys in again for the same, as long as the account has enough."""
    seats_for_one: bool = _said("flag", "seats_for_one", False)
    """One player may have several seats."""
    alone: bool = _said("flag", "alone", False)
    """The house's bots play even if nobody else is there."""
    pause_s: float = _said("number", "pause", 0.0, most=3600.0)
    """Between two hands."""
    pace_s: float = _said("number", "pace", 0.4, most=MOST_PACE_S)
    """For which an action stands before the next one, while a person sits there or it is an exhibition."""
    showdown_s: float = _said("number", "showdown", 2.5, most=MOST_PACE_S)
    """For which the end of a hand stands, likewise."""
    time_bank_s: float = _said("number", "time_bank", 0.0, most=MOST_SECONDS)
    """That each person has beyond the time for a decision, for as long as they sit there."""
    exhibition: bool = _said("flag", "exhibition", False)
    """The house's bots play on at that pace while nobody else is there."""
    private: bool = _said("flag", "private", False)
    """It is in no list: only those who are told its address come."""
    chat: bool = _said("flag", "chat", False)
    """People who sit there may write to one another; programs are told nothing of it."""
    opener: str | None = None
    """The address from which it was opened in the browser; somebody who sits there then decides about its
    pace, blinds and bots."""
    limits: TimeLimits = attrs.field(factory=lambda: TimeLimits(30.0, 600.0, 1e6, grace=10.0))
    keep_seat_s: float = _said("number", "keep_seat", 120.0, most=MOST_SECONDS)
    """How long a seat is kept for somebody who has lost the connection or sits out."""
    return_within_s: float = _said("number", "return_within", 3600.0, most=MOST_SECONDS)
    """Who comes back to the table within this time brings at least the chips that they left with."""
    port: int | None = _said("whole", "port", None, least=0, most=65535)
    """Where plain ACPC clients take a seat; 0 for any port, None for none."""
    port_without_tls: bool = _said("flag", "port_without_tls", False)
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
    port: int = _said("whole", "port", 4000, least=0, most=65535)
    data: Path = Path("room")
    """The folder of the ledger and the logs."""
    guests: bool = _said("flag", "guests", True)
    """Players without a token may play, under a name that is nobody's."""
    guest_chips: int = _said("whole", "guest_chips", 100_000, least=0, most=MOST_CHIPS)
    """Chips that a guest is given, and gives back when leaving."""
    connections: int = _said("whole", "connections", 5000, most=1_000_000)
    """Most connections at a time."""
    connections_per_address: int = _said("whole", "connections_per_address", 1000, most=1_000_000)
    """The same from one address."""
    guesses_per_minute: int = _said("whole", "guesses_per_minute", 10, most=1000)
    """Wrong tokens for one player from one address after which it has to wait."""
    guests_per_minute: int = _said("whole", "guests_per_minute", 60, most=1_000_000)
    """That may sit down from one address."""
    requests_per_second: float = _said("number", "requests_per_second", 20.0, least=0.1, most=1e6)
    """That are read of one client."""
    tls: Certificate | None = None
    http: int | None = _said("whole_or_false", "http", DEFAULT_HTTP, least=0, most=65535)
    """The port of the pages for people; 0 for any, None for no pages."""
    is_http_chosen: bool = False
    """The operator has chosen that port; otherwise any other will do."""
    names: tuple[str, ...] = ()
    """Names under which browsers find the pages, and origins that a proxy gives them; addresses always do."""
    show_cards_after: float = _said("number", "show_cards_after", 0.0, most=MOST_SECONDS)
    """Seconds after a hand's end during which pages hide the cards shown at its showdown."""
    private_tables: bool = _said("flag", "private_tables", True)
    """People may open private tables in the browser."""
    private_tables_per_address: int = _said("whole", "private_tables_per_address", 3, most=1_000_000)
    """Most that may be open from one address."""
    watch_after: float = _said("number", "watch_after", 0.0, most=3600.0)
    """Seconds by which those who only watch are told everything later."""


_DEFAULT: Final = Path(__file__).parent / "default.toml"


def default_room() -> RoomConfig:
    """The room without a file."""
    return load_room(_DEFAULT, Path())


def with_stakes(table: TableConfig) -> TableConfig:
    """A table with buy-ins for those that are not given: 20 to 200 big blinds."""
    blind = table.game.big_blind
    least = table.least or 20 * blind
    return attrs.evolve(table, least=least, most=table.most or max(least, 200 * blind))


_RING_ONLY: Final = (
    "least", "most", "rake", "rake_cap", "joining", "rebuy", "port", "port_without_tls", "seats_for_one",
    "return_within",
)  # fmt: skip
_SIT_AND_GO_ONLY: Final = ("buy_in", "stack", "payouts", "levels")


def load_room(path: Path, folder: Path | None = None) -> RoomConfig:
    """The room that a file describes.

    Args:
        path: the file.
        folder: in which what it names lies; that of the file if None.

    Raises:
        RoomError: the file cannot be read, or says something impossible.
    """
    try:
        file = parse_toml(read_text(path), path)
        room, tables = file.section("room"), file.sections("table")
        file.close()
        if not tables:
            raise file.mistake("table", "expected at least one [[table]]")
        return _room(room, tables, path.parent if folder is None else folder)
    except FileMistake as error:
        raise RoomError(str(error)) from error


def _room(room: Section, tables: list[Section], folder: Path) -> RoomConfig:
    config = RoomConfig(
        tables=tuple([_table(each, folder) for each in tables]),
        host=_host(room),
        data=folder / room.text("data", "room", least=1),
        tls=_certificate(room.section("tls"), folder) if "tls" in room else None,
        is_http_chosen="http" in room,
        names=tuple([name.lower() for name in room.texts("names", ())]),
        **_what_is_said(room, RoomConfig),
    )
    room.close()
    names = [table.name for table in config.tables]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise tables[number].mistake("name", f"there is a table {name} already")
    return config


def _host(room: Section) -> str:
    host = room.text("host", "127.0.0.1")
    with room.refusing("host"):
        return listening_address(host)


def _certificate(section: Section, folder: Path) -> Certificate:
    pair = Certificate(folder / section.text("certificate", least=1), folder / section.text("key", least=1))
    section.close()
    return pair


def _table(section: Section, folder: Path) -> TableConfig:
    name = section.text("name")
    if not NAME.fullmatch(name):
        expected = "1 to 32 letters, digits and _ . -, the first a letter or a digit"
        raise section.mistake("name", f"expected a name of {expected}, got {name!r}")
    text = section.text("game", name)
    game = section.game("game", text, folder)
    closed = section.choice("short_raises", ("closed", "reopen"), "closed") == "closed"
    game = attrs.evolve(game, short_raises_reopen=game.is_limit or not closed)
    policy = Policy(section.choice("policy", tuple(Policy), Policy.RING.value))
    _check_policy(section, policy)
    sit_and_go = _sit_and_go(section, game) if policy is Policy.SIT_AND_GO else None
    buy_in = _chips(section, "buy_in", 0 if sit_and_go is None else sit_and_go.stack)
    table = TableConfig(
        name=name,
        game=game,
        game_text=text,
        policy=policy,
        least=_chips(section, "least", buy_in),
        most=_chips(section, "most", buy_in),
        rake=Rake(100 * section.number("rake", 0.0, most=0.2), _chips(section, "rake_cap", 0) or math.inf),
        joining=Joining(section.choice("joining", ("waits", "posts"), "waits")),
        limits=TimeLimits(
            response=section.number("seconds", 30.0, least=0.1, most=MOST_SECONDS),
            hand=section.number("seconds_per_hand", 600.0, least=0.1, most=MOST_SECONDS),
            per_hand=1e6,
            grace=section.number("grace", 10.0, most=MOST_SECONDS),
        ),
        sit_and_go=sit_and_go,
        **_what_is_said(section, TableConfig),
    )
    table = attrs.evolve(table, alone=table.alone or table.exhibition)
    section.close()
    for key, bots in (("fill", table.fill), ("advice", table.advice)):
        if not all(bots):
            raise section.mistake(key, f"{key}: expected names of bots, got an empty one")
    return table if sit_and_go is not None else _checked_stakes(section, with_stakes(table))


def _chips(section: Section, key: str, default: int) -> Any:
    return section.whole(key, default, least=0, most=MOST_CHIPS)


def _check_policy(section: Section, policy: Policy) -> None:
    """Make sure that all keys exist for tables of this policy."""
    is_sit_and_go = policy is Policy.SIT_AND_GO
    for key in _RING_ONLY if is_sit_and_go else _SIT_AND_GO_ONLY:
        if key in section:
            goes = f"{key} does not go" if is_sit_and_go else f"{key} goes"
            raise section.mistake(key, f'{goes} with policy = "sit-and-go"')


def _sit_and_go(section: Section, game: GameDefinition) -> SitAndGo:
    if game.is_limit or not posts_blinds(game):
        raise section.mistake("game", "expected a no-limit game with a small and a big blind")
    terms = read_terms(section, game.num_players, by_time=True)
    if "payouts" in section and len(terms.payouts) > game.num_players:
        expected = f"shares for up to {game.num_players} places"
        raise section.mistake("payouts", f"payouts: expected {expected}, got {list(terms.payouts)}")
    least = terms.levels[0].blinds[1] + terms.levels[0].ante
    if terms.stack < least:
        raise section.mistake("stack", f"expected the first big blind and ante, {least}, or more")
    return terms


def _checked_stakes(section: Section, table: TableConfig) -> TableConfig:
    """The table, whose buy-ins and entry fit one another and the game."""
    game = table.game
    if table.least > table.most:
        raise section.mistake("most", f"expected at least {table.least}, as least is, got {table.most}")
    if table.policy is Policy.RING and table.least < game.big_blind + max(game.antes):
        raise section.mistake("least", f"expected the big blind, {game.big_blind}, or more")
    if not posts_blinds(game) and table.joining is Joining.POSTS:
        raise section.mistake("joining", "expected 'waits': the game has no big blind to post")
    return table
