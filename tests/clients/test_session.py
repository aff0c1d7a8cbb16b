"""The socket session, held against the C dealer's recorded dialogues, over memory streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import pytest
import trio
import trio.lowlevel
import trio.testing

from clients.agent import Agent
from clients.bots.baselines import AlwaysCall
from clients.session import DealerGone, UnreadableState, play
from clients.testing import Recorder
from engine.rules import (
    CALL,
    FOLD,
    Action,
    GameDefinition,
    HandView,
    format_game,
    load_game,
    packaged_games,
    raise_to,
)
from tests.support.dialogue import DIALOGUES
from tests.support.doubles import Dialogue, LineReader, dialogue, follow_dialogue, replying

NAMES = sorted(path.stem for path in DIALOGUES.glob("E*.txt"))
BROKEN_OFF = {"E13", "E14", "E14b", "E15", "E20"}  # the C dealer gave up in mid-hand
PACKAGED = [load_game(name) for name in packaged_games()]
SEATS = [(name, seat) for name in NAMES for seat in range(dialogue(name).game.num_players)]


@attrs.define(eq=False)
class Outcome:
    """What became of one client in a dialogue."""

    hands: int | None = None
    error: Exception | None = None
    replies: list[str] = attrs.Factory(list)
    warnings: list[str] = attrs.Factory(list)


async def play_dialogue(
    agent: Agent,
    recorded: Dialogue,
    seat: int,
    game: GameDefinition | None,
    *,
    before: Sequence[str] = (),
    **options: Any,
) -> Outcome:
    """One client in one seat of a recorded dialogue."""
    outcome = Outcome()
    ours, theirs = trio.testing.memory_stream_pair()

    async def be_client() -> None:
        try:
            outcome.hands = await play(agent, ours, game, warn=outcome.warnings.append, **options)
        except (DealerGone, UnreadableState) as error:
            outcome.error = error
        await ours.aclose()

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(be_client)
            outcome.replies = await follow_dialogue(theirs, recorded, seat, before=before)
    return outcome


def expected_replies(recorded: Dialogue, seat: int) -> list[str]:
    return [f"{state}:{action}" for state, action in recorded.replies_of(seat).items()]


@pytest.mark.parametrize(("name", "seat"), SEATS)
async def test_each_seat_of_each_dialogue_is_played_as_recorded(name: str, seat: int) -> None:
    recorded = dialogue(name)
    agent = replying(recorded.replies_of(seat))

    outcome = await play_dialogue(agent, recorded, seat, recorded.game)

    assert outcome.replies == expected_replies(recorded, seat)
    assert outcome.warnings == []
    assert agent.matches == [(recorded.game, seat)]
    shown = recorded.shown_to(seat)
    assert [state for state in agent.seen if state in shown] == shown
    if name in BROKEN_OFF:
        assert isinstance(outcome.error, DealerGone)
        assert "in the middle of hand" in str(outcome.error)
    else:
        assert outcome.error is None
        assert outcome.hands == len({state.split(":")[2] for state in shown})
        assert recorded.score is not None
        if name != "E15b":  # its first hand was won before the dealer was started again
            assert agent.chips == pytest.approx(recorded.score[seat])


@pytest.mark.parametrize(("name", "seat"), [(n, s) for n, s in SEATS if dialogue(n).game in PACKAGED])
async def test_the_game_is_found_out_without_being_told(name: str, seat: int) -> None:
    recorded = dialogue(name)
    agent = replying(recorded.replies_of(seat))

    outcome = await play_dialogue(agent, recorded, seat, None)

    assert len(outcome.warnings) >= 1
    assert "guessing" in outcome.warnings[0]
    game, told_seat = agent.matches[-1]
    assert told_seat == seat
    assert outcome.replies == expected_replies(recorded, seat)
    # Two-player Kuhn poker is Leduc hold'em until its only round is over.
    if name not in ("E13", "E19") and any("r" in state.split(":")[3] for state in recorded.shown_to(seat)):
        assert game == recorded.game


async def test_the_servers_word_on_the_game_comes_before_the_fallback_and_needs_no_guess() -> None:
    recorded = dialogue("E9")  # a game of its own, four players
    agent = replying(recorded.replies_of(1))
    note = "#game " + format_game(recorded.game).replace("\n", ";")

    outcome = await play_dialogue(
        agent, recorded, 1, None, before=["#riverboat/1 seat names game", note], fallback=load_game("leduc")
    )

    assert outcome.warnings == []
    assert outcome.error is None
    assert agent.matches == [(recorded.game, 1)]


async def test_an_explicit_game_comes_before_the_servers_word() -> None:
    recorded = dialogue("E8")
    agent = replying(recorded.replies_of(0))
    note = "#game " + format_game(load_game("nolimit-2p")).replace("\n", ";")

    outcome = await play_dialogue(agent, recorded, 0, recorded.game, before=[note])

    assert outcome.error is None
    assert agent.matches == [(recorded.game, 0)]


async def test_a_game_note_that_is_no_game_is_reported_and_passed_over() -> None:
    recorded = dialogue("E8")
    agent = replying(recorded.replies_of(0))

    outcome = await play_dialogue(
        agent, recorded, 0, None, before=["#game limit;numPlayers = 99"], fallback=recorded.game
    )

    assert outcome.error is None
    assert len(outcome.warnings) == 1
    assert "#game line" in outcome.warnings[0]


async def test_seat_names_and_unknown_notes() -> None:
    recorded = dialogue("E7")
    agent = replying(recorded.replies_of(2))

    await play_dialogue(
        agent, recorded, 2, recorded.game,
        before=["#riverboat/1 seat names", "#seat 2", "#names Ann|Bob|Cy", "#weather fine", "; hello", "#"],
    )  # fmt: skip

    assert agent.names == ("Ann", "Bob", "Cy")
    assert agent.matches == [(recorded.game, 2)]


async def test_a_wrong_game_ends_in_one_line_that_says_what_to_do() -> None:
    recorded = dialogue("E1")

    outcome = await play_dialogue(Recorder(), recorded, 0, load_game("kuhn-3p"))

    assert isinstance(outcome.error, UnreadableState)
    assert "--game" in str(outcome.error)
    assert "\n" not in str(outcome.error)


# --- opening and bytes -----------------------------------------------------------------------------------


class CountingStream(trio.abc.Stream):
    """Passes everything on and keeps each write apart."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self.writes: list[bytes] = []

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        await self._stream.aclose()


