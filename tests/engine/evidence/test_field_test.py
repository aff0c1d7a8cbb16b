"""A test of two versions: its interval by the book, what it allocates, and how often it is false."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from clients.bots.baselines import AlwaysCall
from clients.bots.simple import SimpleBot
from clients.lab.experiments.harness import chips_by_seat
from engine.evidence.confidence_sequence import Interval
from engine.evidence.differences import difference_bound
from engine.evidence.field_test import Bounds, Decision, FieldTest
from engine.poker.rules import CALL, Action, ActionKind, HandView, load_game
from tests.oracles.comparisons import SHAPES, Averages, false_verdicts, of_learners, of_two_versions
from tests.oracles.stopping_rules import ManySequences

GAIN = Bounds.parse("gain")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gain", ("gain:0,20", 0, 20)), ("gain:5,12.5", ("gain:5,12.5", 5, 12.5)),
        ("hold", ("hold:-10,10", -10, 0)), ("hold:-9,-3", ("hold:-9,-3", -9, -3)),
        ("simplify", ("simplify", -5, 0)),
    ],
)  # fmt: skip
def test_a_test_is_a_kind_and_two_bounds(text: str, expected: tuple[str, float, float]) -> None:
    bounds = Bounds.parse(text)

    assert (str(bounds), bounds.low, bounds.turns_away) == expected


@pytest.mark.parametrize("text", ["win", "gain:3", "gain:20,0", "gain:0,x", "simplify:1,2", "hold:-1,nan"])
def test_other_tests_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        Bounds.parse(text)


@pytest.mark.parametrize(
    ("test", "ends", "expected"),
    [
        ("gain:0,20", (0.1, 50), Decision.ACCEPTED), ("gain:0,20", (-9, 19.9), Decision.REJECTED),
        ("gain:0,20", (0, 20), Decision.UNDECIDED), ("gain:0,20", (5, 15), Decision.ACCEPTED),
        ("hold:-10,10", (-9.9, 30), Decision.ACCEPTED), ("hold:-10,10", (-11, 9), Decision.UNDECIDED),
        ("hold:-10,10", (-30, -1), Decision.REJECTED), ("simplify", (-4.9, 3), Decision.ACCEPTED),
    ],
)  # fmt: skip
def test_bounds_decide(test: str, ends: tuple[float, float], expected: Decision) -> None:
    assert Bounds.parse(test).decision(Interval(*ends)) is expected


@pytest.mark.parametrize("learns", [False, True])
def test_the_interval_is_that_of_the_book(learns: bool) -> None:
    payoffs = np.random.default_rng(3).normal(30, 400, 600).clip(-5000, 5000)
    test = FieldTest(GAIN, [1.0], 5000.0, learns=learns)
    reach = 5000.0 / 0.85
    oracle = Averages(1) if learns else ManySequences(1, 0.05, 0.95)

    for number, payoff in enumerate(payoffs.tolist()):
        test.add(0, payoff, 1.0, number // 200)
        oracle.add(np.array([payoff / (2 * reach) + 0.5]))

    interval = test.whole.interval
    assert interval is not None
    assert interval.low == pytest.approx(float((2 * oracle.low[0] - 1) * reach), rel=1e-4)
    assert interval.high == pytest.approx(float((2 * oracle.high[0] - 1) * reach), rel=1e-4)


def test_who_is_least_certain_gets_more_deals_and_the_gain_stays_that_of_the_field() -> None:
    generator = np.random.default_rng(5)
    test = FieldTest(GAIN, [0.5, 0.25, 0.25], 5000.0, learns=False)
    for number in range(40):
        chances = test.chances()
        for opponent in test.draws(11, number, 500):
            gain, spread = ((100.0, 50.0), (-20.0, 800.0), (60.0, 50.0))[opponent]
            test.add(opponent, float(generator.normal(gain, spread)), chances[opponent])

    assert test.chances()[1] > 0.25 > test.chances()[2] > 0.25 * 0.85
    assert sum(test.chances()) == pytest.approx(1)
    assert test.whole.mean == pytest.approx(0.5 * 100 - 0.25 * 20 + 0.25 * 60, abs=4 * 250 / 20_000**0.5)
    assert test.decision is Decision.ACCEPTED
    assert test.proved()[0] == 1


def test_a_verdict_stays_and_is_foreseen() -> None:
    test = FieldTest(GAIN, [1.0], 1000.0, learns=False)
    foreseen = []
    while test.decision is Decision.UNDECIDED:
        test.add(0, 100.0, 1.0)
        foreseen.append(test.deals_to_decide())
    decided = test.deals
    for _ in range(3 * decided):
        test.add(0, -500.0, 1.0)

    assert test.decision is Decision.ACCEPTED
    middle = foreseen[decided // 2]
    assert middle is not None
    assert decided <= middle <= 4 * decided


@pytest.mark.slow
@pytest.mark.parametrize("kind", [of_two_versions, of_learners])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_of_equal_versions_hardly_any_verdict_is_false(kind, shape) -> None:  # type: ignore[no-untyped-def]
    found = false_verdicts(kind, shape, runs=300, deals=4000, seed=2)

    assert max(found.gain, found.hold, found.simplify) <= 0.05


class ChecksSomeRivers(SimpleBot):
    """Checks good hands on the river, those of one in twenty-two pairs of hole cards."""

    def choose_action(self, view: HandView) -> Action:
        action, betting = super().choose_action(view), view.betting
        is_river_bet = betting.betting_round == 3 and betting.amount_to_call(view.position) == 0
        is_spot = is_river_bet and sum(view.hole_cards[view.position]) % 22 == 0
        return CALL if is_spot and action.kind is ActionKind.RAISE else action


def mbb_by_deal(version: type[SimpleBot], deals: int, seed: int) -> NDArray[np.float64]:
    """What a version wins of a player that calls everything, each deal in both seats."""
    game = load_game("limit-2p")
    first = chips_by_seat(game, [version(), AlwaysCall()], seed, deals)[:, 0]
    second = chips_by_seat(game, [AlwaysCall(), version()], seed, deals)[:, 1]
    return (first + second) / 2 * 1000 / game.big_blind


def deals_to_accept(differences: NDArray[np.float64]) -> int | None:
    most = difference_bound(load_game("limit-2p"))
    assert most is not None
    test = FieldTest(GAIN, [1.0], most, learns=False)
    decisions = (test.add(0, float(each), 1.0) for each in differences)
    return next((n for n, found in enumerate(decisions, 1) if found is Decision.ACCEPTED), None)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_planted_gain_takes_a_quarter_of_the_hands_that_unpaired_matches_take_or_less() -> None:
    new, old = (mbb_by_deal(version, 20_000, seed=1) for version in (SimpleBot, ChecksSomeRivers))
    assert (new - old).mean() == pytest.approx(20, abs=3)

    deals = deals_to_accept(new - old)

    assert deals is not None
    dice = np.random.default_rng(1)
    # The same deals, but each version has its own.
    unpaired = [dice.choice(new, 4 * deals) - dice.choice(old, 4 * deals) for _ in range(9)]
    assert [deals_to_accept(each) for each in unpaired].count(None) > 6
