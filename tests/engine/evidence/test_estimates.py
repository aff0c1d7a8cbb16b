"""Estimates are unbiased, confidence sequences keep their promise, and so do the ends of matches."""

import itertools
import math
from collections.abc import Iterator

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence.columns.hands import HandColumns
from engine.evidence.confidence_sequence import (
    AverageSequence,
    ConfidenceSequence,
    Interval,
    asymptotic_critical_value,
)
from engine.evidence.control_variates import FIRST_BLOCK
from engine.evidence.estimates import ESTIMATORS, Evidence
from engine.poker.rules import CALL, FOLD, Deal, GameDefinition, HandState, initial_hand, load_game
from tests.oracles.stopping_rules import (
    RARE,
    SHAPES,
    ManySequences,
    Shape,
    averages,
    exact_intervals,
    pluribus,
    published_interval,
    simulate,
)
from tests.support.asserting import known, refuses
from tests.support.cases import cases
from tests.support.hands.evidence import Row, evidence_of

# --- estimates ----------------------------------------------------------------------------------------------


def every_hand(game: GameDefinition) -> Iterator[tuple[float, HandState]]:
    """Every deal with every betting, and its chance where all actions are equally likely."""
    holes, board = game.num_hole_cards * game.num_players, game.board_ends[-1]
    deals = list(itertools.permutations(game.deck, holes + board))
    for cards in deals:
        hole_cards = tuple((card,) for card in cards[:holes])
        yield from _ends(initial_hand(game, 0, Deal(hole_cards, cards[holes:])), 1 / len(deals))


def _ends(state: HandState, chance: float) -> Iterator[tuple[float, HandState]]:
    if state.is_finished:
        yield chance, state
        return
    legal = state.legal_actions()
    actions = [FOLD] if legal.can_fold else []
    actions += [CALL]
    actions += [legal.raising_to()] if legal.can_raise else []
    # The rank of the card decides: what is done depends on hidden cards, as it does in earnest.
    position = known(state.position_to_act)
    rank = state.deal.hole_cards[position][0] >> 2
    weights = [1.0 + (rank + 2 * number) % 5 for number in range(len(actions))]
    for action, weight in zip(actions, weights, strict=True):
        yield from _ends(state.apply(action), chance * weight / sum(weights))


@pytest.mark.parametrize("name", ["kuhn-2p", "kuhn-3p", "leduc"])
def test_nothing_is_added_or_taken_on_average_over_a_whole_game(name: str) -> None:
    """All hands of the game, by what they pay and by what is left of it: the same mean to 1e-12."""
    game = load_game(name)
    chances, hands = zip(*every_hand(game), strict=True)
    # One deal: coefficients are those fixed beforehand.
    evidence = evidence_of([(state, state.chips_won(), range(game.num_players), 0) for state in hands])
    weights = np.array(chances)
    assert weights.sum() == pytest.approx(1.0)

    chips, equity = known(evidence.values("chips")), known(evidence.values("equity"))
    assert np.abs(weights @ (equity - chips)).max() < 1e-12
    assert np.abs(equity.sum(axis=1)).max() < 1e-9
    variance = weights @ (chips - weights @ chips) ** 2
    left = weights @ (equity - weights @ equity) ** 2
    assert (left < 0.9 * variance).all()


def played(name: str, bots: list[str], hands: int, seed: int) -> Evidence:
    game = load_game(name)
    arena = Arena(game, [make_bot(bot) for bot in bots], seed)
    rows: list[Row] = []
    n = game.num_players

    def add(end: HandState, chips: tuple[float, ...]) -> None:
        number = end.hand_number
        rows.append((end, chips, [(position + number) % n for position in range(n)], number))

    arena.play(hands, on_hand=add)
    return evidence_of(rows)


