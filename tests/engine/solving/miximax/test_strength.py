"""Percentiles and what they become, against counting hand by hand with the program's other evaluators."""

from __future__ import annotations

import numpy as np
import pytest

from engine.poker.rules.hand_rank import hand_rank
from engine.solving.miximax.habits import shipped_changes
from engine.solving.miximax.strength import BUCKETS, count_changes, own_changes, percentile
from engine.support.seeds import derive_seed

HANDS = [((0, 5), (8, 17, 30, 43, 50)), ((51, 47), (43, 39, 35, 1, 2)), ((12, 20), (13, 14, 15, 21, 22))]


def counted(cards: tuple[int, ...], board: tuple[int, ...]) -> float:
    """The share of an opponent's hands that is beaten, ties half."""
    deck = [card for card in range(52) if card not in (*cards, *board)]
    ours = hand_rank((*cards, *board))
    theirs = [hand_rank((a, b, *board)) for i, a in enumerate(deck) for b in deck[:i]]
    assert len(theirs) == 990
    return (sum(rank < ours for rank in theirs) + sum(rank == ours for rank in theirs) / 2) / 990


@pytest.mark.parametrize(("cards", "board"), HANDS)
def test_percentiles_are_what_counting_says(cards: tuple[int, ...], board: tuple[int, ...]) -> None:
    assert percentile(cards, board) == pytest.approx(counted(cards, board), abs=1e-12)


def test_on_the_turn_every_river_is_looked_at() -> None:
    cards, board = (0, 5), (8, 17, 30, 43)
    changes, _ = own_changes(shipped_changes(), cards, board, 7)
    places = np.zeros(BUCKETS)
    for river in set(range(52)) - {*cards, *board}:
        places[min(BUCKETS - 1, int(percentile(cards, (*board, river)) * BUCKETS))] += 1 / 46

    np.testing.assert_allclose(changes[2, 0], places, atol=1e-12)


def test_on_the_flop_the_same_seed_draws_the_same() -> None:
    (first, _), (second, _), (third, _) = (
        own_changes(shipped_changes(), (51, 47), (43, 39, 0), derive_seed(1, seed)) for seed in (1, 1, 2)
    )

    assert (first == second).all()
    assert (first[1, 0] != third[1, 0]).any()
    assert first[1, 0].sum() == pytest.approx(1)


def test_hands_change_as_they_should() -> None:
    """The shipped changes: aces are ahead of everything on most flops; who is far ahead mostly stays it."""
    changes = shipped_changes()
    places = np.arange(BUCKETS) + 0.5

    by_hand = changes.flops @ places
    assert np.argmax(by_hand) == 168  # aces
    assert by_hand[168] > by_hand[0] + 6  # deuces
    for table in (changes.turns, changes.rivers):
        means = table @ places
        assert (np.diff(means[3:-2]) > 0).all()


def test_changes_are_counted_alike_from_the_same_seed() -> None:
    first, second = (count_changes(40, seed) for seed in (3, 3))

    assert (first.rivers == second.rivers).all()
    for table in (first.flops, first.turns, first.rivers):
        np.testing.assert_allclose(table.sum(axis=1), 1.0)
