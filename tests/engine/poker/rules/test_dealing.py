"""Dealing against published outputs of the generator, and against a second implementation of it."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.cards import format_cards
from engine.poker.rules import CardDealer, Deal, GameDefinition, StackedDealer, acpc_generator, load_game
from tests.support.asserting import refuses
from tests.support.hands.golden_files import deals_from
from tests.support.hands.strategies import games

# docs/acpc-dealer.md 4.1
FIRST_OUTPUTS = {
    0: (2357136044, 2546248239, 3071714933, 3626093760, 2588848963, 3684848379),
    1: (1791095845, 4282876139, 3093770124, 4005303368, 491263, 550290313),
    7: (327741615, 976413892, 3349725721, 1369975286, 1882953283, 4201435347),
    1234567: (1018032531, 1997911679, 32849524, 1557424454, 85170501, 3999700962),
    4294967295: (419326371, 479346978, 3918654476, 2416749639, 3388880820, 2260532800),
}


@pytest.mark.parametrize("seed", FIRST_OUTPUTS)
def test_generator_gives_the_published_outputs(seed: int) -> None:
    generator = acpc_generator(seed)

    assert tuple(generator.getrandbits(32) for _ in range(6)) == FIRST_OUTPUTS[seed]


@given(st.integers(0, 2**32 - 1))
def test_generator_is_numpys_mersenne_twister(seed: int) -> None:
    generator = acpc_generator(seed)
    expected = np.random.RandomState(seed).randint(0, 2**32, size=2000, dtype=np.uint32)

    assert [generator.getrandbits(32) for _ in range(2000)] == expected.tolist()


def test_seed_counts_modulo_32_bits() -> None:
    assert acpc_generator(4294967297).getrandbits(32) == FIRST_OUTPUTS[1][0]


def test_full_deck_runs_suit_by_suit() -> None:
    deck = format_cards(load_game("limit-2p").deck)

    assert deck.startswith("2c3c4c5c6c7c8c9cTcJcQcKcAc2d3d")
    assert deck.endswith("QsKsAs")


@pytest.mark.parametrize(
    ("game", "deck"), [("leduc", "QhKhAhQsKsAs"), ("kuhn-3p", "JsQsKsAs"), ("kuhn-2p", "QsKsAs")]
)
def test_reduced_deck_keeps_the_last_suits_and_the_highest_ranks(game: str, deck: str) -> None:
    assert format_cards(load_game(game).deck) == deck


def deal_plainly(game: GameDefinition, outputs: list[int]) -> Deal:
    """docs/acpc-dealer.md 4.3 and 4.4, word for word."""
    deck = [
        rank * 4 + suit for suit in range(4 - game.num_suits, 4) for rank in range(13 - game.num_ranks, 13)
    ]
    drawn = []
    for output in outputs:
        index = output % len(deck)
        drawn.append(deck[index])
        deck[index] = deck[-1]
        deck.pop()
    hole = [tuple(drawn[p * game.num_hole_cards :][: game.num_hole_cards]) for p in range(game.num_players)]
    return Deal(tuple(hole), tuple(drawn[game.num_players * game.num_hole_cards :]))


@given(games(), st.integers(0, 2**32 - 1))
def test_each_hand_uses_the_next_outputs_on_a_fresh_deck(game: GameDefinition, seed: int) -> None:
    number = game.num_players * game.num_hole_cards + sum(game.num_board_cards)
    outputs = np.random.RandomState(seed).randint(0, 2**32, size=3 * number, dtype=np.uint32).tolist()

    dealt = list(islice(deals_from(game, seed), 3))

    assert dealt == [deal_plainly(game, outputs[h * number : (h + 1) * number]) for h in range(3)]
    for deal in dealt:
        cards = [*sum(deal.hole_cards, ()), *deal.board]
        assert len(set(cards)) == len(cards) == number
        assert set(cards) <= set(game.deck)


@given(games(), st.integers(0, 50))
def test_skipped_hands_are_the_hands_that_would_have_been_dealt(game: GameDefinition, hands: int) -> None:
    dealer = CardDealer(game, 7)

    dealer.skip(hands)

    assert dealer.deal() == next(islice(deals_from(game, 7), hands, None))


def test_stacked_dealer_deals_what_it_is_given_and_then_stops() -> None:
    first, second = islice(deals_from(load_game("leduc"), 3), 2)
    dealer = StackedDealer([second, first])

    assert (dealer.deal(), dealer.deal()) == (second, first)
    refuses(LookupError, "no more hands", dealer.deal)


def test_stacked_hands_can_be_passed_over() -> None:
    deals = list(islice(deals_from(load_game("leduc"), 3), 3))
    dealer = StackedDealer(deals)

    dealer.skip(2)

    assert dealer.deal() == deals[2]