@pytest.mark.parametrize(
    ("name", "matches"),
    [
        ("leduc", 60), ("limit-2p", 40), pytest.param("leduc", 200, marks=pytest.mark.slow),
        pytest.param("limit-2p", 200, marks=pytest.mark.slow),
        pytest.param("nolimit-2p-100bb", 200, marks=pytest.mark.slow),
        pytest.param("limit-3p", 200, marks=pytest.mark.slow),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_is_taken_out_of_many_matches_is_nothing_but_noise(name: str, matches: int) -> None:
    """z of the mean difference in each match: normal, mean 0, variance 1."""
    scores = []
    for seed in range(matches):
        evidence = played(name, ["always-call", *["random"] * (load_game(name).num_players - 1)], 100, seed)
        chips, equity = known(evidence.values("chips")), known(evidence.values("equity"))
        rows, positions = np.nonzero(evidence.players == 0)
        taken = (chips - equity)[rows, positions]
        scores.append(taken.mean() / (taken.std(ddof=1) / np.sqrt(len(taken))))
    assert abs(np.mean(scores)) < 3.3 / np.sqrt(matches)
    assert np.std(scores) == pytest.approx(1.0, abs=3.3 / np.sqrt(2 * matches) + 0.05)


@pytest.mark.parametrize(("name", "bots", "factor"), cases(__file__, "intervals get narrower and chips are"))
def test_intervals_get_narrower_and_chips_are_conserved(name: str, bots: list[str], factor: float) -> None:
    evidence = played(name, bots, 400, 3)
    estimates = evidence.estimates()

    for estimator in ESTIMATORS:
        values = known(evidence.values(estimator))
        assert np.abs(values.sum(axis=1)).max() < 1e-6
    widths = {
        estimator: np.sqrt(sum(each.ci95**2 for each in estimates[estimator] if each and each.ci95))
        for estimator in ESTIMATORS
    }
    assert widths["all_in"] <= widths["chips"] * 1.0001
    assert widths["chips"] ** 2 / widths["equity"] ** 2 > factor


def test_a_deal_that_was_played_from_each_seat_is_one_sample() -> None:
    game = load_game("limit-2p")
    rows: list[Row] = []
    for number in range(2):
        arena = Arena(game, [make_bot("always-call"), make_bot("always-call")], 8)

        def add(end: HandState, chips: tuple[float, ...], number: int = number) -> None:
            seats = [(position + end.hand_number) % 2 for position in range(2)]
            rows.append((end, chips, [(seat - number) % 2 for seat in seats], end.hand_number))

        arena.play(50, on_hand=add)
    # One pass only.
    arena.play(1, on_hand=lambda end, chips: rows.append((end, chips, (0, 1), end.hand_number)))

    chips, _ = evidence_of(rows, passes=2).estimates()["chips"]
    assert chips is not None
    assert chips.samples == 50
    assert chips.ci95 == 0.0  # what one pass gives the other takes


def test_cards_that_are_not_shown_leave_what_needs_none() -> None:
    evidence = played("nolimit-2p-100bb", ["always-fold", "always-call"], 20, 1)
    rows: list[Row] = []
    arena = Arena(load_game("nolimit-2p-100bb"), [make_bot("always-fold"), make_bot("always-call")], 1)

    def add(end: HandState, chips: tuple[float, ...]) -> None:
        unshown = attrs.evolve(end.deal, hole_cards=((), ()))
        rows.append((attrs.evolve(end, deal=unshown), chips, (0, 1), end.hand_number))

    arena.play(20, on_hand=add)
    hidden = evidence_of(rows)

    assert not evidence.missing
    assert hidden.missing == {
        "equity": "it needs everybody's hole cards: hand 0 does not show those of position 0"
    }
    assert hidden.values("equity") is None
    assert hidden.estimates()["equity"] == (None, None)
    values, chips = known(hidden.values("all_in")), known(hidden.values("chips"))
    assert (values == chips).all()


def test_no_hands_have_no_estimates() -> None:
    evidence = Evidence(load_game("limit-2p"))

    assert evidence.estimates() == dict.fromkeys(ESTIMATORS, ())


def test_a_hand_that_is_not_over_is_refused() -> None:
    game = load_game("leduc")
    state = initial_hand(game, 0, Deal(((47,), (51,)), (50,)))

    refuses(ValueError, "expected the end of a hand", HandColumns.of, game, [state])


def test_the_first_deals_are_corrected_by_the_pot() -> None:
    """Before anything was fitted a share of the pot is worth that share of it."""
    evidence = played("limit-2p", ["always-call", "always-call"], FIRST_BLOCK, 2)

    chips, equity = evidence.values("chips"), evidence.values("equity")

    # All cards of hands that are called down are taken out, to the last.
    assert chips is not None
    assert equity is not None
    assert np.abs(equity).max() < 1e-9
    assert np.abs(chips).max() == 10


# --- confidence sequence ------------------------------------------------------------------------------------

payoffs = st.lists(
    st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.49, 0.51), min_size=1, max_size=120
)


def intervals_of(values: list[float], alpha: float = 0.05) -> list[Interval]:
    sequence = ConfidenceSequence(0, 1, alpha)
    found = []
    for value in values:
        sequence.add(value)
        interval = sequence.interval
        if interval is None:
            break
        found.append(interval)
    return found


@settings(max_examples=40, deadline=None)
@given(payoffs, st.sampled_from([0.05, 0.01]))
def test_the_ends_are_those_of_all_bets_together_or_just_outside(values: list[float], alpha: float) -> None:
    mine = intervals_of(values, alpha)
    stakes_as_mine = exact_intervals(values[: len(mine)], alpha)

    for interval, (low, high) in zip(mine, stakes_as_mine, strict=True):
        assert interval.low <= low + 1e-9
        assert interval.high >= high - 1e-9
        assert interval.high - interval.low <= (high - low) * 1.06 + 1e-9


@pytest.mark.parametrize("sd", [0.005, 0.05, 0.3])
def test_without_a_history_nearly_nothing_is_lost(sd: float) -> None:
    generator = np.random.default_rng(5)
    values = np.clip(generator.normal(0.55, sd, 400), 0, 1).tolist()

    (*_, mine), (*_, (low, high)) = intervals_of(values), exact_intervals(values)

    assert mine.high - mine.low == pytest.approx(high - low, rel=0.01)


def test_it_is_as_narrow_as_the_published_one() -> None:
    """Which cuts its stakes off at each mean, and is not intersected with earlier ones here."""
    generator = np.random.default_rng(6)
    values = np.clip(generator.normal(0.5, 0.05, 5000), 0, 1)

    (*_, mine) = intervals_of(values.tolist())
    low, high = published_interval(values)

    assert mine.high - mine.low <= (high - low) * 1.01


def test_an_interval_never_grows() -> None:
    generator = np.random.default_rng(7)
    found = intervals_of(generator.beta(0.3, 0.6, 800).tolist())

    for before, after in itertools.pairwise(found):
        assert before.low <= after.low <= after.high <= before.high


@given(st.lists(st.floats(-3, 7), min_size=1, max_size=60), st.floats(0.1, 50), st.floats(-20, 20))
def test_the_unit_of_payoffs_does_not_matter(values: list[float], factor: float, shift: float) -> None:
    plain = ConfidenceSequence(-3, 7)
    moved = ConfidenceSequence(-3 * factor + shift, 7 * factor + shift)
    for value in values:
        plain.add(value)
        moved.add(value * factor + shift)

    before, after = plain.interval, moved.interval
    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert after.low == pytest.approx(before.low * factor + shift, abs=1e-6 * factor + 1e-9)
        assert after.high == pytest.approx(before.high * factor + shift, abs=1e-6 * factor + 1e-9)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_the_other_players_interval_is_the_mirror_image(values: list[float]) -> None:
    mine, theirs = ConfidenceSequence(-1, 1), ConfidenceSequence(-1, 1)
    for value in values:
        mine.add(value)
        theirs.add(-value)

    if mine.interval is None:
        assert theirs.interval is None
    else:
        mirrored = known(theirs.interval.mirrored() if theirs.interval is not None else None)
        assert (mirrored.low, mirrored.high) == pytest.approx(
            (mine.interval.low, mine.interval.high), abs=1e-9
        )


def test_players_that_change_leave_nothing_in() -> None:
    sequence = ConfidenceSequence(-1, 1)
    for _ in range(300):
        sequence.add(0.5)
    assert sequence.interval is not None
    for _ in range(300):
        sequence.add(-0.5)

    assert sequence.interval is None
    assert sequence.distance is None
    assert sequence.mean == 0
    sequence.add(0.5)
    assert sequence.interval is None
    assert sequence.samples == 601


def test_a_payoff_outside_its_bounds_is_refused_and_one_that_was_rounded_is_not() -> None:
    sequence = ConfidenceSequence(-24, 24)

    sequence.add(24 + 1e-12)
    refuses(ValueError, r"expected a payoff from -24 to 24, got 24\.1", sequence.add, 24.1)
    refuses(ValueError, "got nan", sequence.add, math.nan)

    assert sequence.samples == 1


@pytest.mark.parametrize(("low", "high"), [(1, 0), (-math.inf, 0), (0, math.nan)])
def test_bounds_must_be_finite_and_in_order(low: float, high: float) -> None:
    refuses(ValueError, "finite lower and upper bound", ConfidenceSequence, low, high)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan])
