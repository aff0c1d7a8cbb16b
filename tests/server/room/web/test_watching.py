"""What watchers, and players in the browser, are sent: never a card that they have not been shown."""

from __future__ import annotations

import json
import random
import re
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from engine.poker.rules import parse_betting, parse_game
from server.room.config import Policy
from server.room.ledger.ledger import HandEntry, Ledger
from server.room.web.audience import Broadcasts
from server.table.rules.sit_and_go import Level, SitAndGo
from tests.support.rooms import play_each, room_config, room_of, table_config
from tests.support.web import OpenPages, pages_of

CARD = re.compile(r'"([2-9TJQKA][cdhs])"')


def cards_of(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(0, len(text), 2)}


class Truth:
    """Whose cards were which, by the ledger, and who had to show them."""

    def __init__(self, hands: list[HandEntry]) -> None:
        self._hands = {hand.number: hand for hand in hands}

    def may_be_shown(self, scene: dict[str, Any], own: str = "") -> set[str]:
        """The cards that somebody may see in a scene."""
        hand = self._hands[scene["hand"]]
        _, _, betting, cards, _, names = hand.line.strip().split(":")
        holes, *board = cards.split("/")
        out = sum(map(len, scene["board"])) // 2
        dealt = [card for part in board for card in re.findall("..", part)]
        assert scene["board"] == dealt[:out]
        seen = set(dealt[:out])
        end = parse_betting(parse_game(hand.game.replace(";", "\n")), betting)
        for name, hole, folded in zip(names.split("|"), holes.split("|"), end.folded, strict=True):
            if name == own or (scene["over"] and end.is_showdown and not folded):
                seen |= cards_of(hole)
        return seen


async def wild_hands(pages: OpenPages, hands: int, seed: int) -> None:
    """Three guests and somebody in the browser play, and fold now and then."""
    dice = random.Random(seed)
    guests = []
    async with trio.open_nursery() as playing:
        for name in ("Ann", "Bob", "Cid"):  # the third gets a seat when a hand is over
            guest = await pages.room.sit_down(words=f"name={name}")
            guests.append(guest)
            playing.start_soon(
                guest.play_hands, 1 << 30, lambda _: dice.choice(("c", "c", "f", "r20", "r60"))
            )
        await pages.room.have_played(hands)
        playing.cancel_scope.cancel()
    for guest in guests:
        await guest.leave()


async def test_nobody_who_watches_is_sent_a_card_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("EVERY_S", "HAND_EVERY_S"):
        monkeypatch.setattr(f"server.room.web.audience.{name}", 0.0)
    scenes: list[dict[str, Any]] = []
    wanted = {True, False}  # showdowns, and hands that end without
    async with pages_of(room_config(tmp_path)) as pages, trio.open_nursery() as nursery:
        nursery.start_soon(wild_hands, pages, 1 << 30, 5)
        async with aclosing(pages.events()) as messages:
            async for message in messages:
                if message["kind"] == "scene":
                    scenes.append(message)
                    if message["over"]:
                        wanted.discard(any(player["cards"] for player in message["players"]))
                    if not wanted and len(scenes) > 30:
                        break
        nursery.cancel_scope.cancel()
    with Ledger(tmp_path / "room", read_only=True) as ledger:
        truth = Truth(list(ledger.hands_from("a", 0)))
    for scene in scenes:
        assert set(CARD.findall(json.dumps(scene))) <= truth.may_be_shown(scene)


async def test_a_player_in_the_browser_is_sent_the_own_cards_only(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        seat = await pages.browser(words="name=Web")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(seat.play_hands, 1 << 30)
            await wild_hands(pages, 12, 6)
            nursery.cancel_scope.cancel()
        scenes = [message for message in seat.heard if message["kind"] == "scene"]
        truth = Truth(list(pages.room.room.ledger.hands_from("a", 0)))
    finished = [scene for scene in scenes if scene["hand"] <= 10]
    for scene in finished:
        line = scene.pop("line")
        assert set(CARD.findall(json.dumps(scene))) <= truth.may_be_shown(scene, own="Web")
        (own,) = (player for player in scene["players"] if player["you"])
        assert own["name"] == "Web"
        assert "".join(own["cards"]) in line
    assert sum(scene["over"] for scene in finished) >= 10


async def test_with_a_delay_a_showdown_is_told_later(tmp_path: Path, autojump_clock: MockClock) -> None:
    config = room_config(tmp_path, show_cards_after=60.0, watch_after=300.0)
    async with room_of(config) as room, trio.open_nursery() as nursery:
        messages = Broadcasts(room.room, nursery).watch("a")
        assert messages is not None
        ann, bob = await room.seated("Ann", "Bob")
        await room.play([ann, bob], 1)
        began = trio.current_time()
        async for block in messages:
            *_, message = [json.loads(each[6:]) for each in block.split(b"\n\n") if each]
            assert trio.current_time() - began >= 299
            if message["kind"] == "shown":
                break
            if message["kind"] == "scene":
                assert not any(player["cards"] for player in message["players"])
        assert trio.current_time() - began >= 359
        (hand,) = room.room.ledger.hands_from("a", message["hand"], 1)
        shown = {"".join(player["cards"]) for player in message["players"]}
        assert shown == set(hand.line.split(":")[3].partition("/")[0].split("|"))
        nursery.cancel_scope.cancel()


async def test_with_a_delay_the_page_of_a_hand_tells_it_later_too(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path, show_cards_after=3600.0)) as pages:
        ann, bob = await pages.room.seated("Ann", "Bob")
        await pages.room.play([ann, bob], 1)
        (hand,) = pages.room.room.ledger.hands_from("a", 0, 1)
        page = (await pages.get("/tables/a/hands/0")).text

        assert "not told yet" in page
        holes = cards_of(hand.line.split(":")[3].partition("/")[0].replace("|", ""))
        assert not holes & set(CARD.findall(page))


