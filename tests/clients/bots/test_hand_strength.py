"""The hand-strength bot: what it knows of its hand, what it does with it."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest

from clients.bots.hand_strength import HandStrengthBot
from clients.bots.percentiles import starting_hand_percentiles
from engine.poker.cards import format_cards, parse_cards
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, GameDefinition, load_game, raise_to
from engine.poker.rules.hand_rank import hand_rank
from tests.support.hands.holdem_hands import view_with

LIMIT, NO_LIMIT = load_game("limit-2p"), load_game("nolimit-2p-100bb")
NO_LIMIT_6P = load_game("nolimit-6p-100bb")


def seated(game: GameDefinition, **options: Any) -> HandStrengthBot:
    bot = HandStrengthBot(**options)
    bot.game, bot.seat = game, 0
    bot.match_started(game, 0)
    return bot


# --- the starting hands ------------------------------------------------------------------------------------


def test_percentiles_of_starting_hands_are_those_of_a_count_by_equity() -> None:
    # Aces lose to nothing and tie with six combos, themselves included; 32o is the worst hand there is.
    table = starting_hand_percentiles(2)

    assert table[52 * 51 + 50] == table[52 * 48 + 51] == pytest.approx(1 - 3 / 1326)
    assert table[52 * 5 + 0] == pytest.approx(6 / 1326)  # 3d2c: twelve combos of 32o, half of them counted


@pytest.mark.parametrize("players", range(2, 11))
def test_percentiles_average_to_a_half(players: int) -> None:
    table = starting_hand_percentiles(players)
    combos = list(combinations(range(52), 2))

    assert sum(table[52 * a + b] for a, b in combos) / len(combos) == pytest.approx(0.5)
    assert all(table[52 * a + b] == table[52 * b + a] for a, b in combos)
    assert max(table) == table[52 * 51 + 50]  # aces are best at every table


def test_starting_hands_of_other_numbers_of_players_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 to 10"):
        starting_hand_percentiles(11)


# --- the strength ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board_size", [3, 4, 5])
def test_strength_is_the_share_of_hands_that_are_worse(board_size: int) -> None:
    rng = random.Random(board_size)
    for _ in range(3):
        cards = rng.sample(range(52), 2 + board_size)
        hole, board = tuple(cards[:2]), tuple(cards[2:])
        bot = seated(NO_LIMIT)
        streets = ["c", "c"] + ["c", "c"] * (board_size - 3)
        view = view_with(NO_LIMIT, hole, board, *streets)

        ours = hand_rank((*hole, *board))
        theirs = [hand_rank((*pair, *board)) for pair in combinations(sorted(set(range(52)) - set(cards)), 2)]
        worse = sum(rank < ours for rank in theirs) + sum(rank == ours for rank in theirs) / 2

        assert bot.strength(view) == pytest.approx(worse / len(theirs)), format_cards(cards)


def test_strength_against_several_is_the_product() -> None:
    hole, board = tuple(parse_cards("AsKd")), tuple(parse_cards("Ac7h2d"))
    alone = seated(NO_LIMIT).strength(view_with(NO_LIMIT, hole, board, "c", "c"))

    # Six players, two have folded: three opponents are left.
    view = view_with(NO_LIMIT_6P, hole, board, "c", "f", "f", "c", "c", "c")

    assert seated(NO_LIMIT_6P).strength(view) == pytest.approx(alone**3)


def test_the_plain_bot_ignores_the_number_of_opponents() -> None:
    hole, board = tuple(parse_cards("AsKd")), tuple(parse_cards("Ac7h2d"))
    actions = ["c", "f", "f", "c", "c", "c"]
    alone = seated(NO_LIMIT).strength(view_with(NO_LIMIT, hole, board, "c", "c"))
    plain = HandStrengthBot(plain=True)
    plain.match_started(NO_LIMIT_6P, 0)

    assert plain.strength(view_with(NO_LIMIT_6P, hole, board, *actions)) == alone


# --- what it does ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "actions", "expected"),
    [
        ("7s2d", ["r200"], FOLD),  # a bad hand, whatever the price
        ("7s2d", ["r4"], FOLD),
        ("7s2d", ["c"], CALL),  # where checking is free
        ("Js7d", ["r200"], CALL),  # a middling one, whatever the price
        ("Js7d", [], CALL),
        ("Js8d", ["c"], raise_to(4)),  # a bet, although of half the pot only
        ("AsAd", [], raise_to(6)),  # a raise of the pot of 4 that is there after the call
        ("AsAd", ["r6"], raise_to(18)),
        ("AsAd", ["r6", "r18"], CALL),  # the third raise is not its own
    ],
)
def test_before_the_flop(cards: str, actions: list[str], expected: object) -> None:
    view = view_with(NO_LIMIT, tuple(parse_cards(cards)), (), *actions)

    assert seated(NO_LIMIT).choose_action(view) == expected


@pytest.mark.parametrize(
    ("cards", "actions", "expected"),
    [
        ("3s2d", ["c", "c"], CALL),
        ("3s2d", ["c", "c", "r4"], FOLD),
        ("AsQd", ["c", "c"], raise_to(4)),  # ace high: half the pot of 4
        ("KsKc", ["c", "c"], raise_to(6)),  # a set: the pot
        ("AsQd", ["c", "c", "r200"], CALL),
    ],
)
def test_after_the_flop(cards: str, actions: list[str], expected: object) -> None:
    view = view_with(NO_LIMIT, tuple(parse_cards(cards)), tuple(parse_cards("Kh9c5d")), *actions)

    assert seated(NO_LIMIT).choose_action(view) == expected


def test_limit_raises_have_no_size() -> None:
    view = view_with(LIMIT, tuple(parse_cards("AsAd")), ())

    assert seated(LIMIT).choose_action(view) == LIMIT_RAISE