def test_alpha_is_a_chance(alpha: float) -> None:
    refuses(ValueError, "alpha between 0 and 1", ConfidenceSequence, 0, 1, alpha)


def test_if_nothing_can_be_won_everything_is_known() -> None:
    sequence = ConfidenceSequence(0, 0)

    sequence.add(0)

    assert sequence.interval == Interval(0, 0)
    refuses(ValueError, "got 1", sequence.add, 1)


def test_before_the_first_payoff_only_the_bounds_are_known() -> None:
    sequence = ConfidenceSequence(-240, 240)

    assert sequence.interval == Interval(-240, 240)
    assert sequence.mean is None
    assert sequence.distance is None


def test_many_side_by_side_are_the_same_as_one_by_one() -> None:
    """So that what is simulated with them holds for the one a match has."""
    generator = np.random.default_rng(8)
    values = generator.choice([0.501, 0.25, 1.0], p=[0.9, 0.09, 0.01], size=(700, 4))
    many = ManySequences(4)
    single = [ConfidenceSequence(0, 1) for _ in range(4)]
    for row in values:
        many.add(row)
        for sequence, value in zip(single, row, strict=True):
            sequence.add(float(value))

    for number, sequence in enumerate(single):
        assert sequence.interval is not None
        assert many.low[number] == pytest.approx(sequence.interval.low, rel=1e-9)
        assert many.high[number] == pytest.approx(sequence.interval.high, rel=1e-9)


