"""A person in a real browser: what is clicked is what is played."""

from __future__ import annotations

import itertools
import re
import socket
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.responses import Response

from clients.core.guess import RoomSeat
from clients.core.program import TableAddress
from engine.poker.match_key import MatchKey
from engine.poker.rules import GameDefinition, load_game
from server.room.config import Policy, RoomConfig
from server.room.ledger.sit_and_gos import SitAndGos
from server.table.config import TimeLimits
from server.table.rules.sit_and_go import Level, SitAndGo
from tests.support.chromium import HURRIED, PROGRAM, Tab, chromium
from tests.support.people import Nc, telnet_person
from tests.support.rooms import OpenRoom, room_config, room_of, table_config, until
from tests.support.web import OpenPages, pages_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium: apt install chromium"),
    pytest.mark.timeout(300),
]
HANDS = 20
MOVES = ("c", "least", "c", "pot", "f", "by key", "total", "c")


SEEN = "new Promise((yes) => setTimeout(yes, 450))"
"""A question is seen before it is answered: a press within 400 ms answers nothing."""
HIDDEN = "document.getElementById('turn').disabled"
NOTICE = "document.getElementById('notice').textContent"
STATE = f"""document.querySelectorAll('#results li').length >= {HANDS} ? {{over: true}}
    : !{HIDDEN} && {{
        hand: Number(/Hand (\\d+)/.exec(document.getElementById('felt').textContent)[1]) - 1,
        fold: !document.getElementById('fold').disabled,
        raise: !document.getElementById('raise').disabled,
        least: Number(document.getElementById('slider').min),
        acted: [...document.getElementById('story').children].filter(
            (line) => /^Ann (folds|checks|calls|bets|raises)/.test(line.textContent)).length,
    }}"""


def move(hand: int, decision: int) -> str:
    """What the person does, wherever they sit."""
    return MOVES[zlib.crc32(f"{hand}.{decision}".encode()) % len(MOVES)]


def opponent(betting: str) -> str:
    return "r1" if zlib.crc32(betting.encode()) % 5 == 0 else "c"


@contextmanager
def same_cards() -> Iterator[None]:
    """Every room deals the same cards, from the first hand on, and the button begins at the same seat."""
    numbers = itertools.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MatchKey, "random", lambda: MatchKey(next(numbers).to_bytes(32, "big")))
        patch.setattr("server.room.tables.table.secrets.randbelow", lambda below: 0)
        yield


def heads_up(folder: Path) -> RoomConfig:
    limits = TimeLimits(200.0, 600.0, 1e6, grace=60.0)
    return room_config(folder, table_config("a", "nolimit-2p", policy=Policy.MATCH, limits=limits))


def hands_of(room: OpenRoom) -> list[str]:
    return [hand.line for hand in room.room.ledger.hands_from("a", 0, HANDS)]


async def play_against(room: OpenRoom) -> None:
    guest = await room.sit_down(words="name=Bob")
    await guest.play_hands(1 << 30, opponent)


async def click_through(tab: Tab) -> None:
    """Answer all questions of the page by mouse and keys; where a press was too early, once more."""
    while True:
        state = await tab.until(STATE)
        if state.get("over"):
            return
        await tab.value(SEEN)
        wanted = move(state["hand"], state["acted"])
        before = await tab.value("document.getElementById('story').children.length")
        if wanted == "f" and state["fold"]:
            await tab.click("#fold")
        elif wanted == "least" and state["raise"]:
            await tab.click("#raise")
        elif wanted == "pot" and state["raise"]:
            await tab.click("[data-size=pot]")
            await tab.click("#raise")
        elif wanted == "total" and state["raise"]:
            await tab.click("#total")
            await tab.value(f"document.getElementById('total').value = {state['least'] + 150}")
            await tab.press("r")
        elif wanted == "by key":
            await tab.press("c")
        else:
            await tab.click("#call")
        await tab.until(f"{HIDDEN} || document.getElementById('story').children.length !== {before}")


