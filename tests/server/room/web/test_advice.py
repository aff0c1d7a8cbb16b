"""The trainer: who may ask, what a page is told, and that a bot without an answer harms nobody."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from server.match.launching.players import own_command
from server.room.web import advice
from server.table.config import TimeLimits
from tests.support.rooms import room_config, table_config
from tests.support.web import BrowserSeat, OpenPages, pages_of

pytestmark = pytest.mark.timeout(30)


async def asked(web: BrowserSeat, *bots: str) -> list[Any]:
    """What the page is told in its own turn, when it asks for some bots."""
    while not (await web.next()).get("ask"):
        pass
    return await asked_now(web, *bots)


async def asked_now(web: BrowserSeat, *bots: str) -> list[Any]:
    """The same at once."""
    for bot in bots:
        await web.say(f"#advice {bot}")
    found: list[Any] = []
    while len(found) < len(bots):
        message = await web.next()
        found += [message] if message["kind"] == "advice" else []
    return found


@contextlib.asynccontextmanager
async def against_a_bot(pages: OpenPages, chips: str = "50") -> AsyncIterator[BrowserSeat]:
    """A person in the browser, and one of the house's bots that always calls."""
    _, token = pages.room.room.identities.expect_bot("always-call")
    bot = await pages.room.sit_down(words=f"token={token}", chips=chips)
    web = await pages.browser(words="name=Web", chips=chips)
    async with trio.open_nursery() as playing:
        playing.start_soon(bot.play_hands, 1 << 30)
        yield web
        playing.cancel_scope.cancel()


async def test_a_bot_is_asked_with_the_persons_own_cards(tmp_path: Path) -> None:
    limits = TimeLimits(60.0, 600.0, 1e6, grace=0.0)  # the bot is a program, which starts while we think
    config = table_config(game="nolimit-2p-100bb", advice=("formula:tightness=0.4",), limits=limits)
    async with pages_of(room_config(tmp_path, config)) as pages, against_a_bot(pages) as web:
        (found,) = await asked(web, "formula:tightness=0.4")

        view = next(each for each in reversed(web.heard) if each.get("ask"))
        assert found["turn"] == ":".join(view["line"].split(":")[2:4])
        assert sum(found["chances"].values()) == pytest.approx(1)
        assert found["does"][0] in "fcr"
        assert {"value", "chance to win"} <= {name for name, _ in found["rows"]}


async def test_nobody_is_asked_while_others_play_nor_out_of_turn_nor_whom_the_room_does_not_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trio, "run_process", None)
    config = room_config(tmp_path, table_config(game="limit-3p"))
    async with pages_of(config) as pages, against_a_bot(pages) as web:
        (found,) = await asked(web, "sampling")
        assert "only bots that the room names" in found["rows"][0][1]
        state = next(each["line"] for each in reversed(web.heard) if each.get("ask"))
        await web.say("#sit-out", f"{state}:c")
        await web.play_hands(1)
        await web.say("#advice formula")
        while (found := await web.next())["kind"] != "advice":
            pass
        assert found["rows"] == [["", "It is not your turn."]]
        await pages.room.sit_down(words="name=Bob")
        assert pages.room.room.door.advisers("a") == pages.room.room.door.advisers("none") == ()


async def test_a_bot_without_an_answer_is_one_line_for_the_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(command: Sequence[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(command, 2, b"", b"riverboat ask: it does not play this\n")

    monkeypatch.setattr(trio, "run_process", run)
    monkeypatch.setattr("server.room.web.seat._ADVICES", 2)
    async with pages_of(room_config(tmp_path)) as pages, against_a_bot(pages) as web:
        found = await asked(web, "formula", "formula", "formula")

        texts = [each["rows"][0][1] for each in found]
        assert sorted(texts) == ["Wait a little: too many questions.", *2 * ["formula has no answer here."]]
        line = "riverboat: advice: riverboat ask: it does not play this\n"
        assert pages.room.console.stderr == 2 * line


async def test_a_hand_that_is_over_is_reviewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quickly = ("--iterations", "10")
    monkeypatch.setattr(advice, "own_command", lambda *words: own_command(*words, *quickly))
    config = table_config(game="nolimit-2p-100bb", least=200, most=200)
    async with pages_of(room_config(tmp_path, config)) as pages, against_a_bot(pages, chips="200") as web:
        await web.play_hands(1)
        (found,) = await asked(web, "review 0")
        strange = await asked_now(web, "review 7", "review 1" + 5000 * "0", "review -1", "review x")

    assert found["hand"] == 0
    assert found["rows"]
    for what, text in found["rows"]:
        assert what in ("turn", "river") or text.startswith("No decision of yours")
    assert {each["rows"][0][1] for each in strange} == {"There is no such hand."}


def test_losses_are_those_of_the_player_who_asks() -> None:
    own = {"name": "Web", "street": "river", "taken": "bet to 200", "best": "check", "loss": 3017.5}
    told = {"worst": [{**own, "name": "bot-1"}, own], "players": [{"name": "Web", "decisions": 2}]}

    assert advice._losses(told, "Web") == [["river", "bet to 200, where check wins 3.0 bb more"]]
    assert "lost anything" in advice._losses({**told, "worst": []}, "Web")[0][1]
    assert "was asked for" in advice._losses({"worst": [], "players": []}, "Web")[0][1]


async def test_the_page_offers_it_where_bots_of_the_house_play(tmp_path: Path) -> None:
    tables = (table_config("a", advice=()), table_config("b", advice=("formula", "simple")))
    async with pages_of(
        room_config(tmp_path, *[attrs.evolve(each, fill=("random",)) for each in tables])
    ) as pages:
        without, offered = [(await pages.get(f"/tables/{name}")).text for name in "ab"]

    assert 'id="advice"' not in without
    assert "<option>formula</option><option>simple</option>" in offered


def test_chances_of_a_hand_are_said_in_words() -> None:
    potentials = {"positive_potential": {"1": 0.25}, "negative_potential": {"1": 0.04}}
    told = {"triple": {"call": 1.0}, "action": "c", "why": {"hand_strength": 0.817, **potentials}}

    assert advice._shown(told)["rows"] == [
        ("your hand", "ahead of 82 % of what they may hold"),
        ("the next card", "25 % to come from behind, 4 % to fall behind"),
    ]
