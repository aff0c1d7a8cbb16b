"""The ledger: who has how many chips where, and every hand that was finished, in one SQLite file.

Chips are in accounts, in front of players at tables, or in the house's rake; they come from the house
(*issue*) and go back there (*return*), and nothing else creates or destroys them.  Each event is one
transaction: a hand with all its stacks, a buy-in with both its ends.  The file is in WAL mode and has one
writer, so however the process is killed, the last transaction is complete or absent.  A power cut may cost
the last hands (``synchronous = NORMAL``); what is there adds up.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from engine.support.files.lock import FileIsLocked, FileLock
from server.room.ledger.check import Check, check
from server.room.ledger.damage import LedgerConnection, LedgerError, saying_damage
from server.room.ledger.schema import SchemaError, migrate, require_current
from server.support.console import now_us
from server.table.rules.line_up import Blinds

FILE: Final = "ledger.db"
"""In the folder of the room's data."""
_PLAYERS: Final = "SELECT id, name, kind, chips, is_banned, salt, token FROM players"
_BUSY_S: Final = 5.0
# Readers of other processes, such as `riverboat ledger check`, hold the file for a moment.
_CACHE_KIB: Final = 256
# Size of a connection's cache of pages: the system caches them, too, and each hand written drops it.

_UNTIL: Final = {
    "hands": "* FROM main.hands WHERE id <= {last}",
    "results": "* FROM main.results WHERE hand <= {last}",
    "entrants": "* FROM main.entrants WHERE coalesce(hand, 0) <= {last}",
    "sit_and_gos": "id, table_name, first_hand, pool, is_called_off,"
    " CASE WHEN over_us < {at_us} THEN over_us END AS over_us FROM main.sit_and_gos",
    "tables": "name, button, small, big,"
    " (SELECT coalesce(max(number) + 1, 0) FROM hands WHERE table_name = name) AS next_hand FROM main.tables",
}
# What a reader finds in some tables who is not to know of later hands.


class LedgerIsFull(Exception):
    """The disk is full; nothing of the event is in the ledger."""


@attrs.frozen
class Registered:
    """Somebody who has an account."""

    id: int
    name: str
    kind: str
    """``registered``, ``guest`` or ``house``."""
    chips: int
    """In the account."""
    is_banned: bool = attrs.field(default=False, converter=bool)
    salt: bytes | None = attrs.field(default=None, repr=False)
    token: bytes | None = attrs.field(default=None, repr=False)
    """Hashed (`server.room.identities`)."""


@attrs.frozen
class PlaceEntry:
    """A place at a table, as the ledger has it."""

    seat: int
    player: Registered
    stack: int


@attrs.frozen
class HandEntry:
    """A finished hand."""

    table: str
    number: int
    game: str
    """The game file of this hand, its lines joined by ``;``."""
    line: str
    """The ``STATE:`` line, with its line end."""
    secret: str
    """The key of its cards (`engine.poker.match_key.MatchKey.text`)."""
    at_us: int = 0
    """In microseconds since 1970; set by the ledger when it writes the hand."""


