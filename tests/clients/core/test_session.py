"""The socket session, held against the C dealer's recorded dialogues, over memory streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import pytest
import trio
import trio.lowlevel
import trio.testing

from clients.core.agent import Agent
from clients.core.guess import RoomSeat
from clients.core.session import DealerGone, SessionError, UnreadableState, play
from clients.lab.testing import Recorder
from engine.poker.rules import GameDefinition, format_game, load_game, packaged_games
from tests.support.dialogue import DIALOGUES
from tests.support.doubles import Dialogue, dialogue, follow_dialogue, replying

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

    with trio.fail_after(60):
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


@pytest.mark.parametrize(
    ("name", "seat", "note", "options"),
    [
        # A game of its own, four players; no guess is needed.
        ("E9", 1, dialogue("E9").game, {"game": None, "fallback": load_game("leduc")}),
        ("E8", 0, load_game("nolimit-2p"), {"game": dialogue("E8").game}),
    ],
    ids=["the server's word before the fallback", "an explicit game before the server's word"],
)
async def test_whose_word_on_the_game_counts(
    name: str, seat: int, note: GameDefinition, options: dict[str, Any]
) -> None:
    recorded = dialogue(name)
    agent = replying(recorded.replies_of(seat))
    said = ["#riverboat/1 seat names game", "#game " + format_game(note).replace("\n", ";")]

    outcome = await play_dialogue(agent, recorded, seat, before=said, **options)

    assert (outcome.warnings, outcome.error) == ([], None)
    assert agent.matches == [(recorded.game, seat)]


async def test_a_game_note_that_is_no_game_is_reported_and_passed_over() -> None:
    recorded = dialogue("E8")
    agent = replying(recorded.replies_of(0))

    outcome = await play_dialogue(
        agent, recorded, 0, None, before=["#game limit;numPlayers = 99"], fallback=recorded.game
    )

    assert (outcome.error, len(outcome.warnings)) == (None, 1)
    assert "#game line" in outcome.warnings[0]


async def test_seat_names_and_unknown_notes() -> None:
    recorded = dialogue("E7")
    agent = replying(recorded.replies_of(2))

    await play_dialogue(
        agent, recorded, 2, recorded.game,
        before=["#riverboat/1 seat names", "#seat 2", "#names Ann|Bob|Cy", "#weather fine", "; hello", "#"],
    )  # fmt: skip

    assert (agent.names, agent.matches) == (("Ann", "Bob", "Cy"), [(recorded.game, 2)])


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

    with trio.fail_after(60):
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


CURSED = "\x1b]0;pwned\x07\x1b[2J\x9b31m\r\u202etxt"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["#lobby", f"#refused {CURSED}"], id="a refusal"),
        pytest.param(["#lobby", "#seated a 0 40", f"#message {CURSED}", f"#lobby {CURSED}"], id="a message"),
        pytest.param(["#lobby", "#seated a 0 40", f"#names {CURSED}|Bob", "#lobby"], id="a name"),
        pytest.param(["#lobby", "#seated a 0 40", f"#game {CURSED}", "#lobby"], id="a game"),
        pytest.param(["#lobby", "#seated a 0 40", f"MATCHSTATE:{CURSED}"], id="a state"),
    ],
)
async def test_nothing_that_a_room_says_reaches_a_terminal_as_a_command(lines: list[str]) -> None:
    """Escape sequences rename windows, clear screens and, on some terminals, type."""
    ours, theirs = trio.testing.memory_stream_pair()
    said: list[str] = []
    agent = Recorder()
    await theirs.send_all(
        "".join([f"{line}\r\n" for line in ["#riverboat/1 lobby names game", *lines]]).encode()
    )
    await theirs.send_eof()
    try:
        await play(agent, ours, None, warn=said.append, room=RoomSeat("a", None, None))
    except SessionError as error:
        said.append(str(error))
    said += agent.names or ()
    assert said
    assert all(line.isprintable() for line in said), said
