"""`check_agent` finds no fault in those who play right; its table speaks the protocol."""

from __future__ import annotations

import functools
import random
import threading

import attrs
import numpy as np
import pytest
import trio
import trio.testing
from hypothesis import given, settings

from clients.bots.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import UnknownBot
from clients.lab import testing
from engine.poker import rules
from protocol import BadVersion
from tests.clients.lab.testing.checks import checked, choosing, only_fault
from tests.support.hands.golden_files import LOGS, golden_log
from tests.support.hands.strategies import games
from tests.support.tables import conversations

# --- `check_agent` finds no fault in those who play right, in whatever situation, and reports what it did ---

# --- those who play right ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", rules.packaged_games())
def test_a_random_player_does_nothing_wrong_in_any_packaged_game(game: str) -> None:
    report = checked(Random, game, hands=2 if game == "limit-10p" else 6)

    assert report.is_right, str(report)
    assert report.notes == ()
    assert (report.agent, report.game, report.seed) == ("Random", game, 0)
    assert report.decisions > 0
    assert 0 < report.median_s <= report.p99_s <= report.longest_s
    report.raise_if_wrong()


@pytest.mark.slow
@settings(max_examples=25)
@given(games())
def test_a_random_player_does_nothing_wrong_in_any_game_at_all(game: rules.GameDefinition) -> None:
    report = testing.check_agent(Random, game, hands=2)

    assert report.is_right, str(report)


def test_an_agent_is_named_made_or_copied() -> None:
    asked = Random(fold=0.5)

    reports = [
        checked("random:fold=0.5", "leduc"),
        checked(functools.partial(Random, fold=0.5), "leduc"),
        checked(lambda: Random(fold=0.5), "leduc"),
        checked(asked, "leduc"),
    ]

    assert [report.agent for report in reports] == ["random:fold=0.5", "Random", "<lambda>", "Random"]
    assert all(report.is_right for report in reports)
    assert len({report.decisions for report in reports}) == 1  # they are the same player
    assert not hasattr(asked, "game")  # it has not played itself


def test_an_agent_that_cannot_be_made_is_the_callers_mistake() -> None:
    class Holding(AlwaysCall):
        def __init__(self) -> None:
            self.lock = threading.Lock()

    with pytest.raises(UnknownBot):
        checked("nobody")
    with pytest.raises(OptionError):
        checked("random:colour=red")
    with pytest.raises(TypeError, match=r"Holding cannot be copied .*: pass its class"):
        checked(Holding())
    assert checked(Holding, "leduc").is_right


def test_generators_of_the_process_are_as_they_were() -> None:
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()  # noqa: NPY002

    checked(choosing(lambda _: rules.CALL if random.random() < np.random.random() else rules.FOLD), "kuhn-2p")  # noqa: NPY002

    assert random.getstate() == before[0]
    np.testing.assert_equal(np.random.get_state(), before[1])  # noqa: NPY002


# --- games, dealers ---------------------------------------------------------------------------------------


def test_a_bot_that_does_not_play_the_game_says_so() -> None:
    fault = only_fault(checked("hand-strength", "kuhn-2p"))

    assert (fault.kind, fault.hook) == (testing.FaultKind.DECLINES, "match_started")
    assert fault.message.startswith("hand-strength plays Texas hold'em only")


def test_stacks_of_another_size_may_be_declined() -> None:
    class Deep(AlwaysCall):
        def match_started(self, game: rules.GameDefinition, seat: int) -> None:
            if game.stacks[0] < 10 * game.big_blind:
                raise OptionError("plays deep stacks only")

    report = checked(Deep)

    assert report.is_right
    assert len(report.notes) >= 2
    assert all(note.endswith("plays deep stacks only") for note in report.notes)


def test_short_stacks_bring_out_what_deep_ones_hide() -> None:
    def choose(view: rules.HandView) -> rules.Action:
        left = view.game.stacks[view.position] - view.betting.spent[view.position]
        assert left >= 200
        return rules.CALL

    assert {fault.situation for fault in checked(choosing(choose)).faults} == {"with stacks of one big blind"}
    tried = testing.situations(rules.load_game("nolimit-2p"), short_stacks=False)
    assert checked(choosing(choose), tried=tried).is_right


