"""AIVAT in games that can be enumerated, from what bots tell, and with three and more players."""

import functools
import math
import random
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
import pytest

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence.aivat.enumerated import EnumeratedGame, EnumeratedSet, Strategy, Values
from engine.evidence.aivat.estimates import Told
from engine.evidence.aivat.games import is_small, why_not
from engine.evidence.aivat.many import NUM_TERMS, _add_action, _surplus_at_showdown
from engine.evidence.estimates import Evidence
from engine.poker.combos import NUM_COMBOS, combo_cards, combos_without
from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    Action,
    BettingState,
    CardDealer,
    Deal,
    HandState,
    initial_hand,
    load_game,
    parse_betting,
)
from engine.solving.walk import every_action
from engine.support.arrays import Floats
from protocol.policy import parse_record
from tests.oracles.small_equilibrium import CfrPlus, EnumeratedEnds, half_uniform, openspiel_leduc, uniform
from tests.support.asserting import known, refuses
from tests.support.cases import cases
from tests.support.hands.evidence import Row, evidence_of
from tests.support.hands.strategies import random_hand

# --- aivat small --------------------------------------------------------------------------------------------


def played(name: str, bots: Sequence[str], hands: int, seed: int = 5) -> Evidence:
    """What some hands prove, of what the bots have told in them."""
    game = load_game(name)
    rows: list[Row] = []
    stories: list[Told] = []
    told: dict[str, Callable[[], Sequence[bytes]]] = {}

    def disclose(line: str) -> None:
        record = known(parse_record(line))
        told[record.betting] = functools.partial(tuple, record.columns)

    def count(end: HandState, chips: tuple[float, ...]) -> None:
        number, n = end.hand_number, len(bots)
        rows.append((end, chips, [(position + number) % n for position in range(n)], number))
        stories.append(dict(told))
        told.clear()

    Arena(game, [make_bot(bot) for bot in bots], seed).play(hands, on_hand=count, disclose=disclose)
    return evidence_of(rows, told=stories)


def test_equilibrium_against_itself_says_the_same_in_every_hand_of_kuhn() -> None:
    evidence = played("kuhn-2p", ["equilibrium", "equilibrium"], 100)

    values = known(evidence.values("aivat"))
    assert values[:, 0] == pytest.approx(-1 / 18, abs=2e-3)  # as near as 1000 iterations come
    assert values.sum(axis=1) == pytest.approx(0.0, abs=1e-12)
    assert evidence.doubts == {}


@pytest.mark.parametrize(
    ("game", "bots", "fewer"),
    [
        ("kuhn-2p", ["equilibrium", "random"], 5.0),
        pytest.param("leduc", ["equilibrium", "random"], 10.0, marks=pytest.mark.slow),
        ("kuhn-3p", ["equilibrium", "random", "always-call"], 3.0),
    ],
)
def test_it_is_unbiased_and_has_little_variance(game: str, bots: Sequence[str], fewer: float) -> None:
    evidence = played(game, bots, 800)

    chips, aivat = known(evidence.values("chips")), known(evidence.values("aivat"))
    difference = (aivat - chips)[:, 0]
    assert abs(difference.mean()) < 3.5 * difference.std() / np.sqrt(len(difference))
    found = evidence.estimates()
    for plain, better in zip(found["chips"], found["aivat"], strict=True):
        assert plain is not None
        assert better is not None
        assert plain.ci95 is not None
        assert better.ci95 is not None
        assert plain.ci95**2 > fewer * better.ci95**2


def test_false_policies_are_counted_and_the_player_is_not_known() -> None:
    game = load_game("kuhn-2p")
    rows: list[Row] = []

    def lies() -> Sequence[bytes]:
        return [b"\xff\xff", b"\x00\x00"]  # it always folds

    def count(end: HandState, chips: tuple[float, ...]) -> None:
        rows.append((end, chips, [0, 1], end.hand_number))

    Arena(game, [make_bot("always-call"), make_bot("always-call")], 1, fixed_seats=True).play(
        20, on_hand=count
    )
    told = [
        {before.text: lies for before, position, _ in end.betting.steps() if position == 0}
        for end, _, _, _ in rows
    ]
    evidence = evidence_of(rows, told=told)

    assert evidence.values("aivat") is not None
    assert evidence.doubts == {"a player told that it never does with its hand what it did": 20}


def test_games_are_small_or_not() -> None:
    assert [name for name in ("kuhn-2p", "kuhn-3p", "leduc") if not is_small(load_game(name))] == []
    assert [name for name in ("limit-2p", "limit-3p", "nolimit-6p") if is_small(load_game(name))] == []
    assert why_not(load_game("limit-10p")) is None
    whole_deck = attrs.evolve(load_game("leduc"), num_ranks=13, num_suits=4)
    assert "as small as Kuhn's" in str(why_not(whole_deck))


# --- aivat many ---------------------------------------------------------------------------------------------

CARDS: list[int] = np.random.default_rng(3).permutation(52).tolist()
HOLE_CARDS = tuple((CARDS[2 * p], CARDS[2 * p + 1]) for p in range(4))
BOARD = tuple(CARDS[8:13])


def chances(seed: int) -> Floats:
    table: Floats = np.random.default_rng(seed).random((NUM_COMBOS, 3))
    table /= table.sum(axis=1, keepdims=True)
    return table


