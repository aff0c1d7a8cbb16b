"""Random hands against OpenSpiel's `universal_poker`, whose rules are the ACPC's own C code.

At every decision: who is to act, the whole state as text, what is legal; at the end: the chips won.
12,000 hands of limit and no-limit hold'em with 2 to 6 players, equal and unequal stacks.
"""

from __future__ import annotations

import random

import attrs
import pyspiel
import pytest

from engine.poker.rules import (
    ActionKind,
    CardDealer,
    GameDefinition,
    HandState,
    LegalActions,
    initial_hand,
    load_game,
)
from protocol.match_state import format_hole_cards_and_board
from tests.oracles.openspiel import openspiel_game
from tests.support.hands.strategies import choose

HANDS = 600
"""Hands of each game; there are twenty games."""

SHORT_STACKS = (260, 35, 1200, 90, 510, 700)


def game_of(is_limit: bool, players: int, stacks: tuple[int, ...]) -> GameDefinition:
    game = load_game(f"{'limit' if is_limit else 'nolimit'}-{min(players, 3)}p")
    scale = 1 if is_limit else 10  # blinds of 5 and 10 in both
    blinds = tuple(blind // scale for blind in game.blinds) + (0,) * (players - 3)
    return attrs.evolve(game, num_players=players, blinds=blinds, stacks=stacks[:players])


def openspiel_actions(legal: LegalActions) -> list[int]:
    """Legal actions in OpenSpiel's numbers: fold 0, call 1, limit raise 2, no-limit raise its total."""
    actions = [0, 1] if legal.can_fold else [1]
    if legal.min_raise_to is not None and legal.max_raise_to is not None:
        actions += [2] if legal.is_limit else range(legal.min_raise_to, legal.max_raise_to + 1)
    return actions


def acpc_state(state: HandState) -> str:
    cards = format_hole_cards_and_board(
        state.deal.hole_cards,
        state.board,
        state.betting.game.board_ends,
        state.betting.betting_round,
    )
    return f"STATE:0:{state.betting.text}:{cards}"


def check_hand(state: HandState, theirs: pyspiel.State, rng: random.Random) -> None:
    """Play one random hand in both implementations."""
    cards = iter([*sum(state.deal.hole_cards, ()), *state.deal.board])
    while True:
        while theirs.is_chance_node():
            theirs.apply_action(next(cards))
        text = acpc_state(state)
        assert theirs.to_dict()["acpc_state"].partition("\n")[0] == text
        assert theirs.is_terminal() == state.is_finished, text
        if state.is_finished:
            assert theirs.returns() == pytest.approx(state.chips_won(), abs=1e-9), text
            return
        assert theirs.current_player() == state.position_to_act, text
        legal = state.legal_actions()
        assert theirs.legal_actions() == openspiel_actions(legal), text
        action = choose(rng.randrange(2**16), legal)
        if action.kind is ActionKind.RAISE:
            theirs.apply_action(2 if action.raise_to is None else action.raise_to)
        else:
            theirs.apply_action(1 if action.kind is ActionKind.CALL else 0)
        state = state.apply(action)


@pytest.mark.parametrize("stacks", [(1000,) * 6, SHORT_STACKS], ids=["equal stacks", "unequal stacks"])
@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("is_limit", [True, False], ids=["limit", "no-limit"])
def test_random_hands_are_played_as_openspiel_plays_them(
    is_limit: bool, players: int, stacks: tuple[int, ...]
) -> None:
    game = game_of(is_limit, players, stacks)
    spiel = openspiel_game(game)
    dealer = CardDealer(game, players)
    rng = random.Random(players)

    for hand_number in range(HANDS):
        check_hand(initial_hand(game, hand_number, dealer.deal()), spiel.new_initial_state(), rng)