@pytest.mark.parametrize(("narrowest_at", "samples"), [(1000, 1000), (1000, 5000), (200, 200), (1000, 30)])
def test_the_asymptotic_one_is_that_of_its_formula(narrowest_at: int, samples: int) -> None:
    rho2 = (-2 * math.log(0.05) + math.log(1 - 2 * math.log(0.05))) / narrowest_at
    grown = samples * rho2 + 1
    half = math.sqrt(2 * grown / (samples**2 * rho2) * math.log(math.sqrt(grown) / 0.05))

    assert asymptotic_critical_value(samples, narrowest_at=narrowest_at) == pytest.approx(
        half * math.sqrt(samples)
    )


def test_the_asymptotic_one_is_narrowest_where_it_was_asked_to_be() -> None:
    values = [asymptotic_critical_value(samples) for samples in (100, 300, 1000, 3000, 10_000)]

    assert min(values) == values[2]
    assert 2.5 < values[2] < 3.2


# --- stopping rules -----------------------------------------------------------------------------------------

DECEIVER = SHAPES[3]


def names(shape: Shape) -> str:
    return shape.name


def at_most(share: float, of: int) -> float:
    """What a share may come to by chance: three standard errors more."""
    return share + 3 * math.sqrt(share * (1 - share) / of)


