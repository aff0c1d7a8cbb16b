"""Private tables: opened by anybody, reached by those who are told, and looked after by who sits longest."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from server.room.hosting import GAMES, TableHost, host_of, open_private
from server.room.tables.place import RequestRefused
from tests.support.rooms import room_config, room_of, table_config, until
from tests.support.web import pages_of


async def test_a_private_table_is_in_no_list_and_is_found_by_its_address(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, guest_chips=20_000)) as pages:
        guest = await pages.room.enter()
        await guest.say("#host nolimit-6p")
        name = (await guest.until("#hosted")).split()[1]
        assert len(name) >= 25
        await guest.say("#list")
        assert (await guest.until("#tables")) == "#tables 1"
        for path in ("/", "/tables.json"):
            assert name not in (await pages.get(path)).text
        assert "Invite others" in (await pages.get(f"/tables/{name}")).text
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


async def test_a_bot_is_removed_once_even_if_its_host_asks_twice(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config("b", "limit-2p", fill=("always-call",)), guest_chips=20_000)
    async with room_of(config) as room:
        name = open_private(room.room, "127.0.0.1", "nolimit-2p")
        table = room.room.tables[name]
        ann = await room.sit_down(name, "name=Ann")
        bot, token = room.room.identities.expect_bot("always-call")
        other = await room.sit_down(name, f"token={token}")
        await ann.say("#host add always-call")
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


async def test_people_chat_where_it_is_allowed_and_programs_hear_nothing(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config("a", chat=True), table_config("b"))
    async with room_of(config) as room:
        ann = await room.sit_down(words="name=Ann person")
        await ann.say("#chat  <b>hello</b> \x1b[2J" + "x" * 500)
        said = await ann.until("#message")
        assert said.startswith("#message Ann: <b>hello</b> ")
        assert said.isprintable()
        assert len(said) < 230
        bot = await room.sit_down("b", words="name=Bot")
        await bot.say("#chat hello")
        assert await bot.until("#refused") == "#refused chat: it is off at this table"
        await bot.say("#leave")
        await bot.until("#lobby")
        await ann.say("#sit-out")  # so that no hand begins
        await ann.until("#message you sit out")
        other = await room.sit_down("a", words="name=Bob")  # a program
        room.room.tables["a"].company.tell(["Ann: again"], people_only=True)
        assert await ann.until("#message") == "#message Ann: again"
        assert not any(line.startswith("#message") for line in other.lines)


async def test_a_private_table_closes_when_nobody_comes(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with room_of(room_config(tmp_path)) as room:
        name = open_private(room.room, "127.0.0.1", "limit-2p")
        await trio.sleep(500)
        assert name in room.room.tables
        await trio.sleep(200)
        assert name not in room.room.tables
