"""The table over the protocol, held against the arena, the golden logs and the C dealer's own messages."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from clients.bots.baselines import AlwaysCall, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.lab.testing import (
    Deciding,
    PlayedMatch,
    PlayerLeft,
    Recorder,
    deal_over_wire,
    play_over_wire,
    stacked_deal,
)
from engine.poker.rules import (
    FOLD,
    Action,
    HandState,
    HandView,
    StackedDealer,
    load_game,
    packaged_games,
    raise_to,
)
from protocol import BadVersion
from tests.support.hands.golden_files import LOGS, golden_log
from tests.support.tables import conversations


@pytest.mark.parametrize("extension", [True, False])
@pytest.mark.parametrize("name", packaged_games())
@pytest.mark.slow
async def test_the_same_hands_as_in_the_arena(name: str, extension: bool) -> None:
    game = load_game(name)
    ends: list[HandState] = []
    arena = Arena(game, [Random() for _ in range(game.num_players)], 7)
    arena.play(20, on_hand=lambda state, _: ends.append(state))

    played = await play_over_wire(
        [Random() for _ in range(game.num_players)], name, 20, seed=7, extension=extension
    )

    assert [state.betting.text for state in played.hands] == [state.betting.text for state in ends]
    assert played.chips == arena.chips
    assert played.complaints == ()
    assert [state.deal for state in played.hands] == [state.deal for state in ends]


@pytest.mark.parametrize("name", LOGS)
async def test_a_seat_is_told_what_the_log_of_the_c_dealer_implies(name: str) -> None:
    log = golden_log(name)
    records = log.records[:20]
    said, told = conversations(log.game, records)
    pairs = [trio.testing.memory_stream_pair() for _ in log.names]

    async with trio.open_nursery() as nursery:
        for (stream, _), answers in zip(pairs, said, strict=True):
            nursery.start_soon(stream.send_all, b"VERSION:2.0.0\r\n" + answers)
        played = await deal_over_wire([stream for _, stream in pairs], log.game, len(records), seed=log.seed)

    for (stream, _), lines in zip(pairs, told, strict=True):
        assert b"".join([data async for data in stream]) == bytes(lines)
    assert [state.betting.text for state in played.hands] == [record.betting for record in records]


async def test_an_agent_at_the_wire_is_told_what_it_is_told_in_the_arena() -> None:
    game = load_game("nolimit-3p")
    in_arena = [Recorder(Random()) for _ in range(3)]
    at_wire = [Recorder(Random()) for _ in range(3)]

    Arena(game, in_arena, 7).play(10)
    await play_over_wire(at_wire, game, 10, seed=7)

    assert [agent.told for agent in at_wire] == [agent.told for agent in in_arena]
    assert [agent.decisions for agent in at_wire] == [agent.decisions for agent in in_arena]
    assert [agent.agent.names for agent in at_wire] == [("p0", "p1", "p2")] * 3


async def test_illegal_actions_are_corrected_and_complained_of() -> None:
    agents = [Deciding(lambda _: raise_to(150)), Deciding(lambda view: FOLD)]

    played = await play_over_wire(agents, "nolimit-2p", 1, seed=7)

    assert played.hands[0].betting.text == "f"
    played = await play_over_wire([agents[0], AlwaysCall()], "nolimit-2p", 1, seed=7)
    assert played.hands[0].betting.text.startswith("cr200")
    assert played.complaints[0] == "seat 0: illegal action: b'MATCHSTATE:0:0:c:8dJd|:r150\\r\\n'"


async def test_a_bug_in_an_agent_comes_out_as_it_is() -> None:
    class Broken(Agent):
        def choose_action(self, view: HandView) -> Action:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        await play_over_wire([Broken(), AlwaysCall()], "limit-2p", 1)


async def test_cards_may_be_stacked() -> None:
    game = load_game("leduc")
    deals = [stacked_deal(game, seed=seed) for seed in (1, 2)]

    played = await play_over_wire([AlwaysCall(), AlwaysCall()], game, 2, dealer=StackedDealer(deals))

    assert [state.deal for state in played.hands] == deals


# --- clients that are no agents ------------------------------------------------------------


async def deal_to(*said: bytes, leaves: bool = False) -> PlayedMatch:
    """A hand of Leduc between a client that says all it has to say at once and one that calls."""
    ours, theirs = trio.testing.memory_stream_pair()
    callers, others = trio.testing.memory_stream_pair()
    await ours.send_all(b"".join(said))
    if leaves:
        await ours.send_eof()
    await callers.send_all(VERSION + b"".join(CALLER))
    return await deal_over_wire([theirs, others], "leduc", 1, seed=7)


VERSION = b"VERSION:2.0.0\r\n"
CALLER = (b"MATCHSTATE:1:0:c:|Ah:c\r\n", b"MATCHSTATE:1:0:cc/c:|Ah/Kh:c\r\n")
ANSWERS = (b"MATCHSTATE:0:0::Qs|:c\r\n", b"MATCHSTATE:0:0:cc/:Qs|/Kh:c\r\n")


async def test_any_client_will_do() -> None:
    played = await deal_to(VERSION, *ANSWERS)

    assert played.hands[0].betting.text == "cc/cc"
    assert played.complaints == ()


async def test_what_a_client_says_wrong_is_complained_of() -> None:
    played = await deal_to(
        b"VERSION:1.0.0\r\n",
        b"# a comment\r\n",
        b"hello\r\n",
        ANSWERS[0],
        ANSWERS[0],
        ANSWERS[1][:-3] + b"x\n",
    )

    assert played.hands[0].betting.text == "cc/cc"
    assert [complaint.partition(" (")[0] for complaint in played.complaints] == [
        "seat 0: speaks version 1.0, expected 2.0",
        "seat 0: not an answer: UnreadableLine(line=b'hello\\r\\n')",
        f"seat 0: not an answer: StaleReply(line={ANSWERS[0]!r})",
        "seat 0: invalid action: b'MATCHSTATE:0:0:cc/:Qs|/Kh:x\\n'",
    ]


async def test_a_client_that_leaves_ends_the_match() -> None:
    with pytest.raises(PlayerLeft, match="seat 0: the client closed the connection"):
        await deal_to(VERSION, ANSWERS[0], leaves=True)
    with pytest.raises(BadVersion):
        await deal_to(b"GET / HTTP/1.1\r\n")


async def test_one_stream_a_seat() -> None:
    with pytest.raises(ValueError, match="expected 2 streams, one a seat, got 0"):
        await deal_over_wire([], "leduc", 1)