async def writes_of_a_client(agent: Agent, **options: Any) -> list[bytes]:
    recorded = dialogue("E8")
    ours, theirs = trio.testing.memory_stream_pair()
    counting = CountingStream(ours)

    async def be_client() -> None:
        await play(agent, counting, recorded.game, **options)

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(be_client)
            await follow_dialogue(theirs, recorded, 0)
    return counting.writes


async def test_each_thing_that_is_said_is_one_write() -> None:
    agent = replying(dialogue("E8").replies_of(0))

    writes = await writes_of_a_client(agent)

    assert writes[0] == b"VERSION:2.0.0\n#riverboat/1 seat names game\r\n"
    assert writes[1:] == [f"{reply}\r\n".encode() for reply in expected_replies(dialogue("E8"), 0)]


async def test_nothing_beyond_the_acpcs_protocol_when_told_so() -> None:
    writes = await writes_of_a_client(replying(dialogue("E8").replies_of(0)), extension=False)

    assert writes[0] == b"VERSION:2.0.0\n"


async def test_clock_and_token_are_asked_for_where_wanted() -> None:
    agent = replying(dialogue("E8").replies_of(0))
    agent.wants_clock = True

    writes = await writes_of_a_client(agent, token="s3cret")  # made up

    assert writes[0].splitlines()[1] == b"#riverboat/1 seat names game clock token=s3cret"


# --- what an agent may rely on ---------------------------------------------------------------------------


