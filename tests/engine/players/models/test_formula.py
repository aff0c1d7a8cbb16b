"""The one function from a situation to triples: the papers' points, what thresholds and prices do."""

import itertools
import math

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from engine.hands.equity import all_hand_equities
from engine.kernels.players.raises import PATIENCE, WORTH_OF_WAITING, push_of, worth_of_push
from engine.kernels.players.records import Trait
from engine.players.action_context import positions_in, situation_of
from engine.players.board_values import board_values
from engine.players.hand_values import HandValues, postflop_values
from engine.players.models.formula import (
    DEFAULT_PARAMETERS,
    Parameters,
    Traits,
    bluff_share,
    continue_chance,
    formula_triples,
    reasonable_share,
    thresholds,
    traits_array,
)
from engine.poker.cards import parse_written_cards
from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.records import PublicSituation
from engine.poker.rules import load_game, parse_betting
from tests.support.asserting import refuses

TABLE = traits_array({})
WEIGHTS = np.ones(NUM_COMBOS)


def after(betting: str, game: str = "limit-2p") -> PublicSituation:
    return situation_of(parse_betting(load_game(game), betting))


def everybody(traits: Traits) -> NDArray[np.float64]:
    return traits_array(dict.fromkeys(range(10), traits))


def hands_of(*values: float, showdown: float | None = None, draw: float = 0.0) -> HandValues:
    """Combos 0, 1, ... of these values; the rest of the same as the last."""
    array = np.full(NUM_COMBOS, values[-1])
    array[: len(values)] = values
    chances = array if showdown is None else np.full(NUM_COMBOS, showdown)
    return HandValues(array, chances, np.full(NUM_COMBOS, draw))


def test_a_hand_at_95_plays_about_0_05_95() -> None:
    """Poki 3.4."""
    triples = formula_triples(after("cc/r"), hands_of(0.95), WEIGHTS, TABLE)

    assert triples[0] == pytest.approx((0, 0.05, 0.95), abs=0.01)


def test_the_raise_threshold_is_85_when_a_raise_tells_everything_and_50_when_it_tells_nothing() -> None:
    situation = after("cc/r")
    honest = everybody(Traits(raise_=0.0, noise=(0.0, 0.0)))
    blind = everybody(Traits(raise_=1.0, noise=(1.0, 1.0)))

    assert thresholds(situation, honest).raise_ == pytest.approx(0.85)
    assert thresholds(situation, blind).raise_ == pytest.approx(0.50)


@pytest.mark.parametrize(
    ("betting", "game", "threshold"), [("cc/r", "limit-2p", 0.85), ("ccc/r", "limit-3p", 0.50)]
)
def test_what_a_raise_tells_is_known_apart_for_one_opponent_and_several(
    betting: str, game: str, threshold: float
) -> None:
    """Of a player who raises with the hand against one opponent, and by dice against two."""
    situation = after(betting, game)
    raiser = Traits(raise_=0.0, noise=(0.0, 1.0), fold_to_bet=1.0)  # who folds is no caller to be beaten

    assert thresholds(situation, everybody(raiser)).raise_ == pytest.approx(threshold)


def test_a_first_bet_needs_50_against_one_and_less_against_several_who_call() -> None:
    calls = everybody(Traits(fold_to_bet=0.0))

    assert thresholds(after("cc/"), calls).raise_ == pytest.approx(0.50)
    assert thresholds(after("ccc/", "limit-3p"), calls).raise_ < 0.45


def test_a_very_weak_hand_without_the_price_folds() -> None:
    """Poki 3.4: below .25 we should almost always fold."""
    triples = formula_triples(after("cc/rr"), hands_of(0.20, showdown=0.05), WEIGHTS, TABLE)

    assert triples[0, 0] == pytest.approx(1)


def test_a_very_weak_hand_with_the_price_calls() -> None:
    triples = formula_triples(after("rrrc/cc/cc/r"), hands_of(0.20, showdown=0.20), WEIGHTS, TABLE)

    assert triples[0, 1] > 0.9  # 20 to win 80: a chance of .2 is the price of .2... and a half, mixed


@given(
    st.floats(0, 1), st.floats(0, 1), st.sampled_from(["cc/", "cc/r", "cc/rr", "rc/cr", "cc/cc/cc/r", "r"])
)
def test_better_hands_never_fold_more(value: float, better: float, betting: str) -> None:
    value, better = sorted((value, better))

    triples = formula_triples(after(betting), hands_of(value, better), WEIGHTS, TABLE)

    # A bluff is what the weakest hands have beside folding.
    if value >= DEFAULT_PARAMETERS.very_weak:
        assert triples[0, 0] >= triples[1, 0] - 1e-9
        assert triples[0].sum() == pytest.approx(1)


