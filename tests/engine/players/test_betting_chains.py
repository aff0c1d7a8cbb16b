"""Betting chains: what they look like, what they say and predict; how much a player raises."""

import math
from collections import defaultdict

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.players.action_context import situation_of
from engine.players.bet_sizes import BetSizes, size_of_raise
from engine.players.betting_chains.chains import ChainEnding, OwnAction, PlayedHand, chain_of
from engine.players.betting_chains.store import ActionFrequencies, ChainStore
from engine.players.betting_chains.values import (
    Prospect,
    Prospects,
    action_value,
    others_fold_value,
    showdown_value,
    we_fold_value,
    win_chance,
)
from engine.players.models.frequencies import FrequencyModel
from engine.poker.combos import NUM_COMBOS
from engine.poker.records import RaiseSize, TripleIndex
from engine.poker.rules import load_game, parse_betting
from tests.engine.players.hands import random_hand, reader_after
from tests.support.asserting import refuses
from tests.support.cases import cases

# --- betting chains -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "betting", "position", "chain"),
    [
        ("limit-2p", "", 0, "0:"),
        ("limit-2p", "rc/cr", 1, "1:rc/cr"),
        ("limit-2p", "rrc/", 0, "0:rrc"),
        # Raises of 1/2, 1, 2 and 20 pots, of a pot of 200 after a call.
        ("nolimit-2p", "cc/r200", 1, "1:cc/h"),
        ("nolimit-2p", "cc/r300", 1, "1:cc/p"),
        ("nolimit-2p", "cc/r500", 1, "1:cc/d"),
        ("nolimit-2p", "cc/r20000", 1, "1:cc/a"),
        ("nolimit-2p", "cc/r18000", 1, "1:cc/a"),
        ("nolimit-2p", "cc/r238", 1, "1:cc/h"),
        ("nolimit-2p", "cc/r245", 1, "1:cc/p"),
        # With more players: our actions in capitals, no folds of others, how many are left.
        ("limit-6p", "ffrfcf/cr", 3, "6:Frc/2:cr"),
        ("limit-6p", "ffrfcf/cr", 0, "6:rC/2:Cr"),
        ("limit-6p", "ffrfcf/cr", 4, "6:Rc/2:cR"),
        ("limit-6p", "ffffrf", 1, "6:rF"),
    ],
)
def test_a_chain_is_the_betting_from_one_side(game: str, betting: str, position: int, chain: str) -> None:
    assert chain_of(parse_betting(load_game(game), betting), position) == chain


def test_a_raise_of_all_that_an_ante_left_is_all_in() -> None:
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(2000, 2000), antes=(1500, 1500))

    assert chain_of(parse_betting(game, "cc/r500"), 1) == "1:cc/a"


def test_a_fold_of_ours_is_in_the_chain() -> None:
    betting = parse_betting(load_game("limit-6p"), "rf")

    assert chain_of(betting, 3) == "6:rF"
    assert chain_of(betting, 4) == "6:r"  # a fold of another leaves nothing behind


def hands_of_position_0(game: str, seeds: range) -> list[tuple[PlayedHand, float]]:
    """Each with the chips that came from its pot."""
    states = [random_hand(game, seed)[-1] for seed in seeds]
    return [
        (PlayedHand.of(state.betting, 0), state.chips_won()[0] + state.betting.spent[0]) for state in states
    ]


