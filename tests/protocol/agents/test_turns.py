from typing import Any

import pytest
import trio

from engine.poker.rules import CALL, HandState, load_game
from protocol.agents.tools import TOOLS, call
from protocol.agents.turns import STATUSES, SeatError, TurnBook
from tests.support.cases import cases
from tests.support.hands.views import view_after

VIEW = view_after("nolimit-2p", "r300")


def book() -> TurnBook:
    opened = TurnBook(trio.Event, trio.current_time)
    opened.sits_down()
    return opened


class Desk:
    """A seat without a room."""

    def __init__(self) -> None:
        self.book = book()
        self.asked: list[Any] = []

    async def tables(self) -> list[dict[str, Any]]:
        return [{"name": "deep"}]

    async def act(self, message: object) -> dict[str, Any]:
        return self.book.answer(message)

    async def sit(self, table: str, chips: int | None) -> dict[str, Any]:
        self.asked.append((table, chips))
        return {"table": table}

    async def top_up(self, chips: int) -> None:
        self.asked.append(chips)

    async def leave(self) -> None:
        self.book.leave()


def refused(seat: TurnBook, answer: Any) -> str:
    with pytest.raises(SeatError) as error:
        seat.answer(answer)
    return error.value.code


async def test_an_answer_belongs_to_one_turn_and_a_repeated_one_gets_the_same_receipt() -> None:
    seat = book()
    turn = seat.ask(VIEW, 1, 10)
    assert turn == "1.0.1"
    answer = {"turn": turn, "do": "raise", "to": 900}

    assert refused(seat, {**answer, "turn": "1.0.0"}) == "turn_over"
    assert refused(seat, {"do": "call"}) == "format"
    assert refused(seat, {**answer, "to": 1}) == "illegal"
    receipt = seat.answer(answer)
    assert receipt == {"accepted": "r900", "turn": turn}
    assert seat.action is not None
    assert str(seat.action) == "r900"
    assert seat.answer(answer) == {**receipt, "again": True}
    assert refused(seat, {"turn": turn, "do": "fold"}) == "turn_over"
    assert seat.accepted == 1
    assert seat.observation() == {"status": "waiting"}


async def test_what_was_accepted_and_not_played_is_told_with_the_next_turn(autojump_clock: object) -> None:
    seat, game = book(), load_game("nolimit-2p")
    turn = seat.ask(VIEW, 1, 10)
    seat.answer({"turn": turn, "do": "raise", "to": 900})
    seat.see(view_after("nolimit-2p", "r300c/"), 1)  # the house was faster, and called for us
    await trio.sleep(1)
    seat.ask(view_after("nolimit-2p", "r300c/c"), 1, 10)
    await trio.sleep(4)

    seen = seat.observation()
    assert seen["last_turn"] == {"turn": turn, "accepted": "r900", "played": "c", "late": True}
    assert seen["seconds"] == 6
    assert "reseated" not in seen
    seat.leave()
    seat.sits_down()
    turn = seat.ask(VIEW, 1)
    assert turn == "2.0.1"
    assert seat.observation()["reseated"] is True
    seat.answer({"turn": turn, "do": "call"})
    state = HandState(VIEW.betting, 0, view_dealt(game))
    seat.see(state.apply(CALL).view(1), 1)
    seat.ask(state.apply(CALL).view(1), 1)
    assert not {"last_turn", "reseated"} & set(seat.observation())


def view_dealt(game: Any) -> Any:
    from engine.poker.rules import CardDealer

    return CardDealer(game, 1).deal()


async def test_everybody_who_waits_gets_the_same_turn(autojump_clock: object) -> None:
    desk, seen = Desk(), []

    async def poll(seconds: int) -> None:
        seen.append(await call(desk, "wait_for_turn", {"max_seconds": seconds}, trio.move_on_after))

    async with trio.open_nursery() as nursery:
        for seconds in (1, 20, 20):
            nursery.start_soon(poll, seconds)
        await trio.sleep(5)
        desk.book.ask(VIEW, 1)
    assert seen[0] == {"status": "waiting"}
    assert seen[1] == seen[2] == desk.book.observation()
    assert seen[1]["status"] == "your_turn"


async def test_one_call_can_answer_and_wait_for_the_next_turn(autojump_clock: object) -> None:
    desk = Desk()
    turn = desk.book.ask(VIEW, 1)
    got = await call(desk, "act", {"turn": turn, "do": "call", "wait": True}, trio.move_on_after)
    assert got == {"accepted": "c", "turn": turn, "next": {"status": "waiting"}}


@pytest.mark.parametrize(("name", "arguments", "code"), cases(__file__, "arguments"))
async def test_arguments_are_checked_and_never_coerced(name: str, arguments: Any, code: str) -> None:
    desk = Desk()
    with pytest.raises(SeatError) as error:
        await call(desk, name, arguments, trio.move_on_after)
    assert error.value.code == code
    assert error.value.status == STATUSES[code]
    assert set(error.value.as_json()) >= {"error", "message"}
    assert desk.asked == []


async def test_every_tool_does_what_it_says() -> None:
    desk = Desk()
    given = {
        "sit": {"table": "deep", "chips": 40},
        "top_up": {"chips": 7},
        "wait_for_turn": {"max_seconds": 0},
    }
    for name in TOOLS:
        if name != "act":
            assert await call(desk, name, given.get(name, {}), trio.move_on_after)
    assert desk.asked == [("deep", 40), 7]
    assert desk.book.status == "lobby"