@settings(max_examples=8)
@given(st.integers(0, 2**32))
def test_every_row_is_a_triple(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = HandValues(rng.random(NUM_COMBOS), rng.random(NUM_COMBOS), rng.random(NUM_COMBOS) / 2)
    parameters = Parameters(tightness=rng.random(), aggression=rng.random(), deception=rng.random())

    for betting in ("", "r", "c", "rrr", "cc/", "cc/r", "cc/cc/cc/", "cc/cc/cc/rrr"):
        situation = after(betting)
        triples = formula_triples(situation, values, rng.random(NUM_COMBOS), TABLE, parameters)
        assert (triples >= -1e-12).all()
        assert triples.sum(axis=1) == pytest.approx(np.ones(NUM_COMBOS))
        assert situation.can_fold or not triples[:, 0].any()
        assert situation.can_raise or not triples[:, 2].any()


def test_bluffs_have_the_share_that_makes_a_caller_indifferent() -> None:
    """Pot P, bet b: they risk b to win P + b, and are indifferent at a share of b / (P + 2 b)."""
    bet, pot = 20.0, 60.0

    share = bluff_share(bet, pot)

    assert share == pytest.approx(0.2)
    assert share * (pot + bet) == pytest.approx((1 - share) * bet)
    assert bluff_share(1, 1) == pytest.approx(1 / 3)


def test_on_the_river_so_many_of_the_bets_are_bluffs() -> None:
    """Where the opponent folds often enough for bluffs to pay."""
    situation = after("rrrc/cc/cc/")
    values = HandValues(np.linspace(0, 1, NUM_COMBOS), np.linspace(0, 1, NUM_COMBOS), np.zeros(NUM_COMBOS))
    folds = everybody(Traits(fold_to_bet=0.7))

    bets = formula_triples(situation, values, WEIGHTS, folds)[:, 2]

    bluffs = bets[values.value < 0.25].sum()
    share = bluff_share(situation.bet, situation.pot)
    assert bluffs / bets.sum() == pytest.approx(share, rel=0.15)


def known(fold: float, to_call: float | None = None, blind: float = 0.0) -> NDArray[np.float64]:
    """Everybody, of whom it is known how often he folds to our raise, and to our call."""
    traits = traits_array({})
    traits[:, Trait.KNOWN :] = 1.0, fold, fold if to_call is None else to_call, blind
    return traits


@pytest.mark.parametrize("betting", ["", "c", "r", "rc/", "rc/c", "cc/r", "cc/cr", "rrrc/cc/cc/", "cc/cc/rr"])
def test_the_chance_of_a_fold_is_the_one_that_is_known(betting: str) -> None:
    situation = after(betting)

    assert continue_chance(situation, known(0.62), positions_in(situation.opponents)[0]) == pytest.approx(
        1 - 0.62
    )


@pytest.mark.parametrize(("known", "runouts"), [((), 800), ((10, 23, 36), 500), ((10, 23, 36, 50), 46)])
def test_who_never_folds_is_bet_into_later_by_as_much_as_is_learnt_of_the_hand(
    known: tuple[int, ...], runouts: int
) -> None:
    """A bet now wins 2 p - 1; on the river it is made only with hands that are ahead then.

    The difference, from the chances of all hands on random full boards, is what `waiting` reckons with.
    """
    rng = np.random.default_rng(5)
    rest = [card for card in range(52) if card not in known]
    chances, later = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
    times = np.zeros(NUM_COMBOS)
    for _ in range(runouts):
        board = [*known, *rng.choice(rest, 5 - len(known), replace=False).tolist()]
        on_board = all_hand_equities(board)
        possible = ~np.isnan(on_board)
        chances[possible] += on_board[possible]
        later[possible] += np.maximum(2 * on_board[possible] - 1, 0)
        times += possible
    seen = times > runouts / 2
    chances, later = chances[seen] / times[seen], later[seen] / times[seen]

    gained = later - (2 * chances - 1)

    reckoned = WORTH_OF_WAITING * np.maximum(PATIENCE[max(0, len(known) - 2)] - chances, 0)
    for low in (0.5, 0.6, 0.7, 0.8):
        hands = (chances >= low) & (chances < low + 0.1)
        assert reckoned[hands].mean() == pytest.approx(gained[hands].mean(), abs=0.06)


@pytest.mark.parametrize("game", ["nolimit-2p", "limit-2p"])
def test_in_no_limit_who_never_folds_is_raised_when_a_hand_s_worth_is_known(game: str) -> None:
    flop, turn, river = (
        formula_triples(after(betting, game), hands_of(0.55), WEIGHTS, known(0.0))[0, 2]
        for betting in ("cc/", "cc/cc/", "cc/cc/cc/")
    )

    assert river > 0.9
    if game == "nolimit-2p":
        assert flop < turn < 0.7
    else:
        assert min(flop, turn) > 0.9


RIVER = "cc/cc/cc/"
WORST, TRASH, MIDDLING = hands_of(0.05, showdown=0.33), hands_of(0.05, showdown=0.3), hands_of(0.6)
RAISED_OR_NOT = {
    # With three fourths of folds a raise from the small blind wins more than limping with the worst hand.
    "the worst hand where a limp is raised out": ("limit-2p", "", WORST, known(0.8), 1),
    "the worst hand where a raise is raised out": ("limit-2p", "r", WORST, known(0.8), 1),
    "the worst hand before who calls": ("limit-2p", "", WORST, known(0.0), 0),
    "the worst hand after who calls": ("limit-2p", "r", WORST, known(0.0), 0),
    # Three limpers who never fold: of four a hand wins a fourth if it beats each half of the time.
    "more than a share of several pots": ("limit-6p", "fcccf", hands_of(0.5, showdown=0.6), known(0.0), 1),
    "less than a share of several pots": ("limit-6p", "fcccf", hands_of(0.5, showdown=0.5), known(0.0), 0),
    # By the button, but not at ten seats, where that is not reckoned.
    "trash where both blinds fold": ("limit-3p", "", TRASH, known(0.9), 1),
    "trash where both blinds fold, of six": ("limit-6p", "fff", TRASH, known(0.9), 1),
    "trash where both blinds fold, of ten": ("limit-10p", "fffffff", TRASH, known(0.9), 0),
    "trash before unknown blinds": ("limit-3p", "", TRASH, TABLE, 0),
    "trash before unknown blinds, of six": ("limit-6p", "fff", TRASH, TABLE, 0),
    "trash before unknown blinds, of ten": ("limit-10p", "fffffff", TRASH, TABLE, 0),
    # On the river, against one who folds the six tenths of the hands that ours beats.
    "what only better hands pay": ("limit-2p", RIVER, MIDDLING, known(0.6), 0),
    "what worse hands pay": ("limit-2p", RIVER, MIDDLING, known(0.1), 1),
    # A hand that beats six in ten beats six in ten of those who did not fold by dice, too.
    "what hands pay that are folded by dice": ("limit-2p", RIVER, MIDDLING, known(0.6, blind=1.0), 1),
    "a bluff of who never folds": ("limit-2p", RIVER, hands_of(0.1), everybody(Traits(fold_to_bet=0.0)), 0),
}
"""Game, betting, hand, traits of everybody, and whether it is raised."""
# In pots of any size: of six hands in ten that pay, a bet wins a fifth of a bet.
RAISED_OR_NOT |= {
    f"{where} of who never folds after {pot}": ("limit-2p", pot, hand, known(0.0), raised)
    for pot in (RIVER, "rc/cc/cc/", "rrrc/rrrc/rrrc/")
    for where, hand, raised in (("ahead", MIDDLING, 1), ("behind", hands_of(0.4), 0))
}


@pytest.mark.parametrize(
    ("game", "betting", "hand", "traits", "raised"), RAISED_OR_NOT.values(), ids=RAISED_OR_NOT
)
def test_it_is_raised_with_what_wins_more_by_that(
    game: str, betting: str, hand: HandValues, traits: NDArray[np.float64], raised: int
) -> None:
    triple = formula_triples(after(betting, game), hand, WEIGHTS, traits)[0]

    assert triple[2] == pytest.approx(raised)


@given(
    st.sampled_from(["", "c", "ff", "r", "rc", "ccc", "fffc", "rr"]),
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
    st.floats(0.02, 0.98),
)
def test_a_raise_before_the_flop_brings_what_all_that_may_call_make_it_worth(
    betting: str, folds: list[float], joins: list[float], chance: float
) -> None:
    """Several opponents: by every set of those who go on, who pay and must be beaten, blind to their hands.

    Roughly: their number is taken to be its mean, and how often they are beaten moves with it.
    """
    game = load_game("limit-6p")
    before = parse_betting(game, betting)
    situation = situation_of(before)
    traits = known(0.0, blind=1.0)
    traits[:6, Trait.FOLD], traits[:6, Trait.FOLD_TO_CALL] = folds, joins
    odds = 1 / chance - 1
    pot, to_call, bet = int(situation.pot), int(situation.to_call), int(situation.bet)
    more = 0.15 * situation.future_bets

    def worth(cost: int, going_on: list[tuple[float, int]]) -> float:
        """In bets: over every set of opponents who go on, each by his chance and what he pays then."""
        total = 0.0
        for who in itertools.product((False, True), repeat=len(going_on)):
            likely = math.prod(c if goes else 1 - c for goes, (c, _) in zip(who, going_on, strict=True))
            paid = sum(pays for goes, (_, pays) in zip(who, going_on, strict=True) if goes)
            if not any(who):
                total += likely * pot
                continue
            beaten = 1 / (1 + sum(who) * odds)
            total += likely * (beaten * (pot + cost + paid + (1 + sum(who)) * more) - cost - more)
        return total / bet

    paying = {p: before.max_spent - before.spent[p] for p in positions_in(situation.opponents)}
    unpaid = {p: to_call if paying[p] else 0 for p in paying}  # blinds are left out of account
    raised = worth(to_call + bet, [(1 - folds[p], unpaid[p] + bet) for p in paying])
    called = worth(to_call, [(1 - joins[p] if paying[p] else 1.0, unpaid[p]) for p in paying])
    brought = worth_of_push(chance, push_of(situation, traits))

    assert brought == pytest.approx(raised - max(called, 0.0) - 0.15, abs=0.35)


def test_a_draw_that_pays_for_a_bet_and_a_raise_is_bet() -> None:
    situation, folds = after("cc/"), everybody(Traits(fold_to_bet=0.5))

    weak = formula_triples(situation, hands_of(0.3, draw=0.05), WEIGHTS, folds)[0]
    drawing = formula_triples(situation, hands_of(0.3, draw=0.6), WEIGHTS, folds)[0]

    assert weak[2] == 0
    assert drawing[2] > 0.3


@pytest.mark.parametrize(("option", "index", "values"), [("tightness", 0, 0.45), ("aggression", 2, 0.5)])
def test_options_do_what_they_say(option: str, index: int, values: float) -> None:
    situation, line = after("cc/r"), np.linspace(0, 1, NUM_COMBOS)
    more, less = (
        formula_triples(
            situation,
            HandValues(line, line, line),
            WEIGHTS,
            TABLE,
            attrs.evolve(DEFAULT_PARAMETERS, **{option: amount}),
        )[:, index].mean()
        for amount in (0.9, 0.1)
    )

    assert more > less


def test_the_earlier_the_position_the_fewer_hands_are_worth_opening() -> None:
    shares = [reasonable_share(behind) for behind in range(1, 10)]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.8
    assert shares[-1] < 0.15


def test_a_loose_raiser_is_called_and_raised_with_twice_as_many_hands() -> None:
    """Killer: with a looseness of 2 the top 25 % become the top 50 %."""
    situation = after("fffffffr", "limit-10p")
    usual = thresholds(situation, TABLE)
    loose = thresholds(situation, traits_array({9: Traits(preflop_raise=2.0)}))

    assert 1 - loose.call == pytest.approx(2 * (1 - usual.call))


def test_the_effective_hand_strength_is_eq_3_6() -> None:
    board = board_values(tuple(parse_written_cards("8h6c4h")))
    strengths = board.strengths(WEIGHTS)
    situation = after("cc/")

    values = postflop_values(situation, dict.fromkeys(range(2), strengths), board.plain, board.share)

    combo = combo_index(*parse_written_cards("9h7h"))
    strength, potential = strengths[combo], board.plain.positive[combo]
    assert strength == pytest.approx(0.104, abs=0.001)  # Poki 3.3.2
    assert values.value[combo] == pytest.approx(strength + (1 - strength) * potential)


def test_several_opponents_multiply() -> None:
    """Eq 3.3."""
    board = board_values(tuple(parse_written_cards("8h6c4hJs2d")))
    strengths = board.strengths(WEIGHTS)
    situation = after("ccc/ccc/ccc/", "limit-3p")

    values = postflop_values(situation, dict.fromkeys(range(3), strengths), board.plain, board.share)

    assert values.value == pytest.approx(strengths**2)


@pytest.mark.parametrize("name", ["call_threshold", "tightness", "deception"])
def test_parameters_outside_0_to_1_are_refused(name: str) -> None:
    refuses(ValueError, name, Parameters, **{name: 1.5})


@pytest.mark.parametrize(("bet", "pot"), [(0, 1), (-1, 1), (1, -1)])
def test_a_bet_of_nothing_has_no_bluffs(bet: float, pot: float) -> None:
    refuses(ValueError, "bet above 0", bluff_share, bet, pot)
