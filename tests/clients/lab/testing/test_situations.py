"""What agents are tried in: stacks, ties, cards that are laid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.bots.baselines import AlwaysCall
from clients.core.arena import Arena
from clients.lab.testing import Situation, situations, stacked_deal, tied_deals
from engine.poker.cards import InvalidCardError, format_cards, parse_cards
from engine.poker.rules import GameDefinition, StackedDealer, load_game, packaged_games
from tests.support.hands.strategies import games


@pytest.mark.parametrize("name", packaged_games())
def test_in_ties_the_pot_is_split_at_a_showdown(name: str) -> None:
    game = load_game(name)
    deals = tied_deals(game, 10)

    splits = []
    if deals:
        agents = [AlwaysCall() for _ in range(game.num_players)]
        arena = Arena(game, agents, 0, dealer=StackedDealer(deals))
        arena.play(len(deals), on_hand=lambda _, chips: splits.append(sorted(chips)[-2:]))

    assert all(best == second for second, best in splits)
    assert bool(splits) != name.startswith("kuhn")  # where no two cards are equal


def test_deep_and_short_stacks_are_tried_in_no_limit_games_only() -> None:
    def stacks(name: str, **options: bool) -> set[tuple[int, ...]]:
        return {situation.game.stacks for situation in situations(load_game(name), **options)}

    assert stacks("nolimit-2p") == {(20000, 20000), (100, 50), (100, 100), (300, 300), (150, 2250)}
    assert stacks("nolimit-2p", short_stacks=False) == {(20000, 20000)}
    assert len(stacks("limit-2p")) == 1


def bettings_of(situation: Situation) -> set[str]:
    """What happens in a situation to somebody who always calls."""
    opponents = [situation.opponents[k % len(situation.opponents)]() for k in range(2)]
    dealer = StackedDealer(situation.deals) if situation.deals else None
    texts: set[str] = set()
    arena = Arena(situation.game, [*opponents, AlwaysCall()], 1, dealer=dealer)
    arena.play(len(situation.deals) or 30, on_hand=lambda state, _: texts.add(state.betting.text))
    return texts


@pytest.mark.parametrize("name", packaged_games())
def test_names_of_situations_are_different(name: str) -> None:
    names = [situation.name for situation in situations(load_game(name))]

    assert len(set(names)) == len(names)


def test_what_the_situations_promise_happens_to_who_always_calls() -> None:
    """All-in before the flop, rounds with many raises, checks to the river, hands that end at once, ties."""
    bettings = {situation.name: bettings_of(situation) for situation in situations(load_game("nolimit-3p"))}

    assert "r20000cc///" in bettings["against players who always go all in"]
    assert "ccc/ccc/ccc/ccc" in bettings["against players who always call"]
    assert "ff" in bettings["against players who always fold"]  # the agent is not asked at all
    assert max(map(len, bettings["against players who always raise the least they may"])) > 100
    assert bettings["with stacks that are gone with the blinds"] == {"c///"}  # only the button has chips


# --- cards that are laid --------------------------------------------------------------------------------


@given(st.data())
def test_a_laid_deal_has_the_cards_wanted_and_others_of_the_deck(data: st.DataObject) -> None:
    game = data.draw(games())
    cards = data.draw(st.permutations(game.deck))
    position = data.draw(st.integers(0, game.num_players - 1))
    on_board = data.draw(st.integers(0, game.board_ends[-1]))
    own, board = cards[: game.num_hole_cards], cards[game.num_hole_cards :][:on_board]

    deal = stacked_deal(game, {position: format_cards(own)}, format_cards(board), seed=3)

    assert deal.hole_cards[position] == tuple(own)
    assert deal.board[:on_board] == tuple(board)
    assert len(deal.board) == game.board_ends[-1]
    dealt = [*deal.board, *(card for hole in deal.hole_cards for card in hole)]
    assert len(set(dealt)) == len(dealt) == game.cards_per_hand
    assert set(dealt) <= set(game.deck)
    assert stacked_deal(game, {position: format_cards(own)}, format_cards(board), seed=3) == deal


def test_laid_cards_that_cannot_be_dealt_are_refused() -> None:
    game: GameDefinition = load_game("limit-2p")

    for hole_cards, board, message in (
        ({2: "AhKh"}, "", "in positions 0 to 1, got 2 in position 2"),
        ({0: "Ah"}, "", "expected 2 hole cards .* got 1"),
        ({0: "AhKh"}, "Ah2c3d", "different cards"),
        ({0: "AhKh", 1: "AhQh"}, "", "different cards"),
        ({}, "2c3c4c5c6c7c", "at most 5 board cards, got 6"),
    ):
        with pytest.raises(ValueError, match=message):
            stacked_deal(game, hole_cards, board)
    with pytest.raises(ValueError, match="the game's deck"):
        stacked_deal(load_game("leduc"), {0: "2c"})
    with pytest.raises(InvalidCardError):
        stacked_deal(game, {0: "AhXx"})
    assert parse_cards("AhKh") == stacked_deal(game, {0: "AhKh"}).hole_cards[0]
