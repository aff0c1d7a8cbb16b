"""AIVAT in games that can be enumerated: exact variances, exact means, the constant of equilibrium play."""

from __future__ import annotations

import functools
import math
import random
import zlib
from collections.abc import Sequence

import attrs
import numpy as np
import pytest

from engine.evidence.aivat.enumerated import (
    EnumeratedGame,
    EnumeratedSet,
    Strategy,
    Values,
)
from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    BettingState,
    CardDealer,
    initial_hand,
    load_game,
)
from engine.solving.walk import every_action
from engine.support.arrays import Floats
from tests.oracles.enumerated_ends import EnumeratedEnds
from tests.oracles.small_equilibrium import CfrPlus, half_uniform, openspiel_leduc, uniform
from tests.support.asserting import refuses
from tests.support.hands.strategies import random_hand

KNOWN: Sequence[tuple[int, ...]] = ((), (0,), (1,), (0, 1))


@functools.cache
def enumerated(name: str) -> EnumeratedEnds:
    return EnumeratedEnds(load_game(name))


@functools.cache
def equilibrium(name: str, iterations: int) -> Strategy:
    solver = CfrPlus(load_game(name))
    solver.run(iterations)
    return solver.strategy


@attrs.frozen
class Moments:
    mean: float
    deviation: float
    true_mean: float
    true_deviation: float


def kuhn(alpha: float) -> Strategy:
    """Kuhn's equilibrium, of both players."""

    def chances(information: EnumeratedSet) -> Sequence[float]:
        rank = ["J", "Q", "K"][sorted(load_game("kuhn-2p").deck).index(information.hole_cards[0])]
        bets = {
            "": {"J": alpha, "Q": 0.0, "K": 3 * alpha},
            "c": {"J": 1 / 3, "Q": 0.0, "K": 1.0},
        }
        calls = {
            "cr": {"J": 0.0, "Q": alpha + 1 / 3, "K": 1.0},
            "r": {"J": 0.0, "Q": 1 / 3, "K": 1.0},
        }
        text = information.betting.text
        if text in bets:
            return 1 - bets[text][rank], bets[text][rank]
        return 1 - calls[text][rank], calls[text][rank]

    return chances


def strategy(which: str, game: str, solution: Strategy) -> Strategy:
    return {"eq": solution, "uniform": uniform, "half": half_uniform(solution)}[which]


def moments(
    tree: EnumeratedEnds, play: Sequence[Strategy], value: Values, known: Sequence[int], viewer: int = 0
) -> Moments:
    """Of the estimate and of the chips, over all ends of the game."""
    chances, estimates, chips = [], [], []
    for end in tree.ends(play, known, value, viewer):
        happens = end.is_possible & (end.reach > 0)
        chances.append(end.reach[happens])
        estimates.append(end.estimate[happens])
        chips.append(end.chips[happens])
    chance = np.concatenate(chances)
    assert math.isclose(chance.sum(), 1.0, abs_tol=1e-12)
    means, deviations = [], []
    for numbers in map(np.concatenate, (estimates, chips)):
        means.append(float(chance @ numbers))
        deviations.append(math.sqrt(float(chance @ (numbers - means[-1]) ** 2)))
    return Moments(means[0], deviations[0], means[1], deviations[1])


Row = tuple[str, str, str, float, tuple[float | None, ...]]

# Who plays what against whom, what values come from; the standard deviation of the chips, and of the estimate
# with chance alone, p0, p1 and both known.  None where the equilibrium has not converged far enough.
KUHN: Sequence[Row] = [
    ("eq", "eq", "eq", 1.2973, (0.5881, None, None, 0.0)),
    ("eq", "eq", "uniform", 1.2973, (0.6506, 0.4231, 0.3066, 0.2484)),
    ("eq", "uniform", "eq", 1.3684, (0.7251, 0.4595, 0.2579, 0.1233)),
]
LEDUC: Sequence[Row] = [
    ("eq", "eq", "eq", 3.4982, (1.4823, 0.0243, 0.0186, 0.0)),
    ("eq", "eq", "uniform", 3.4982, (1.8861, 1.1082, 1.2118, 0.7568)),
    ("eq", "uniform", "eq", 4.1584, (2.7827, 1.5494, 1.3591, 0.6603)),
    ("eq", "half", "eq", 3.8828, (2.2858, 1.1353, 0.7442, 0.3287)),
]


def check_row(game: str, row: Row, solution: Strategy, tolerance: float) -> None:
    tree = enumerated(game)
    first, second, valued = (strategy(which, game, solution) for which in row[:3])
    value = tree.expected_values((valued, valued))
    for known, deviation in zip(KNOWN, row[4], strict=True):
        found = moments(tree, (first, second), value, known)

        assert abs(found.mean - found.true_mean) <= 1e-12
        assert found.true_deviation == pytest.approx(row[3], abs=tolerance)
        if deviation is not None:
            assert found.deviation == pytest.approx(deviation, abs=tolerance)