@pytest.mark.parametrize("shape", SHAPES, ids=names)
def test_few_verdicts_are_ever_false(shape: Shape) -> None:
    """Each of 200 matches is looked at after each of 1200 deals."""
    courses = simulate(shape, 200, 1200, seed=1)

    assert courses["betting"].false <= at_most(0.05, 200)
    assert courses["peeking"].false > 0.25


@pytest.mark.slow
@pytest.mark.parametrize("learns", [False, True])
@pytest.mark.parametrize("shape", [*SHAPES, RARE], ids=names)
def test_few_verdicts_on_learners_are_ever_false(shape: Shape, learns: bool) -> None:
    course = averages(shape, 200, 1200, seed=1, learns=learns)

    assert course.false <= at_most(0.05, 200)


def test_the_simulated_rule_for_learners_is_the_one_that_judges() -> None:
    """Until its first verdict, payoff by payoff, the same."""
    better = SHAPES[1].moved(5.0)
    won = better.draw(np.random.default_rng(4), 400 * 5).reshape(400, 5)
    deals = iter(won)
    shape = attrs.evolve(better, draw=lambda generator, matches: next(deals))
    found = averages(shape, 5, 400, seed=0, learns=False).decided_after

    for payoffs, after in zip(won.T, found, strict=True):
        sequence = AverageSequence(-100, 100)
        sequence.add_all(payoffs[: int(after) - 1])
        assert sequence.interval.low <= 0 <= sequence.interval.high
        sequence.add(payoffs[int(after) - 1])
        assert sequence.interval.low > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("learns", [False, True])
@pytest.mark.parametrize("shape", [*SHAPES, RARE], ids=names)
def test_of_1000_matches_of_learners_at_most_a_twentieth_is_judged_falsely(
    shape: Shape, learns: bool
) -> None:
    assert averages(shape, 1000, 10_000, seed=3, learns=learns).false <= 0.05


def test_a_verdict_comes_where_there_is_something_to_say() -> None:
    edge = 0.2 * SHAPES[0].sd
    courses = simulate(SHAPES[0].moved(edge), 100, 1000, seed=2)

    betting, peeking = courses["betting"], courses["peeking"]
    assert np.isfinite(betting.decided_after).mean() > 0.95
    # A test whose length is known beforehand needs (1.96 / .2)² = 96 deals for even odds of a verdict.
    assert 96 < np.median(betting.decided_after) < 6 * 96
    assert np.median(peeking.decided_after) < np.median(betting.decided_after)
    assert betting.half_width < 2


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "shape", [*SHAPES, pluribus()], ids=lambda shape: shape.name if shape else "Pluribus"
)
def test_of_2000_matches_at_most_a_twentieth_is_judged_falsely(shape: Shape | None) -> None:
    if shape is None:
        pytest.skip("the hands of Pluribus are not here")

    courses = simulate(shape, 2000, 10_000, seed=3)

    assert courses["betting"].false <= 0.05
    assert 0.93 <= 1 - courses["fixed"].missed_at_end <= 0.97
    assert courses["peeking"].false > 0.3
    assert courses["Pocock"].false < (0.6 if shape is DECEIVER else 0.07)
    if shape is DECEIVER:  # what looked as if it were settled, and the reason for betting
        assert courses["Pocock"].false > 0.3
        assert courses["asymptotic"].false > 0.3