async def type_through(nc: Nc) -> None:
    """The same at a telnet."""
    decisions: dict[int, int] = {}
    for prompt in itertools.count(1):
        await nc.until("] > " if "] > " in nc.text else "> ", prompt)
        hand = int(re.findall(r"-- Hand (\d+) ", nc.text)[-1]) - 1
        if hand == HANDS:
            return
        options = re.findall(r"^(?:f fold|c call|c check).*$", nc.text, re.MULTILINE)[-1]
        decisions[hand] = decisions.get(hand, -1) + 1
        wanted = move(hand, decisions[hand])
        least = re.search(r"to (\d+)\.\.", options)
        if wanted == "f" and options.startswith("f"):
            await nc.type("f")
        elif least and wanted in ("least", "pot", "total"):
            await nc.type({"least": "r", "pot": "r pot", "total": f"r {int(least.group(1)) + 150}"}[wanted])
        else:
            await nc.type("c")


async def test_twenty_hands_by_clicks_are_the_same_hands_by_telnet(tmp_path: Path) -> None:
    with same_cards():
        async with pages_of(heads_up(tmp_path / "web")) as pages, chromium(tmp_path / "profile") as tab:
            await tab.open(f"{pages.address}tables/a")
            await tab.value(HURRIED)
            await tab.click("[name=name]")
            await tab.value("document.querySelector('[name=name]').value = 'Ann'")
            await tab.click("#join button")
            await tab.until("!document.getElementById('seated').hidden")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(play_against, pages.room)
                await click_through(tab)
                nursery.cancel_scope.cancel()
            clicked = hands_of(pages.room)
            assert tab.complaints == []
    with same_cards():
        async with room_of(heads_up(tmp_path / "telnet")) as room:
            table = TableAddress("127.0.0.1", room.addresses.port, room=RoomSeat("a", "Ann"))
            async with telnet_person(table) as nc, trio.open_nursery() as nursery:
                await until(lambda: room.room.tables["a"].places[0])
                nursery.start_soon(play_against, room)
                await type_through(nc)
                nursery.cancel_scope.cancel()
            typed = hands_of(room)
    assert len(clicked) == HANDS
    assert clicked == typed
    assert {"f", "r", "c"} <= set("".join(line.split(":")[2] for line in clicked))


async def test_a_sit_and_go_is_played_to_its_end_by_clicks(tmp_path: Path) -> None:
    terms = SitAndGo(500, (Level(2, (5, 10)), Level(2, (50, 100), 10)), (0.7, 0.3))
    config = table_config(
        "a", "nolimit-3p", policy=Policy.SIT_AND_GO, least=100, most=100, sit_and_go=terms, pause_s=0.2
    )
    story = "document.getElementById('story').children.length"
    is_out = "document.getElementById('seated').hidden"
    is_there = "document.getElementById('standing').textContent"
    async with (
        pages_of(room_config(tmp_path / "room", config)) as pages,
        chromium(tmp_path / "profile") as tab,
    ):
        await tab.size(360, 740)
        await tab.open(f"{pages.address}tables/a")
        await tab.value(HURRIED)
        await tab.until(f"{is_there}.includes('3 of 3 free')")
        await tab.click("#join button")
        await tab.until("!document.getElementById('seated').hidden")
        assert await tab.value("document.getElementById('out') === null")
        async with trio.open_nursery() as nursery:
            for name in ("Bob", "Cid"):
                guest = await pages.room.sit_down(words=f"name={name}")
                nursery.start_soon(guest.play_hands, 1 << 30, lambda text: "c" if "r" in text else "r500")
            await tab.until(f"{is_there}.includes('Level 1: blinds 5/10, then blinds 50/100, antes 10.')")
            while await tab.until(f"{is_out} ? 'no' : !{HIDDEN} && 'yes'") == "yes":
                await tab.value(SEEN)
                told = await tab.value(story)
                await tab.click("#call")
                await tab.until(f"{HIDDEN} || {is_out} || {story} !== {told}")
            nursery.cancel_scope.cancel()

        notice = await tab.value("document.getElementById('notice').textContent")
        assert re.match(r"you are (1st|2nd|3rd) of 3", notice), notice
        assert await tab.value("document.documentElement.scrollWidth") <= 360
        assert tab.complaints == []
        (past,) = SitAndGos(pages.room.room.ledger).last("a", 9)
        assert past.pool == 300
        await tab.open(f"{pages.address}tables/a")
        assert "Sit-and-gos that are over" in await tab.value("document.body.textContent")
        assert await tab.value("document.documentElement.scrollWidth") <= 360


