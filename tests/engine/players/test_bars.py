"""What is counted of a player, and the bars below which he folds and above which he raises."""

from __future__ import annotations

import json
import random
from typing import Final

import attrs
import numpy as np
import pytest

from engine.kernels.players.bars import bars_place, observe_bars, with_bars
from engine.kernels.players.counting import nothing_counted
from engine.kernels.players.records import NUM_BAR_PLACES, NUM_BARS
from engine.players.action_context import situation_of
from engine.players.board_values import board_values
from engine.players.statistics import Looseness, PlayerStatistics, PlayingStyle, Rate
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS, combos_without
from engine.poker.records import ProbabilityTriple, PublicSituation, TripleIndex
from engine.poker.rules import load_game, parse_betting
from tests.oracles.bars import Answer, by_bars
from tests.oracles.hand_rank import hand_value

# --- bars ---------------------------------------------------------------------------------------------------

CONTEXT = 30


def parts_below(rng: random.Random) -> list[float]:
    """How a random range lies."""
    cuts = sorted(rng.random() for _ in range(NUM_BARS - 2))
    return [0.0, *cuts, 1.0]


def decision(betting: str, game: str = "limit-2p") -> PublicSituation:
    """What is decided after some betting."""
    return situation_of(parse_betting(load_game(game), betting)).public


def with_raises(fold: float, raising: float) -> ProbabilityTriple:
    """The rest calls, but for one in a hundred of what is not folded it is raised at most."""
    raising = min(raising, 0.99 * (1 - fold))
    return ProbabilityTriple(fold, 1 - fold - raising, raising)


BETS: Final = {"cc/cc/": 0, "cc/cc/r": 1, "cc/rc/r": 1}
"""Bets to call after some betting, of the turn."""


@pytest.mark.parametrize("seed", range(4))
def test_folds_and_raises_follow_from_all_that_was_seen(seed: int) -> None:
    rng = random.Random(seed)
    counts, evidence = nothing_counted()
    folds: list[Answer] = []
    raises: list[Answer] = []
    for _ in range(40):
        betting, context = rng.choice(list(BETS)), rng.choice((30, 31))
        below, place = parts_below(rng), BETS[betting]
        above = [1 - part for part in below]
        fold, raising = (0.02 + 0.4 * rng.random() if place else 0.0), 0.02 + 0.4 * rng.random()
        usual = ProbabilityTriple(fold, 1 - fold - raising, raising)

        found = with_bars(usual, counts, decision(betting), context, np.array(below))

        asked = Answer(fold, below, False, False, place, context)
        expected = by_bars(folds, asked) if place else 0.0
        left = raising * (1 - expected) / (1 - fold)
        of_raises = Answer(raising, above, False, True, place, context)
        expected_raise = by_bars(raises, attrs.evolve(of_raises, chance=left))
        assert found == pytest.approx(with_raises(expected, expected_raise), abs=1e-9)
        action = rng.choices(list(TripleIndex), (below[5] if place else 0.0, 0.4, above[12]))[0]
        observe_bars(counts, evidence, decision(betting), context, usual, np.array(below), int(action))
        if place:
            folds.append(attrs.evolve(asked, came=action == TripleIndex.FOLD))
        raises.append(attrs.evolve(of_raises, came=action == TripleIndex.RAISE))


@pytest.mark.parametrize(("betting", "action"), [("cc/r", TripleIndex.FOLD), ("cc/", TripleIndex.RAISE)])
def test_it_is_learnt_who_acts_with_the_same_hands_and_who_by_dice(betting: str, action: TripleIndex) -> None:
    """Half of all bets are folded to by both, or half of all checks bet, with a weak range and with a strong
    one; by one of them by his hand.
    """
    rng = random.Random(2)
    weak, strong = np.linspace(0, 1, NUM_BARS) ** 0.3, np.linspace(0, 1, NUM_BARS) ** 3
    bar, situation, usual = 8, decision(betting), [0.0, 0.5, 0.0]
    usual[action] = 0.5
    triple, apart = ProbabilityTriple(*usual), {}
    for by_hand in (False, True):
        counts, evidence = nothing_counted()
        for _ in range(100):
            below = rng.choice((weak, strong))
            part = below[bar] if action == TripleIndex.FOLD else 1 - below[bar]
            came = rng.random() < (part if by_hand else 0.5)
            done = action if came else TripleIndex.CALL
            observe_bars(counts, evidence, situation, CONTEXT, triple, below, int(done))
        with_weak, with_strong = (
            with_bars(triple, counts, situation, CONTEXT, below)[action] for below in (weak, strong)
        )
        apart[by_hand] = abs(with_weak - with_strong)

    assert apart[True] > 0.5
    assert apart[False] < 0.12


def test_bars_say_nothing_before_anything_was_seen() -> None:
    counts, _ = nothing_counted()
    usual = ProbabilityTriple(0.3, 0.5, 0.2)

    found = with_bars(usual, counts, decision("cc/r"), CONTEXT, np.linspace(0, 1, NUM_BARS))

    assert found == pytest.approx(usual)


@pytest.mark.parametrize(("betting", "action"), [("cc/r", TripleIndex.FOLD), ("cc/", TripleIndex.RAISE)])
def test_in_the_end_actions_come_as_often_as_predicted(betting: str, action: TripleIndex) -> None:
    """Also where neither the bars nor what has been counted knows what a context is about."""
    rng, situation, below = random.Random(3), decision(betting), np.linspace(0, 1, NUM_BARS)
    counts, evidence = nothing_counted()
    usual = [0.0, 0.6, 0.0]
    usual[action] = 0.4
    triple, predicted = ProbabilityTriple(*usual), dict.fromkeys((30, 31), 0.0)
    for number in range(600):
        context = 30 + number % 2
        predicted[context] += with_bars(triple, counts, situation, context, below)[action]
        came = rng.random() < (0.2 if context == 30 else 0.6)
        done = action if came else TripleIndex.CALL
        observe_bars(counts, evidence, situation, context, triple, below, int(done))
        predicted[context] -= came

    assert all(abs(apart) / 300 < 0.25 for apart in predicted.values())
    later = [with_bars(triple, counts, situation, context, below)[action] for context in (30, 31)]
    assert later == pytest.approx([0.2, 0.6], abs=0.08)