class Dealer:
    """A dealer's end of the wire that says what a test wants said."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream
        self._reader = LineReader(stream)

    async def say(self, *lines: str) -> None:
        await self._stream.send_all("".join(f"{line}\r\n" for line in lines).encode())

    async def hear(self) -> str | None:
        return await self._reader.next_line()

    async def leave(self) -> None:
        await self._stream.aclose()


async def with_dealer(agent: Agent, script: Any, game: GameDefinition | None = None) -> int:
    """Play against `script(dealer)`; a failure of either ends both."""
    ours, theirs = trio.testing.memory_stream_pair()
    dealer = Dealer(theirs)

    async def deal() -> None:
        assert await dealer.hear() == "VERSION:2.0.0"
        await script(dealer)
        await dealer.leave()

    hands = -1
    caught: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(deal)
        try:
            hands = await play(agent, ours, game)
        except Exception as error:  # kept out of the nursery's group
            caught = error
    if caught is not None:
        raise caught
    return hands


async def test_a_client_that_joins_in_mid_hand_is_told_of_everything_it_missed() -> None:
    agent = Recorder()

    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0:rc/cr:8dJd|/As9d6s")
        assert await dealer.hear() == "MATCHSTATE:0:0:rc/cr:8dJd|/As9d6s:c"
        await dealer.say("MATCHSTATE:0:0:rc/crc/cc/cc:8dJd|Td4d/As9d6s/3d/6c")

    hands = await with_dealer(agent, script, load_game("limit-2p"))

    assert hands == 1
    assert agent.told == [
        ("hand", "MATCHSTATE:0:0::8dJd|"),
        ("action", "MATCHSTATE:0:0:r:8dJd|", "1", "r"),
        ("action", "MATCHSTATE:0:0:rc/:8dJd|/As9d6s", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/c:8dJd|/As9d6s", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/cr:8dJd|/As9d6s", "1", "r"),
        ("action", "MATCHSTATE:0:0:rc/crc/:8dJd|/As9d6s/3d", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/c:8dJd|/As9d6s/3d", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/cc/:8dJd|/As9d6s/3d/6c", "1", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/cc/c:8dJd|/As9d6s/3d/6c", "0", "c"),
        ("action", "MATCHSTATE:0:0:rc/crc/cc/cc:8dJd|Td4d/As9d6s/3d/6c", "1", "c"),
        ("end", "MATCHSTATE:0:0:rc/crc/cc/cc:8dJd|Td4d/As9d6s/3d/6c"),
    ]


async def test_a_state_shown_twice_is_answered_twice_and_told_once() -> None:
    agent = Recorder()

    async def script(dealer: Dealer) -> None:
        for _ in range(2):
            await dealer.say("MATCHSTATE:0:0::Ah|")
            assert await dealer.hear() == "MATCHSTATE:0:0::Ah|:c"
        await dealer.say("MATCHSTATE:0:0:c:Ah|", *["MATCHSTATE:0:0:crf:Ah|"] * 2)

    hands = await with_dealer(agent, script, load_game("leduc"))

    assert hands == 1
    assert [kind for kind, *_ in agent.told] == ["hand", "action", "action", "action", "end"]


async def test_a_hand_that_is_dealt_again_starts_again() -> None:
    agent = Recorder()

    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:1:0:c:|Ks")
        assert await dealer.hear() == "MATCHSTATE:1:0:c:|Ks:c"
        await dealer.say("MATCHSTATE:1:0:rr:|Ks", "MATCHSTATE:1:0:rrf:|Ks")

    await with_dealer(agent, script, load_game("leduc"))

    assert [kind for kind, *_ in agent.told] == [
        "hand",
        "action",
        "hand",
        "action",
        "action",
        "action",
        "end",
    ]


async def test_a_hand_in_which_nobody_can_act_starts_and_ends() -> None:
    agent = Recorder()
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(100, 50))

    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0:///:8dJd|Td4d/As9d6s/3d/6c")

    assert await with_dealer(agent, script, game) == 1
    assert [kind for kind, *_ in agent.told] == ["hand", "end"]


@pytest.mark.parametrize(
    ("positions", "seats"),
    [
        ([(0, 4), (2, 5), (1, 6)], [1]),  # rotating: seat (0 + 4) mod 3
        ([(0, 4), (0, 5), (0, 6)], [1, 0]),  # fixed: seen in the second hand
        ([(2, 0), (2, 1), (2, 2)], [2]),  # fixed from the first hand on: nothing to correct
    ],
)
async def test_the_seat_follows_from_positions(positions: list[tuple[int, int]], seats: list[int]) -> None:
    agent = Recorder()

    async def script(dealer: Dealer) -> None:
        for position, hand in positions:
            cards = ["", "", ""]
            cards[position] = "As"
            await dealer.say(f"MATCHSTATE:{position}:{hand}:crff:{'|'.join(cards)}")

    await with_dealer(agent, script, load_game("kuhn-3p"))

    assert [seat for _, seat in agent.matches] == seats
    assert agent.seat == seats[-1]


async def test_the_servers_word_on_the_seat_counts_most() -> None:
    agent = Recorder()

    async def script(dealer: Dealer) -> None:
        await dealer.say("#seat 2", "MATCHSTATE:0:4:crff:As||")

    await with_dealer(agent, script, load_game("kuhn-3p"))

    assert agent.matches == [(load_game("kuhn-3p"), 2)]


class Thinker(Agent):
    """Takes a while over each decision."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.withdrawn = 0
        self.clock: list[float | None] = []

    async def choose_action(self, view: HandView) -> Action:
        self.clock.append(self.seconds_to_act)
        try:
            await trio.sleep(self.seconds)
        except trio.Cancelled:
            self.withdrawn += 1
            raise
        return CALL


