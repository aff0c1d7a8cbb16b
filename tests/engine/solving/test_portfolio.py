"""Raises that an abstraction does not have; portfolios, whose estimates are right on average, exactly."""

import math
from collections.abc import Iterator, Sequence

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.kernels.solving.tree import TERMINAL
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, combo_cards, combos_without
from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    BettingState,
    Deal,
    HandState,
    HandView,
    initial_betting,
    load_game,
    raise_to,
)
from engine.poker.rules.betting import parse_betting
from engine.solving.game_tree import game_tree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import HoldemBetting, Translator, holdem_betting, pseudo_harmonic
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.mixtures import HoldemPortfolio, SmallPortfolio, mixed
from engine.solving.strategies import policy_with, uniform_policy, values
from engine.solving.walk import TooLarge
from tests.support.asserting import refuses

# --- portfolio ----------------------------------------------------------------------------------------------

KUHN = game_tree(load_game("kuhn-2p"))


def portfolio() -> SmallPortfolio:
    policies = [policy_with(KUHN, weights) for weights in ((1, 2, 1), (0, 1, 1), (2, 1, 3))]
    return SmallPortfolio(KUHN, policies)


def seated(policy: np.ndarray, opponent: np.ndarray, seat: int) -> np.ndarray:
    joined = opponent.copy()
    for node in KUHN.decisions:
        if node.kind == seat:
            node.slots(joined)[:] = node.slots(policy)
    return joined


@pytest.mark.parametrize("seat", [0, 1])
def test_estimates_are_right_on_average(seat: int) -> None:
    """Over all hands of Kuhn's game, each by its chance: the estimates are what each strategy wins."""
    strategies, opponent = portfolio(), uniform_policy(KUHN)
    ours = mixed(KUHN, strategies.policies, strategies.weights)
    policy = seated(ours, opponent, seat)
    expected = np.zeros(3)
    for node in KUHN.nodes:
        if node.kind != TERMINAL:
            continue
        for deal in range(node.size):
            chance = float(KUHN.arrays.deals[deal])
            for before, position, action in node.betting.steps():
                decision = KUHN.decision(before)
                view = KUHN.views_at(decision, position)[deal]
                chance *= decision.slots(policy)[decision.actions.index(action), view]
            first, second = (
                KUHN.deals.cards_of(0, int(KUHN.views_at(node, each)[deal]))[0] for each in (0, 1)
            )
            end = HandView(node.betting, seat, 0, (first, second), ())
            expected += chance * strategies.would_have_won(end)

    exact = [values(KUHN, seated(each, opponent, seat))[seat] for each in strategies.policies]
    np.testing.assert_allclose(expected, exact, atol=1e-12)


def test_it_plays_as_the_mixture_of_its_strategies() -> None:
    strategies = portfolio()
    ours = mixed(KUHN, strategies.policies, strategies.weights)
    for found in KUHN.information_sets():
        chances = strategies.chances(KUHN.hand_view(found))
        np.testing.assert_allclose(list(chances.values()), ours[found.slots], atol=1e-12)


def test_winners_gain_weight_and_nobody_loses_all_of_it() -> None:
    strategies = portfolio()
    np.testing.assert_allclose(strategies.weights, 1 / 3)
    found = next(KUHN.information_sets())
    raised = found.node.betting.apply(found.node.actions[-1])
    over = raised.apply(KUHN.decision(raised).actions[0])
    end = HandView(over, 0, 0, KUHN.hand_view(found).hole_cards, ())
    for _ in range(400):
        strategies.learn(end)  # a bet that always wins

    weights = strategies.weights
    bets = [policy[found.slots][-1] for policy in strategies.policies]
    assert np.argmax(weights) == np.argmax(bets)
    assert weights.max() > 0.8
    assert weights.min() >= 0.05 / 3
    assert strategies.hands == 400


# --- hold'em -----------------------------------------------------------------------------------------------

LIMIT = load_game("limit-2p")
BOARD = parse_cards("Kh9h4c4d2s")
THEIRS = parse_cards("Kc8c")


def at_random(seed: int, *, folds: bool) -> BucketedStrategy:
    """A strategy on few buckets that does anything."""
    betting = holdem_betting(LIMIT, Percentiles(3).num_buckets)
    weights = np.random.default_rng(seed).random(betting.num_slots)
    if not folds:
        for decision in betting.decisions.values():
            number = len(decision.actions)
            if number == 3:
                end = decision.first_slot + 3 * betting.num_buckets[decision.betting_round]
                weights[decision.first_slot : end : 3] = 0.0
    return BucketedStrategy.of(LIMIT, Percentiles(3), weights)


