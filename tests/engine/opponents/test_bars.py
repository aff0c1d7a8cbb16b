"""Bars below which a player folds: learnt as an independent account of all that was seen says."""

from __future__ import annotations

import random

import attrs
import numpy as np
import pytest

from engine.combos import COMBO_CARDS, NUM_COMBOS, combos_without
from engine.kernels.opponents.bars import bars_place, observe_bars, with_bars
from engine.kernels.opponents.counting import nothing_counted
from engine.kernels.opponents.records import NUM_BAR_PLACES, NUM_BARS
from engine.opponents.action_context import situation_of
from engine.opponents.board_values import board_values
from engine.records import ProbabilityTriple
from engine.rules import load_game, parse_betting
from tests.oracles.bars import Answer, fold_by_bars
from tests.oracles.hand_rank import hand_value

CONTEXT = 30


def parts_below(rng: random.Random) -> list[float]:
    """How a random range lies."""
    cuts = sorted(rng.random() for _ in range(NUM_BARS - 2))
    return [0.0, *cuts, 1.0]


@pytest.mark.parametrize("seed", range(4))
def test_folds_follow_from_all_that_was_seen(seed: int) -> None:
    rng = random.Random(seed)
    counts, evidence = nothing_counted()
    history: list[Answer] = []
    for _ in range(40):
        fold, context = 0.02 + 0.96 * rng.random(), rng.choice((30, 31))
        asked = Answer(fold, parts_below(rng), False, rng.choice((2, 3)), context)
        below = np.array(asked.below)

        usual = ProbabilityTriple(fold, 0.75 * (1 - fold), 0.25 * (1 - fold))
        found = with_bars(usual, counts, asked.place, context, below)

        expected = fold_by_bars(history, asked)
        assert found == pytest.approx((expected, 0.75 * (1 - expected), 0.25 * (1 - expected)), abs=1e-9)
        asked = attrs.evolve(asked, folded=rng.random() < below[5])
        observe_bars(counts, evidence, asked.place, context, fold, below, asked.folded)
        history.append(asked)


def test_it_is_learnt_who_folds_the_same_hands_and_who_by_dice() -> None:
    """Half of all bets are folded to by both, with a weak range and with a strong one; by one of them by his
    hand.
    """
    rng = random.Random(2)
    weak, strong = np.linspace(0, 1, NUM_BARS) ** 0.3, np.linspace(0, 1, NUM_BARS) ** 3
    bar = 8
    folds = {}
    for by_hand in (False, True):
        counts, evidence = nothing_counted()
        for _ in range(100):
            below = rng.choice((weak, strong))
            folded = rng.random() < (below[bar] if by_hand else 0.5)
            observe_bars(counts, evidence, 0, CONTEXT, 0.5, below, folded)
        usual = ProbabilityTriple(0.5, 0.5, 0.0)
        folds[by_hand] = (
            with_bars(usual, counts, 0, CONTEXT, weak).fold
            - with_bars(usual, counts, 0, CONTEXT, strong).fold
        )

    assert folds[True] > 0.5
    assert abs(folds[False]) < 0.12


def test_bars_say_nothing_before_anything_was_seen() -> None:
    counts, _ = nothing_counted()
    usual = ProbabilityTriple(0.3, 0.5, 0.2)

    assert with_bars(usual, counts, 0, CONTEXT, np.linspace(0, 1, NUM_BARS)) == usual


def test_in_the_end_folds_come_as_often_in_a_context_as_predicted() -> None:
    """Also where neither the bars nor what has been counted knows what a context is about."""
    rng = random.Random(3)
    counts, evidence = nothing_counted()
    below = np.linspace(0, 1, NUM_BARS)
    predicted = dict.fromkeys((30, 31), 0.0)
    for number in range(600):
        context = 30 + number % 2
        predicted[context] += with_bars(ProbabilityTriple(0.4, 0.6, 0.0), counts, 0, context, below).fold
        folded = rng.random() < (0.2 if context == 30 else 0.6)
        observe_bars(counts, evidence, 0, context, 0.4, below, folded)
        predicted[context] -= folded

    assert all(abs(apart) / 300 < 0.25 for apart in predicted.values())
    later = [with_bars(ProbabilityTriple(0.4, 0.6, 0.0), counts, 0, c, below).fold for c in (30, 31)]
    assert later == pytest.approx([0.2, 0.6], abs=0.08)


def test_what_is_certain_stays_so() -> None:
    counts, _ = nothing_counted()
    below = np.linspace(0, 1, NUM_BARS)

    for certain in (ProbabilityTriple(0.0, 0.6, 0.4), ProbabilityTriple(1.0, 0.0, 0.0)):
        assert with_bars(certain, counts, 0, CONTEXT, below) == certain


def test_bars_are_learnt_by_round_and_by_whether_more_than_a_bet_is_to_call() -> None:
    game = load_game("limit-2p")
    places = {
        betting: bars_place(situation_of(parse_betting(game, betting)).public)
        for betting in ("", "r", "cc/", "cc/r", "cc/rr", "cc/cc/r", "cc/cc/rr", "cc/cc/cc/r", "cc/cc/cc/rr")
    }

    assert list(places.values()) == [-1, -1, -1, 0, 0, 2, 2, 4, 4]
    twice = bars_place(situation_of(parse_betting(game, "cc/crr")).public)
    assert twice == 0  # he has bet once: one bet more to call
    three = load_game("limit-3p")
    assert bars_place(situation_of(parse_betting(three, "ccc/rr")).public) == 1
    assert NUM_BAR_PLACES == 6


@pytest.mark.parametrize("board", [(0, 17, 34), (3, 7, 20, 51), (8, 9, 22, 35, 48)])
def test_the_part_below_a_bar_is_that_of_the_hands_which_beat_fewer(board: tuple[int, ...]) -> None:
    """By counting, for every combo, the others that it beats, half of those as good."""
    rng = np.random.default_rng(len(board))
    weights = rng.random(NUM_COMBOS)
    live = np.flatnonzero(combos_without(board))
    values = [hand_value((*COMBO_CARDS[combo].tolist(), *board)) for combo in live]
    order = sorted(set(values))
    ranks = np.array([order.index(value) for value in values])

    beaten = np.array([(ranks < rank).sum() + (ranks == rank).sum() / 2 for rank in ranks]) / len(ranks)

    expected = [weights[live][beaten**2 < bar / 16].sum() / weights[live].sum() for bar in range(17)]
    found = board_values(board).below_bars(weights)
    assert (found[0], found[-1]) == (0, 1)
    assert found == pytest.approx(expected, abs=1e-9)
