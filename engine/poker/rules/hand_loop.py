"""The hand loop: plays one hand without knowing where actions come from.

The dealer drives it over sockets, the arena with agents called directly; the rules are written once.
"""

from __future__ import annotations

from collections.abc import Generator

from engine.poker.rules.action import Action
from engine.poker.rules.dealing import Deal
from engine.poker.rules.game_definition import GameDefinition
from engine.poker.rules.hand_state import HandState, initial_hand


def play_hand(
    game: GameDefinition, hand_number: int, deal: Deal, *, is_passing: bool = False
) -> Generator[HandState, Action, HandState]:
    """Play one hand: yields each state in which somebody is to act, is sent the action, returns the end.

    A hand in which nobody can act (all in from the blinds) yields nothing.  For `is_passing` see
    `initial_hand`.

    Raises:
        IllegalActionError: an action that was sent is not legal; the hand is then lost, so correct it first
            (`LegalActions.nearest`).
    """
    state = initial_hand(game, hand_number, deal, is_passing=is_passing)
    while state.betting.position_to_act is not None:
        action = yield state
        state = state.apply(action)
    return state
