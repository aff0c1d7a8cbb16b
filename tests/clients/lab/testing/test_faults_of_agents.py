"""`check_agent` finds each kind of fault and says where."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trio

from clients.bots.baselines import AlwaysCall, Random
from clients.core.agent import Agent
from clients.lab.testing import FaultKind, check_agent_async
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, ActionKind, HandView, load_game, raise_to
from protocol import parse_match_state
from tests.clients.lab.testing.checks import Chooser, checked, choosing, only_fault

AnyAction: Any = Action  # to be called with what it does not take


# --- illegal actions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "choose", "message"),
    [
        ("limit-2p", lambda _: FOLD, "folds where there is nothing to call"),
        ("limit-2p", lambda _: LIMIT_RAISE, "raises (r) where no raise is allowed"),
        ("limit-2p", lambda view: raise_to(20) if view.legal_actions().can_raise else CALL, "the size 20,"),
        ("nolimit-2p", lambda view: raise_to(150), "raises to 150, the least is 200"),
        ("nolimit-2p", lambda view: raise_to(10**12), "raises to 1000000000000, the most is 20000"),
        ("nolimit-2p", lambda _: LIMIT_RAISE, "raises without saying to what total"),
        ("nolimit-2p", lambda view: AnyAction(ActionKind.RAISE, view.pot * 1.5), "the size "),
        ("nolimit-2p", lambda _: AnyAction(ActionKind.RAISE, "all"), "the size 'all' is no whole number"),
        ("nolimit-2p", lambda _: Action(ActionKind.CALL, 3), "the size 3, which only raises"),
        ("nolimit-2p", lambda _: "call", "returned 'call', which is no action"),
        ("nolimit-2p", lambda _: None, "returned None, which is no action"),
        ("nolimit-2p", lambda _: AnyAction("c"), "returned Action(kind='c'"),
    ],
)
def test_an_illegal_action_is_found(game: str, choose: Chooser, message: str) -> None:
    report = checked(choosing(choose), game)

    assert {fault.kind for fault in report.faults} == {FaultKind.ILLEGAL_ACTION}
    assert any(fault.message.startswith(message) for fault in report.faults), str(report)


def test_an_illegal_action_is_shown_with_all_that_led_to_it() -> None:
    report = checked(choosing(lambda _: FOLD), "limit-3p", hands=9)

    fault = only_fault(report)
    view = parse_match_state(fault.state, load_game("limit-3p"))
    assert fault.hand_number is not None
    assert (fault.hook, fault.legal) == ("choose_action", "c, r")
    assert view.hand_number == fault.hand_number
    assert view.position == (fault.seat - fault.hand_number) % 3
    assert view.is_our_turn
    assert FOLD not in view.legal_actions()
    assert fault.times > 10


def test_numbers_of_numpy_are_whole_numbers() -> None:
    int_of_numpy: Any = np.int64(400)

    assert checked(choosing(lambda view: view.legal_actions().raising_to(int_of_numpy))).is_right


# --- exceptions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hook", ["hand_started", "action_seen", "choose_action", "hand_finished"])
def test_an_exception_is_found_in_whatever_hook(hook: str) -> None:
    def fail(self: Agent, view: HandView, *_: object) -> Action:
        if view.hand_number == 2:
            raise ZeroDivisionError("a bug of mine")
        return CALL

    report = checked(type("Broken", (AlwaysCall,), {hook: fail}), "leduc")

    fault = only_fault(report)
    assert (fault.kind, fault.hook, fault.hand_number) == (FaultKind.EXCEPTION, hook, 2)
    assert fault.message == "ZeroDivisionError: a bug of mine"
    first, where, what, *_, last = fault.traceback.splitlines()
    assert first == "Traceback (most recent call last):"
    assert "test_faults_of_agents.py" in where
    assert what.strip() == 'raise ZeroDivisionError("a bug of mine")'
    assert last == "ZeroDivisionError: a bug of mine"


@pytest.mark.parametrize("hook", ["prepare", "match_started"])
def test_an_exception_before_the_first_hand_is_all_there_is_to_find(hook: str) -> None:
    def fail(self: Agent, *_: object) -> None:
        raise KeyError("strategy")

    report = checked(type("Unready", (AlwaysCall,), {hook: fail}))

    fault = only_fault(report)
    assert (fault.kind, fault.hook, fault.hand_number) == (FaultKind.EXCEPTION, hook, None)
    assert (report.hands, report.decisions) == (0, 0)


def test_an_agent_that_ends_the_process_does_not_end_the_test() -> None:
    report = checked(choosing(lambda _: sys.exit("done")), "kuhn-2p")

    assert only_fault(report).message == "SystemExit: done"


def test_the_like_is_reported_once_and_other_things_apart() -> None:
    class Broken(Agent):
        def choose_action(self, view: HandView) -> Action:
            if view.betting_round == 0:
                raise ValueError(f"hand {view.hand_number}")
            raise ValueError("after the flop")

    report = checked(Broken, "limit-2p")

    assert sorted(fault.times > 1 for fault in report.faults) == [True, True]


# --- state, seeds, cards ----------------------------------------------------------------------------------


class Counting(Agent):
    """Raises in every third of its hands: what it does depends on how long it has been playing."""

    def __init__(self) -> None:
        self.hands = 0

    def hand_started(self, view: HandView) -> None:
        self.hands += 1

    def choose_action(self, view: HandView) -> Action:
        return view.legal_actions().raising_to() if self.hands % 3 == 0 else CALL


def test_state_kept_between_hands_is_a_fault_of_an_agent_that_claims_to_keep_none() -> None:
    report = checked(Counting, "limit-2p", hands=20, stateless=True)

    fault = only_fault(report)
    assert fault.kind is FaultKind.REMEMBERS
    assert report.notes == ()
    assert "other hands" in fault.message


def test_state_kept_between_hands_is_only_a_note_for_other_agents() -> None:
    report = checked(Counting, "limit-2p", hands=20)

    assert report.is_right
    [note] = report.notes
    assert note.startswith("keeps state between hands")
    assert "MATCHSTATE:" in note


def test_an_agent_that_keeps_no_state_may_say_so() -> None:
    assert checked(Random, "limit-2p", hands=20, stateless=True).is_right


@pytest.mark.parametrize(
    ("draw", "named"),
    [(lambda: random.random(), "from random,"), (lambda: np.random.random(), "from numpy.random,")],  # noqa: NPY002
)
def test_numbers_that_do_not_follow_from_the_seed_are_found(draw: Callable[[], float], named: str) -> None:
    report = checked(choosing(lambda _: CALL if draw() < 0.5 else LIMIT_RAISE), "leduc", hands=20)

    [fault] = report.of(FaultKind.DIFFERS)
    assert named in fault.message
    assert fault.state.startswith("MATCHSTATE:")


def test_state_that_agents_share_is_found() -> None:
    class Sharing(Agent):
        decisions = 0

        def choose_action(self, view: HandView) -> Action:
            Sharing.decisions += 1
            return CALL if Sharing.decisions % 5 else view.legal_actions().raising_to()

    [fault] = checked(Sharing, "limit-2p", hands=20).of(FaultKind.DIFFERS)

    assert "drew" not in fault.message


def test_a_look_at_hidden_cards_is_found() -> None:
    """In this process nothing is safe from who digs: what counts is that it shows."""

    def dig(view: HandView) -> Action:
        frame = sys._getframe()
        while "deal" not in frame.f_locals:
            assert frame.f_back is not None
            frame = frame.f_back
        theirs = frame.f_locals["deal"].hole_cards[1 - view.position]
        return view.legal_actions().raising_to() if max(theirs) < 32 else CALL

    [fault] = checked(choosing(dig), "limit-2p", hands=30).faults

    assert fault.kind is FaultKind.HIDDEN_CARDS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda agent, view: object.__setattr__(view, "board", (0,)), "sets HandView.board to (0,)"),
        (lambda agent, view: object.__setattr__(view.betting, "spent", ()), "sets BettingState.spent to ()"),
        (lambda agent, view: object.__setattr__(view.game, "blinds", ()), "sets GameDefinition.blinds to ()"),
        (lambda agent, view: setattr(agent, "seat", 7), "sets its own seat to 7"),
    ],
)
def test_what_an_agent_was_handed_must_stay_as_it_is(
    change: Callable[[Agent, HandView], None], message: str
) -> None:
    class Careless(AlwaysCall):
        def action_seen(self, view: HandView, position: int, action: Action) -> None:
            change(self, view)

    report = checked(Careless, "leduc")

    fault = only_fault(report)
    assert (fault.kind, fault.hook, fault.message) == (FaultKind.CHANGES, "action_seen", message)
    assert checked(Random, "leduc").is_right  # the game they share is whole again


# --- time -------------------------------------------------------------------------------------------------


def test_an_agent_that_thinks_too_long_is_found() -> None:
    def choose(view: HandView) -> Action:
        time.sleep(0.002)
        return CALL

    report = checked(choosing(choose), "kuhn-2p", hands=2, limit_s=0.001)

    fault = only_fault(report)
    assert fault.kind is FaultKind.SLOW
    assert fault.message.endswith("0.001 s are allowed")
    assert fault.times == report.decisions
    assert report.median_s >= 0.002


class Waiting(Random):
    """The random player as a coroutine."""

    seconds = 0.0

    async def choose_action(self, view: HandView) -> Action:  # type: ignore[override]  # both are allowed
        await trio.sleep(self.seconds)
        return super().choose_action(view)


def test_a_coroutine_may_choose() -> None:
    report = checked(Waiting, "leduc")

    assert report.is_right, str(report)
    assert report.decisions == checked(Random, "leduc").decisions


def test_a_coroutine_that_does_not_end_is_cancelled_at_its_limit() -> None:
    class Endless(Waiting):
        seconds = 1e9

    report = checked(Endless, "kuhn-2p", hands=2, limit_s=0.001)

    assert only_fault(report).kind is FaultKind.SLOW


async def test_inside_a_trio_run_coroutines_are_awaited() -> None:
    report = await check_agent_async(Waiting, "leduc", hands=6)

    assert report.is_right
    assert checked(Random, "leduc").is_right  # those who do not wait need no await
    with pytest.raises(RuntimeError, match="await check_agent_async"):
        checked(Waiting, "leduc")


async def test_other_hooks_may_not_wait() -> None:
    class Saving(AlwaysCall):
        async def hand_finished(self, view: HandView) -> None:  # type: ignore[override]  # the mistake
            await trio.lowlevel.checkpoint()

    fault = only_fault(checked(Saving, "leduc"))

    assert (fault.kind, fault.hook) == (FaultKind.NOT_AWAITED, "hand_finished")


# --- comments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "kinds"),
    [
        ("x" * 4092, [FaultKind.COMMENT]),
        ("x" * 4091, []),
        ("\ud800", [FaultKind.COMMENT]),
        (17, [FaultKind.COMMENT]),
    ],
    ids=["too long", "the longest", "no text", "a number"],
)
def test_comments_that_cannot_be_sent_are_found(comment: Any, kinds: list[FaultKind]) -> None:
    class Talkative(AlwaysCall):
        def choose_action(self, view: HandView) -> Action:
            self.comment = comment
            return CALL

    assert [fault.kind for fault in checked(Talkative, "leduc").faults] == kinds
