"""All-in expectations against the rules themselves, every run-out dealt, and against PokerKit."""

from __future__ import annotations

import random
from itertools import combinations

import attrs
import pytest

from engine.poker.cards import format_cards, parse_cards
from engine.poker.rules import CALL, Deal, GameDefinition, HandState, initial_hand, load_game, parse_betting
from tests.support.asserting import refuses
from tests.support.hands.evidence import all_in_chips

SIDE_POTS = attrs.evolve(load_game("nolimit-3p"), stacks=(400, 2000, 1000))


def hand(game: GameDefinition, betting: str, *cards: str) -> HandState:
    *holes, board = [parse_cards(text) for text in cards]
    return HandState(parse_betting(game, betting), 0, Deal(tuple(holes), board))


def mean_over_run_outs(end: HandState, out: int) -> list[float]:
    """What the rules pay, on average over every way in which the board may go on."""
    deal, game = end.deal, end.betting.game
    board = deal.board[:out]
    held = {card for cards in deal.hole_cards for card in cards} | set(board)
    left = [card for card in game.deck if card not in held]
    payoffs = [
        attrs.evolve(end, deal=attrs.evolve(deal, board=(*board, *cards))).chips_won()
        for cards in combinations(left, game.board_ends[-1] - out)
    ]
    return [sum(each) / len(payoffs) for each in zip(*payoffs, strict=True)]


@pytest.mark.parametrize(
    ("betting", "out"),
    [
        ("r400cr1000c///", 0),
        ("ccc/r400r1000c//", 3),
        ("ccc/r400r1000f//", 3),
        ("ccc/ccc/r400r1000c/", 4),
        ("ccc/ccc/r400cf/", 4),
        ("ccc/ccc/ccc/r400r1000c", None),
        ("ccc/ccc/ccc/ccc", None),
        ("ccc/ccc/r300ff", None),
    ],
)
def test_an_all_in_pays_the_mean_over_every_run_out(betting: str, out: int | None) -> None:
    """With a side pot, and with chips that nobody calls."""
    for seed in range(3 if out else 1):
        cards = random.Random(seed).sample(range(52), 11)
        deal = Deal(((cards[0], cards[1]), (cards[2], cards[3]), (cards[4], cards[5])), tuple(cards[6:]))
        end = HandState(parse_betting(SIDE_POTS, betting), seed, deal)
        found = all_in_chips(end)
        if out is None:
            assert found == end.chips_won()
        elif out:
            assert found == pytest.approx(mean_over_run_outs(end, out), abs=1e-9)
        assert sum(found) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("antes", [(20, 20, 20), (0, 100, 0), (300, 300, 300)])
def test_antes_are_in_the_pot_as_the_rules_have_it(antes: tuple[int, ...]) -> None:
    game = attrs.evolve(SIDE_POTS, antes=antes)
    states = [initial_hand(game, 5, Deal(((0, 50), (9, 13), (22, 23)), (30, 4, 45, 41, 10)))]
    while not states[-1].is_finished:
        legal = states[-1].legal_actions()
        raising = states[-1].betting.betting_round == 1 and legal.can_raise
        states.append(states[-1].apply(legal.raising_to(legal.max_raise_to) if raising else CALL))
    end = states[-1]

    assert all_in_chips(end) == pytest.approx(mean_over_run_outs(end, 3), abs=1e-9)


@pytest.mark.slow
def test_before_the_flop_three_players_get_nearly_the_mean_over_every_run_out() -> None:
    end = hand(SIDE_POTS, "r400cr1000c///", "AsKs", "QhQd", "7c7d", "2c3d4h5s6s")
    from engine.hands.equity import hand_equity

    main = [each.value for each in hand_equity([parse_cards(text) for text in ("AsKs", "QhQd", "7c7d")])]

    found = all_in_chips(end)

    assert found[0] == pytest.approx(1200 * main[0] - 400, abs=4 * 1200 * 0.5 / 32)


@pytest.mark.parametrize(("kings", "equity"), [("KsKc", 0.81255), ("KhKs", 0.81946), ("KhKd", 0.82637)])
def test_two_players_before_the_flop_get_the_known_equity(kings: str, equity: float) -> None:
    """Aces against kings, as PokerStove has them: the more suits they have in common the better for aces."""
    end = hand(load_game("nolimit-2p-100bb"), "r200c///", "AhAd", kings, "2h3d2c3c4c")

    found = all_in_chips(end)

    assert round((found[0] + 200) / 400, 5) == equity
    assert sum(found) == pytest.approx(0.0, abs=1e-9)


def test_pokerkit_agrees_about_an_all_in_on_the_turn() -> None:
    """An independent evaluator: every river, a pot and a side pot."""
    from pokerkit import StandardHighHand

    end = hand(SIDE_POTS, "ccc/ccc/r400r1000c/", "AsKs", "QhQd", "7c6c", "8c9cKh2dTs")
    known = {*parse_cards("AsKsQhQd7c6c8c9cKh2d")}
    won = [0.0] * 3
    rivers = [card for card in range(52) if card not in known]
    for river in rivers:
        board = "8c9cKh2d" + format_cards((river,))
        ranks = [StandardHighHand.from_game(hole, board) for hole in ("AsKs", "QhQd", "7c6c")]
        for pot, sharing in ((1200, (0, 1, 2)), (1200, (1, 2))):
            best = max(ranks[position] for position in sharing)
            winners = [position for position in sharing if ranks[position] == best]
            for position in winners:
                won[position] += pot / len(winners)
    spent = (400, 1000, 1000)

    expected = [chips / len(rivers) - put_in for chips, put_in in zip(won, spent, strict=True)]
    assert all_in_chips(end) == pytest.approx(expected, abs=1e-9)


def test_a_hand_that_nobody_can_play_is_an_all_in_from_the_blinds() -> None:
    game = attrs.evolve(load_game("leduc"), stacks=(1, 1))
    deal = Deal(((game.deck[0],), (game.deck[2],)), (game.deck[4],))
    end = initial_hand(game, 0, deal)

    assert end.is_finished
    assert all_in_chips(end) == pytest.approx(mean_over_run_outs(end, 0))


def test_cards_that_are_not_known_are_asked_for() -> None:
    end = hand(SIDE_POTS, "ccc/r400r1000f//", "AsKs", "QhQd", "", "8c9cKh2dTs")

    refuses(ValueError, r"needs everybody's hole cards: hand 0 .* position 2", all_in_chips, end)