async def test_a_coroutine_may_take_its_time(autojump_clock: trio.abc.Clock) -> None:
    agent = Thinker(60)

    async def script(dealer: Dealer) -> None:
        await dealer.say("#clock 90", "MATCHSTATE:0:0::Ah|")
        start = trio.current_time()
        assert await dealer.hear() == "MATCHSTATE:0:0::Ah|:c"
        assert trio.current_time() - start == 60
        await dealer.say("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:crf:Ah|")

    assert await with_dealer(agent, script, load_game("leduc")) == 1
    assert agent.withdrawn == 0
    assert agent.clock == [90.0]


async def test_a_coroutine_is_cancelled_when_the_dealer_goes_on_without_us(
    autojump_clock: trio.abc.Clock,
) -> None:
    agent = Thinker(60)

    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0::Ah|")
        await trio.sleep(10)
        await dealer.say("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")
        assert await dealer.hear() == "MATCHSTATE:0:0:cr:Ah|:c"
        await dealer.say("MATCHSTATE:0:0:crc/ccrf:Ah|/Kh")

    start = trio.current_time()
    with pytest.raises(UnreadableState):  # that last line is no state of Leduc: an error met by the reader
        await with_dealer(agent, script, load_game("leduc"))
    assert agent.withdrawn == 1
    assert trio.current_time() - start == 70


async def test_a_coroutine_is_cancelled_when_the_dealer_leaves(autojump_clock: trio.abc.Clock) -> None:
    agent = Thinker(60)

    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0::Ah|")
        await trio.sleep(10)

    with pytest.raises(DealerGone, match="in the middle of hand 0"):
        await with_dealer(agent, script, load_game("leduc"))
    assert trio.current_time() == 10


async def test_a_line_of_another_game_ends_a_thinking_client_with_its_own_message(
    autojump_clock: trio.abc.Clock,
) -> None:
    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0::Ah|")
        await trio.sleep(1)
        await dealer.say("hello")

    with pytest.raises(UnreadableState, match="hello"):
        await with_dealer(Thinker(60), script, load_game("leduc"))