@pytest.mark.parametrize("row", KUHN)
def test_kuhn_has_the_variances_of_an_exact_table(row: Row) -> None:
    check_row("kuhn-2p", row, equilibrium("kuhn-2p", 2000), 1e-4)


@pytest.mark.parametrize("row", LEDUC)
@pytest.mark.slow
def test_leduc_has_the_variances_of_an_exact_table(row: Row) -> None:
    """But for the fourth digit: there are many equilibria, and these are not quite the ones of the table."""
    check_row("leduc", row, equilibrium("leduc", 500), 6e-4)


@pytest.mark.slow  # OpenSpiel takes 5 s for its 500 iterations
def test_leduc_has_the_variances_of_an_exact_table_to_four_digits() -> None:
    solution = openspiel_leduc(500)
    for row in LEDUC:
        check_row("leduc", row, solution, 1e-4)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
@pytest.mark.parametrize("known", [(0,), (1,), (0, 1)])
def test_in_equilibrium_with_its_own_values_every_hand_of_kuhn_says_the_same(
    alpha: float, known: Sequence[int]
) -> None:
    tree, both = enumerated("kuhn-2p"), (kuhn(alpha), kuhn(alpha))

    for end in tree.ends(both, known, tree.expected_values(both)):
        happens = end.is_possible & (end.reach > 0)
        assert end.estimate[happens] == pytest.approx(-1 / 18, abs=1e-12)


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("game", ["kuhn-2p", "leduc"])
def test_any_values_at_all_leave_the_mean_where_it_is(game: str, known: Sequence[int]) -> None:
    def nonsense(betting: BettingState, board: tuple[int, ...]) -> Floats:
        if betting.position_to_act is None and len(board) == betting.num_board_cards:
            return tree.chips(betting, board)
        seed = zlib.crc32(f"{board} {betting.text}".encode())
        return np.random.default_rng(seed).uniform(-5, 5, tree.possible(board).shape)

    tree = enumerated(game)
    found = moments(tree, (half_uniform(equilibrium(game, 100)), uniform), nonsense, known)

    assert found.mean == pytest.approx(found.true_mean, abs=1e-12)
    assert found.deviation > 0


def by_chance(information: EnumeratedSet) -> Sequence[float]:
    """Some strategy or other, with all its chances positive."""
    text = f"{information.hole_cards} {information.board} {information.betting.text}"
    actions = every_action(information.betting)
    weights = [random.Random(text + str(action)).random() + 0.1 for action in actions]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("known", [(), (0,), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("viewer", [0, 2])
def test_expected_and_guessed_values_leave_the_mean_where_it_is_for_three_players(
    known: Sequence[int], viewer: int
) -> None:
    tree, play = enumerated("kuhn-3p"), (by_chance, uniform, by_chance)

    found = moments(tree, play, tree.expected_values(play, viewer), known, viewer)
    guess = moments(tree, play, tree.expected_values((uniform,) * 3, viewer), known, viewer)

    assert found.mean == pytest.approx(found.true_mean, abs=1e-12)
    assert guess.mean == pytest.approx(found.true_mean, abs=1e-12)
    assert found.deviation <= guess.deviation < found.true_deviation
    if len(known) == 3:
        assert found.deviation < 1e-12


@pytest.mark.parametrize("known", KNOWN)
def test_a_hand_of_play_says_what_the_enumeration_says_of_it(known: Sequence[int]) -> None:
    game, tree = load_game("leduc"), enumerated("leduc")
    play = (half_uniform(equilibrium("leduc", 100)), uniform)
    value = tree.expected_values((uniform, uniform))
    ends = {(end.betting.text, end.board): end for end in tree.ends(play, known, value)}
    dealer, rng = CardDealer(game, 7), random.Random(8)

    for number in range(30):
        final = random_hand(game, number, dealer, rng)
        end = ends[final.betting.text, final.board]
        place = tuple(tree.hands.index(cards) for cards in final.deal.hole_cards)
        if end.reach[place] > 0:
            assert tree.estimate(final, {k: play[k] for k in known}, value) == end.estimate[place]


def test_a_hand_that_a_known_player_could_not_have_played_is_refused() -> None:
    game, tree = load_game("kuhn-2p"), enumerated("kuhn-2p")
    state = initial_hand(game, 0, CardDealer(game, 1).deal()).apply(LIMIT_RAISE).apply(FOLD)

    def never_bets(information: EnumeratedSet) -> Sequence[float]:
        return (1.0, 0.0) if next(iter(every_action(information.betting))) == CALL else (0.0, 1.0)

    with pytest.raises(ValueError, match="never does what it did"):
        tree.estimate(state, {0: never_bets}, tree.expected_values((uniform, uniform)))


@pytest.mark.parametrize("game", ["nolimit-2p", "limit-3p", "limit-2p"])
def test_games_that_cannot_be_enumerated_are_refused(game: str) -> None:
    refuses(ValueError, "expected a", EnumeratedGame, load_game(game))