def test_what_is_certain_stays_so() -> None:
    counts, _ = nothing_counted()
    below = np.linspace(0, 1, NUM_BARS)

    for certain in (ProbabilityTriple(0.0, 1.0, 0.0), ProbabilityTriple(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)):
        triple = ProbabilityTriple(*certain)
        assert with_bars(triple, counts, decision("cc/r"), CONTEXT, below) == triple


def test_bars_are_learnt_by_round_and_by_the_bets_to_call() -> None:
    bettings = (
        "", "r", "cc/", "cc/r", "cc/rr", "cc/cc/", "cc/cc/r", "cc/cc/rr", "cc/cc/cc/", "cc/cc/cc/r",
    )  # fmt: skip
    folds, raises = (
        [bars_place(decision(betting), action) for betting in bettings]
        for action in (TripleIndex.FOLD, TripleIndex.RAISE)
    )

    assert folds == [-1, -1, -1, 0, 0, -1, 2, 2, -1, 4]
    assert raises == [-1, -1, 6, 7, 7, 9, 10, 10, 12, 13]
    assert bars_place(decision("cc/crr"), TripleIndex.FOLD) == 0  # he has bet once: one bet more to call
    assert bars_place(decision("ccc/rr", "limit-3p"), TripleIndex.FOLD) == 1
    assert bars_place(decision("ccc/rr", "limit-3p"), TripleIndex.RAISE) == 8
    assert bars_place(decision("cc/rrrr"), TripleIndex.RAISE) == -1  # capped
    assert NUM_BAR_PLACES == 15


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


# --- statistics ---------------------------------------------------------------------------------------------

GAME = load_game("limit-3p")


def observed(*hands: tuple[str, int, float | None]) -> PlayerStatistics:
    statistics = PlayerStatistics()
    for betting, position, won in hands:
        statistics.observe_hand(parse_betting(GAME, betting), position, won)
    return statistics


def test_counts_of_a_showdown_and_of_a_fold_before_the_flop() -> None:
    # Three players: position 2 acts first before the flop, position 0 after it.
    statistics = observed(("rfc/cc/rc/cc", 2, 35.0), ("frc/cc/cc/cc", 2, 0.0))

    assert statistics.rates() == {
        "flops_seen": Rate(1, 2),
        "voluntary": Rate(1, 2),
        "preflop_raises": Rate(1, 2),
        "went_to_showdown": Rate(1, 1),
        "won_at_showdown": Rate(1, 1),
    }
    assert (statistics.bets_and_raises, statistics.calls, statistics.folds) == (1, 1, 1)


def test_a_check_is_no_call() -> None:
    statistics = observed(("ccc/ccc/ccc/ccc", 1, -10.0))  # the big blind, who only checks

    assert statistics.calls == 0
    assert statistics.aggression_factor == 1
    assert statistics.rates()["won_at_showdown"] == Rate(0, 1)


def test_a_player_who_only_raises_is_aggressive() -> None:
    """As Fig. 4.2 is meant: its code calls them passive."""
    statistics = observed(("rrfc/cc/cc/cc", 0, None))

    assert statistics.aggression_factor == float("inf")
    assert statistics.style is PlayingStyle.LOOSE_AGGRESSIVE


@pytest.mark.parametrize(
    ("flops", "raises", "calls", "style"),
    [
        (28, 3, 2, PlayingStyle.TIGHT_AGGRESSIVE),
        (28, 2, 2, PlayingStyle.TIGHT_PASSIVE),
        (29, 3, 2, PlayingStyle.LOOSE_AGGRESSIVE),
        (29, 0, 2, PlayingStyle.LOOSE_PASSIVE),
    ],
)
def test_the_four_styles(flops: int, raises: int, calls: int, style: PlayingStyle) -> None:
    """Poker Learner, Fig. 4.2, with 28 as per cent."""
    statistics = PlayerStatistics(hands=100, flops_seen=flops, bets_and_raises=raises, calls=calls)

    assert statistics.style is style


def test_at_40_per_cent_flops_against_an_ideal_20_a_bet_counts_half() -> None:
    """Killer, "Opponent Model for the preflop itself", a)."""
    looseness = Looseness(flops_seen=40, hands=100)

    assert looseness.scaled_bets(1, 0.20) == pytest.approx(0.5)
    assert Looseness(flops_seen=10, hands=100).scaled_bets(1, 0.20) == pytest.approx(2)


def test_old_hands_fade_by_halving() -> None:
    looseness = Looseness(halve_after=10)
    for _ in range(9):
        looseness.observe(True)
    looseness.observe(False)

    assert (looseness.flops_seen, looseness.hands) == (4.5, 5)
    assert looseness.rate(0.2) == pytest.approx(0.9)


def test_statistics_survive_json() -> None:
    statistics = observed(("rfc/cc/rc/cc", 2, 35.0), ("frc/cc/cc/cc", 2, 0.0))

    assert PlayerStatistics.from_dict(json.loads(json.dumps(statistics.as_dict()))) == statistics


@pytest.mark.parametrize("wrong", [{}, {"hands": -1}, {"hands": "many"}])
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"expected|missing"):
        PlayerStatistics.from_dict({**PlayerStatistics().as_dict(), "looseness": None, **wrong})
