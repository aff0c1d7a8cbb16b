"""Shares of pots by enumeration, by the counts of the literature, and all-in against PokerKit."""

import random
from collections.abc import Sequence
from itertools import combinations

import attrs
import numpy as np
import pytest

from engine.evidence import pair_equities as module
from engine.evidence.equity import SAMPLES, pot_shares
from engine.evidence.pair_equities import pair_equities, pair_points
from engine.hands.equity import hand_equity, preflop_equities
from engine.poker.cards import parse_cards
from engine.poker.combos import (
    COMBO_HIGH,
    COMBO_LOW,
    NUM_COMBOS,
    STARTING_HAND_OF_COMBO,
    combo_index,
    suit_renamings,
)
from engine.poker.rules import CALL, Deal, GameDefinition, HandState, initial_hand, load_game, parse_betting
from engine.support.arrays import Floats
from tests.engine.hands.test_equity import plain_shares
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.evidence import KnownHand, all_in_chips, known_cards

# --- equity -------------------------------------------------------------------------------------------------

HEADS_UP = load_game("limit-2p")


def shares_of(
    game: GameDefinition, hands: Sequence[KnownHand], moments: Sequence[tuple[int, int, int]]
) -> Floats:
    return pot_shares(game, known_cards(game, hands), np.array(moments))


def mean_change(
    game: GameDefinition, holes: list[tuple[int, ...]], board: tuple[int, ...], more: int
) -> float:
    """The greatest mean change of a share over everything that can come as the next `more` cards."""
    left = [card for card in range(52) if card not in board and all(card not in hole for hole in holes)]
    everybody = (1 << len(holes)) - 1
    hands: list[KnownHand] = [(0, holes, board)]
    hands += [(0, holes, (*board, *cards)) for cards in combinations(left, more)]
    moments = [(0, everybody, len(board))]
    moments += [(number, everybody, len(board) + more) for number in range(1, len(hands))]
    shares = shares_of(game, hands, moments)
    return float(np.abs(shares[1:].mean(axis=0) - shares[0]).max())


def dealt(seed: int, players: int = 2) -> tuple[list[tuple[int, ...]], list[int]]:
    cards = random.Random(seed).sample(range(52), 2 * players + 5)
    return [tuple(cards[2 * p : 2 * p + 2]) for p in range(players)], cards[2 * players :]


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.slow if seed else ()) for seed in range(20)]
)
def test_flops_change_nothing_on_average(seed: int) -> None:
    """All 17,296 flops of fixed pairs of hands."""
    assert mean_change(HEADS_UP, dealt(seed)[0], (), 3) < 1e-12


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("seed", range(5))
def test_turns_and_rivers_change_nothing_on_average(seed: int, players: int) -> None:
    game = HEADS_UP if players == 2 else load_game(f"nolimit-{players}p")
    holes, board = dealt(seed, players)

    assert mean_change(game, holes, tuple(board[:3]), 1) < 1e-12
    assert mean_change(game, holes, tuple(board[:4]), 1) < 1e-12


def test_the_matrix_of_starting_hands_would_be_biased() -> None:
    """Why suits are told apart: a flush draw in common suits is worth less."""
    hands = [
        (0, (parse_cards("AsKs"), parse_cards("QsJs")), ()),
        (0, (parse_cards("AsKs"), parse_cards("QhJh")), ()),
    ]

    shares = shares_of(HEADS_UP, hands, [(0, 3, 0), (1, 3, 0)])

    assert abs(shares[0, 0] - shares[1, 0]) > 0.005


def test_cards_of_players_who_folded_are_dead() -> None:
    holes = [parse_cards(cards) for cards in ("AhKh", "QdQc", "2h3h")]
    board = parse_cards("4h8hTs")
    game = load_game("limit-3p")

    with_dead, without = shares_of(game, [(0, tuple(holes), board)], [(0, 0b011, 3), (0, 0b111, 3)]).tolist()

    left = [card for card in range(52) if card not in board and all(card not in hole for hole in holes)]
    assert len(left) == 43
    boards = list(combinations(left, 2))
    expected = sum(plain_shares(holes[:2], (*board, *cards))[0] for cards in boards) / len(boards)
    assert with_dead[0] == pytest.approx(expected, abs=1e-12)
    assert with_dead[2] == 0.0
    assert sum(with_dead) == pytest.approx(1.0)
    assert without == pytest.approx(plain_shares(holes, board), abs=1e-12)


def test_sampled_shares_before_the_flop_are_close_and_do_not_depend_on_the_board() -> None:
    from engine.hands.equity import hand_equity

    game = load_game("limit-3p")
    errors = []
    for seed in range(40):
        holes, board = dealt(seed, 3)
        hands = [(seed, tuple(holes), tuple(board)), (seed, tuple(holes), ())]
        one, other, again = shares_of(game, hands, [(0, 7, 0), (1, 7, 0), (0, 7, 0)])
        assert one.tolist() == other.tolist() == again.tolist()
        assert one.sum() == pytest.approx(1.0)
        if seed < 8:
            exact = np.array([each.value for each in hand_equity(holes)])
            errors += ((one - exact) * np.sqrt(SAMPLES / (exact * (1 - exact)))).tolist()
    assert np.abs(errors).max() < 4
    assert 0.5 < np.sqrt(np.mean(np.square(errors))) < 1.5

    numbers = [(number, tuple(dealt(0, 3)[0]), ()) for number in range(2)]
    first, second = shares_of(game, numbers, [(0, 7, 0), (1, 7, 0)])
    assert first.tolist() != second.tolist()