def test_names_that_a_dealer_does_not_say_are_not_there() -> None:
    class Sociable(AlwaysCall):
        def hand_finished(self, view: rules.HandView) -> None:
            assert self.names is not None

    fault = only_fault(checked(Sociable, "leduc"))

    assert fault.situation == "at a dealer that says little and plays for it now and then"


def test_actions_that_a_dealer_plays_in_its_place_are_not_its_own() -> None:
    class Proud(AlwaysRaise):
        def choose_action(self, view: rules.HandView) -> rules.Action:
            self.last = super().choose_action(view)
            return self.last

        def action_seen(self, view: rules.HandView, position: int, action: rules.Action) -> None:
            if position == view.position:
                assert action == self.last

    faults = checked(Proud, "limit-2p", hands=30).faults

    [situation] = {fault.situation for fault in faults}
    assert situation == "at a dealer that says little and plays for it now and then"


def test_what_is_tried_may_be_chosen() -> None:
    game = rules.load_game("leduc")
    tried = [testing.Situation("against a folder", game, (AlwaysFold,))]

    report = testing.check_agent(AlwaysRaise, game, tried=tried, hands=10)

    assert (report.situations, report.game) == (("against a folder",), "leduc")
    assert report.hands == 2 * 10 + 2 * 6  # twice, and six of them twice by themselves


# --- the report -------------------------------------------------------------------------------------------


def test_a_report_is_a_value_that_can_be_read() -> None:
    report = testing.AgentReport(
        agent="MyBot",
        game="limit-2p",
        seed=7,
        situations=("against random players",),
        hands=1200,
        decisions=3456,
        median_s=0.00002,
        p99_s=0.0204,
        longest_s=1.25,
        faults=(
            testing.Fault(
                testing.FaultKind.ILLEGAL_ACTION, "folds where there is nothing to call",
                "against random players", 1, "choose_action", 12, "MATCHSTATE:1:12:c:|7h5d", "c, r",
                times=1234,
            ),
            testing.Fault(
                testing.FaultKind.EXCEPTION,
                "ValueError: mine",
                "against random players",
                0,
                "match_started",
                traceback="Traceback (most recent call last):\n  ...\nValueError: mine\n",
            ),
        ),
        notes=("keeps " + "words " * 30,),
    )  # fmt: skip

    assert str(report).splitlines() == [
        "MyBot in limit-2p, seed 7: 2 faults in 1,200 hands, 3,456 decisions",
        "illegal action, 1,234 times, first: folds where there is nothing to call",
        "    in choose_action, against random players, seat 1, hand 12",
        "    state  MATCHSTATE:1:12:c:|7h5d", "    legal  c, r", "exception: ValueError: mine",
        "    in match_started, against random players, seat 0", "    Traceback (most recent call last):",
        "      ...", "    ValueError: mine", "note: keeps " + "words " * 13 + "words",
        "    " + "words " * 15 + "words", "time for a decision: median 0.02 ms, 99 % 20 ms, longest 1.2 s",
    ]  # fmt: skip
    with pytest.raises(testing.FaultyAgentError) as raised:
        report.raise_if_wrong()
    assert str(raised.value) == str(report)
    assert raised.value.report is report
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        report.hands = 0  # type: ignore[misc]  # that is the point
    assert hash(report) == hash(attrs.evolve(report))


def test_the_same_check_finds_the_same() -> None:
    class Wild(Agent):
        def choose_action(self, view: rules.HandView) -> rules.Action:
            return self.rng.choice([rules.FOLD, rules.CALL, rules.raise_to(self.rng.randrange(30000))])

    def found() -> testing.AgentReport:
        return attrs.evolve(checked(Wild, seed=3), median_s=0.0, p99_s=0.0, longest_s=0.0)

    assert found() == found()
    assert len(found().faults) == 4


# --- The table over the protocol, held against the arena, the golden logs and the C dealer's own messages ---