class Broken(Agent):
    """Has a bug."""

    def __init__(self, returns: Any = None, raises: Exception | None = None, waits: bool = False) -> None:
        self.returns, self.raises, self.waits = returns, raises, waits

    def choose_action(self, view: HandView) -> Any:
        return self.later() if self.waits else self.now()

    async def later(self) -> Any:
        await trio.lowlevel.checkpoint()
        return self.now()

    def now(self) -> Any:
        if self.raises is not None:
            raise self.raises
        return self.returns


@pytest.mark.parametrize("waits", [False, True])
async def test_a_bug_in_an_agent_comes_out_as_it_is(waits: bool) -> None:
    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:0:0::Ah|")
        assert await dealer.hear() is None

    async def closing(agent: Agent) -> None:
        ours, theirs = trio.testing.memory_stream_pair()
        await theirs.send_all(b"MATCHSTATE:0:0::Ah|\r\n")
        await play(agent, ours, load_game("leduc"))

    with pytest.raises(ZeroDivisionError, match="mine"):
        await closing(Broken(raises=ZeroDivisionError("mine"), waits=waits))
    with pytest.raises(TypeError, match="choose_action returned 'c', expected FOLD, CALL"):
        await closing(Broken(returns="c", waits=waits))


@pytest.mark.parametrize(
    ("chosen", "sent"),
    [
        (raise_to(10**12), "r2147483647"),
        (raise_to(-(10**12)), "r-2147483647"),
        (FOLD, "f"),
        (raise_to(300), "r300"),
    ],
)
async def test_sizes_that_would_wrap_around_at_the_dealer_are_kept_in_range(
    chosen: Action, sent: str
) -> None:
    async def script(dealer: Dealer) -> None:
        await dealer.say("MATCHSTATE:1:0::|Td4d")
        assert await dealer.hear() == f"MATCHSTATE:1:0::|Td4d:{sent}"
        await dealer.say("MATCHSTATE:1:0:f:|Td4d")

    await with_dealer(Broken(returns=chosen), script, load_game("nolimit-2p"))


# --- ends ------------------------------------------------------------------------------------------------


async def test_a_table_that_closes_before_the_first_hand() -> None:
    async def script(dealer: Dealer) -> None:
        await dealer.say("#riverboat/1 seat")

    with pytest.raises(DealerGone, match="before the first hand"):
        await with_dealer(AlwaysCall(), script)


async def test_a_torn_line_is_an_error() -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    await theirs.send_all(b"MATCHSTATE:0:0::A")
    await theirs.aclose()

    with pytest.raises(UnreadableState, match="in the middle of a line"):
        await play(AlwaysCall(), ours, load_game("leduc"))


async def test_a_reset_after_a_finished_hand_is_a_regular_end() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]

    async def deal() -> None:
        stream = await listeners[0].accept()
        await stream.send_all(b"MATCHSTATE:0:0:crf:Ah|\r\n")
        await trio.sleep(0.05)
        await stream.aclose()  # with the client's version unread: the kernel sends a reset

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(deal)
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            assert stream.socket.getsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY)
            async with stream:
                assert await play(AlwaysCall(), stream, load_game("leduc")) == 1
    await listeners[0].aclose()


async def test_every_chunking_of_the_bytes_is_the_same_to_the_agent() -> None:
    recorded = dialogue("E4")
    whole = "".join(f"{state}\r\n" for state in recorded.shown_to(0)).encode()
    told = []
    for size in (1, 2, 3, 7, 64, len(whole)):
        agent = replying(recorded.replies_of(0))
        ours, theirs = trio.testing.memory_stream_pair()

        async def send(size: int, theirs: trio.abc.Stream) -> None:
            for start in range(0, len(whole), size):
                await theirs.send_all(whole[start : start + size])
                await trio.lowlevel.checkpoint()
            await theirs.aclose()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(send, size, theirs)
            assert await play(agent, ours, recorded.game) == 2
        told.append(agent.told)

    assert all(other == told[0] for other in told)