def lines(members: Sequence[BucketedStrategy]) -> Iterator[tuple[BettingState, np.ndarray]]:
    """All that the big blind may do against a caller; how likely each member does it, by combo."""
    left = [(initial_betting(LIMIT), np.ones((len(members), NUM_COMBOS)))]
    while left:
        betting, chances = left.pop()
        if betting.position_to_act is None:
            yield betting, chances
        elif betting.position_to_act == 1:
            left.append((betting.apply(CALL), chances))
        else:
            found = [member.chances_of_all(betting, BOARD[: betting.num_board_cards]) for member in members]
            for place, action in enumerate(found[0][0]):
                taken = np.array([each[:, place] for _, each in found])
                left.append((betting.apply(action), chances * taken))


@pytest.mark.slow
@pytest.mark.parametrize(("folds", "error"), [(False, 1e-9), (True, 0.02)])
def test_estimates_are_right_on_average_in_holdem(folds: bool, error: float) -> None:
    """All that we may hold and do against a caller with known cards: the estimates are what each wins.

    What is won is counted hand by hand, by the rules.  Where we fold we do not see the caller's cards, and
    take some hands for possible that share a card with them: an error of a small part of a big blind.
    """
    members = [at_random(seed, folds=folds) for seed in (1, 2)]
    strategies = HoldemPortfolio(members)
    hands = np.flatnonzero(combos_without((*BOARD, *THEIRS)))
    estimated, exact, total = np.zeros(2), np.zeros(2), 0.0
    for betting, chances in lines(members):
        states = [HandState(betting, 0, Deal((combo_cards(int(hand)), THEIRS), BOARD)) for hand in hands]
        by_member = chances[:, hands] / len(hands)
        exact += by_member @ [state.chips_won()[0] for state in states]
        likely = float(strategies.weights @ by_member.sum(axis=1))
        estimated += likely * strategies.would_have_won(states[0].view(0))
        total += likely

    assert total == pytest.approx(1.0)
    np.testing.assert_allclose(estimated, exact, rtol=0, atol=error * LIMIT.big_blind)
    assert abs(exact[0] - exact[1]) > 2 * error * LIMIT.big_blind


def test_in_holdem_it_plays_as_if_it_drew_a_strategy_before_the_hand() -> None:
    members = [at_random(seed, folds=True) for seed in (1, 2)]
    strategies = HoldemPortfolio(members)
    state = HandState(initial_betting(LIMIT), 0, Deal((THEIRS, parse_cards("AhAd")), BOARD))
    raised = state.apply(LIMIT_RAISE).apply(CALL).apply(CALL)
    reach = [member.chances(state.view(1))[LIMIT_RAISE] for member in members]
    then = [member.chances(raised.view(1)) for member in members]

    for action, chance in strategies.chances(raised.view(1)).items():
        expected = sum(r * chances[action] for r, chances in zip(reach, then, strict=True)) / sum(reach)
        assert chance == pytest.approx(expected)


# --- translation --------------------------------------------------------------------------------------------

GAME = load_game("nolimit-2p-100bb")
SIZES = st.floats(0.01, 50)


@pytest.fixture(scope="module")
def betting() -> HoldemBetting:
    """Without the half pot: few enough to be made in no time."""
    return holdem_betting(GAME, (1, 1, 1, 1), (((1.0, math.inf),),))


# --- the mapping, by what Ganzfried and Sandholm (2013) prove of it ----------------------------------------


@settings(max_examples=40)
@given(SIZES, SIZES, st.floats(0, 1), st.floats(0, 1))
def test_the_mapping_has_the_properties_that_were_published(
    one: float, other: float, first: float, second: float
) -> None:
    smaller, larger = sorted((one, other))
    if larger - smaller < 1e-3:
        return
    low, high = (smaller + part * (larger - smaller) for part in sorted((first, second)))

    assert pseudo_harmonic(smaller, larger, smaller) == pytest.approx(1)
    assert pseudo_harmonic(smaller, larger, larger) == pytest.approx(0)
    assert -1e-9 <= pseudo_harmonic(smaller, larger, high) <= pseudo_harmonic(smaller, larger, low) + 1e-9
    median = (smaller + larger + 2 * smaller * larger) / (smaller + larger + 2)
    assert pseudo_harmonic(smaller, larger, median) == pytest.approx(0.5)


def test_a_third_of_the_pot_is_half_way_from_nothing_to_a_pot() -> None:
    assert pseudo_harmonic(0, 1, 1 / 3) == pytest.approx(1 / 2)  # their section on bets against checks


# --- bettings ----------------------------------------------------------------------------------------------


def at(text: str) -> BettingState:
    return parse_betting(GAME, text)


def places(betting: HoldemBetting, text: str) -> dict[str, float]:
    names = {id(decision): name for name, decision in betting.decisions.items()}
    found = Translator(betting).decisions(at(text))
    return {names[id(decision)]: weight for decision, weight in found}


@pytest.mark.parametrize("text", ["", "c", "r6", "r6r18c/", "r200", "cc/r6c/cr18", "r6c/r18c/r54"])
def test_a_betting_of_the_abstraction_stands_for_itself(text: str, betting: HoldemBetting) -> None:
    assert places(betting, text) == {text: pytest.approx(1)}