class Ledger:
    """The ledger of one room, for its only writer; `read_only` for everybody else.

    Raises:
        LedgerError: it cannot be opened, or another process writes it.

    *Resource handling*: `close` it, or use it in a ``with`` block.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._path = path = folder / FILE
        self._lock: FileLock | None = None
        self.transactions = 0  # written since it was opened
        if read_only and not path.exists():
            raise LedgerError(f"{folder} holds no ledger: there is no file {FILE}")
        try:
            if not read_only:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._lock = FileLock(path)
                path.touch(mode=0o600)
            self._db = self._connect(read_only)
        except FileIsLocked:
            raise LedgerError(f"the room of {folder} is open: another process writes its ledger") from None
        except OSError as error:
            raise LedgerError(f"{path}: {error.strerror or error}") from error
        except (sqlite3.Error, SchemaError, LedgerError) as error:
            if self._lock is not None:
                self._lock.release()
            if isinstance(error, sqlite3.OperationalError):
                raise LedgerError(f"{path} cannot be opened: {error}") from error
            what = "cannot be read" if isinstance(error, SchemaError) else "is no ledger"
            raise LedgerError(f"{path} {what}: {error.__cause__ or error}") from error

    def _connect(self, read_only: bool) -> sqlite3.Connection:
        source = f"{self._path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
        db = sqlite3.connect(source, _BUSY_S, isolation_level=None, factory=LedgerConnection, uri=True)
        db.text_factory = functools.partial(str, encoding="utf-8", errors="replace")
        try:
            db.execute("PRAGMA foreign_keys = ON")
            db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            if read_only:
                require_current(db)
            else:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = NORMAL")
                migrate(db)
        except BaseException:
            db.close()
            raise
        return db

    def connect_beside(self) -> sqlite3.Connection:
        """A connection, for any thread, that copies SQLite's log back from now on instead of the ledger.

        *Resource handling*: close it before the ledger.
        """
        self._db.execute("PRAGMA wal_autocheckpoint = 0")
        return sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)

    def close(self) -> None:
        """Close the file; calling it again does nothing."""
        self._db.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is written, or nothing; transactions cannot be nested.

        Raises:
            LedgerIsFull: the disk is full.
        """
        db = self._db
        try:
            with saying_damage(), db:
                db.execute("BEGIN IMMEDIATE")
                yield db
            self.transactions += 1
        except sqlite3.OperationalError as error:
            raise LedgerIsFull(str(error)) from error

    def hide_from(self, at_us: int) -> None:
        """Let whoever reads through this connection find no hand that ended at some time or later."""
        ((last,),) = self.read("SELECT coalesce(max(id), 0) FROM hands WHERE at_us < ?", (at_us,))
        for name, rows in _UNTIL.items():  # such a view is found before the table of its name
            self._db.execute(f"CREATE TEMP VIEW {name} AS SELECT {rows.format(last=last, at_us=at_us)}")

    def read(self, query: str, values: Sequence[Any] = (), **functions: Callable[[Any], Any]) -> list[Any]:
        """The rows of a query, which may call some functions of one value."""
        for name, function in functions.items():
            self._db.create_function(name, 1, function, deterministic=True)
        return self._db.execute(query, values).fetchall()

    def write(self, statement: str, values: Sequence[Any]) -> None:
        """Change something, within a transaction."""
        self._db.execute(statement, values)

    # --- players ---------------------------------------------------------------------------------------

    def player(self, name: str) -> Registered | None:
        """The player with a name, in upper or lower case; None if there is none."""
        return self._one("WHERE name = ?", name)

    def player_of(self, number: int) -> Registered:
        """The player with a number."""
        player = self._one("WHERE id = ?", number)
        if player is None:  # nobody is removed but guests who have gone
            raise LedgerError(f"the ledger is damaged: there is no player {number}")
        return player

    def _one(self, where: str, value: object) -> Registered | None:
        row = self._db.execute(f"{_PLAYERS} {where}", (value,)).fetchone()
        return None if row is None else Registered(*row)

    def players(self) -> list[Registered]:
        """Everybody, by name."""
        return [Registered(*row) for row in self._db.execute(f"{_PLAYERS} ORDER BY name")]

    def add_player(
        self, name: str, kind: str, chips: int = 0, salt: bytes | None = None, token: bytes | None = None
    ) -> Registered:
        """A new player, with chips from the house.

        A guest who has used a name that is now registered keeps it with a number, as nobody else may have it.

        Raises:
            LedgerError: the name is taken.
        """
        known = self.player(name)
        if known is not None and (known.kind, kind) != ("guest", "registered"):
            raise LedgerError(f"there is a player {name} already")
        with self.transaction() as db:
            db.execute("UPDATE players SET name = name || '~' || id WHERE name = ?", (name,))
            row = "INSERT INTO players (name, kind, salt, token, since_us) VALUES (?, ?, ?, ?, ?)"
            number = db.execute(row, (name, kind, salt, token, now_us())).lastrowid
            assert number is not None
            if chips:
                self.move("issue", number, None, chips)
        return self.player_of(number)

    def set_token(self, player: Registered, salt: bytes, token: bytes) -> None:
        """Give a player another token."""
        with self.transaction() as db:
            db.execute("UPDATE players SET salt = ?, token = ? WHERE id = ?", (salt, token, player.id))

    def ban(self, player: Registered, *, is_banned: bool = True) -> None:
        """Ban a player, or lift the ban."""
        with self.transaction() as db:
            db.execute("UPDATE players SET is_banned = ? WHERE id = ?", (is_banned, player.id))

    # --- chips ------------------------------------------------------------------------------------------

    def issue(self, player: Registered, chips: int) -> None:
        """Give a player chips from the house."""
        with self.transaction():
            self.move("issue", player.id, None, chips)

    def take_back(self, player: Registered) -> None:
        """Return a leaving guest's account to the house; one who has never played is forgotten."""
        with self.transaction() as db:
            now = self.player_of(player.id)
            if now.chips:
                self.move("return", player.id, None, now.chips)
            if not now.is_banned and not any(
                self._mentions(each, player) for each in ("results", "entrants", "places")
            ):
                db.execute("DELETE FROM movements WHERE player = ?", (player.id,))
                db.execute("DELETE FROM players WHERE id = ?", (player.id,))

    def has_seat(self, player: Registered) -> bool:
        """Whether a player has a seat at any table."""
        return self._mentions("places", player)

    def _mentions(self, rows: str, player: Registered) -> bool:
        return self._db.execute(f"SELECT 1 FROM {rows} WHERE player = ?", (player.id,)).fetchone() is not None

    def left_with(self, table: str, player: Registered, seconds: float) -> int:
        """The chips with which a player has left a table within the last so many seconds; otherwise 0.

        Only chips that they still have count, in the account or at other tables.
        """
        query = (
            "WITH own AS (SELECT * FROM movements WHERE player = ?1 AND table_name = ?2)"
            " SELECT coalesce(max(chips), 0), (SELECT coalesce(sum(stack), 0) FROM places WHERE player = ?1)"
            " FROM own WHERE kind = 'cash-out' AND at_us > ?3"
            " AND id > (SELECT coalesce(max(id), 0) FROM own WHERE kind = 'buy-in')"
        )
        ((most, played),) = self.read(query, (player.id, table, now_us() - seconds * 1e6))
        return int(min(most, self.player_of(player.id).chips + played))

    def sit_down(self, table: str, seat: int, player: Registered, chips: int) -> None:
        """A player brings chips from the account to a seat of a table.

        Raises:
            LedgerError: the account has fewer.
        """
        with self.transaction() as db:
            self._afford(player, chips)
            self.move("buy-in", player.id, table, chips)
            row = "INSERT INTO places (table_name, seat, player, stack) VALUES (?, ?, ?, ?)"
            db.execute(row, (table, seat, player.id, chips))

    def top_up(self, table: str, seat: int, player: Registered, chips: int) -> None:
        """A player brings more chips to the seat they have.

        Raises:
            LedgerError: the account has fewer.
        """
        with self.transaction() as db:
            self._afford(player, chips)
            self.move("top-up", player.id, table, chips)
            change = "UPDATE places SET stack = stack + ? WHERE table_name = ? AND seat = ? AND player = ?"
            assert db.execute(change, (chips, table, seat, player.id)).rowcount == 1

    def stand_up(self, table: str, seat: int) -> int:
        """Take a seat's chips back into its player's account; returns how many."""
        with self.transaction() as db:
            where = "FROM places WHERE table_name = ? AND seat = ?"
            player, stack = db.execute(f"SELECT player, stack {where}", (table, seat)).fetchone()
            self.move("cash-out", player, table, stack)
            db.execute(f"DELETE {where}", (table, seat))
        return int(stack)

    def _afford(self, player: Registered, chips: int) -> None:
        """Make sure that an account has enough; the house's own players are given what they lack."""
        lacking = chips - self.player_of(player.id).chips
        if lacking > 0 and player.kind == "house":
            self.move("issue", player.id, None, lacking)
        elif lacking > 0:
            raise LedgerError(f"{player.name} has {chips - lacking} chips, {chips} are needed")

    def move(self, kind: str, player: int, table: str | None, chips: int) -> None:
        """Record a movement and change the account by it; within a transaction."""
        sign = 1 if kind in ("issue", "cash-out") else -1
        change = "UPDATE players SET chips = chips + ? WHERE id = ?"
        self._db.execute(change, (sign * chips, player))
        row = "INSERT INTO movements (at_us, kind, player, table_name, chips) VALUES (?, ?, ?, ?, ?)"
        self._db.execute(row, (now_us(), kind, player, table, chips))

    # --- tables -----------------------------------------------------------------------------------------

    def open_table(self, name: str) -> tuple[int, Blinds | None]:
        """The number of a table's next hand, and where the blinds were in the last; the table may be new."""
        query = "SELECT next_hand, button, small, big FROM tables WHERE name = ?"
        row = self._db.execute(query, (name,)).fetchone()
        if row is None:
            with self.transaction() as db:
                db.execute("INSERT INTO tables (name) VALUES (?)", (name,))
            return 0, None
        number, button, small, big = row
        return number, None if big is None else Blinds(button, small, big)

    def tables(self) -> list[str]:
        """The names of all tables there have ever been."""
        return [name for (name,) in self._db.execute("SELECT name FROM tables ORDER BY name")]

    def places(self, table: str) -> list[PlaceEntry]:
        """The players at a table, by seat."""
        query = "SELECT seat, player, stack FROM places WHERE table_name = ? ORDER BY seat"
        rows = self._db.execute(query, (table,)).fetchall()
        return [PlaceEntry(seat, self.player_of(player), stack) for seat, player, stack in rows]

    def hand_finished(
        self,
        hand: HandEntry,
        seats: Sequence[int],
        chips: Sequence[int],
        rake: Sequence[int],
        blinds: Blinds,
        *,
        moves_chips: bool = True,
        also: Callable[[int], None] | None = None,
    ) -> None:
        """Record a hand with what it does to every stack.

        Args:
            hand: its text.
            seats: by position.
            chips: won by each position, before the rake; they add up to 0.
            rake: taken from each position.
            blinds: where they were, for the next hand.
            moves_chips: its chips are those in front of the players; False if everybody begins every hand
                with the same stack, so that it counts only for the standings.
            also: does what else belongs in the same transaction; called with the hand's id.
        """
        assert sum(chips) == 0
        with self.transaction() as db:
            row = (
                "INSERT INTO hands (table_name, number, at_us, game, line, secret, moves_chips)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)"
            )
            values = (hand.table, hand.number, now_us(), hand.game, hand.line, hand.secret, moves_chips)
            number = db.execute(row, values).lastrowid
            assert number is not None
            who = dict(db.execute("SELECT seat, player FROM places WHERE table_name = ?", (hand.table,)))
            each = list(zip(seats, chips, rake, strict=True))
            db.executemany(
                "INSERT INTO results (hand, position, player, chips, rake) VALUES (?, ?, ?, ?, ?)",
                [(number, at, who[seat], won, taken) for at, (seat, won, taken) in enumerate(each)],
            )
            if moves_chips:
                db.executemany(
                    "UPDATE places SET stack = stack + ? WHERE table_name = ? AND seat = ?",
                    [(won - taken, hand.table, seat) for seat, won, taken in each],
                )
            db.execute(
                "UPDATE tables SET next_hand = ?, button = ?, small = ?, big = ? WHERE name = ?",
                (hand.number + 1, blinds.button, blinds.small, blinds.big, hand.table),
            )
            if also is not None:
                also(number)

    def hands_from(self, table: str, number: int, most: int = -1) -> Iterator[HandEntry]:
        """A table's finished hands, from a hand number on."""
        query = (
            "SELECT table_name, number, game, line, secret, at_us FROM hands"
            " WHERE table_name = ? AND number >= ? ORDER BY number LIMIT ?"
        )
        for row in self._db.execute(query, (table, number, most)):
            yield HandEntry(*row)

    def standing(self, player: Registered) -> tuple[str, str, int, int] | None:
        """Name, kind, hands and chips won after rake; None for somebody who has not played.

        The prize in a sit-and-go, less the buy-in, counts once the entrant is out.
        """
        query = (
            "SELECT name, kind, count(*), sum(results.chips - rake) + coalesce("
            " (SELECT sum(prize - paid) FROM entrants WHERE entrants.player = players.id), 0)"
            " FROM results JOIN players ON players.id = player WHERE player = ? GROUP BY player"
        )
        return self._db.execute(query, (player.id,)).fetchone()

    def bankroll(self, player: Registered, most: int = 10_000) -> array[int]:
        """Chips won after rake in a player's last hands, one after another."""
        query = (
            "SELECT chips - rake + coalesce((SELECT sum(prize - paid) FROM entrants"
            " WHERE entrants.player = results.player AND entrants.hand = results.hand), 0)"
            " FROM results WHERE player = ? ORDER BY hand DESC LIMIT ?"
        )
        won = array("q", (chips for (chips,) in self._db.execute(query, (player.id, most))))
        won.reverse()
        return won

    # --- check ------------------------------------------------------------------------------------------

    def check(self) -> Check:
        """Compute everything again from what has happened, in one read transaction."""
        self._db.execute("BEGIN")
        try:
            return check(self._db)
        except (sqlite3.Error, TypeError, ValueError) as error:
            raise LedgerError(f"{self._path} is damaged: {error}") from error
        finally:
            self._db.execute("ROLLBACK")
