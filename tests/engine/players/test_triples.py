"""Triples: the paper's numbers, sampling, mixing; the kernels beside a slow account of the same rules."""

import collections
import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.kernels.players import counting, reweighting, triples as kernels
from engine.kernels.players.predictions import fill_odds_in_company, prediction_of
from engine.kernels.players.records import Counts, Evidence, Push, Thresholds
from engine.kernels.players.trials.tree import NodeNumber, keep_thresholds, thresholds_in
from engine.players.probability_triple import (
    ProbabilityTriple,
    TripleIndex,
    checked,
    legal_triple,
    mix,
    sample,
    with_noise,
)
from engine.poker.records import NUM_COMPANIES, NUM_CONTEXTS, NUM_DETAILS, NUM_GROUPS, ContextNumbers
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


@given(st.lists(st.floats(0.001, 1), min_size=6, max_size=6), st.booleans(), st.booleans())
def test_the_blend_of_formula_and_frequencies_has_the_frequencies(
    numbers: list[float], can_fold: bool, can_raise: bool
) -> None:
    usual, frequencies = (
        oracle.legal(oracle.chances(part), can_fold, can_raise) for part in (numbers[:3], numbers[3:])
    )
    triples = ProbabilityTriple(*usual.values()), ProbabilityTriple(*frequencies.values())

    share = kernels.own_share(*triples)

    assert share == pytest.approx(oracle.own_share(usual, frequencies))
    if share > 0:
        own = kernels.own_triple(*triples, share, can_fold, can_raise)
        expected = oracle.own_frequencies(usual, frequencies, share, can_fold, can_raise)
        assert own == pytest.approx(tuple(expected.values()), abs=1e-9)
        assert kernels.blended(triples[0], own, share) == pytest.approx(triples[1], abs=0.011)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.floats(0, 1), st.floats(0, 1))
def test_what_is_blind_to_the_hand_leaves_the_frequencies(
    seed: int, fold_noise: float, raise_noise: float
) -> None:
    rng = np.random.default_rng(seed)
    weights, sharp = rng.random(30), rng.dirichlet((0.5, 0.5, 0.5), 30)
    mean, blurred = kernels.mean_triple(weights, sharp), np.empty((30, 3))

    kernels.blur_triples(sharp, mean, fold_noise, raise_noise, blurred)

    assert kernels.mean_triple(weights, blurred) == pytest.approx(mean, abs=1e-9)
    assert blurred.min() > -1e-9
    assert blurred.sum(axis=1) == pytest.approx(np.ones(30))


def test_folds_and_raises_are_blind_each_by_its_own_noise() -> None:
    """Bets by dice and folds by the hand, folds by dice and raises by the hand, or all of it by dice."""
    sharp = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    mean = ProbabilityTriple(0.25, 0.25, 0.5)
    by_dice, blurred = np.tile(mean, (4, 1)), np.empty((4, 3))

    kernels.blur_triples(sharp, mean, 0.0, 1.0, blurred)
    assert blurred == pytest.approx(np.array([[1, 0, 0], *[[0, 1 / 3, 2 / 3]] * 3]))

    kernels.blur_triples(sharp, mean, 1.0, 0.0, blurred)
    assert blurred == pytest.approx(np.array([*[[0.5, 0.5, 0]] * 2, *[[0, 0, 1]] * 2]))

    kernels.blur_triples(sharp, mean, 0.3, 0.3, blurred)
    assert blurred == pytest.approx(0.7 * sharp + 0.3 * by_dice)


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_implied_thresholds_are_those_that_halving_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hands = 40
    weights, values, call_values = rng.random((3, hands)) + 1e-3
    frequencies = rng.dirichlet((1, 1, 1))
    triple = ProbabilityTriple(*frequencies.tolist())
    own_spreads, call_spreads = rng.uniform(0.02, 0.3, (2, hands))

    call_at, raise_at = reweighting.implied_thresholds(
        weights, values, call_values, own_spreads, call_spreads, triple, np.empty((3, hands))
    )

    expected = oracle.implied_thresholds(
        weights.tolist(), values.tolist(), call_values.tolist(), oracle.chances(triple),
        own_spreads.tolist(), call_spreads.tolist(),
    )  # fmt: skip
    triples = np.empty((hands, 3))
    for hand in range(hands):
        both = values[hand], call_values[hand]
        own = call_spreads[hand], own_spreads[hand]
        triples[hand] = kernels.threshold_triple_of(*both, call_at, raise_at, *own)
        by_halving = oracle.threshold_chances(*both, *expected, *own)
        assert triples[hand] == pytest.approx(tuple(by_halving.values()), abs=1e-6)
    assert kernels.mean_triple(weights, triples).fold == pytest.approx(triple.fold, abs=1e-6)
    assert kernels.mean_triple(weights, triples).raise_ == pytest.approx(triple.raise_, abs=1e-6)


