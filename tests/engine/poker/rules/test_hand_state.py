"""Who may see which cards (docs/acpc-dealer.md 2.3)."""

from __future__ import annotations

import gc
import types

from hypothesis import given

from engine.poker.rules import CALL, Deal, HandState, HandView, initial_hand, load_game
from tests.support.hands.golden_files import deals_from
from tests.support.hands.strategies import hands


def may_see(state: HandState, viewer: int, position: int) -> bool:
    """docs/acpc-dealer.md 2.3, word for word."""
    folded = state.betting.folded
    if viewer == position:
        return True
    return state.is_finished and folded.count(False) >= 2 and not folded[position]


@given(hands())
def test_a_view_shows_exactly_the_hole_cards_its_player_may_see(states: list[HandState]) -> None:
    for state in states:
        for viewer in range(state.betting.game.num_players):
            shown = state.view(viewer).hole_cards

            for position, cards in enumerate(state.deal.hole_cards):
                assert shown[position] == (cards if may_see(state, viewer, position) else ())


@given(hands())
def test_a_view_shows_the_board_as_far_as_it_is_out(states: list[HandState]) -> None:
    for state in states:
        out = sum(state.betting.game.num_board_cards[: state.betting.betting_round + 1])
        assert state.view(0).board == state.board == state.deal.board[:out]


def reachable(root: object) -> list[object]:
    """Everything that can be got at from an object, types and modules aside."""
    seen: dict[int, object] = {}
    todo = [root]
    while todo:
        thing = todo.pop()
        if id(thing) in seen or isinstance(thing, type | types.ModuleType | types.FunctionType):
            continue
        seen[id(thing)] = thing
        todo += gc.get_referents(thing)
    return list(seen.values())


def test_nothing_in_a_view_leads_to_the_other_cards() -> None:
    deal = next(deals_from(load_game("limit-3p"), 7))
    state = initial_hand(load_game("limit-3p"), 0, deal).apply(CALL)

    found = reachable(state.view(1))

    assert any(thing is deal.hole_cards[1] for thing in found)
    assert not any(thing is deal.hole_cards[0] or thing is deal.hole_cards[2] for thing in found)
    assert not any(isinstance(thing, HandState | Deal) for thing in found)


def test_a_view_knows_whose_turn_it_is_and_the_price() -> None:
    state = initial_hand(load_game("limit-2p"), 3, next(deals_from(load_game("limit-2p"), 7)))
    view = state.view(1)

    assert isinstance(view, HandView)
    assert (view.is_our_turn, view.is_finished, view.betting_round) == (True, False, 0)
    assert (view.pot, view.amount_to_call, view.hand_number) == (15, 5, 3)
    assert view.legal_actions() == state.legal_actions()
    assert view.game is state.betting.game
    assert state.view(0).is_our_turn is False


def test_states_are_values() -> None:
    game = load_game("limit-2p")
    first = initial_hand(game, 0, next(deals_from(game, 7)))

    assert first == initial_hand(game, 0, next(deals_from(game, 7)))
    assert first.apply(CALL) == first.apply(CALL) != first
    assert first.betting.text == ""
