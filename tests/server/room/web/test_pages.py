"""What stands on the pages, for whom, and what does not."""

from __future__ import annotations

import json
import random
import re
import shutil
import statistics
import subprocess
import threading
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import trio

import server.room.web
from engine.poker.cards import CARD_TEXTS
from engine.poker.rules import load_game
from engine.support.intervals import Z95
from protocol.extension import format_game_line
from server.records.formats.hands import PlayedHand
from server.records.formats.reading import read_hands
from server.room.ledger.ledger import HandEntry, Ledger
from server.room.ledger.tallies import Tallies
from server.table.rules.line_up import Blinds
from tests.support.dealer_process import ROOT
from tests.support.rooms import room_config, standings_of, table_config, until
from tests.support.web import OpenPages, Rejected, WebSocket, pages_of

STATIC = Path(server.room.web.__file__).parent / "static"


class _Links(HTMLParser):
    """Collects the addresses that a page names, and what would run in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.dangers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        for name in ("href", "src"):
            if named.get(name):
                self.addresses.add(str(named[name]))
        if tag == "script" and "src" not in named and named.get("type") != "application/json":
            self.dangers.append("script")
        self.dangers += [name for name in named if name.startswith("on") or name == "style"]


async def played(pages: OpenPages, hands: int = 3) -> None:
    """Two guests play some hands."""
    ann, bob = await pages.room.seated("Ann", "Bob")
    await pages.room.play([ann, bob], hands)
    places = [place for place in pages.room.room.tables["a"].places if place is not None]
    for guest in (ann, bob):
        await guest.leave()
    for place in places:
        await place.given_up.wait()


async def test_every_link_of_every_page_leads_somewhere_and_nothing_runs_in_them(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, table_config("a"), table_config("b", "limit-2p"))) as pages:
        await played(pages)
        seen, waiting = set[str](), ["/"]
        while waiting:
            path = waiting.pop()
            if path in seen:
                continue
            seen.add(path)
            answer = await pages.get(path)
            assert answer.status_code == 200, path
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
            if answer.headers["content-type"].startswith("text/html"):
                links = _Links(answer.text)
                assert not links.dangers, path
                inside = [each for each in links.addresses if "#" not in each]
                waiting += [answer.url.join(each).raw_path.decode() for each in inside]

        assert {"/", "/standings", "/players/Ann", "/tables/b", "/tables/a/hands"} <= seen
        assert {f"/tables/a/hands/{number}" for number in range(3)} <= seen


async def test_the_page_of_a_seat_is_light(tmp_path: Path) -> None:
    """All that a browser loads for it, without compression or cache: 150 KiB at most."""
    async with pages_of(room_config(tmp_path)) as pages:
        page = (await pages.get("/tables/a")).text
        (folder,) = set(re.findall(r"/static/\w+/", page))
        answers = [await pages.get(folder + file.name) for file in STATIC.iterdir()]
        assert {answer.status_code for answer in answers} == {200}
        assert sum(map(len, [page.encode(), *[answer.content for answer in answers]])) <= 150 * 1024


def test_scripts_and_styles_are_short() -> None:
    files = [file for file in STATIC.iterdir() if file.suffix in (".js", ".css")]
    lines = [line for file in files for line in file.read_text().splitlines() if line.strip()]
    assert 0 < len(lines) <= 1500


def test_the_film_of_a_table_is_small() -> None:
    assert (ROOT / "docs" / "room.webp").stat().st_size <= 400 * 1024


async def test_scripts_of_two_versions_never_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a script imports is kept by browsers under an address that changes with any of the files."""
    found = list[str]()
    for style in ("", "p {}"):
        monkeypatch.setattr("server.room.web.pages.style_of_pages", lambda style=style: style)
        async with pages_of(room_config(tmp_path)) as pages:
            (script,) = re.findall(r'src="(/static/[^"]+)"', (await pages.get("/tables/a")).text)
            found.append((await pages.get(script)).url.join("./scene.js").path)
            statuses = [(await pages.get(path)).status_code for path in found]
            assert statuses == [404] * (len(found) - 1) + [200]


async def test_the_lobby_tells_who_sits_where(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, table_config("a", "limit-2p"))) as pages:
        await pages.room.sit_down(words="name=Ann", chips="77")
        (row,) = (await pages.get("/tables.json")).json()

        assert row["game"] == "limit hold'em, blinds 5/10"
        seat = {"name": "Ann", "house": False, "kind": "guest", "stack": 77, "there": True}
        assert row["seats"] == [seat, None]
        lobby = (await pages.get("/")).text
        assert "Ann" in lobby
        assert "1 waiting for others." in lobby


