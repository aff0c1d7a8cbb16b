"""The ledger: every chip is somewhere, whenever the process is killed."""

from __future__ import annotations

import contextlib
import functools
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
import trio
from click.testing import CliRunner
from trio.testing import MockClock

from server.commands.operate.room import ledger as command
from server.room.ledger.copying import EVERY_S, copy_back
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import FILE, HandEntry, Ledger, LedgerIsFull
from server.room.ledger.schema import MIGRATIONS, VERSION, migrate
from server.room.ledger.sit_and_gos import Out, SitAndGos
from server.support.console import Console
from server.table.rules.line_up import Blinds
from tests.support.cases import cases
from tests.support.rooms import standings_of, until

KILLS = 200
PRIZES = (50, 30, 0, 0)
"""Of a sit-and-go of four who pay 20 each."""


def hand(number: int) -> HandEntry:
    return HandEntry("a", number, "GAMEDEF", f"STATE:{number}:f:x\n", f"{number:064x}")


def live(book: Ledger, random: random.Random, steps: int, *, mark: Callable[[], object]) -> None:
    """Some life of a room; `mark` is called after each thing that has happened."""
    book.open_table("a")
    mark()
    players = []
    for number in range(4):
        players.append(book.add_player(f"p{number}", "registered", 1000))
        mark()
    players.append(book.add_player("bot-1", "house"))
    mark()
    seats: dict[int, int] = {}
    number, _ = book.open_table("a")
    for _ in range(steps):
        what = random.randrange(6)
        if what == 0 and len(seats) < 5:
            seat = next(s for s in range(5) if s not in seats)
            player = players[seat]
            if player.kind == "house" or book.player_of(player.id).chips >= 200:
                book.sit_down("a", seat, player, 200)
                seats[seat] = 200
        elif what == 1 and seats:
            seat = random.choice(sorted(seats))
            assert book.stand_up("a", seat) == seats.pop(seat)
        elif what == 2 and seats:
            seat = random.choice(sorted(seats))
            if players[seat].kind == "house" or book.player_of(players[seat].id).chips >= 50:
                book.top_up("a", seat, players[seat], 50)
                seats[seat] += 50
        elif len(seats) >= 2:
            loser, winner = random.sample(sorted(seats), 2)
            lost = random.randint(0, seats[loser])
            rake = lost // 20
            book.hand_finished(hand(number), (loser, winner), (-lost, lost), (0, rake), Blinds(0, 0, 1))
            seats[loser] -= lost
            seats[winner] += lost - rake
            number += 1
        mark()


def live_with_sit_and_gos(
    book: Ledger, random: random.Random, steps: int, *, mark: Callable[[], object]
) -> None:
    """Some life of a table at which one sit-and-go is played after the other."""
    number, _ = book.open_table("a")
    mark()
    players = []
    for seat in range(4):
        players.append(book.add_player(f"p{seat}", "registered" if seat else "house"))
        mark()
        book.issue(players[-1], 1000)
        mark()
    games = SitAndGos(book)
    game: int | None = None
    stacks: dict[int, int] = {}
    for _ in range(steps):
        mark()
        if game is None:
            for seat, player in enumerate(players):
                book.sit_down("a", seat, player, 20)
                mark()
            game, pool = games.begin("a", 100)
            assert pool == sum(PRIZES)
            stacks = dict.fromkeys(range(4), 100)
            continue
        what = random.randrange(8)
        outs: list[Out] = []
        if what == 0:
            assert games.call_off("a").keys() == stacks.keys()
            stacks = {}
        elif what == 1:
            seat = random.choice(sorted(stacks))
            outs = [Out(seat, len(stacks), PRIZES[len(stacks) - 1])]
            if len(stacks) == 2:
                outs.append(Out((stacks.keys() - {seat}).pop(), 1, PRIZES[0]))
            games.leave(game, outs)
        else:
            loser, winner = random.sample(sorted(stacks), 2)
            lost = random.choice([stacks[loser], random.randint(0, stacks[loser])])
            net = {loser: -lost, winner: lost}
            if lost == stacks[loser]:
                outs = [Out(loser, len(stacks), PRIZES[len(stacks) - 1])]
                if len(stacks) == 2:
                    outs.append(Out(winner, 1, PRIZES[0]))
            book.hand_finished(
                hand(number), (loser, winner), (0, 0), (0, 0), Blinds(0, 0, 1), moves_chips=False,
                also=functools.partial(games.book, game, net=net, outs=outs),
            )  # fmt: skip
            stacks = {seat: stack + net.get(seat, 0) for seat, stack in stacks.items()}
            number += 1
        for out in outs:
            stacks.pop(out.seat)
        game = game if stacks else None
    mark()