OBSERVE = """
    window.seen = []; window.shifts = []; window.replies = [];
    const seats = () => [...document.querySelectorAll('.seat')];
    const badges = () => seats().map((seat) => seat.querySelector('.badge').textContent);
    const text = (name) => document.querySelector(name).textContent;
    const own = () => seats().findIndex((seat) => seat.classList.contains('own'));
    const look = () => seen.push([performance.now(), badges(), text('.title'), text('.verdict'), own()]);
    const all = {subtree: true, childList: true, characterData: true};
    new MutationObserver(look).observe(document.getElementById('felt'), all);
    new PerformanceObserver((list) => list.getEntries().forEach((each) => {
      if (!each.hadRecentInput) shifts.push([each.value, ...each.sources.map(({node}) => node?.outerHTML)]);
    })).observe({type: 'layout-shift'});
    new PerformanceObserver((list) => list.getEntries().forEach((each) => {
      if (each.name === 'click') replies.push(each.duration);
    })).observe({type: 'event', durationThreshold: 16});
"""
MOTION = """
    window.moved = 0;
    Element.prototype.animate = (frames) => { moved += !("strokeDashoffset" in frames[0]); };
"""
SPREAD = """['#bar', '#felt'].every((name) => {
    const box = document.querySelector(name).getBoundingClientRect();
    return box.left >= 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
})"""


def paced(folder: Path, game: GameDefinition) -> RoomConfig:
    limits = TimeLimits(60.0, 600.0, 1e6, grace=60.0)
    table = table_config(
        "a", game, pace_s=0.4, showdown_s=2.5, limits=limits, least=200, most=20_000, keep_seat_s=60.0
    )
    return room_config(folder, table, guest_chips=20_000)


async def sit_with_others(tab: Tab, pages: OpenPages, nursery: trio.Nursery, others: int) -> None:
    """Take a seat by a click; others come and play, and some of them fold."""
    await tab.open(f"{pages.address}tables/a")
    await tab.value(OBSERVE)
    await tab.click("#join button")
    await tab.until("!document.getElementById('seated').hidden")

    async def come(name: str) -> None:
        guest = await pages.room.sit_down(words=f"name={name}")
        await guest.play_hands(1 << 30, lambda text: "f" if zlib.crc32((name + text).encode()) % 3 else "c")

    for each in range(others):
        nursery.start_soon(come, f"Player-{each}")


def check_pace(seen: list[list[Any]]) -> int:
    """Everybody else's action stays for 0.3 s, each end of a hand for 2 s; returns the number of ends."""
    states = [seen[0]]
    for each in seen[1:]:
        if each[1:4] != states[-1][1:4]:
            states.append(each)
    ends = 0
    for before, state, after in zip(states, states[1:], states[2:], strict=False):
        lasted = after[0] - state[0]
        others = [
            text
            for seat, (text, known) in enumerate(zip(state[1], before[1], strict=False))
            if seat != state[4] and text not in (known, "")
        ]
        if state[3]:
            ends += 1
            assert lasted >= 2000, (state, after)
        elif others:
            assert lasted >= 300, (before, state, after)
    return ends