def test_small_games_are_dealt_out_by_their_rules() -> None:
    leduc = load_game("leduc")
    jack, queen, king = [next(c for c in leduc.deck if c >> 2 == rank) for rank in (10, 11, 12)]
    other_jack = next(c for c in leduc.deck if c >> 2 == 10 and c != jack)
    hands = [(0, ((jack,), (king,)), (other_jack,)), (1, ((queen,), (king,)), (jack,))]

    shares = shares_of(leduc, hands, [(0, 3, 0), (0, 3, 1), (1, 3, 0), (1, 3, 1)])

    # Of the four cards left one pairs the jack.
    assert shares[:, 0].tolist() == [0.25, 1.0, 0.25, 0.0]


def test_large_decks_of_other_games_are_sampled() -> None:
    """Sum to one, near what they should be."""
    import attrs

    three_hole_cards = attrs.evolve(HEADS_UP, num_hole_cards=3)
    hole_cards = (parse_cards("AsAhAd"), parse_cards("2c7d9h"))

    (share,) = shares_of(three_hole_cards, [(0, hole_cards, ())], [(0, 3, 0)])

    assert share.sum() == pytest.approx(1.0)
    assert share[0] > 0.8


# --- pair equities ------------------------------------------------------------------------------------------

HIGH, LOW = COMBO_HIGH.astype(np.int64), COMBO_LOW.astype(np.int64)
CARDS = np.left_shift(1, HIGH) | np.left_shift(1, LOW)


def disjoint_pairs() -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]:
    first, second = np.nonzero((CARDS[:, None] & CARDS) == 0)
    return first, second


def test_two_hands_share_every_pot() -> None:
    """For every pair in both orders: found by two different renamings of suits, from different rows."""
    first, second = disjoint_pairs()

    assert len(first) == 1326 * 1225
    pair_points()  # all of them are computed
    shares = pair_equities(first, second) + pair_equities(second, first)
    assert np.abs(shares - 1.0).max() < 1e-15


def test_a_pair_has_the_equity_of_all_its_boards() -> None:
    draw = random.Random(4)
    pairs = [draw.sample(range(52), 4) for _ in range(6)]
    pairs.append(list(parse_cards("2c7d2d7c")))  # nothing but ties and flushes
    first = np.array([combo_index(a, b) for a, b, _, _ in pairs])
    second = np.array([combo_index(c, d) for _, _, c, d in pairs])
    pair_points()

    found = pair_equities(first, second)

    for (a, b, c, d), equity in zip(pairs, found.tolist(), strict=True):
        assert equity == pytest.approx(hand_equity([(a, b), (c, d)])[0].value, abs=1e-15)


def test_the_mean_over_suits_is_the_matrix_of_starting_hands() -> None:
    first, second = disjoint_pairs()
    pair_points()
    cells = STARTING_HAND_OF_COMBO[first].astype(np.int64) * 169 + STARTING_HAND_OF_COMBO[second]

    mean = np.bincount(cells, pair_equities(first, second)) / np.bincount(cells)

    assert np.abs(mean.reshape(169, 169) - preflop_equities()).max() < 1e-14


def test_the_number_of_kinds_of_pairs_is_the_known_one() -> None:
    """47,008 up to suits and to which of the two comes first."""
    first, second = disjoint_pairs()
    kinds = first * NUM_COMBOS + second
    for renamed in suit_renamings():
        np.minimum(kinds, renamed[first] * NUM_COMBOS + renamed[second], out=kinds)
        np.minimum(kinds, renamed[second] * NUM_COMBOS + renamed[first], out=kinds)

    assert len(np.unique(kinds)) == 47008


def test_few_pairs_are_dealt_out_and_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    first = np.array([combo_index(*parse_cards(hand)) for hand in ("AsKs", "7d2c", "AsKs")])
    second = np.array([combo_index(*parse_cards(hand)) for hand in ("QhQd", "7c2d", "QcQd")])
    pair_points()
    expected = pair_equities(first, second)
    monkeypatch.setattr(module, "_kept_points", lambda: None)
    monkeypatch.setattr(module, "pair_points", lambda: pytest.fail("all pairs are computed for three"))

    assert pair_equities(first, second) == pytest.approx(expected, abs=1e-15)


@pytest.mark.slow
def test_all_pairs_are_computed_as_they_are_kept() -> None:
    assert (module._compute_points() == pair_points()).all()


# --- all in -------------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(("betting", "out"), cases(__file__, "an all in pays the mean over every run out"))
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


def test_a_hand_that_nobody_can_play_is_an_all_in_from_the_blinds() -> None:
    game = attrs.evolve(load_game("leduc"), stacks=(1, 1))
    deal = Deal(((game.deck[0],), (game.deck[2],)), (game.deck[4],))
    end = initial_hand(game, 0, deal)

    assert end.is_finished
    assert all_in_chips(end) == pytest.approx(mean_over_run_outs(end, 0))


def test_cards_that_are_not_known_are_asked_for() -> None:
    end = hand(SIDE_POTS, "ccc/r400r1000f//", "AsKs", "QhQd", "", "8c9cKh2dTs")

    refuses(ValueError, r"needs everybody's hole cards: hand 0 .* position 2", all_in_chips, end)
