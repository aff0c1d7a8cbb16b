"""Triples: the paper's numbers, sampling, mixing; the kernels beside a slow account of the same rules."""

import collections
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from engine.kernels.players import triples as kernels
from engine.kernels.players.records import Push, Thresholds
from engine.kernels.players.trials.tree import NodeNumber, keep, thresholds_in
from engine.players.probability_triple import checked, legal_triple, mix, sample
from engine.poker.records import ProbabilityTriple
from tests.oracles import triples as oracle
from tests.support.asserting import refuses

# --- triples ------------------------------------------------------------------------------------------------

fractions = st.floats(0, 1)
spreads = st.floats(0.005, 0.2)
thresholds = st.builds(
    Thresholds,
    call=fractions,
    call_spread=spreads,
    raise_=fractions,
    raise_spread=spreads,
    raise_most=st.sampled_from([0.8, 1.0]),
    price=st.floats(0, 2),
    price_spread=spreads,
    semi_bluff=fractions,
    semi_bluff_chance=st.floats(0, 0.9),
    bluff_below=st.floats(0.05, 0.5),
    trap=fractions,
    trap_chance=st.floats(0, 0.5),
    can_fold=st.sampled_from([0.0, 1.0]),
    can_raise=st.sampled_from([0.0, 1.0]),
)

pushes = st.builds(
    Push,
    known=fractions,
    folded=st.floats(0, 10),
    shift=st.floats(0, 0.98),
    callers=st.floats(1, 9),
    won=st.floats(0, 20),
    lost=st.floats(0, 4),
    stayers=st.floats(1, 9),
    call_won=st.floats(0, 15),
    call_lost=st.floats(0, 4),
    waiting=st.floats(0, 1.2),
    patience=st.floats(0.5, 0.75),
)


@given(thresholds, pushes, fractions, fractions, fractions, fractions)
def test_the_formula_does_with_a_hand_what_its_thresholds_say(
    rule: Thresholds, push: Push, value: float, chance: float, draw: float, bluffs: float
) -> None:
    triple = kernels.triple_of(value, chance, draw, rule, push, bluffs)

    expected = oracle.Rule(rule, push).chances(value, chance, draw, bluffs)
    assert triple == pytest.approx(tuple(expected.values()), abs=1e-9)


# --- where they are kept ---------------------------------------------------------------------------------


def test_a_node_keeps_thresholds_in_their_order() -> None:
    kept = Thresholds(*(number / 100 for number in range(len(Thresholds._fields))))
    numbers = np.zeros(len(NodeNumber) + 100)

    keep(kept, numbers[NodeNumber.THRESHOLDS :])

    assert thresholds_in(numbers) == kept
    assert (numbers[NodeNumber.CAN_FOLD], numbers[NodeNumber.CAN_RAISE]) == kept[-2:]


def test_whatever_is_legal_is_as_likely_to_the_neutral_model() -> None:
    for can_fold in (False, True):
        for can_raise in (False, True):
            expected = oracle.neutral_chances(can_fold, can_raise)
            assert kernels.neutral_triple(can_fold, can_raise) == pytest.approx(tuple(expected.values()))


# --- probability triple -------------------------------------------------------------------------------------

chances = st.floats(0, 1)
triples = st.tuples(chances, chances, chances).filter(lambda t: sum(t) > 0.1)


def normalised(numbers: tuple[float, float, float]) -> ProbabilityTriple:
    return ProbabilityTriple(*(number / sum(numbers) for number in numbers))


def test_mixing_is_by_weight() -> None:
    assert mix([(1, 0, 0), (0, 0, 1)], [1, 3]) == pytest.approx((0.25, 0, 0.75))


def test_what_is_not_allowed_becomes_a_call() -> None:
    assert legal_triple((0.2, 0.3, 0.5), can_fold=False, can_raise=True) == pytest.approx((0, 0.5, 0.5))
    assert legal_triple((0.2, 0.3, 0.5), can_fold=True, can_raise=False) == pytest.approx((0.2, 0.8, 0))


def test_samples_come_as_often_as_they_should_and_the_same_for_the_same_generator() -> None:
    triple = (0.2, 0.3, 0.5)

    drawn = [sample(triple, random.Random(seed)) for seed in range(5000)]

    assert drawn == [sample(triple, random.Random(seed)) for seed in range(5000)]
    counts = collections.Counter(drawn)
    for kind, chance in zip("fcr", triple, strict=True):
        assert counts[kind] / 5000 == pytest.approx(chance, abs=0.03)  # type: ignore[index]


@pytest.mark.parametrize("wrong", [(0.5, 0.5), (0.5, 0.6, -0.1), (0.3, 0.3, 0.3), (float("nan"), 0, 1)])
def test_what_is_no_triple_is_refused(wrong: tuple[float, ...]) -> None:
    refuses(ValueError, "chances", checked, wrong)