# --- what has been counted -------------------------------------------------------------------------------


def watch(player: oracle.CountedPlayer, counts: Counts, evidence: Evidence, rng: random.Random) -> None:
    """A decision of a player who raises much, in one of a few contexts: half of them are read."""
    place = rng.choice(PLACES)._replace(log_pot_odds=rng.choice(ODDS), company=rng.randrange(NUM_COMPANIES))
    can_fold, can_raise = rng.choice([(False, True), (True, True), (True, False)])
    usual = oracle.legal(oracle.chances(rng.random() for _ in range(3)), can_fold, can_raise)
    action = rng.choices(oracle.ACTIONS, (0.1 * can_fold, 0.3, 0.6 * can_raise))[0]
    index = int(TripleIndex[action.upper()])
    if rng.random() < 0.5:
        counting.observe_decision(
            counts, evidence, place, ProbabilityTriple(*usual.values()), can_fold, can_raise, index,
            np.empty(counting.NUM_SCRATCH),
        )  # fmt: skip
        player.history.append(oracle.Seen(place, usual, can_fold, can_raise, action))
    else:
        counts.groups[place.group, index] += 1
        counts.contexts[place.context, index] += 1
        counts.details[place.detail, index] += 1
        player.history.append(oracle.Seen(place, None, can_fold, can_raise, action))


