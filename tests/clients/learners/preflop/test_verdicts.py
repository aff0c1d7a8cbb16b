"""Judging: the comparisons of the text of 4.2.1.3, and what follows from them."""

from __future__ import annotations

import itertools
import random

import pytest

from clients.learners.preflop.action_values import (
    CALL,
    DECREMENT_CALL,
    DECREMENT_FOLD,
    DECREMENT_RAISE,
    FOLD,
    INCREMENT_CALL,
    INCREMENT_FOLD,
    INCREMENT_RAISE,
    RAISE,
)
from clients.learners.preflop.verdicts import (
    RULES,
    compare_hole_cards,
    hole_cards_verdicts,
    winning_hand_verdict,
    winning_hand_verdicts,
)
from engine.hands.hand_rank import hand_rank
from engine.poker.cards import parse_cards


@pytest.mark.parametrize(
    ("own", "opponent", "verdict"),
    [
        # The opponent has a pair.
        ("AhKh", "2c2d", -1),  # "the agent only has a High Card": decremented
        ("3h3d", "4c4d", -1),  # "a lower ranking Pair": decremented
        ("5h5d", "4c4d", 1),  # "a higher ranking Pair": incremented
        ("4h4s", "4c4d", 0),  # similar hands: tied
        # The opponent has a high card.
        ("2h2d", "AcKc", 1),  # "a Pair": incremented
        ("QhJh", "Kc2d", -1),  # "lower ranking higher card": decremented
        ("Kh2h", "QcJd", 1),  # "higher ranking higher card": incremented
        ("Kh5d", "Kc6d", -1),  # "same higher card but lower second card": decremented
        ("Kh7d", "Kc6d", 1),  # "same higher card but higher second card": incremented
        ("Kh6h", "Kc6d", 0),  # similar hands: tied; suits do not count
    ],
)
def test_each_case_of_the_text(own: str, opponent: str, verdict: int) -> None:
    ours, theirs = parse_cards(own), parse_cards(opponent)

    for first, second in itertools.product((ours, ours[::-1]), (theirs, theirs[::-1])):
        assert compare_hole_cards(first, second) == verdict
        assert compare_hole_cards(second, first) == -verdict


def by_the_text(own: tuple[int, ...], opponent: tuple[int, ...]) -> int:
    """The text of 4.2.1.3, sentence by sentence."""
    c1, c2 = sorted((card >> 2 for card in own), reverse=True)
    card1, card2 = sorted((card >> 2 for card in opponent), reverse=True)
    if card1 == card2:
        if c1 != c2 or c1 < card1:
            return -1
        return 1 if c1 > card1 else 0
    if c1 == c2 or c1 > card1:
        return 1
    if c1 < card1:
        return -1
    return (c2 > card2) - (c2 < card2)


def test_every_two_hands_compare_as_the_text_says() -> None:
    hands = list(itertools.combinations(range(0, 52, 1), 2))
    rng = random.Random(4)
    for own in rng.sample(hands, 300):
        for opponent in rng.sample(hands, 300):
            assert compare_hole_cards(own, opponent) == by_the_text(own, opponent)


def test_each_opponent_gets_a_comparison() -> None:
    shown = [parse_cards(text) for text in ("2c2d", "Qc3s", "Kc5c")]

    assert hole_cards_verdicts(parse_cards("Kh5d"), shown) == [-1, 1, 0]


@pytest.mark.parametrize(
    ("own", "shown", "board", "verdict"),
    [
        ("AhAd", ["KhKd"], "2cQs7d8h9c", 1),
        ("AhAd", ["KhKd", "2h2s"], "2cQs7d8h9c", -1),  # better than one, worse than the winner
        ("3h4h", ["3c4d"], "2cQs7d8h9c", 0),
        ("AhJs", ["AcJd", "AsTd"], "2cQs7d8h9c", 0),
        ("6h5h", ["AcAd", "KsQd"], "2cQs7d8h9c", 1),  # hole cards that are behind, and a straight
        ("2h3h", ["AcAd", "KdKh"], "TsJsQsKsAs", 0),  # the board plays
    ],
)
def test_the_best_five_are_compared_with_the_winners(
    own: str, shown: list[str], board: str, verdict: int
) -> None:
    others = [parse_cards(text) for text in shown]

    assert winning_hand_verdict(parse_cards(own), others, parse_cards(board)) == verdict


def test_readings_of_the_winner_differ_by_ties_and_by_how_many_are_compared() -> None:
    board, own = parse_cards("2cQs7d8h9c"), parse_cards("AhJs")
    shown = [parse_cards(text) for text in ("AcJd", "3s3d", "Kd5d")]

    assert winning_hand_verdicts(own, shown, board, "each") == [0, -1, 1]
    assert winning_hand_verdicts(own, shown[:1], board, "strict") == [0]
    assert winning_hand_verdicts(own, shown[:1], board, "ties-win") == [1]
    assert winning_hand_verdicts(own, shown, board, "ties-win") == [-1]


def test_the_winner_is_the_evaluators() -> None:
    rng = random.Random(9)
    for _ in range(500):
        deck = rng.sample(range(52), 13)
        own, board, shown = tuple(deck[:2]), tuple(deck[2:7]), [tuple(deck[k : k + 2]) for k in (7, 9, 11)]
        ours, best = hand_rank((*own, *board)), max(hand_rank((*other, *board)) for other in shown)

        assert winning_hand_verdict(own, shown, board) == (ours > best) - (ours < best)


@pytest.mark.parametrize(
    ("action", "ahead", "behind"),
    [
        (FOLD, DECREMENT_FOLD, INCREMENT_FOLD),
        (CALL, INCREMENT_CALL, DECREMENT_CALL),
        (RAISE, INCREMENT_RAISE, DECREMENT_RAISE),
    ],
)
def test_the_rule_follows_from_the_action_and_the_verdict(
    action: int, ahead: tuple[int, int, int], behind: tuple[int, int, int]
) -> None:
    assert (RULES[action][1], RULES[action][0], RULES[action][-1]) == (ahead, None, behind)
