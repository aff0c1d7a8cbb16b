"""Private tables: opened by anybody, reached by those who are told, and looked after by who sits longest."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from server.room.hosting import GAMES, TableHost, host_of, open_private
from server.room.ledger.ledger import Ledger
from server.room.tables.place import RequestRefused
from tests.support.rooms import account, room_config, room_of, table_config, until
from tests.support.web import pages_of


async def test_a_private_table_is_in_no_list_and_is_found_by_its_address(tmp_path: Path) -> None:
    tables = table_config(fill=("always-call",)), table_config("of-the-file", private=True)
    async with pages_of(room_config(tmp_path, *tables, guest_chips=20_000)) as pages:
        guest = await pages.room.enter()
        await guest.say("#host nolimit-6p")
        name = (await guest.until("#hosted")).split()[1]
        assert len(name) >= 25
        await guest.say("#list")
        assert (await guest.until("#tables")) == "#tables 1"
        for path in ("/", "/tables.json"):
            text = (await pages.get(path)).text
            assert (name in text, "of-the-file" in text) == (False, False)
        shown = [(await pages.get(f"/tables/{each}")).text for each in (name, "of-the-file")]
        assert ["Invite others" in text for text in shown] == [True, False]
        assert "What would" in shown[0]  # its host may ask, as long as only bots are there
        await guest.say("#join any 200")
        assert (await guest.until("#seated")).split()[1] == "a"
        again = await pages.room.enter()
        await again.say("#host chess")
        assert (await again.until("#refused")).startswith(f"#refused host: expected one of {GAMES[0]}")

        pages.room.room.close_table(name, "it is over")
        await until(lambda: name not in pages.room.room.tables)
        answer = await pages.get(f"/tables/{name}")
        assert (answer.status_code, "the table has closed" in answer.text) == (404, True)


async def test_the_host_decides_and_another_follows_who_leaves(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config("b", "limit-2p", fill=("always-call",)), guest_chips=20_000)
    async with pages_of(config) as pages:
        room = pages.room
        name = open_private(room.room, "127.0.0.1", "nolimit-6p")
        table = room.room.tables[name]
        do = TableHost(table, config).do
        ann = await room.sit_down(name, "name=Ann")
        first = host_of(table.company)
        assert first is not None
        assert first.player.name == "Ann"

        await ann.say("#host pause")
        assert await ann.until("#message") == "#message Ann pauses the table"
        bob = await room.sit_down(name, "name=Bob")
        assert await bob.line() == "#message the host has paused the table"
        await bob.say("#host pace 0")
        assert await bob.until("#refused") == "#refused Ann is the host of this table"
        assert do(first, "pace  01.50") == "Ann sets the pace to 1.5 s"
        assert do(first, "blinds 500/1000") == "Ann sets the blinds to 500/1000"
        assert do(first, f"blinds {'0' * 900}25/50") == "Ann sets the blinds to 25/50"
        assert (table.config.least, table.config.most) == (1000, 10_000)
        for wrong in (
            "pace nan", "pace 3600", "pace -1", "pace", "blinds 50/25", "blinds 0/0", "blinds x",
            "blinds 500/1001", "add nobody", "remove Bob", "kick nobody", "dance", "",
            "resume \x1b[2J" + 3000 * "x", "pause now", "pace 1 s", "blinds 5/10 please", "kick Bob \a",
        ):  # fmt: skip
            with pytest.raises(RequestRefused) as refusal:
                do(first, wrong)
            assert f"{refusal.value}".isprintable()
            assert len(f"{refusal.value}") < 200
        await ann.say("#leave")
        await ann.until("#lobby")
        row = (await pages.get(f"/tables/{name}.json")).json()
        assert (row["host"], row["paused"], row["now"]) == ("Bob", True, "Paused by the host.")
        assert not row["chat"]
        await bob.say("#chat hello", "#host chat on", "#host chat maybe")
        assert await bob.until("#refused") == "#refused chat: it is off at this table"
        assert await bob.until("#message") == "#message Bob switches the chat on"
        assert (await bob.until("#refused")).startswith("#refused expected pace SECONDS, blinds ")
        assert (await pages.get(f"/tables/{name}.json")).json()["chat"]
        await bob.say("#host resume")
        assert await bob.until("#message") == "#message Bob lets the table go on"
        assert not (await pages.get(f"/tables/{name}.json")).json()["paused"]
        await bob.say("#host kick Bob")
        assert await bob.until("#message") == "#message Bob removes Bob"


async def test_an_address_has_its_share_of_the_private_tables(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, guest_chips=2000, private_tables_per_address=2)) as pages:
        guest = await pages.room.enter()
        await guest.say(*["#host nolimit-6p"] * 3)
        await guest.until("#hosted")
        await guest.until("#hosted")
        assert (await guest.line() or "").startswith("#refused host: your address has opened 2 private")
        open_private(pages.room.room, "127.0.0.2", "nolimit-6p")  # somebody else


async def test_nothing_is_played_for_which_no_guest_has_the_chips(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, guest_chips=1999)) as room:
        with pytest.raises(RequestRefused, match="a seat would cost 2000 chips, and guests have 1999"):
            open_private(room.room, "127.0.0.1", "nolimit-6p")
    async with room_of(room_config(tmp_path, guest_chips=1999, guests=False)) as room:
        open_private(room.room, "127.0.0.1", "nolimit-6p")


BOT = "a-bot-whose-name-takes-more-than-24-letters"


async def test_a_bot_is_removed_once_even_if_its_host_asks_twice(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config("b", "limit-2p", fill=(f"{BOT}:x=1",)), guest_chips=20_000)
    async with room_of(config) as room:
        name = open_private(room.room, "127.0.0.1", "nolimit-2p")
        table = room.room.tables[name]
        ann = await room.sit_down(name, "name=Ann")
        bot, token = room.room.identities.expect_bot(f"{BOT}:x=1")
        other = await room.sit_down(name, f"token={token}")
        await ann.say(f"#host add {BOT}")
        with trio.fail_after(5):
            async with trio.open_nursery() as playing:
                playing.start_soon(other.play_hands, 1 << 30)
                await ann.until_asked()
                state = ann.lines[-1]
                await ann.say(f"#host remove {bot}", f"#host remove {bot}", f"{state}:r20000")
                await ann.until(f"#message Ann removes {bot}")
                assert (await ann.until("#refused")).startswith(f"#refused '{bot}' is no bot that stays")
        assert other.lines[-1] == "#lobby the host has decided so"
        assert table.config.fill == ()
        assert [place.player.name for place in table.company.seated()] == ["Ann"]


async def test_what_a_person_says_is_heard_at_once_by_people_alone(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, table_config("a", chat=True))) as pages:
        company = pages.room.room.tables["a"].company
        company.is_held = True  # until all are there
        ann, bob = [await pages.browser(words=f"name={name} person") for name in ("Ann", "Bob")]
        bot = await pages.room.sit_down(words="name=Bot")
        company.is_held = False
        company.changed.set()
        for seat in (ann, bob):  # in the first hand, in which nobody moves
            while (await seat.next())["kind"] != "scene":
                pass
        await ann.say("#chat  <b>I think</b> \x1b[2J" + "x" * 500)
        for seat in (ann, bob):
            said = (await seat.until("message"))["text"]
            assert (said[:21], said.isprintable(), len(said) < 230) == ("Ann: <b>I think</b> ?", True, True)
        await bob.say("#host pause")
        assert (await bob.until("refused"))["text"] == "host: leave the table first"
        for _ in range(9):
            await bob.say("#chat so do I")
        assert (await bob.until("refused"))["text"] == "chat: wait a little: too much at once"
        assert pages.room.room.tables["a"].hands_played == 0
        await ann.leave()
        await bob.leave()
        await bot.play_hands(1)
        assert not any(line.startswith("#message Ann") for line in bot.lines)


async def test_a_private_table_that_had_a_fault_is_what_it_was_and_closes_when_nobody_comes(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = room_config(tmp_path, guest_chips=20_000)
    async with room_of(config) as room:
        name = open_private(room.room, "127.0.0.1", "nolimit-2p")
        before = room.room.tables[name]
        monkeypatch.setattr(before, "_line_up", lambda: 1 / 0)
        before.company.changed.set()
        await until(lambda: room.room.tables[name] is not before)
        ann = await room.sit_down(name, "name=Ann")
        await ann.say("#host pause")
        assert await ann.until("#message") == "#message Ann pauses the table"
        await ann.leave()
        await trio.sleep(500)
        assert name in room.room.tables
        await trio.sleep(200)  # in which nobody has come
        assert name not in room.room.tables
        room.room.faults = 0  # it was ours


async def test_chips_at_a_private_table_of_a_room_that_was_killed_come_back(tmp_path: Path) -> None:
    config = room_config(tmp_path)
    words = account(config, "Ann", 500)
    with Ledger(config.data) as ledger:  # what a killed room leaves
        (ann,) = ledger.players()
        ledger.open_table("private-0123")
        ledger.sit_down("private-0123", 2, ann, 200)
    async with room_of(config) as room:
        assert room.chips_of("Ann") == 500
        await room.sit_down(words=words, chips="400")
        assert room.chips_of("Ann") == 100