ODDS = (0.7, 1.0, 3.0)
PLACES = (
    ContextNumbers(0, 0, 0), ContextNumbers(0, 7, 20), ContextNumbers(0, 7, 21),
    ContextNumbers(NUM_GROUPS - 1, NUM_CONTEXTS - 1, NUM_DETAILS - 1),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_frequencies_of_a_counted_player_follow_from_all_that_was_seen(seed: int) -> None:
    rng = random.Random(seed)
    player, (counts, evidence) = oracle.CountedPlayer(), counting.nothing_counted()
    for _ in range(9):
        watch(player, counts, evidence, rng)

        for where in PLACES[1:3]:
            place = where._replace(log_pot_odds=rng.choice(ODDS), company=rng.randrange(NUM_COMPANIES))
            for can_fold, can_raise in ((False, True), (True, False), (True, True)):
                usual = oracle.legal(oracle.chances(rng.random() for _ in range(3)), can_fold, can_raise)
                triple = ProbabilityTriple(*usual.values())
                found = prediction_of(counts, place, triple, can_fold, can_raise)

                overall = player.overall(place, usual, can_fold, can_raise)
                expected = (
                    *player.both(place, usual, can_fold, can_raise), overall,
                    player.in_company(place, overall), player.frequencies(place, usual, can_fold, can_raise),
                )  # fmt: skip
                for one, other in zip(found, expected, strict=True):
                    assert one == pytest.approx(tuple(other.values()), abs=1e-8)


def test_a_player_who_is_nothing_like_the_stereotype_is_taken_for_neutral_first() -> None:
    player, (counts, evidence) = oracle.CountedPlayer(), counting.nothing_counted()
    usual, place = oracle.chances((0.9, 0.09, 0.01)), ContextNumbers(1, 3, 9)

    for _ in range(3):
        counting.observe_decision(
            counts, evidence, place, ProbabilityTriple(*usual.values()), True, True, TripleIndex.RAISE.value,
            np.empty(counting.NUM_SCRATCH),
        )  # fmt: skip
        player.history.append(oracle.Seen(place, usual, True, True, "raise"))

    assert counts.neutral_share[0] == pytest.approx(player.neutral_share())
    assert counts.neutral_share[0] > 0.99


def counted(
    decisions: Iterable[tuple[ContextNumbers, TripleIndex]],
    usual: ProbabilityTriple,
    can_fold: bool,
    can_raise: bool,
) -> Counts:
    """What is known of a player after decisions, all alike but for where they are counted."""
    counts, evidence = counting.nothing_counted()
    for place, action in decisions:
        counting.observe_decision(
            counts, evidence, place, usual, can_fold, can_raise, int(action), np.empty(counting.NUM_SCRATCH)
        )
    return counts


def test_it_is_learnt_who_folds_by_the_pot_and_who_by_dice() -> None:
    """Half of all bets are folded to by both; by one of them in small pots only."""
    rng, place, usual = random.Random(5), ContextNumbers(6, 40, 150), ProbabilityTriple(0.5, 0.5, 0.0)
    folds = {}
    for by_pot in (False, True):
        decisions = []
        for _ in range(100):
            here = place._replace(log_pot_odds=rng.choice((1.0, 2.0)))
            folded = rng.random() < (0.5 if not by_pot else 0.85 if here.log_pot_odds < 1.5 else 0.15)
            decisions.append((here, TripleIndex.FOLD if folded else TripleIndex.CALL))
        counts = counted(decisions, usual, True, True)
        small, great = (
            prediction_of(counts, place._replace(log_pot_odds=odds), usual, True, True).together.fold
            for odds in (1.0, 2.0)
        )
        folds[by_pot] = small - great

    assert folds[True] > 0.5
    assert abs(folds[False]) < 0.12


def test_it_is_learnt_who_bets_into_one_but_not_into_several() -> None:
    """Half of all decisions are bets; of one of two players, all of them against a single opponent."""
    rng, place, usual = random.Random(6), ContextNumbers(4, 30, 90), ProbabilityTriple(0.0, 0.5, 0.5)
    apart = {}
    for by_company in (False, True):
        decisions = []
        for _ in range(100):
            here = place._replace(company=rng.choice((0, 2)))
            bets = here.company == 0 if by_company else rng.random() < 0.5
            decisions.append((here, TripleIndex.RAISE if bets else TripleIndex.CALL))
        counts = counted(decisions, usual, False, True)
        one, two, many = (
            prediction_of(counts, place._replace(company=company), usual, False, True).together.raise_
            for company in range(NUM_COMPANIES)
        )
        apart[by_company] = one - many
        assert two == pytest.approx(0.5, abs=0.12)

    assert apart[True] > 0.7
    assert abs(apart[False]) < 0.12


def test_where_there_is_one_company_it_changes_nothing() -> None:
    rng, (counts, evidence) = random.Random(7), counting.nothing_counted()
    odds, place = np.empty((NUM_GROUPS, NUM_COMPANIES)), ContextNumbers(6, 40, 150)
    for _ in range(50):
        usual = ProbabilityTriple(*oracle.chances(rng.random() for _ in range(3)).values())
        prediction = prediction_of(counts, place, usual, True, True)
        assert prediction.together == prediction.overall
        counting.observe_decision(
            counts, evidence, place, usual, True, True, rng.randrange(3), np.empty(counting.NUM_SCRATCH)
        )

    fill_odds_in_company(counts, odds)
    assert (odds[:, 0] == 1.0).all()


# --- where they are kept ---------------------------------------------------------------------------------


def test_a_node_keeps_thresholds_under_their_names() -> None:
    kept = Thresholds(*(number / 100 for number in range(len(Thresholds._fields))))
    numbers = np.zeros(len(NodeNumber) + 100)

    keep_thresholds(kept, numbers)

    assert thresholds_in(numbers) == kept
    names = [name.removesuffix("_") for name in Thresholds._fields]
    assert [NodeNumber(field).name.lower() for field in range(len(names))] == names


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


def test_the_noise_of_the_papers_example() -> None:
    """Poki 3.3.3: {0, .2, .8} at 0.5 becomes roughly {.167, .267, .567}."""
    assert with_noise((0, 0.2, 0.8), 0.5) == pytest.approx((0.167, 0.267, 0.567), abs=0.0005)


@given(triples)
def test_noise_0_leaves_and_noise_1_flattens(numbers: tuple[float, float, float]) -> None:
    triple = normalised(numbers)

    assert with_noise(triple, 0) == pytest.approx(triple)
    assert with_noise(triple, 1) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


@given(triples, chances)
def test_noise_keeps_a_triple_a_triple(numbers: tuple[float, float, float], noise: float) -> None:
    assert sum(checked(with_noise(normalised(numbers), noise))) == pytest.approx(1)


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


def test_a_noise_outside_0_to_1_is_refused() -> None:
    refuses(ValueError, "noise factor", with_noise, (0, 0, 1), 1.5)