def test_a_raise_between_two_stands_for_both(betting: HoldemBetting) -> None:
    """Raising to 12 out of a pot of 4 is a raise by 5/2 pots; one to 6 is by one, all in by 198/4."""
    small = (49.5 - 2.5) * 2 / (48.5 * 3.5)

    assert places(betting, "r12") == {"r6": pytest.approx(small), "r200": pytest.approx(1 - small)}
    assert places(betting, "r5") == {"r6": pytest.approx(1)}  # less than the smallest
    assert places(betting, "r12c/") == {"r6c/": pytest.approx(1)}  # all in, there would be nothing to decide
    assert places(betting, "r12c/cr36") == {"r6c/cr18": pytest.approx(1)}  # by one pot of the chips there are


def test_after_a_raise_taken_for_all_in_there_are_no_decisions(betting: HoldemBetting) -> None:
    assert places(betting, "r200") == {"r200": pytest.approx(1)}
    assert Translator(holdem_betting(GAME, (1, 1, 1, 1), (((math.inf,),),))).decisions(at("r6c/")) == []


def test_actions_are_sized_by_the_chips_there_are(betting: HoldemBetting) -> None:
    decision = betting.decisions["r6c/c"]

    assert [str(action) for action in decision.actions] == ["c", "r18", "r200"]
    assert [str(action) for action in decision.actions_at(at("r12c/c"))] == ["c", "r36", "r200"]
    assert decision.actions_at(at("r200"))[0] == CALL


def test_the_number_of_bettings_is_the_counted_one() -> None:
    game = attrs.evolve(GAME, stacks=(20, 20))
    small = HoldemBetting(game, (1, 1, 1, 1), (((0.5, 1.0, math.inf),),))
    every = {0: 0, 1: 0, 2: 0, 3: 0}
    for decision in small.decisions.values():
        every[decision.betting_round] += 1
    assert every == counted(initial_betting(game))


def counted(state: BettingState) -> dict[int, int]:
    """Decisions by round, written down once more: raises beyond half of what is left are all in."""
    every = {0: 0, 1: 0, 2: 0, 3: 0}
    if state.position_to_act is None:
        return every
    every[state.betting_round] += 1
    legal, spent = state.legal_actions(), state.spent[state.position_to_act]
    actions = {CALL, FOLD} if legal.can_fold else {CALL}
    if legal.min_raise_to is not None:
        for part in (0.5, 1.0, 100.0):
            total = max(max(state.spent) + part * 2 * max(state.spent), legal.min_raise_to)
            actions.add(raise_to(20 if total - spent > (20 - spent) / 2 else round(total)))
    for action in actions:
        for number, more in counted(state.apply(action)).items():
            every[number] += more
    return every


def test_rounds_have_menus_of_their_own_for_each_number_of_raises() -> None:
    menus = (((math.inf, 1.0),), ((0.5, math.inf), (math.inf,)))
    known = HoldemBetting(GAME, (1, 1, 1, 1), menus)
    preflop, bet, raised = (0, 0, 1.0, math.inf), (0, 0.5, math.inf), (0, 0, math.inf)

    assert known.menus == (((1.0, math.inf),), menus[1])
    for text, sizes in (
        ("", preflop), ("r6", preflop), ("r6c/", bet), ("r6c/c", bet), ("r6c/r12", raised),
        ("r6c/cc/", bet), ("r6c/r12c/cc/r24", raised), ("r6c/r200", (0, 0)),
    ):  # fmt: skip
        assert known.decision(at(text)).sizes == sizes
    # All-in alone after a bet: the tree ends soon.
    assert len(known.decisions) < len(HoldemBetting(GAME, (1, 1, 1, 1), (menus[0], menus[1][:1])).decisions)


def test_other_games_and_sizes_are_refused(betting: HoldemBetting, monkeypatch: pytest.MonkeyPatch) -> None:
    refuses(ValueError, "expected sizes of raises above 0", HoldemBetting, GAME, (1, 1, 1, 1))
    with pytest.raises(ValueError, match="in no-limit games only"):
        HoldemBetting(load_game("limit-2p"), (1, 1, 1, 1), (((1.0,),),))
    with pytest.raises(ValueError, match="expected limit hold'em for two, or no-limit"):
        HoldemBetting(load_game("nolimit-3p"), (1, 1, 1, 1), (((1.0,),),))
    monkeypatch.setattr("engine.solving.holdem.betting.MOST_DECISIONS", 600)
    with pytest.raises(TooLarge, match="more than 600 places to act"):
        HoldemBetting(GAME, (1, 1, 1, 1), (((1.0, math.inf),),))
    refuses(ValueError, "nobody is to act in this game", Translator(betting).decisions, at("r200c///"))
