"""A room whose disk is full: its tables pause, nothing is lost, and they go on when there is room again."""

from __future__ import annotations

import json
import resource
import signal
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from server.room.ledger.ledger import Ledger
from server.room.room import Room
from server.room.web.figures import health
from tests.server.room.test_serve_command import ROOM, wait_for_hands
from tests.support.commands import run_here
from tests.support.dealer_process import started
from tests.support.limits import run_with_small_disk
from tests.support.rooms import account, room_config, room_of, table_config, until
from tests.support.tables import betting_state, split_state

FULL = "database or disk is full"


def fill_disk(room: Room) -> None:
    """The ledger may not grow any more."""
    db = room.ledger._db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")


def make_room(room: Room) -> None:
    """The ledger may grow again."""
    room.ledger._db.execute("PRAGMA max_page_count = 1000000")


async def test_nobody_is_shown_the_end_of_a_hand_that_is_not_booked(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config(), guest_chips=10**6)
    words = account(config, "Ann", 10**6)
    async with room_of(config) as room:
        for guest in (await room.sit_down(words=words), await room.sit_down()):
            room.start_soon(guest.play_hands, 1 << 30)
        await room.have_played(3)
        fill_disk(room.room)
        await until(lambda: room.room.tables["a"].is_paused)

        ann = await room.sit_down(words=words)
        _, _, betting, _ = split_state(await ann.until("MATCHSTATE"))
        assert not betting_state(ann.game(), betting).is_finished
        make_room(room.room)
        await ann.play_hands(3)


async def test_tables_pause_and_go_on_and_nothing_is_lost(virtual_clock: MockClock, tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, table_config(), guest_chips=10**6)) as room:
        table = room.room.tables["a"]
        ann, bob = await room.seated("Ann", "Bob")
        for guest in (ann, bob):
            room.start_soon(guest.play_hands, 1 << 30)
        await room.have_played(3)
        fill_disk(room.room)
        await until(lambda: room.room.tables["a"].is_paused)
        played = room.room.ledger.check()
        await trio.sleep(7)

        assert table.is_paused
        assert health(room.room)[0] == 503
        assert room.room.ledger.check() == played
        assert played.faults == ()
        for guest in (ann, bob):
            assert guest.notes["message"] == f"the table is paused: {FULL}"
        late = await room.enter("name=Late")
        await late.say("#join a")
        with trio.move_on_after(5):  # there may be room left for a name, but for no buy-in
            refused = await late.until("#refused")
            assert refused == "#refused the room cannot write its ledger: try again later"
        assert not any(line.startswith("#seated") for line in late.lines)
        shown = [len(guest.hands) for guest in (ann, bob)]
        make_room(room.room)
        await room.have_played(table.hands_played + 3)

        assert [len(guest.hands) > seen for guest, seen in zip((ann, bob), shown, strict=True)] == [True] * 2
        assert ann.notes["message"] == "the table goes on"
        assert health(room.room)[0] == 200
        if late.lines[-1].startswith("#refused"):
            await late.say("#join a")
        await late.until("#seated")
        await late.leave()
        hands = [hand.number for hand in room.room.ledger.hands_from("a", 0)]
        assert hands == list(range(len(hands)))
        text = (tmp_path / "room" / "tables" / "a.log").read_text()
        assert text.count("STATE:") == len(hands)
        assert room.console.stderr.count(f"a: the ledger cannot be written: {FULL}") == 1


@pytest.mark.slow
def test_a_room_on_a_full_disk_and_then_with_room_again(tmp_path: Path) -> None:
    """No file of the process may grow beyond a limit, which is then taken away."""
    (tmp_path / "room.toml").write_text(ROOM)
    data = tmp_path / "room"
    words = ("serve", "room.toml", "--port", "0", "--http", "off")
    with started(*words, folder=tmp_path) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline().startswith("players ")
            wait_for_hands(tmp_path, 5)
            size = max(path.stat().st_size for path in data.rglob("*") if path.is_file())
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            while "the ledger cannot be written" not in process.stderr.readline():
                pass
            with Ledger(data, read_only=True) as ledger:
                full = ledger.check()
            assert full.faults == ()
            unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, unlimited)
            wait_for_hands(tmp_path, full.hands + 5)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
    with Ledger(data, read_only=True) as ledger:
        check = ledger.check()
        hands = [hand.number for hand in ledger.hands_from("a", 0)]
    assert check.faults == ()
    assert hands == list(range(check.hands))
    with started(*words, folder=tmp_path) as again:
        assert again.stdout is not None
        again.stdout.readline()  # what the log lacks is written when the table opens
        again.send_signal(signal.SIGTERM)
        assert again.wait(60) == 0
    checked = run_here("verify", str(data / "tables" / "a.log"), "--json")
    found = json.loads(checked.stdout)
    assert found["valid"] is True


@pytest.mark.slow
@pytest.mark.parametrize("most_bytes", [0, 100, 5000, 30_000])
def test_a_room_that_cannot_be_opened_says_so_in_a_line(tmp_path: Path, most_bytes: int) -> None:
    (tmp_path / "room.toml").write_text(ROOM)

    result = run_with_small_disk(["serve", "room.toml", "--port", "0", "--http", "off"], tmp_path, most_bytes)

    assert result.returncode == 1
    assert result.stdout == ""
    assert len([line for line in result.stderr.splitlines() if "open files" not in line]) == 1  # a low limit
    assert "ledger.db" in result.stderr