@pytest.mark.parametrize("way", ["mouse", "keys"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
async def test_each_action_and_each_showdown_can_be_seen(
    tmp_path: Path, width: int, height: int, way: str
) -> None:
    async with (
        pages_of(paced(tmp_path / "room", load_game("nolimit-6p"))) as pages,
        chromium(tmp_path / "profile") as tab,
        trio.open_nursery() as nursery,
    ):
        await tab.size(width, height)
        await sit_with_others(tab, pages, nursery, 4)
        count = "document.querySelectorAll('#results li').length"
        while await tab.until(f"{count} >= {HANDS} ? 'over' : !{HIDDEN} && 'turn'") == "turn":
            if not await tab.value("scrollY"):
                assert await tab.value(SPREAD)
            await tab.value(SEEN)
            await (tab.click("#call") if way == "mouse" else tab.press("c"))
            await tab.until(HIDDEN)
        assert check_pace(await tab.value("seen")) >= HANDS - 1
        shifts = await tab.value("shifts")
        assert sum(value for value, *_ in shifts) < 0.001, shifts
        replies = sorted(await tab.value("replies"))
        assert replies[int(0.95 * len(replies))] <= 100
        assert tab.complaints == []
        nursery.cancel_scope.cancel()


async def test_what_is_chosen_ahead_is_played_and_nothing_moves_where_that_is_wished(tmp_path: Path) -> None:
    async with (
        pages_of(paced(tmp_path / "room", load_game("nolimit-2p-100bb"))) as pages,
        chromium(tmp_path / "profile") as tab,
        trio.open_nursery() as nursery,
    ):
        await tab.ask(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}]
        )
        await sit_with_others(tab, pages, nursery, 0)
        await tab.value(MOTION)
        await tab.click("[data-ahead=callany]")  # of the first hand alone
        bob = await pages.room.sit_down(words="name=Bob")
        raises = lambda text: "c" if "r" in text or "/" in text else "r6"  # noqa: E731
        nursery.start_soon(bob.play_hands, 1 << 30, raises)
        results = "document.querySelectorAll('#results li').length"
        await tab.until(f"{results} === 1")
        while await tab.until(f"{results} >= 4 ? 'over' : !{HIDDEN} && 'turn'") == "turn":
            await tab.value(SEEN)
            await tab.value("document.querySelector('[data-ahead=checkfold]').checked = true")
            await tab.click("#call")
            await tab.until(HIDDEN)
        first, *others = [line.split(":")[2] for line in hands_of(pages.room)]
        assert re.fullmatch(r"c?r6c/cc/cc/cc", first)
        assert {line for line in others if "f" in line} == {"cr6f"}  # called, then folded
        assert await tab.value("[moved, document.querySelector(':checked[data-ahead=callany]')]") == [0, None]
        await tab.until(f"!{HIDDEN}")
        await tab.click("#leave")  # nobody waits for who stands up
        with trio.fail_after(20):
            await tab.until("document.getElementById('seated').hidden")
        assert tab.complaints == []
        nursery.cancel_scope.cancel()


