"""How much a player raises, and models that are given what a player does."""

from __future__ import annotations

import numpy as np
import pytest

from engine.players.action_context import situation_of
from engine.players.bet_sizes import BetSizes, FoldsBySize, RaiseSize, answers_to_raises, size_of_raise
from engine.players.models.frequencies import FrequencyModel
from engine.poker.rules import load_game, parse_betting
from tests.engine.players.hands import reader_after


@pytest.mark.parametrize(
    ("betting", "total", "size"),
    [
        ("r300c/", 400, RaiseSize.SMALLEST),
        ("r300c/", 600, RaiseSize.HALF_POT),
        ("r300c/", 900, RaiseSize.POT),
        ("r300c/", 1500, RaiseSize.TWO_POTS),
        ("r300c/", 20000, RaiseSize.ALL_IN),
        ("", 200, RaiseSize.HALF_POT),
        ("", 300, RaiseSize.POT),
    ],
)
def test_a_raise_has_the_size_that_is_nearest(betting: str, total: int, size: RaiseSize) -> None:
    state = parse_betting(load_game("nolimit-2p"), betting)

    assert size_of_raise(state, total) is size


def test_sizes_begin_with_what_is_usual_and_follow_what_is_seen() -> None:
    sizes = BetSizes()
    before = sizes.chances
    state = parse_betting(load_game("nolimit-2p"), "r300c/")
    for _ in range(50):
        sizes.observe(state, 20000)

    assert before.sum(axis=1) == pytest.approx([1, 1])
    assert before[1].argmax() == RaiseSize.POT
    assert sizes.chances[1, RaiseSize.ALL_IN] > 0.9
    assert sizes.chances[0].tolist() == before[0].tolist()


def test_a_finished_hand_has_no_raises() -> None:
    with pytest.raises(ValueError, match="nobody is to act"):
        size_of_raise(parse_betting(load_game("nolimit-2p"), "f"), 300)


def test_who_answered_raises_and_how() -> None:
    betting = parse_betting(load_game("nolimit-3p"), "r300cr900fc/cr1800f")

    answers = [(before.text, *rest) for before, *rest in answers_to_raises(betting)]

    assert answers == [
        ("", 300, 0, False),
        ("", 300, 1, False),
        ("r300c", 900, 2, True),
        ("r300c", 900, 0, False),
        ("r300cr900fc/c", 1800, 0, True),
    ]


def test_folds_are_those_to_the_size_and_borrow_where_it_is_not_known() -> None:
    answers = FoldsBySize()
    state = parse_betting(load_game("nolimit-2p"), "r300c/")
    small, pot, all_in = 600, 900, 20000
    before = [answers.chance(state, total, 0.4) for total in (small, pot, all_in)]
    for _ in range(60):
        answers.observe(state, small, folded=False)
        answers.observe(state, all_in, folded=True)

    after = [answers.chance(state, total, 0.4) for total in (small, pot, all_in)]

    assert before == sorted(before)  # the more is bet the more is folded
    assert after[0] < 0.1 < before[0]
    assert after[1] == before[1]
    assert after[2] > 0.9 > before[2]
    assert (answers.cases(0), answers.cases(2)) == (0, 120)


def test_a_model_that_is_told_the_frequencies_has_them() -> None:
    """On average over the player's table, whatever part of the actions the hand decides."""
    for noise in (0.0, 0.4, 1.0):
        model = FrequencyModel(lambda context: (0.3, 0.5, 0.2), noise)
        reader = reader_after("rc/r", "2c6dTh", models=[model, model])
        decision = reader.decision(parse_betting(load_game("limit-2p"), "rc/r"))

        mean = decision.weights @ model.triples(decision) / decision.weights.sum()

        assert mean == pytest.approx((0.3, 0.5, 0.2), abs=0.02)
        assert np.allclose(model.triples(decision).std(axis=0), 0) == (noise == 1.0)


def test_what_is_not_legal_becomes_a_call() -> None:
    model = FrequencyModel(lambda context: (0.3, 0.5, 0.2))
    game = load_game("limit-2p")

    assert model.triple(situation_of(parse_betting(game, "rc/"))) == pytest.approx((0, 0.8, 0.2))
    assert model.triple(situation_of(parse_betting(game, "rc/rrrr"))) == pytest.approx((0.3, 0.7, 0))


def test_frequencies_that_are_no_triple_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        FrequencyModel(lambda context: (0.5, 0.5, 0.5))
    with pytest.raises(ValueError, match="noise"):
        FrequencyModel(lambda context: (0, 1, 0), noise=2)