def test_a_life_adds_up_and_goes_on_where_it_was(tmp_path: Path) -> None:
    with Ledger(tmp_path) as book:
        live(book, random.Random(1), 200, mark=lambda: None)
        before = book.check()
        places = book.places("a")
    with Ledger(tmp_path) as book:
        assert book.check() == before
        assert before.faults == ()
        assert before.hands > 50
        assert before.rake > 0
        assert book.places("a") == places
        number, blinds = book.open_table("a")
        assert (number, blinds) == (before.hands, Blinds(0, 0, 1))
        assert [each.number for each in book.hands_from("a", 0)] == list(range(number))
        standings = standings_of(book)
        assert sum(chips for _, _, _, chips in standings) == -before.rake
        for name, _, hands, chips in standings:
            player = book.player(name)
            assert player is not None
            assert (len(book.bankroll(player)), sum(book.bankroll(player))) == (hands, chips)
            assert list(book.bankroll(player, 3)) == list(book.bankroll(player))[-3:]
        idle = book.add_player("Idle", "registered")
        assert book.standing(idle) is None


@pytest.mark.parametrize(("life", "kills"), [(live, KILLS), (live_with_sit_and_gos, KILLS // 5)])
def test_killed_at_any_moment_it_has_what_was_finished_and_nothing_else(
    tmp_path: Path, life: Callable[..., None], kills: int
) -> None:
    """What a kill leaves of a file that is only appended to: its first bytes, cut anywhere."""
    moments: list[tuple[int, dict[str, object]]] = []
    folder = tmp_path / "room"
    wal = folder / f"{FILE}-wal"
    with Ledger(folder) as book:
        book._db.execute("PRAGMA wal_autocheckpoint = 0")
        book._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        main = (folder / FILE).read_bytes()
        moments.append((0, book.check().as_json()))
        life(
            book,
            random.Random(7),
            120,
            mark=lambda: moments.append((wal.stat().st_size, book.check().as_json())),
        )
        log = wal.read_bytes()
    generator = random.Random(11)
    lengths = [generator.randint(0, len(log)) for _ in range(kills - 20)]
    lengths += [size for size, _ in generator.sample(moments, 20)]  # right after something was finished
    seen: set[int] = set()

    for length in lengths:
        copy = tmp_path / "killed"
        copy.mkdir()
        (copy / FILE).write_bytes(main)
        (copy / f"{FILE}-wal").write_bytes(log[:length])
        with Ledger(copy) as book:
            found = book.check().as_json()
        at = max(k for k, (size, _) in enumerate(moments) if size <= length)
        assert found == moments[at][1], length
        assert found["balanced"]
        seen.add(int(str(found["hands"])))
        shutil.rmtree(copy)

    assert len(lengths) == kills
    assert len(seen) > 20


@pytest.mark.parametrize("version", range(VERSION))
def test_ledgers_of_earlier_versions_are_brought_up_to_date(tmp_path: Path, version: int) -> None:
    db = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    migrate(db, upto=version)
    if version:
        db.execute("INSERT INTO players (name, kind, chips, since_us) VALUES ('Ann', 'registered', 800, 0)")
        db.execute("INSERT INTO tables (name, next_hand) VALUES ('a', 1)")
        db.execute("INSERT INTO places (table_name, seat, player, stack) VALUES ('a', 0, 1, 195)")
        db.execute("INSERT INTO movements VALUES (1, 0, 'issue', 1, NULL, 1000)")
        db.execute("INSERT INTO movements VALUES (2, 0, 'buy-in', 1, 'a', 200)")
        db.execute(
            "INSERT INTO hands (table_name, number, at_us, game, line, secret)"
            " VALUES ('a', 0, 0, 'GAMEDEF', 'STATE:0', '')"
        )
        db.execute("INSERT INTO results VALUES (1, 0, 1, 0, 5)")
    db.close()

    with Ledger(tmp_path) as book:
        check = book.check()
        assert check.faults == ()
        assert check.issued == (1000 if version else 0)
        (found,) = book._db.execute("PRAGMA user_version").fetchone()
    assert found == VERSION == len(MIGRATIONS)


def test_a_later_version_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()

    with pytest.raises(LedgerError, match=f"later version: expected schema {VERSION} at most"):
        Ledger(tmp_path)


def test_an_earlier_version_is_not_read_but_by_the_room(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    migrate(db, upto=VERSION - 1)
    db.close()

    result = CliRunner().invoke(command, ["check", "--data", str(tmp_path)])

    assert result.exit_code == 1
    assert f"expected schema {VERSION}, got {VERSION - 1}; opening the room once" in result.output


def test_it_has_one_writer_and_any_number_of_readers(tmp_path: Path) -> None:
    with Ledger(tmp_path) as book:
        book.add_player("Ann", "registered", 100)
        with pytest.raises(LedgerError, match="is open: another process writes its ledger"):
            Ledger(tmp_path)
        with Ledger(tmp_path, read_only=True) as reader:
            assert reader.check().accounts == 100


def test_what_is_not_a_ledger_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database, but long enough to be looked at" * 100)

    with pytest.raises(LedgerError, match="is no ledger"):
        Ledger(tmp_path)


def test_an_account_pays_no_more_than_it_has(tmp_path: Path) -> None:
    with Ledger(tmp_path) as book:
        book.open_table("a")
        ann = book.add_player("Ann", "registered", 100)
        with pytest.raises(LedgerError, match="Ann has 100 chips, 101 are needed"):
            book.sit_down("a", 0, ann, 101)
        assert book.places("a") == []
        assert book.check().is_balanced


@pytest.mark.parametrize(("statement", "fault"), cases(__file__, "what does not add up"))
def test_the_check_finds_what_does_not_add_up(tmp_path: Path, statement: str, fault: str) -> None:
    with Ledger(tmp_path) as book:
        book.open_table("a")
        book.sit_down("a", 0, book.add_player("Ann", "registered", 1000), 200)
        book.open_table("b")
        book.sit_down("b", 0, book.add_player("Bob", "registered", 20), 20)
        SitAndGos(book).begin("b", 100)
        assert book.check().is_balanced
        book._db.execute(statement)
    result = CliRunner().invoke(command, ["check", "--data", str(tmp_path)])
    assert fault in result.output
    assert result.exit_code == 1

    result = CliRunner().invoke(command, ["check", "--data", str(tmp_path), "--json"])
    assert json.loads(result.output)["balanced"] is False


def test_the_check_needs_a_ledger(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["check", "--data", str(tmp_path)])

    assert result.exit_code == 1
    assert "holds no ledger" in result.output


def damaged(data: bytes, dice: random.Random) -> bytes:
    """A file some of whose bytes have been flipped, overwritten or cut off."""
    spoilt = bytearray(data)
    match dice.randrange(3):
        case 0:
            del spoilt[dice.randrange(200, len(data)) :]
        case 1:
            at = dice.randrange(len(data))
            spoilt[at : at + 4096] = dice.randbytes(min(4096, len(data) - at))
        case _:
            for _ in range(dice.choice((1, 20, 400))):
                spoilt[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(spoilt)


def use(folder: Path) -> None:
    """Everything that a room and its pages do when they open a ledger."""
    with Ledger(folder) as book:
        for name in book.tables():
            SitAndGos(book).call_off(name)
            for place in book.places(name):
                book.stand_up(name, place.seat)
        for player in book.players():
            book.issue(player, 1)
    with Ledger(folder, read_only=True) as book:
        for player in book.players():
            book.standing(player)
            book.bankroll(player)
        for name in book.tables():
            list(book.hands_from(name, 0))
            SitAndGos(book).last(name, 10)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_file_is_one_line(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    with Ledger(tmp_path) as book:
        live(book, dice, 60, mark=lambda: None)
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(damaged(whole, dice))
    for what in (["check", "--data", str(tmp_path)], ["check", "--json", "--data", str(tmp_path)]):
        result = CliRunner().invoke(command, what)
        assert result.exit_code in (0, 1)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        assert "Traceback" not in result.output
    with contextlib.suppress(LedgerError, LedgerIsFull):
        use(tmp_path)


# --- SQLite's log ------------------------------------------------------------------------------------------


async def test_the_log_is_copied_by_another_thread_than_the_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    monkeypatch.setattr("server.room.ledger.copying.MOST_PAGES", 0)
    file, log = tmp_path / FILE, tmp_path / f"{FILE}-wal"
    long = attrs.evolve(hand(0), line="x" * 100_000)
    with Ledger(tmp_path) as book:
        book.open_table("a")
        book.connect_beside().close()
        size = file.stat().st_size
        for number in range(100):  # 2,500 pages: the writer would have copied them twice
            book.hand_finished(attrs.evolve(long, number=number), (), (), (), Blinds(0, 0, 1))
        assert file.stat().st_size == size

        async with trio.open_nursery() as nursery:
            nursery.start_soon(copy_back, book, Console())
            await trio.sleep(EVERY_S)
            book.hand_finished(hand(100), (), (), (), Blinds(0, 0, 1))
            await until(lambda: file.stat().st_size >= 100 * 100_000)
            nursery.cancel_scope.cancel()
        full = log.stat().st_size
        for number in range(101, 150):
            book.hand_finished(attrs.evolve(long, number=number), (), (), (), Blinds(0, 0, 1))
        assert log.stat().st_size == full  # it was begun again from its start
    with Ledger(tmp_path, read_only=True) as book:
        assert [each.number for each in book.hands_from("a", 0)] == list(range(150))


class FullDisk:
    """A connection beside the writer's that can copy nothing until there is room."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.is_full = True
        self.tried = 0

    def execute(self, statement: str) -> sqlite3.Cursor:
        self.tried += 1
        if self.is_full:
            raise sqlite3.OperationalError("database or disk is full")
        return self._connection.execute(statement)

    def close(self) -> None:
        self._connection.close()


async def test_an_operator_is_told_once_that_the_log_cannot_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    said: list[str] = []
    console = Console()
    monkeypatch.setattr(console, "err", said.append)
    file = tmp_path / FILE
    with Ledger(tmp_path) as book:
        book.open_table("a")
        disk = FullDisk(book.connect_beside())
        monkeypatch.setattr(book, "connect_beside", lambda: disk)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(copy_back, book, console)
            await trio.sleep(EVERY_S / 2)
            book.hand_finished(attrs.evolve(hand(0), line="x" * 100_000), (), (), (), Blinds(0, 0, 1))
            await until(lambda: disk.tried >= 3)
            assert said == [
                "riverboat: the ledger's log cannot be copied into its file: database or disk is full\n"
            ]
            size = file.stat().st_size
            disk.is_full = False
            await until(lambda: len(said) > 1)
            nursery.cancel_scope.cancel()
    assert said[1:] == ["riverboat: the ledger's log is copied into its file again\n"]
    assert file.stat().st_size > size + 100_000