async def test_a_guest_who_reloads_or_is_cut_off_finds_the_seat_and_the_question_again(
    tmp_path: Path,
) -> None:
    async with (
        pages_of(paced(tmp_path / "room", load_game("nolimit-6p"))) as pages,
        chromium(tmp_path / "profile") as tab,
        trio.open_nursery() as nursery,
    ):
        await sit_with_others(tab, pages, nursery, 3)
        table = pages.room.room.tables["a"]
        place = table.places[0]
        assert place is not None
        hand = "Number(/Hand (\\d+)/.exec(document.getElementById('felt').textContent)[1])"
        for way in ("reload", "lost", "frozen"):
            await tab.until(f"!{HIDDEN}")
            asked, visitor = await tab.value(hand), place.visitor
            if way == "reload":
                await tab.open(f"{pages.address}tables/a")
            else:
                if way == "frozen":
                    await tab.ask("Page.setWebLifecycleState", state="frozen")
                assert visitor is not None
                visitor.client.channel._sock.shutdown(socket.SHUT_RDWR)
                await trio.sleep(0.2)
                if way == "frozen":
                    await tab.ask("Page.setWebLifecycleState", state="active")
            with trio.fail_after(60):
                while place.visitor in (visitor, None):  # noqa: ASYNC110 - nobody tells
                    await trio.sleep(0.01)
                await tab.until(f"!{HIDDEN}")
            assert table.places[0] is place
            assert await tab.value(hand) == asked
            await tab.value(SEEN)
            await tab.click("#call")
            await tab.until(HIDDEN)
        assert [
            each.player.name for each in table.places if each and each.player.name.startswith("guest")
        ] == [place.player.name]
        assert all(failure.kind.name != "STALLED" for failure in place.seat.failures)

        place.seat.clock.response = 1.0  # of the next question, which is not answered
        await tab.until(f"{NOTICE}.startsWith('your time is up') && !document.getElementById('back').hidden")
        await tab.click("#back")
        await tab.until(f"!{HIDDEN}")
        nursery.cancel_scope.cancel()


async def test_a_reload_keeps_the_statistics_and_an_update_asks_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        pages_of(paced(tmp_path / "room", load_game("nolimit-2p-100bb"))) as pages,
        chromium(tmp_path / "profile") as tab,
        trio.open_nursery() as nursery,
    ):
        await sit_with_others(tab, pages, nursery, 1)
        hands = "document.querySelector('#mine dd').textContent"
        while await tab.until(f"{hands} === '2' || !{HIDDEN} && 'turn'") is not True:
            await tab.value(SEEN)
            await tab.click("#call")
            await tab.until(f"{HIDDEN} || {hands} === '2'")
        kept = "[document.getElementById('mine').textContent, document.getElementById('last-text').href]"
        before = await tab.value(kept)
        await tab.open(f"{pages.address}tables/a")
        assert await tab.value(kept) == before
        assert await tab.value("document.querySelectorAll('#last li').length") > 0
        await tab.until("!document.getElementById('seated').hidden")
        await trio.sleep(0.3)
        assert await tab.value(hands) == "2"  # although the end of the hand was told again
        assert await tab.value("document.getElementById('updated')") is None
        assert tab.complaints == []

        monkeypatch.setattr("server.room.web.pages.Response", partial(Response, status_code=404))
        place: Any = pages.room.room.tables["a"].places[0]
        place.visitor.client.channel._sock.shutdown(socket.SHUT_RDWR)
        await tab.until("document.getElementById('updated')?.textContent.includes('reload')")
        nursery.cancel_scope.cancel()


async def test_a_stranger_plays_after_one_click(tmp_path: Path) -> None:
    table = table_config("a", "limit-2p", fill=("always-call",), pace_s=0.4, showdown_s=2.5)
    async with (
        pages_of(room_config(tmp_path / "room", table)) as pages,
        chromium(tmp_path / "profile") as tab,
    ):
        await tab.open(pages.address)
        await tab.click("#play")
        await tab.until("document.getElementById('turn')?.disabled === false")
        assert tab.complaints == []


async def test_a_hand_is_stepped_through_by_keys(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path / "room")) as pages, chromium(tmp_path / "profile") as tab:
        ann, bob = await pages.room.seated("Ann", "Bob")
        await pages.room.play([ann, bob], 1)
        await tab.open(f"{pages.address}tables/a/hands/0")
        steps = int((await tab.value("document.getElementById('step').textContent")).split()[-1])
        assert await tab.value("document.querySelectorAll('.board .card').length") == 5
        for _ in range(steps):
            await tab.press("ArrowLeft")
        assert await tab.value("document.getElementById('step').textContent") == f"Step 1 of {steps}"
        assert await tab.value("document.querySelectorAll('.board .card').length") == 0
        await tab.press("ArrowRight")
        assert await tab.value("location.hash") == "#step-1"
