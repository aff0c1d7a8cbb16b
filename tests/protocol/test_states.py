"""The table of states is complete, and is the one that the documentation shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import protocol
from protocol import Event, Reply, State, StateUpdate, TurnToAct, Version
from protocol.states import TRANSITIONS, diagram


def all_events() -> set[type[Event]]:
    return set(Event.__subclasses__())


def test_every_state_has_a_row_and_every_event_a_place() -> None:
    assert set(TRANSITIONS) == set(State)
    assert {event for row in TRANSITIONS.values() for event in row} == all_events()


@pytest.mark.parametrize("state", [State.CLOSED, State.ERROR])
def test_nothing_is_said_after_the_end(state: State) -> None:
    assert TRANSITIONS[state] == {}


def test_only_a_version_opens_the_conversation() -> None:
    assert {event for event, to in TRANSITIONS[State.AWAITING_VERSION].items() if to is State.WATCHING} == {
        Version
    }
    assert not any(Version in TRANSITIONS[state] for state in State if state is not State.AWAITING_VERSION)


def test_only_a_turn_can_be_answered() -> None:
    assert [state for state in State if Reply in TRANSITIONS[state]] == [State.TO_ACT]
    assert [state for state in State if TurnToAct in TRANSITIONS[state]] == [State.WATCHING]
    assert StateUpdate not in TRANSITIONS[State.TO_ACT]


def test_the_documentation_shows_this_table() -> None:
    readme = Path(protocol.__file__).with_name("README.md").read_text("utf-8")

    assert diagram() in readme