@pytest.mark.parametrize(
    ("game", "betting"),
    [("limit-3p", ""), ("limit-3p", "crfc/c"), ("nolimit-3p", "ccr300fc/"), ("limit-6p", "crccfcc/rc")],
)
def test_what_a_player_does_is_worth_no_more_than_what_it_does_on_average(game: str, betting: str) -> None:
    before = parse_betting(load_game(game), betting)
    n = before.game.num_players
    cards = [(CARDS[2 * p], CARDS[2 * p + 1]) for p in range(n)]
    board = tuple(CARDS[2 * n : 2 * n + before.num_board_cards])
    others = [card for p, held in enumerate(cards) if p != before.position_to_act for card in held]
    reach = chances(1)[:, :1] * combos_without((*others, *board))[:, None] * chances(2)
    if not before.legal_actions().can_fold:
        reach[:, 0] = 0.0

    mean = np.zeros((n, NUM_TERMS))
    raising: Action = before.legal_actions().raising_to()
    for column, action in enumerate((FOLD, CALL, raising)):
        if reach[:, column].any():
            changes = np.zeros((n, NUM_TERMS))
            _add_action(changes, before, action, reach, cards, board)
            assert changes.any()
            assert changes.sum(axis=0) == pytest.approx(0.0, abs=1e-9)
            mean += reach[:, column].sum() / reach.sum() * changes

    assert mean == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("has_side_pots", [False, True])
def test_what_a_player_held_at_the_showdown_is_worth_nothing_on_average(has_side_pots: bool) -> None:
    game = load_game("nolimit-3p")
    betting = "ccc/ccc/ccc/ccc"
    if has_side_pots:
        game = attrs.evolve(game, stacks=(20000, 9000, 15000))
        betting = "r15000cc///"
    state = parse_betting(game, betting)
    others = HOLE_CARDS[1:3]
    weights = chances(4)[:, 0] * combos_without([card for held in (*others, BOARD) for card in held])
    weights[np.arange(NUM_COMBOS) % 7 > 0] = 0.0

    mean = np.zeros(3)
    for combo in np.flatnonzero(weights):
        deal = Deal((combo_cards(int(combo)), *others), BOARD)
        surplus = _surplus_at_showdown(HandState(state, 0, deal), 0, weights)
        assert surplus.sum() == pytest.approx(0.0, abs=1e-9)
        mean += weights[combo] * surplus

    assert mean == pytest.approx(0.0, abs=1e-7)


@pytest.mark.slow
def test_it_is_unbiased_and_has_less_variance_than_equity() -> None:
    evidence = played("limit-3p", ["simple", "hand-strength", "random"], 400)

    chips, aivat = known(evidence.values("chips")), known(evidence.values("aivat"))
    assert evidence.doubts == {}
    assert aivat.sum(axis=1) == pytest.approx(0.0, abs=1e-9)
    for player in range(3):
        difference = (aivat - chips)[evidence.players == player]
        assert abs(difference.mean()) < 3.5 * difference.std() / np.sqrt(len(difference))
    found = evidence.estimates()
    widths = {
        name: sum(each.ci95**2 for each in by_player if each is not None and each.ci95 is not None)
        for name, by_player in found.items()
    }
    assert widths["aivat"] < 0.9 * widths["equity"]  # few hands, many coefficients


@pytest.mark.slow
def test_over_many_matches_it_is_nothing_but_noise() -> None:
    scores = []
    for seed in range(20):
        evidence = played("limit-3p", ["random:raise=0.4", "random", "always-call"], 100, seed)
        chips, aivat = known(evidence.values("chips")), known(evidence.values("aivat"))
        difference = (aivat - chips)[evidence.players == 0]
        scores.append(difference.mean() / difference.std() * np.sqrt(len(difference)))

    assert abs(np.mean(scores)) < 3.5 / np.sqrt(len(scores))
    assert 0.6 < np.std(scores) < 1.6


# --- aivat enumerated ---------------------------------------------------------------------------------------

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
        bets = {"": {"J": alpha, "Q": 0.0, "K": 3 * alpha}, "c": {"J": 1 / 3, "Q": 0.0, "K": 1.0}}
        calls = {"cr": {"J": 0.0, "Q": alpha + 1 / 3, "K": 1.0}, "r": {"J": 0.0, "Q": 1 / 3, "K": 1.0}}
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


# Who plays what against whom, what values come from; the standard deviation of the chips, and of the estimate
# with chance alone, p0, p1 and both known.  None where the equilibrium has not converged far enough.
KUHN, LEDUC = cases(__file__, "Kuhn"), cases(__file__, "Leduc")


def check_row(game: str, row: Sequence[Any], solution: Strategy, tolerance: float) -> None:
    tree = enumerated(game)
    first, second, valued = (strategy(which, game, solution) for which in row[:3])
    value = tree.expected_values((valued, valued))
    for what, deviation in zip(KNOWN, row[4], strict=True):
        found = moments(tree, (first, second), value, what)

        assert abs(found.mean - found.true_mean) <= 1e-12
        assert found.true_deviation == pytest.approx(row[3], abs=tolerance)
        if deviation is not None:
            assert found.deviation == pytest.approx(deviation, abs=tolerance)


@pytest.mark.parametrize("row", KUHN)
def test_kuhn_has_the_variances_of_an_exact_table(row: Sequence[Any]) -> None:
    check_row("kuhn-2p", row, equilibrium("kuhn-2p", 2000), 1e-4)


@pytest.mark.parametrize("row", LEDUC)
@pytest.mark.slow
def test_leduc_has_the_variances_of_an_exact_table(row: Sequence[Any]) -> None:
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
