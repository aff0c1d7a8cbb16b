"""A seat in the browser: the room's own lines through a WebSocket."""

from __future__ import annotations

import re
from pathlib import Path

import trio

from engine.poker.rules import CALL, FOLD, initial_betting, load_game
from protocol.agents.observation import legal
from server.room.config import Policy
from server.room.tls import self_signed
from server.room.web.seat import DoorReader
from server.table.rules.sit_and_go import Level, SitAndGo
from tests.support.rooms import room_config, standings_of, table_config, until
from tests.support.web import pages_of


async def test_a_guest_comes_back_with_the_secret_and_nobody_else_gets_the_seat(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, table_config("a"), table_config("b"))) as pages:
        table = pages.room.room.tables["a"]
        first = await pages.browser(words="keep", chips="100")
        secret = next(each["text"] for each in first.heard if each.get("name") == "keep")
        place = table.places[0]
        assert place is not None

        other = await pages.browser(words=f"keep token={secret}")  # another tab
        assert (await first.until("lobby"))["text"] == "you play in another window now"
        assert table.places[0] is place
        await other.leave()
        stranger = await pages.browser("b", words="keep token=guest:00", chips="50")
        assert next(each["text"] for each in stranger.heard if each.get("name") == "keep") != secret

        again = await pages.browser(words=f"token={secret}")
        assert table.places[0] is place
        for seat in (again, stranger):
            await seat.say("#leave")
            await seat.until("lobby")
            await seat.leave()
        await until(lambda: not pages.room.room.door.visitors)
        fresh = await pages.browser(words=f"keep token={secret}", chips="100")  # which is worth nothing now
        assert next(each["text"] for each in fresh.heard if each.get("name") == "keep") != secret


async def test_a_sit_and_go_in_the_browser(tmp_path: Path) -> None:
    terms = SitAndGo(100, (Level(3, (1, 2)), Level(1, (20, 40))), (0.75, 0.25))
    config = table_config(
        "a", "nolimit-2p-100bb", policy=Policy.SIT_AND_GO, least=60, most=60, sit_and_go=terms
    )
    async with pages_of(room_config(tmp_path, config)) as pages:
        page = (await pages.get("/tables/a")).text
        assert "a seat costs 60 chips, everybody begins with 100, and it begins when all 2 seats" in page
        assert "Prizes: 1st 90, 2nd 30." in page
        ann = await pages.room.sit_down(words="name=Ann")
        web = await pages.browser(words="name=Web")
        is_bold = trio.Event()

        def act(betting: str) -> str:
            return "c" if "r" in betting or not is_bold.is_set() else "r100"

        async with trio.open_nursery() as playing:
            playing.start_soon(ann.play_hands, 1 << 30, act)
            await web.play_hands(2)
            (row,) = (await pages.get("/tables.json")).json()
            assert (row["contest"]["on"], row["contest"]["blinds"]) == (True, "blinds 1/2")
            is_bold.set()
            await web.play_hands(1 << 30)

        (row,) = (await pages.get("/tables.json")).json()
        assert row["contest"]["prizes"] == [90, 30]
        assert [each["place"] for each in row["contest"]["out"]] == [1, 2]
        place = 1 if row["contest"]["out"][0]["name"] == "Web" else 2
        assert (
            web.heard[-1]["text"]
            == f"you are {('1st', '2nd')[place - 1]} of 2 and win {(90, 30)[place - 1]} chips"
        )
        page = (await pages.get("/tables/a")).text
        assert re.search(r'1st <a href="/players/\w+">\w+</a> \(90\), 2nd', page)
        standings = {name: won for name, _, _, won in standings_of(pages.room.room.ledger)}
        assert standings["Web"] == (30, -30)[place - 1]


async def test_with_tls_pages_and_seats_speak_it_too(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, tls=self_signed(tmp_path / "tls", "127.0.0.1"))) as pages:
        assert pages.address.startswith("https://127.0.0.1:")
        assert (await pages.get("/")).status_code == 200
        web = await pages.browser(words="name=Web")
        assert web.heard[-1]["seat"] == 0
        plain = await trio.open_tcp_stream("127.0.0.1", pages.port)
        await plain.send_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert b"HTTP" not in bytes(await plain.receive_some())
        await plain.aclose()
        assert pages.room.console.stderr == ""


async def test_what_a_browser_says_may_be_anything(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        for message in (b"\x00\xff", "😀" * 1000, "x" * 100_000, "\n" * 5000, ""):
            websocket = await pages.websocket()
            await websocket.send(message)
            await websocket.stream.aclose()
        web = await pages.browser()

        assert web.heard[-1]["name"] == "seated"
        assert pages.room.console.stderr == ""


def test_lines_are_told_with_what_they_mean_however_they_are_cut() -> None:
    game = load_game("limit-2p")
    text = (
        b"#game GAMEDEF;limit;numPlayers = 2;numRounds = 4;blind = 10 5;raiseSize = 10 10 20 20;"
        b"firstPlayer = 2 1 1 1;maxRaises = 3 4 4 4;numSuits = 4;numRanks = 13;numHoleCards = 2;"
        b"numBoardCards = 0 3 1 1;END GAMEDEF\r\n#names <b>Ann</b>|Bob\r\n#stacks 100|200\r\n"
        b"MATCHSTATE:1:0::|AsKd\r\nMATCHSTATE:1:0:f:|AsKd\r\n#refused no\r\nnonsense\r\n"
    )
    whole = list(DoorReader().feed(text))
    reader = DoorReader()
    assert [message for byte in text for message in reader.feed(bytes([byte]))] == whole

    *_, first, last, refused, nonsense = whole
    assert first["ask"] == {
        "fold": True,
        "call": 5,
        "raise": {"word": "raise", "limit": True, "least": 20, "most": 20, "half": 20, "pot": 20},
        "why_no_raise": "",
        "sizes": dict.fromkeys(("third", "half", "two-thirds", "pot", "most"), 20),
    }
    assert [player["name"] for player in first["players"]] == ["<b>Ann</b>", "Bob"]
    assert first["players"][1]["cards"] == ["As", "Kd"]
    assert first["players"][0]["hidden"] == 2
    assert last["over"]
    assert "ask" not in last
    assert (refused["name"], refused["text"]) == ("refused", "no")
    assert nonsense == {"line": "nonsense", "kind": "line"}
    assert reader.hands == {"0"}
    list(reader.feed(b"#seated a 0 100\r\n"))
    assert reader.hands == set()  # in the others somebody else may have had this name
    assert game.num_players == len(first["players"])


def test_what_is_asked_is_what_the_rules_allow() -> None:
    game = load_game("nolimit-6p-100bb")
    betting = initial_betting(game)
    first = legal(betting)
    assert first["fold"]
    assert first["call"] == 2
    assert (first["raise"]["least"], first["raise"]["most"]) == (4, 200)
    assert first["raise"]["pot"] == int(betting.total_of_pots(1.0)) == 7
    for action in (FOLD, FOLD, FOLD, FOLD, CALL):
        betting = betting.apply(action)
    assert not legal(betting)["fold"]
    assert legal(betting)["call"] == 0