async def test_no_page_tells_of_a_hand_before_those_who_watch_are_told(tmp_path: Path) -> None:
    hands = [f"/tables/a/hands{each}" for each in ("", "/0", "/0.txt", "/0.phh", "/1", "/1.txt")]
    async with pages_of(room_config(tmp_path, watch_after=300.0)) as pages:

        async def found(*paths: str) -> tuple[list[int], str]:
            answers = [await pages.get(path) for path in paths]
            return [each.status_code for each in answers], "".join([each.text for each in answers])

        await pages.room.play(await pages.room.seated("Ann", "Bob"), 2)
        statuses, text = await found(*hands, "/standings", "/players/Ann")
        assert statuses == [200, 404, 404, 404, 404, 404, 200, 404]
        assert "No hand is over here" in text
        assert "No hand is over yet" in text
        _, live = await found("/", "/tables.json", "/tables/a.json", "/tables/a")
        assert "Ann" in live
        assert "stack" not in live
        assert '"hands":null' in live

        with pages.room.room.ledger.transaction() as db:
            db.execute("UPDATE hands SET at_us = at_us - 301000000 WHERE number = 0")
        statuses, text = await found(*hands, "/standings", "/players/Bob")  # answers on Ann are kept
        assert statuses == [200, 200, 200, 200, 404, 404, 200, 200]
        assert 'href="/tables/a/hands/0"' in text
        assert 'rel="next"' not in text
        assert "chips in 1 hand." in text


async def test_who_is_out_of_a_sit_and_go_is_told_later_too(tmp_path: Path) -> None:
    terms = {"policy": Policy.SIT_AND_GO, "sit_and_go": SitAndGo(100, (Level(3, (1, 2)),), (1.0,))}
    table = table_config("a", "nolimit-2p-100bb", least=60, most=60, **terms)
    async with pages_of(room_config(tmp_path, table, watch_after=300.0)) as pages:
        guests = await pages.room.seated("Ann", "Bob")
        await play_each(guests, act=lambda betting: "c" if "r" in betting else "r100")
        contest = (await pages.get("/tables/a.json")).json()["contest"]
        assert (contest["on"], contest["left"], contest["out"]) == (False, None, [])
        assert "Sit-and-gos that are over" not in (await pages.get("/tables/a")).text

        with pages.room.room.ledger.transaction() as db:
            db.execute("UPDATE hands SET at_us = at_us - 301000000")
            db.execute("UPDATE sit_and_gos SET over_us = over_us - 301000000")
        assert "1st <a" in (await pages.get("/tables/a")).text
        assert re.search(r"[+-]60 chips in", (await pages.get("/players/Ann")).text)


async def test_somebody_who_reads_nothing_is_dropped_and_the_others_are_not(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.room.web.audience._MOST_UNREAD", 8)
    config = room_config(tmp_path, table_config(pause_s=1.0))
    async with room_of(config) as room, trio.open_nursery() as nursery:
        broadcasts = Broadcasts(room.room, nursery)
        lazy, keen = broadcasts.watch("a"), broadcasts.watch("a")
        assert lazy is not None
        assert keen is not None
        ann, bob = await room.seated("Ann", "Bob")
        async with trio.open_nursery() as playing:
            playing.start_soon(room.play, [ann, bob], 20)
            heard = 0
            async for _ in keen:
                heard += 1
                if heard > 20:
                    break
            playing.cancel_scope.cancel()
        assert broadcasts.watchers == 1
        unread = [block async for block in lazy]  # it ends
        assert len(unread) < heard
        nursery.cancel_scope.cancel()


async def test_nobody_is_told_when_nobody_watches_any_more(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with room_of(room_config(tmp_path)) as room, trio.open_nursery() as nursery:
        broadcasts = Broadcasts(room.room, nursery)
        messages = broadcasts.watch("a")
        assert messages is not None
        await trio.sleep(60)
        assert (broadcasts.watchers, len(nursery.child_tasks)) == (1, 1)

        messages.close()
        await trio.sleep(60)  # in which nobody plays
        assert (broadcasts.watchers, len(nursery.child_tasks)) == (0, 0)
