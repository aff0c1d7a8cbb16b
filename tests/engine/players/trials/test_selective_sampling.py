"""The framework of Loki's Fig. 3: against exact values in small games, and when it stops."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.players.trials.selective_sampling import Criterion, Estimates, best_move, selective_sampling
from engine.poker.rules import CALL, FOLD, Action, Deal, GameDefinition, HandState, initial_hand, load_game
from tests.engine.players.trials.spots import errors_off

Strategy = Callable[[HandState], dict[Action, float]]


def legal_moves(state: HandState) -> list[Action]:
    """A call, and a fold and a raise where they are legal."""
    legal = state.legal_actions()
    return [CALL, *([FOLD] if legal.can_fold else []), *([legal.raising_to()] if legal.can_raise else [])]


def random_strategy(seed: int) -> Strategy:
    """Chances for what is legal, by the cards of the player to act, the board and the betting."""

    def chances(state: HandState) -> dict[Action, float]:
        position = state.position_to_act
        assert position is not None
        actions = legal_moves(state)
        rng = random.Random(f"{seed} {state.deal.hole_cards[position]} {state.board} {state.betting.text}")
        weights = [rng.random() + 0.05 for _ in actions]
        return {action: weight / sum(weights) for action, weight in zip(actions, weights, strict=True)}

    return chances


def all_deals(game: GameDefinition) -> list[Deal]:
    hole, board = game.num_hole_cards * game.num_players, game.board_ends[-1]
    return [
        Deal(tuple((card,) for card in cards[:hole]), tuple(cards[hole:]))
        for cards in itertools.permutations(game.deck, hole + board)
    ]


def decisions(game: GameDefinition) -> list[HandState]:
    """A state of each betting of a game, with the first deal."""
    found: list[HandState] = []

    def visit(state: HandState) -> None:
        if state.is_finished:
            return
        found.append(state)
        for action in legal_moves(state):
            visit(state.apply(action))

    visit(initial_hand(game, 0, all_deals(game)[0]))
    return found


def reach(deal: Deal, betting: str, position: int, strategy: Strategy, game: GameDefinition) -> float:
    """How likely the others act as they did, with these cards."""
    state, chance = initial_hand(game, 0, deal), 1.0
    while state.betting.text != betting:
        for action, each in strategy(state).items():
            following = state.apply(action)
            if betting.startswith(following.betting.text):
                chance *= 1.0 if state.position_to_act == position else each
                state = following
                break
        else:
            raise AssertionError(f"{betting} does not follow from {state.betting.text}")
    return chance


def at(game: GameDefinition, deal: Deal, betting: str) -> HandState:
    state = initial_hand(game, 0, deal)
    while state.betting.text != betting:
        for action in legal_moves(state):
            if betting.startswith(state.apply(action).betting.text):
                state = state.apply(action)
                break
    return state


def exact_value(state: HandState, position: int, strategy: Strategy) -> float:
    if state.is_finished:
        return state.chips_won()[position]
    return sum(
        chance * exact_value(state.apply(action), position, strategy)
        for action, chance in strategy(state).items()
    )


def played_value(state: HandState, position: int, strategy: Strategy, rng: random.Random) -> float:
    while not state.is_finished:
        chances = strategy(state)
        state = state.apply(rng.choices(list(chances), list(chances.values()))[0])
    return state.chips_won()[position]


def scores_of_spot(
    deals: Sequence[Deal], node: HandState, true_deal: Deal, strategy: Strategy, rng: random.Random
) -> list[float]:
    """By how many standard errors the values of a decision are off the exact ones."""
    game, position, betting = node.betting.game, node.position_to_act, node.betting.text
    assert position is not None
    shown, own = true_deal.board[: node.betting.num_board_cards], true_deal.hole_cards[position]
    possible = [d for d in deals if d.hole_cards[position] == own and d.board[: len(shown)] == shown]
    weights = [reach(deal, betting, position, strategy, game) for deal in possible]
    moves = [action for action in strategy(at(game, true_deal, betting)) if action is not FOLD]

    def value(drawn: Sequence[Deal], move: Action) -> NDArray[np.float64]:
        states = [at(game, deal, betting).apply(move) for deal in drawn]
        return np.array([played_value(state, position, strategy, rng) for state in states])

    def exact(move: Action) -> float:
        worth = [exact_value(at(game, deal, betting).apply(move), position, strategy) for deal in possible]
        return float(np.average(worth, weights=weights))

    def sample(size: int) -> list[Deal]:
        return rng.choices(possible, weights, k=size)

    *_, estimates = selective_sampling(sample, moves, value, max_samples=600)
    return errors_off(estimates, map(exact, moves))


@pytest.mark.parametrize(("name", "spots"), [("kuhn-2p", 40), ("leduc", 25)])
def test_the_values_of_small_games_are_exact_within_three_standard_errors(name: str, spots: int) -> None:
    """Of so many spots, each with its own strategies, a few may be off by chance; their spread is one."""
    game, rng = load_game(name), random.Random(3)
    deals, nodes = all_deals(game), decisions(game)
    scores: list[float] = []
    for spot in range(spots):
        scores += scores_of_spot(deals, rng.choice(nodes), rng.choice(deals), random_strategy(spot), rng)

    assert len(scores) >= spots
    assert max(map(abs, scores)) < 4
    assert sum(abs(score) > 3 for score in scores) <= 1
    assert 0.6 < np.mean(np.square(scores)) < 1.6


def run(
    values: NDArray[np.float64], criterion: Criterion, *, max_samples: int = 1000, batch: int = 10
) -> Estimates[int]:
    """Samples are the rows of `values`, taken in order."""
    taken = 0

    def sample(size: int) -> NDArray[np.float64]:
        nonlocal taken
        taken += size
        return values[taken - size : taken]

    *_, estimates = selective_sampling(
        sample,
        range(values.shape[1]),
        lambda drawn, move: drawn[:, move],
        max_samples=max_samples,
        batch=batch,
        criterion=criterion,
        least_samples=20,
    )
    assert estimates.samples == taken
    return estimates


def test_errors_are_those_of_the_samples() -> None:
    values = np.random.default_rng(1).normal(size=(200, 3)) @ np.array([[1, 0.9, 0], [0, 0.1, 0], [0, 0, 2]])

    estimates = run(values, Criterion.NEVER, max_samples=200)

    assert estimates.values == pytest.approx(values.mean(axis=0))
    assert estimates.standard_deviations == pytest.approx(values.std(axis=0, ddof=1))
    assert estimates.standard_errors == pytest.approx(values.std(axis=0, ddof=1) / 200**0.5)
    mean, error = estimates.difference(0, 1)
    paired = values[:, 0] - values[:, 1]
    assert (mean, error) == pytest.approx((paired.mean(), paired.std(ddof=1) / 200**0.5))


def test_the_criteria_stop_one_after_the_other() -> None:
    """Moves that share their luck: the paired error sees the difference first, the deviation never."""
    rng = np.random.default_rng(2)
    luck = rng.normal(size=(1000, 1))
    values = luck + np.array([0.0, 0.3]) + 0.3 * rng.normal(size=(1000, 2))

    used = {criterion: run(values, criterion).samples for criterion in Criterion}

    assert used[Criterion.PAIRED_ERROR] <= 40
    assert used[Criterion.PAIRED_ERROR] < used[Criterion.STANDARD_ERROR] < 600
    assert used[Criterion.STANDARD_DEVIATION] == used[Criterion.NEVER] == 1000


@given(st.integers(0, 1000), st.integers(1, 3), st.floats(-1, 1), st.sampled_from(Criterion))
def test_a_known_move_counts_like_one_that_is_always_worth_the_same(
    seed: int, moves: int, known: float, criterion: Criterion
) -> None:
    """Folding: its lead, or the lead over it, must be as clear as any."""
    values = np.random.default_rng(seed).normal(size=(40, moves)) * 0.3
    with_it = np.column_stack([values, np.full(40, known)])
    plain = Estimates(tuple(range(moves)), 40, values.sum(axis=0), values.T @ values)
    full = Estimates(tuple(range(moves + 1)), 40, with_it.sum(axis=0), with_it.T @ with_it)
    assume(abs(full.values - known)[:-1].min() > 1e-6)

    assert plain.is_obvious(criterion, known) == full.is_obvious(criterion)


def test_a_lead_of_more_than_the_deviations_is_obvious_by_every_criterion() -> None:
    values = np.random.default_rng(3).normal(size=(1000, 2)) * 0.1 + np.array([0, 1])

    for criterion in (Criterion.PAIRED_ERROR, Criterion.STANDARD_ERROR, Criterion.STANDARD_DEVIATION):
        assert run(values, criterion).samples == 20


def test_it_goes_on_until_the_last_sample_and_no_farther() -> None:
    values = np.random.default_rng(4).normal(size=(1000, 2))

    assert run(values, Criterion.NEVER, max_samples=77, batch=10).samples == 77


def test_it_can_be_left_at_any_time() -> None:
    """What is known after each batch is an answer."""
    steps = selective_sampling(
        lambda size: np.ones(size), "ab", lambda drawn, move: drawn * "ab".index(move), max_samples=10**9
    )

    first = next(steps)

    assert first.samples == 100
    assert first.values.tolist() == [0, 1]


def test_no_moves_and_no_samples_are_refused() -> None:
    for moves, samples in (("", 10), ("a", 0)):
        with pytest.raises(ValueError, match="expected moves"):
            selective_sampling(np.ones, moves, lambda drawn, move: drawn, max_samples=samples)


def test_of_equal_values_the_more_aggressive_is_best() -> None:
    """Loki: call over fold and raise over call."""
    assert best_move([0.0, 0.0, 0.0], [0, 1, 2]) == 2
    assert best_move([0.0, 0.0, -0.1], [0, 1, 2]) == 1
    assert best_move([0.1, 0.0, 0.0], [0, 1, 2]) == 0