@pytest.mark.parametrize("game", ["limit-2p", "nolimit-2p", "limit-6p"])
def test_with_what_was_won_the_value_is_the_mean_of_the_hands(game: str) -> None:
    """For every chain: eq 5 with the observed share of the pot for P_w is the mean of what came of it."""
    hands = hands_of_position_0(game, range(300))
    store = ChainStore()
    results: dict[str, list[float]] = defaultdict(list)
    shown: dict[str, list[float]] = defaultdict(list)
    last: dict[str, OwnAction] = {}
    is_limit = load_game(game).is_limit
    for hand, got in hands:
        for action in hand.actions:
            store.observe(action.chain, action, hand)
            if hand.ending is ChainEnding.SHOWDOWN:
                shown[action.chain].append(got if is_limit else got / action.pot)
            grown = 0.0 if is_limit else got - action.bets
            results[action.chain].append((got - action.bets) if is_limit else grown / action.pot)
            last[action.chain] = action

    assert len(results) > 50
    for chain, values in results.items():
        before = last[chain].before
        if is_limit and len({*_pots(hands, chain)}) > 1:
            continue  # hands that are similar but not the same, at tables of more than two
        prospects = store.prospects(chain, before)
        showdown = prospects.of(ChainEnding.SHOWDOWN)
        unit = 1.0 if is_limit else before.pot
        win = unit * math.fsum(shown[chain]) / len(shown[chain]) / showdown.pot if showdown.chance else 0.0
        expected = math.fsum(values) / len(values) * unit

        assert prospects.value(win) == pytest.approx(expected, rel=1e-12, abs=1e-12 * before.pot)
        assert store.hands(chain) == len(values)


def _pots(hands: list[tuple[PlayedHand, float]], chain: str) -> list[float]:
    return [action.pot for hand, _ in hands for action in hand.actions if action.chain == chain]


def test_a_small_case_that_the_printed_equation_gets_wrong() -> None:
    """Half showdowns, won once in four for a pot of 4 and bets of 2, half folds that gain 1: nothing."""
    prospects = Prospects(
        {ChainEnding.SHOWDOWN: Prospect(0.5, 4.0, 2.0), ChainEnding.OTHERS_FOLDED: Prospect(0.5, 3.0, 2.0)},
        0.5,
    )
    as_printed = (0.25 * 4.0 - 2.0) + 0.5 * (3.0 - 2.0) - 0.0

    by_scenarios = action_value([(0.5, showdown_value(0.25, 4.0, 2.0)), (0.5, others_fold_value(3.0, 2.0))])

    assert prospects.value(0.25) == 0.0
    assert by_scenarios == 0.0
    assert as_printed == -0.5


chances = st.floats(0.0, 1.0)
chips = st.floats(0.0, 1000.0)