async def test_standings_and_bankrolls_are_the_ledger_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        await played(pages, 5)
        rows = standings_of(pages.room.room.ledger)
        page = (await pages.get("/standings")).text
        cell = r'<td[^>]* class="number">([+-]?\d+)</td>'
        found = re.findall(rf'players/(\w+)">.*?{cell}{cell}', page, re.DOTALL)

        assert found == [(name, str(hands), f"{won:+d}" if won else "0") for name, _, hands, won in rows]
        for name, _, hands, _ in rows:
            curve = (await pages.get(f"/players/{name}")).text
            points = re.search(r'points="([^"]+)"', curve)
            assert points is not None
            assert len(points.group(1).split()) == hands + 1

        monkeypatch.setattr("server.room.web.pages.MOST_STANDINGS", 1)
        page = (await pages.get("/standings")).text
        assert re.findall(r'href="/players/(\w+)"', page) == [rows[0][0]]
        assert "at each game the first 1." in page


@pytest.mark.slow
async def test_standings_of_200_000_hands_are_told_within_50_ms(tmp_path: Path) -> None:
    config = room_config(tmp_path, requests_per_second=1e5)
    game, numbers = format_game_line(load_game("nolimit-6p-100bb")), range(200_000)
    with Ledger(config.data) as ledger, ledger.transaction() as db:
        players = "(1, 'Ann', 'guest', 0), (2, 'Bob', 'guest', 0)"
        db.execute(f"INSERT INTO players (id, name, kind, since_us) VALUES {players}")
        db.execute("INSERT INTO tables (name, next_hand, button, small, big) VALUES ('old', 200000, 0, 0, 1)")
        hands = [("old", each, 0, game, "", "", False) for each in numbers]
        db.executemany("INSERT INTO hands VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", hands)
        won = [(each + 1, at, at + 1, (-1) ** at * (each % 7), 0) for each in numbers for at in (0, 1)]
        db.executemany(
            "INSERT INTO results (hand, position, player, chips, rake) VALUES (?, ?, ?, ?, ?)", won
        )
    took, page = list[float](), ""
    async with pages_of(config) as pages:
        while "200000" not in page or len(took) < 200:
            began = time.perf_counter()
            page = (await pages.get("/standings")).text
            took.append(time.perf_counter() - began)
    assert sorted(took)[int(0.95 * len(took))] <= 0.05


async def test_standings_count_house_bots_by_what_they_are_and_each_hand_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.room.ledger.tallies.LEAST_HANDS", 10)
    config = room_config(tmp_path, table_config("a"), table_config("b"), table_config("c", "limit-2p"))
    with Ledger(config.data) as ledger:
        results = dict[tuple[str, str], list[float]]()
        dice = random.Random(7)
        for name in ("Ann", "bot-1", "bot-2"):
            ledger.add_player(name, "house" if name.startswith("bot") else "registered", 10**6)
        for table, game in (("a", "nolimit-6p-100bb"), ("b", "nolimit-6p-100bb"), ("c", "limit-2p")):
            ledger.open_table(table)
            names = ("Ann", "bot-1") if table != "b" else ("Ann", "bot-2")
            for seat, name in enumerate(names):
                player = ledger.player(name)
                assert player is not None
                ledger.sit_down(table, seat, player, 1000)
            text = format_game_line(load_game(game))
            for number in range(12 if table != "c" else 3):
                won = dice.randint(-50, 50)
                hand = HandEntry(table, number, text, "", "")
                ledger.hand_finished(hand, (0, 1), (won, -won), (0, 0), Blinds(0, 0, 1))
                for name, chips in (("Ann", won), ("bot", -won)):
                    results.setdefault((game, name), []).append(chips)
        tallies = Tallies()
        first = tallies.update(ledger)
        assert tallies.update(ledger) == first
    assert [each.game for each in first] == ["no-limit hold’em, big blind 2", "limit hold’em, big blind 10"]
    for found, name in zip(first, ("nolimit-6p-100bb", "limit-2p"), strict=True):
        assert {tally.name for tally in found.tallies} == {"Ann", "bot"}
        for tally in found.tallies:
            won_by = results[name, tally.name]
            rate = statistics.mean(won_by) / found.blind * 100
            half = Z95 * statistics.stdev(won_by) / len(won_by) ** 0.5 / found.blind * 100
            assert (tally.winnings.hands, tally.winnings.chips) == (len(won_by), sum(won_by))
            assert tally.per_hundred(found.blind).mean == pytest.approx(rate)
            assert tally.per_hundred(found.blind).ci95 == pytest.approx(half)
            assert tally.has_place is (len(won_by) >= 10)


