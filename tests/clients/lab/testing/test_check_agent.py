"""`check_agent` finds no fault in those who play right, in whatever situation, and reports what it did."""

from __future__ import annotations

import functools
import random
import threading

import attrs
import numpy as np
import pytest
from hypothesis import given, settings

from clients.bots.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.agent import Agent
from clients.core.options import OptionError
from clients.core.registry import UnknownBot
from clients.lab.testing import (
    AgentReport,
    Fault,
    FaultKind,
    FaultyAgentError,
    Situation,
    check_agent,
    situations,
)
from engine.poker.rules import (
    CALL,
    FOLD,
    Action,
    GameDefinition,
    HandView,
    load_game,
    packaged_games,
    raise_to,
)
from tests.clients.lab.testing.checks import checked, choosing, only_fault
from tests.support.hands.strategies import games

# --- those who play right ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", packaged_games())
def test_a_random_player_does_nothing_wrong_in_any_packaged_game(game: str) -> None:
    report = checked(Random, game)

    assert report.is_right, str(report)
    assert report.notes == ()
    assert (report.agent, report.game, report.seed) == ("Random", game, 0)
    assert report.decisions > 0
    assert 0 < report.median_s <= report.p99_s <= report.longest_s
    report.raise_if_wrong()


@pytest.mark.slow
@settings(max_examples=25)
@given(games())
def test_a_random_player_does_nothing_wrong_in_any_game_at_all(game: GameDefinition) -> None:
    report = check_agent(Random, game, hands=2)

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

    checked(choosing(lambda _: CALL if random.random() < np.random.random() else FOLD), "kuhn-2p")  # noqa: NPY002

    assert random.getstate() == before[0]
    np.testing.assert_equal(np.random.get_state(), before[1])  # noqa: NPY002


# --- games, dealers ---------------------------------------------------------------------------------------


def test_a_bot_that_does_not_play_the_game_says_so() -> None:
    fault = only_fault(checked("hand-strength", "kuhn-2p"))

    assert (fault.kind, fault.hook) == (FaultKind.DECLINES, "match_started")
    assert fault.message.startswith("hand-strength plays Texas hold'em only")


def test_stacks_of_another_size_may_be_declined() -> None:
    class Deep(AlwaysCall):
        def match_started(self, game: GameDefinition, seat: int) -> None:
            if game.stacks[0] < 10 * game.big_blind:
                raise OptionError("plays deep stacks only")

    report = checked(Deep)

    assert report.is_right
    assert len(report.notes) >= 2
    assert all(note.endswith("plays deep stacks only") for note in report.notes)


def test_short_stacks_bring_out_what_deep_ones_hide() -> None:
    def choose(view: HandView) -> Action:
        left = view.game.stacks[view.position] - view.betting.spent[view.position]
        assert left >= 200
        return CALL

    assert {fault.situation for fault in checked(choosing(choose)).faults} == {"with stacks of one big blind"}
    tried = situations(load_game("nolimit-2p"), short_stacks=False)
    assert checked(choosing(choose), tried=tried).is_right


def test_names_that_a_dealer_does_not_say_are_not_there() -> None:
    class Sociable(AlwaysCall):
        def hand_finished(self, view: HandView) -> None:
            assert self.names is not None

    fault = only_fault(checked(Sociable, "leduc"))

    assert fault.situation == "at a dealer that says little and plays for it now and then"


def test_actions_that_a_dealer_plays_in_its_place_are_not_its_own() -> None:
    class Proud(AlwaysRaise):
        def choose_action(self, view: HandView) -> Action:
            self.last = super().choose_action(view)
            return self.last

        def action_seen(self, view: HandView, position: int, action: Action) -> None:
            if position == view.position:
                assert action == self.last

    faults = checked(Proud, "limit-2p", hands=30).faults

    [situation] = {fault.situation for fault in faults}
    assert situation == "at a dealer that says little and plays for it now and then"


def test_what_is_tried_may_be_chosen() -> None:
    game = load_game("leduc")
    tried = [Situation("against a folder", game, (AlwaysFold,))]

    report = check_agent(AlwaysRaise, game, tried=tried, hands=10)

    assert report.situations == ("against a folder",)
    assert report.game == "leduc"
    assert report.hands == 2 * 10 + 2 * 6  # twice, and six of them twice by themselves


# --- the report -------------------------------------------------------------------------------------------


def test_a_report_is_a_value_that_can_be_read() -> None:
    report = AgentReport(
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
            Fault(
                FaultKind.ILLEGAL_ACTION,
                "folds where there is nothing to call",
                "against random players",
                1,
                "choose_action",
                12,
                "MATCHSTATE:1:12:c:|7h5d",
                "c, r",
                times=1234,
            ),
            Fault(
                FaultKind.EXCEPTION,
                "ValueError: mine",
                "against random players",
                0,
                "match_started",
                traceback="Traceback (most recent call last):\n  ...\nValueError: mine\n",
            ),
        ),
        notes=("keeps " + "words " * 30,),
    )

    assert str(report).splitlines() == [
        "MyBot in limit-2p, seed 7: 2 faults in 1,200 hands, 3,456 decisions",
        "illegal action, 1,234 times, first: folds where there is nothing to call",
        "    in choose_action, against random players, seat 1, hand 12",
        "    state  MATCHSTATE:1:12:c:|7h5d",
        "    legal  c, r",
        "exception: ValueError: mine",
        "    in match_started, against random players, seat 0",
        "    Traceback (most recent call last):",
        "      ...",
        "    ValueError: mine",
        "note: keeps " + "words " * 13 + "words",
        "    " + "words " * 15 + "words",
        "time for a decision: median 0.02 ms, 99 % 20 ms, longest 1.2 s",
    ]
    with pytest.raises(FaultyAgentError) as raised:
        report.raise_if_wrong()
    assert str(raised.value) == str(report)
    assert raised.value.report is report
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        report.hands = 0  # type: ignore[misc]  # that is the point
    assert hash(report) == hash(attrs.evolve(report))


def test_the_same_check_finds_the_same() -> None:
    class Wild(Agent):
        def choose_action(self, view: HandView) -> Action:
            return self.rng.choice([FOLD, CALL, raise_to(self.rng.randrange(30000))])

    def found() -> AgentReport:
        return attrs.evolve(checked(Wild, seed=3), median_s=0.0, p99_s=0.0, longest_s=0.0)

    assert found() == found()
    assert len(found().faults) == 4