@given(chances, chances, chances, chips, chips, chips, chips, chips)
def test_the_two_methods_agree_on_the_same_numbers(
    first: float, second: float, win: float, pot: float, won: float, bets: float, small: float, lost: float
) -> None:
    """Eq 5 is eq 4 over three scenarios."""
    fold = (1 - first) * second
    rest = 1 - first - fold
    prospects = Prospects(
        {
            ChainEnding.SHOWDOWN: Prospect(first, pot, bets),
            ChainEnding.OTHERS_FOLDED: Prospect(fold, won, small),
            ChainEnding.WE_FOLDED: Prospect(rest, 0.0, lost),
        },
        0.5,
    )

    value = action_value(
        [
            (first, showdown_value(win, pot, bets)),
            (fold, others_fold_value(won, small)),
            (rest, we_fold_value(lost)),
        ]
    )

    assert prospects.value(win) == pytest.approx(value, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(("ours", "theirs", "chance"), cases(__file__, "the chance to win against a hand"))
def test_the_chance_to_win_against_a_hand_above_a_bound(ours: float, theirs: float, chance: float) -> None:
    assert win_chance(ours, theirs) == pytest.approx(chance)


@given(chances, st.floats(0.5, 0.99))
def test_the_chance_to_win_is_that_against_a_uniform_hand(ours: float, theirs: float) -> None:
    """Counted on a grid of hands whose mean is the given one."""
    bound = 2 * theirs - 1
    grid = [bound + (1 - bound) * (number + 0.5) / 2000 for number in range(2000)]

    assert win_chance(ours, theirs) == pytest.approx(sum(hand < ours for hand in grid) / 2000, abs=1e-3)
    assert math.fsum(grid) / 2000 == pytest.approx(theirs, abs=1e-9)


def test_an_unfinished_hand_has_no_ending() -> None:
    refuses(ValueError, "not over", PlayedHand.of, parse_betting(load_game("limit-2p"), "rc/"), 0)


def test_a_hand_without_showdown_keeps_no_strength() -> None:
    betting = parse_betting(load_game("limit-2p"), "rf")

    ours, theirs = PlayedHand.of(betting, 0, 0.9), PlayedHand.of(betting, 1, 0.9)

    assert (ours.ending, theirs.ending) == (ChainEnding.WE_FOLDED, ChainEnding.OTHERS_FOLDED)
    for hand in (ours, theirs):
        assert hand.opponent_strength is None


def test_strength_shown_is_drawn_towards_the_usual_one() -> None:
    store = ChainStore()
    betting = parse_betting(load_game("limit-2p"), "cc/cc/cc/cc")
    hand = PlayedHand.of(betting, 0, 0.9)
    action = hand.actions[-1]
    for _ in range(5):
        store.observe(action.chain, action, hand)

    assert store.prospects(action.chain, action.before).opponent_strength == pytest.approx(0.9)
    drawn = store.prospects(action.chain, action.before, 0.5, prior=5.0)
    assert drawn.opponent_strength == pytest.approx(0.7)
    refuses(ValueError, "no hand went on", store.prospects, "0:xyz", action.before)


# --- predictions -------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_frequencies_predict_what_is_legal(seed: int) -> None:
    frequencies = ActionFrequencies()
    for state in random_hand("nolimit-2p", seed):
        if state.position_to_act is None:
            continue
        legal = state.legal_actions()
        triple = frequencies.predicted(state.betting)
        frequencies.observe(state.betting, TripleIndex.CALL)
        later = frequencies.predicted(state.betting)

        assert sum(triple) == pytest.approx(1)
        assert (triple.fold > 0) == legal.can_fold
        assert (triple.raise_ > 0) == legal.can_raise
        assert later.call >= triple.call


def test_frequencies_come_to_what_is_done() -> None:
    """Nine folds in ten after a bet on the flop; elsewhere only drawn towards it."""
    game = load_game("limit-2p")
    flop, turn = parse_betting(game, "cc/r"), parse_betting(game, "cc/cc/r")
    frequencies = ActionFrequencies()
    before = frequencies.predicted(turn).fold
    for number in range(200):
        frequencies.observe(flop, TripleIndex.CALL if number % 10 == 0 else TripleIndex.FOLD)

    assert frequencies.predicted(flop).fold == pytest.approx(0.9, abs=0.01)
    assert before < frequencies.predicted(turn).fold < 0.9


# --- bet sizes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("betting", "total", "size"),
    [
        ("r300c/", 400, RaiseSize.SMALLEST), ("r300c/", 600, RaiseSize.HALF_POT),
        ("r300c/", 900, RaiseSize.POT), ("r300c/", 1500, RaiseSize.TWO_POTS),
        ("r300c/", 20000, RaiseSize.ALL_IN), ("", 200, RaiseSize.HALF_POT), ("", 300, RaiseSize.POT),
    ],
)  # fmt: skip
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
    refuses(ValueError, "nobody is to act", size_of_raise, parse_betting(load_game("nolimit-2p"), "f"), 300)


def test_a_model_that_is_told_the_frequencies_has_them() -> None:
    model = FrequencyModel(lambda context: (0.3, 0.5, 0.2))
    reader = reader_after("rc/r", "2c6dTh", models=[model, model])

    triples = model.triples(reader.decision(parse_betting(load_game("limit-2p"), "rc/r")))

    assert np.array_equal(triples, np.tile((0.3, 0.5, 0.2), (NUM_COMBOS, 1)))


def test_what_is_not_legal_becomes_a_call() -> None:
    model = FrequencyModel(lambda context: (0.3, 0.5, 0.2))
    game = load_game("limit-2p")

    assert model.triple(situation_of(parse_betting(game, "rc/"))) == pytest.approx((0, 0.8, 0.2))
    assert model.triple(situation_of(parse_betting(game, "rc/rrrr"))) == pytest.approx((0.3, 0.7, 0))


def test_frequencies_that_are_no_triple_are_refused() -> None:
    refuses(ValueError, "add up to 1", FrequencyModel, lambda context: (0.5, 0.5, 0.5))