async def test_standings_are_counted_once_for_all_who_ask_and_hands_do_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    may_end = threading.Event()

    def slow(name: str) -> Any:
        whole = getattr(Ledger, name)

        def wrapped(*words: Any) -> Any:
            counted.append(name)
            may_end.wait(30)
            return whole(*words)

        return wrapped

    async with pages_of(room_config(tmp_path)) as pages:
        await played(pages, 3)
        monkeypatch.setattr(Ledger, "standing", slow("standing"))
        name = pages.room.room.ledger.players()[0].name
        asked = [f"/players/{name}"] * 10
        with trio.fail_after(60):
            async with trio.open_nursery() as asking:
                for path in asked:
                    asking.start_soon(pages.get, path)
                await trio.sleep(0.5)
                assert (await pages.get("/tables/a/hands/0")).status_code == 200
                assert len(counted) == 1
                may_end.set()
        assert len(counted) < len(asked)  # answers are kept, if only for as long as they took


async def test_a_damaged_ledger_is_a_line_for_the_operator(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        await played(pages, 3)
        ledger = pages.room.room.ledger
        with ledger.transaction() as db:
            lines = db.execute("SELECT id, line FROM hands").fetchall()
            db.execute("UPDATE hands SET line = 'STATE:\x1b[2J'")
        assert (await pages.get("/tables/a/hands/0")).status_code == 500
        await until(lambda: "pages" in pages.room.console.stderr)  # it is told after the answer
        *_, said = pages.room.console.stderr.splitlines()
        assert said.startswith("riverboat: pages: the ledger is damaged: ")
        assert said.isprintable()
        with ledger.transaction() as db:
            for number, line in lines:
                db.execute("UPDATE hands SET line = ? WHERE id = ?", (line, number))


def _scenes(page: str) -> list[dict[str, Any]]:
    """The steps of a hand, as its page has them."""
    found = re.search(r'id="scenes">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return list(json.loads(found.group(1)))


async def test_a_hand_that_is_over_shows_what_its_showdown_showed_and_no_key(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        await played(pages, 1)
        (hand,) = pages.room.room.ledger.hands_from("a", 0, 1)
        page = (await pages.get("/tables/a/hands/0")).text
        *before, end = _scenes(page)

        assert hand.secret not in page
        dealt = hand.line.split(":")[3].partition("/")[0].split("|")
        assert {"".join(player["cards"]) for player in end["players"]} == set(dealt)
        assert [len(step["story"]) for step in before] == sorted({len(step["story"]) for step in before})
        assert [step["over"] for step in before] == [False] * len(before)


async def test_a_hand_is_downloaded_as_it_was_seen(tmp_path: Path) -> None:
    """It is read again equal, and has no card that its page has not."""
    async with pages_of(room_config(tmp_path)) as pages:
        await played(pages, 3)
        for entry in pages.room.room.ledger.hands_from("a", 0):
            page = _scenes((await pages.get(f"/tables/a/hands/{entry.number}")).text)[-1]
            for ending in ("phh", "txt"):
                file = tmp_path / f"{entry.number}.{ending}"
                file.write_text((await pages.get(f"/tables/a/hands/{file.name}")).text)
                (hand,) = read_hands(file, None)
                assert isinstance(hand, PlayedHand)
                assert dict(zip(hand.names, hand.chips, strict=True)) == {
                    each["name"]: each["won"] for each in page["players"]
                }
                known = {CARD_TEXTS[card] for cards in hand.state.deal.hole_cards for card in cards}
                assert known == {card for each in page["players"] for card in each["cards"]}
        assert (await pages.get("/tables/a/hands/0.exe")).status_code == 404
        assert (await pages.get("/tables/a/hands/7.phh")).status_code == 404


async def test_what_does_not_exist_is_a_short_page(tmp_path: Path) -> None:
    paths = (
        "/nonsense", "/tables/none", "/tables/a/hands/0", "/tables/a/hands/x", "/tables/a/hands/-1",
        "/tables/a/hands/99999999999999999999999", "/tables/none/hands", "/tables/none/events",
        "/players/nobody", "/players/%00", "/static/..%2fpages.py", "/static/%2e%2e/pages.py",
        "/static/", "/tables/%3Cb%3E", "/tables/a/hands?before=x", "/seat",
    )  # fmt: skip
    async with pages_of(room_config(tmp_path)) as pages:
        for path in paths:
            answer = await pages.get(path)
            assert answer.status_code == 404, path
            assert "Traceback" not in answer.text
            assert "<b>" not in answer.text
            assert len(answer.text) < 2000
        answer = await pages.http.post("/", content=b"x" * 1000)
        assert answer.status_code == 405
        assert pages.room.console.stderr == ""


async def test_a_path_that_climbs_out_of_its_folder_finds_nothing(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        for path in ("/static/../pages.py", "/../../../../etc/passwd", "/static/../../room/ledger.db"):
            stream = await pages.connect()
            await stream.send_all(
                f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode()
            )
            text = b""
            while data := await stream.receive_some():
                text += data
            assert text.startswith(b"HTTP/1.1 404")


async def test_an_address_that_asks_too_much_waits_and_others_do_not(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, requests_per_second=1.0)) as pages:
        answers = [(await pages.get("/tables.json")).status_code for _ in range(15)]
        other = trio.socket.socket()
        await other.bind(("127.0.0.2", 0))
        await other.connect(("127.0.0.1", pages.port))
        await other.send(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")

        assert answers == [200] * 10 + [429] * 5
        assert (await other.recv(100)).startswith(b"HTTP/1.1 200")
        other.close()


async def test_pages_of_other_sites_get_no_seat(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        own = f"127.0.0.1:{pages.port}"
        others = (
            "http://evil.example", f"http://127.0.0.1:{pages.port + 1}", "http://127.0.0.1", f"https://{own}",
            f"http://{own}@evil.example", f"http://{own}.evil.example", "null", "http://[", "",
        )  # fmt: skip
        for origin in others:
            with pytest.raises(Rejected, match="403"):
                await pages.websocket(origin=origin)
        await pages.websocket(origin=f"http://{own}")


@pytest.mark.parametrize(
    ("host", "may"),
    [
        ("localhost", True), ("LOCALHOST:8000", True), ("127.0.0.1:1", True), ("[::1]:8000", True),
        ("192.168.1.5", True), ("poker.example", True), ("Poker.Example:8000", True), ("cards.example", True),
        ("evil.example", False), ("127.0.0.1.evil.example", False), ("x.localhost", False),
        ("localhost.", False),
        ("poker.example.evil.example", False), ("127.0.0.1@evil.example", False), ("[::1", False),
        ("", False),
        ("localhost:x", False), ("localhost:8000:1", False), ("http://localhost", False),
    ],
)  # fmt: skip
async def test_a_name_that_is_not_the_room_s_leads_nowhere(tmp_path: Path, host: str, may: bool) -> None:
    """Anybody's DNS can make a name lead here, and a browser then takes our pages for that site's."""
    names = ("poker.example", "https://cards.example")
    routes = (
        "/", "/tables.json", "/tables/a", "/tables/a/hands", "/standings", "/healthz", "/metrics",
        "/static/style.css", "/nonsense", "/tables/a/events",
    )  # fmt: skip
    async with pages_of(room_config(tmp_path, names=names)) as pages:
        for route in routes[: None if not may else -1]:
            status = (await pages.get(route, headers={"host": host})).status_code
            assert (status != 421) is may, route
        websocket = WebSocket(await pages.connect(), "/seat", host, {"origin": f"http://{host}"})
        if may:
            await websocket.open()
        else:
            with pytest.raises(Rejected, match=r"421|400"):
                await websocket.open()
        if host == "cards.example":  # behind a proxy that speaks TLS
            for origin in ("https://cards.example", "https://cards.example:444"):
                websocket = WebSocket(await pages.connect(), "/seat", host, {"origin": origin})
                if origin.endswith("444"):
                    with pytest.raises(Rejected, match="403"):
                        await websocket.open()
                else:
                    await websocket.open()


PRESSES = """
import {Presses} from %s;
const presses = new Presses(), said = [];
const press = (began) => {
  presses.begin(began);
  said.push(presses.answers());
  if (said.at(-1)) presses.end();
};
presses.ask(0); press(399); press(400);            // too soon after the question; long enough
press(450); presses.ask(500); press(600);          // no question; a second press answers no new one
presses.begin(950); presses.ask(960); said.push(presses.answers());  // the finger was down before it
press(1360);
console.log(JSON.stringify(said));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the page's script")
def test_a_press_answers_only_the_question_that_was_there_when_it_began(tmp_path: Path) -> None:
    module = tmp_path / "presses.mjs"
    module.write_text((Path(server.room.web.__file__).parent / "static" / "presses.js").read_text())
    (tmp_path / "run.mjs").write_text(PRESSES % json.dumps(module.as_uri()))
    said = subprocess.check_output(["node", tmp_path / "run.mjs"], text=True, timeout=60)
    assert json.loads(said) == [False, True, False, False, False, True]
