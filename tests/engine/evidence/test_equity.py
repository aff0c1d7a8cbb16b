"""What cards change in the shares of a pot has mean zero: by enumeration, not by simulation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from engine.evidence.equity import SAMPLES, pot_shares
from engine.poker.cards import parse_cards
from engine.poker.rules import GameDefinition, load_game
from engine.support.arrays import Floats
from tests.engine.hands.test_equity import plain_shares
from tests.support.hands.evidence import KnownHand, known_cards

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