@pytest.mark.parametrize("extension", [True, False])
@pytest.mark.parametrize("name", rules.packaged_games())
@pytest.mark.slow
async def test_the_same_hands_as_in_the_arena(name: str, extension: bool) -> None:
    game = rules.load_game(name)
    ends: list[rules.HandState] = []
    arena = Arena(game, [Random() for _ in range(game.num_players)], 7)
    arena.play(20, on_hand=lambda state, _: ends.append(state))

    played = await testing.play_over_wire(
        [Random() for _ in range(game.num_players)], name, 20, seed=7, extension=extension
    )

    assert [state.betting.text for state in played.hands] == [state.betting.text for state in ends]
    assert (played.chips, played.complaints) == (arena.chips, ())
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
        played = await testing.deal_over_wire(
            [stream for _, stream in pairs], log.game, len(records), seed=log.seed
        )

    for (stream, _), lines in zip(pairs, told, strict=True):
        assert b"".join([data async for data in stream]) == bytes(lines)
    assert [state.betting.text for state in played.hands] == [record.betting for record in records]


async def test_an_agent_at_the_wire_is_told_what_it_is_told_in_the_arena() -> None:
    game = rules.load_game("nolimit-3p")
    in_arena = [testing.Recorder(Random()) for _ in range(3)]
    at_wire = [testing.Recorder(Random()) for _ in range(3)]

    Arena(game, in_arena, 7).play(10)
    await testing.play_over_wire(at_wire, game, 10, seed=7)

    assert [agent.told for agent in at_wire] == [agent.told for agent in in_arena]
    assert [agent.decisions for agent in at_wire] == [agent.decisions for agent in in_arena]
    assert [agent.agent.names for agent in at_wire] == [("p0", "p1", "p2")] * 3


async def test_illegal_actions_are_corrected_and_complained_of() -> None:
    agents = [testing.Deciding(lambda _: rules.raise_to(150)), testing.Deciding(lambda view: rules.FOLD)]

    played = await testing.play_over_wire(agents, "nolimit-2p", 1, seed=7)

    assert played.hands[0].betting.text == "f"
    played = await testing.play_over_wire([agents[0], AlwaysCall()], "nolimit-2p", 1, seed=7)
    assert played.hands[0].betting.text.startswith("cr200")
    assert played.complaints[0] == "seat 0: illegal action: b'MATCHSTATE:0:0:c:8dJd|:r150\\r\\n'"


async def test_a_bug_in_an_agent_comes_out_as_it_is() -> None:
    class Broken(Agent):
        def choose_action(self, view: rules.HandView) -> rules.Action:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        await testing.play_over_wire([Broken(), AlwaysCall()], "limit-2p", 1)


async def test_cards_may_be_stacked() -> None:
    game = rules.load_game("leduc")
    deals = [testing.stacked_deal(game, seed=seed) for seed in (1, 2)]

    played = await testing.play_over_wire(
        [AlwaysCall(), AlwaysCall()], game, 2, dealer=rules.StackedDealer(deals)
    )

    assert [state.deal for state in played.hands] == deals


# --- clients that are no agents ------------------------------------------------------------


async def deal_to(*said: bytes, leaves: bool = False) -> testing.PlayedMatch:
    """A hand of Leduc between a client that says all it has to say at once and one that calls."""
    ours, theirs = trio.testing.memory_stream_pair()
    callers, others = trio.testing.memory_stream_pair()
    await ours.send_all(b"".join(said))
    if leaves:
        await ours.send_eof()
    await callers.send_all(VERSION + b"".join(CALLER))
    return await testing.deal_over_wire([theirs, others], "leduc", 1, seed=7)


VERSION = b"VERSION:2.0.0\r\n"
CALLER = (b"MATCHSTATE:1:0:c:|Ah:c\r\n", b"MATCHSTATE:1:0:cc/c:|Ah/Kh:c\r\n")
ANSWERS = (b"MATCHSTATE:0:0::Qs|:c\r\n", b"MATCHSTATE:0:0:cc/:Qs|/Kh:c\r\n")


async def test_any_client_will_do() -> None:
    played = await deal_to(VERSION, *ANSWERS)

    assert (played.hands[0].betting.text, played.complaints) == ("cc/cc", ())


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
    with pytest.raises(testing.PlayerLeft, match="seat 0: the client closed the connection"):
        await deal_to(VERSION, ANSWERS[0], leaves=True)
    with pytest.raises(BadVersion):
        await deal_to(b"GET / HTTP/1.1\r\n")


async def test_one_stream_a_seat() -> None:
    with pytest.raises(ValueError, match="expected 2 streams, one a seat, got 0"):
        await testing.deal_over_wire([], "leduc", 1)
