"""Chips: side pots by an independent computation, conservation, and the one documented exception."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from hypothesis import given

from engine.poker.cards import parse_cards
from engine.poker.rules import (
    Deal,
    GameDefinition,
    HandState,
    chips_won,
    hand_rank,
    initial_hand,
    load_game,
    parse_betting,
)
from protocol.records import format_chips
from tests.support.asserting import refuses
from tests.support.hands.golden_files import golden_game
from tests.support.hands.strategies import hands


def exact_chips_won(state: HandState) -> list[Fraction]:
    """Side pots as a casino would make them, in exact fractions.

    Pots lie between neighbouring contributions; each is shared by the best hands among those who paid
    into it and did not fold.  A pot that only folded players paid into goes to nobody.
    """
    spent, folded = state.betting.spent, state.betting.folded
    players = range(len(spent))
    if folded.count(False) == 1:
        return [Fraction(-spent[p] if folded[p] else sum(spent) - spent[p]) for p in players]
    ranks = {p: hand_rank((*state.deal.hole_cards[p], *state.board)) for p in players if not folded[p]}
    won = [Fraction(-chips) for chips in spent]
    levels = sorted({chips for chips in spent if chips})
    for low, high in zip([0, *levels], levels, strict=False):
        paid = [p for p in players if spent[p] >= high]
        contenders = [p for p in paid if p in ranks]
        winners = [p for p in contenders if ranks[p] == max(ranks[q] for q in contenders)]
        for p in winners:
            won[p] += Fraction((high - low) * len(paid), len(winners))
    return won


@given(hands())
def test_values_are_those_of_side_pots(states: list[HandState]) -> None:
    end = states[-1]

    won = end.chips_won()

    assert won == pytest.approx([float(chips) for chips in exact_chips_won(end)], abs=1e-9)


@given(hands(conserving=True))
def test_chips_are_conserved(states: list[HandState]) -> None:
    end = states[-1]

    won = end.chips_won()

    assert sum(won) == pytest.approx(0, abs=1e-9)
    assert all(won[p] >= -end.betting.spent[p] for p in range(len(won)))


@given(hands())
def test_chips_vanish_only_where_a_folded_position_paid_more_than_anybody_left(
    states: list[HandState],
) -> None:
    """docs/acpc-dealer.md 8.9: a short limit raise lowers the bet, and who then folds forfeits the excess."""
    end = states[-1]
    spent, folded = end.betting.spent, end.betting.folded
    left = max(chips for chips, out in zip(spent, folded, strict=True) if not out)
    forfeited = 0
    if end.betting.is_showdown:
        forfeited = sum(max(chips - left, 0) for chips, out in zip(spent, folded, strict=True) if out)

    assert sum(end.chips_won()) == pytest.approx(-forfeited, abs=1e-9)
    if forfeited:
        assert end.betting.game.is_limit
        assert set(end.betting.game.stacks) != {2**31 - 1}


def test_a_player_who_folds_after_paying_more_than_anybody_left_forfeits_the_excess() -> None:
    """30 chips are bet and called, the third player raises to his 15, then the first folds."""
    game = golden_game("limstack")
    state = parse_betting(game, "rcrfc///")

    won = chips_won(
        state, [parse_cards(text) for text in ("5d5c", "9hQd", "AsAd")], parse_cards("8s4h6d5sJs")
    )

    assert state.spent == (30, 15, 15)
    assert won == (-30, -15, 30)


def finish(game: GameDefinition, betting: str, holes: str, board: str) -> tuple[float, ...]:
    hole_cards = tuple(map(parse_cards, holes.split("|")))
    return HandState(parse_betting(game, betting), 0, Deal(hole_cards, parse_cards(board))).chips_won()


def test_nobody_bet_and_nobody_wins() -> None:
    """docs/acpc-dealer.md 8.11: the original fails an assertion here."""
    game = attrs.evolve(load_game("nolimit-2p"), blinds=(0, 0))

    assert finish(game, "cc/cc/cc/cc", "AsAd|2c7d", "3c3d3hKsQs") == (0, 0)


def test_everybody_all_in_from_the_blinds_goes_to_the_showdown() -> None:
    """docs/acpc-dealer.md 8.10: the original never ends."""
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(100, 50))
    deal = Deal((parse_cards("2c7d"), parse_cards("AsAd")), parse_cards("3c3d3hKsQs"))

    assert initial_hand(game, 0, deal).chips_won() == (-50, 50)


def test_an_uncalled_bet_comes_back() -> None:
    """docs/acpc-dealer.md E9b: 600 bet, 450 called."""
    assert finish(golden_game("minr2"), "r300cr450r600ff///", "5d5c|9hQd|8dAs|8s4h", "6d5sJs7cQh") == (
        1050,
        -450,
        -300,
        -300,
    )


def test_three_way_ties_are_shared_in_thirds_and_leave_a_negative_zero() -> None:
    """docs/acpc-dealer.md E17: 1/3 is added three times to -1; the order of the additions is in the log."""
    won = finish(golden_game("thirds"), "rfcc", "Ah|As|Ad|Ac", "")

    assert won == (1 / 3, -1, 1 / 3, 1 / 3)
    assert format_chips(1 / 3 + 1 / 3 + 1 / 3 - 1) == "0"
    assert format_chips(-1 + 1 / 3 + 1 / 3 + 1 / 3) == "-0"
    assert format_chips(1 / 3 + 1 / 3 - 1 + 1 / 3) == "-0"


def test_a_hand_that_is_not_over_has_no_value() -> None:
    state = parse_betting(load_game("leduc"), "cc/")

    with pytest.raises(ValueError, match="the hand is over"):
        chips_won(state, [parse_cards("As"), parse_cards("Ks")], parse_cards("Qs"))


def test_a_showdown_without_cards_has_no_value() -> None:
    state = parse_betting(load_game("leduc"), "cc/cc")

    refuses(ValueError, "position 1", chips_won, state, [parse_cards("As"), ()], parse_cards("Qs"))


@given(hands())
def test_any_view_of_a_finished_hand_tells_what_it_was_worth(states: list[HandState]) -> None:
    end = states[-1]

    for position in range(end.betting.game.num_players):
        assert end.view(position).chips_won() == end.chips_won()
