"""Selective sampling by Loki's Fig. 3: joint draws counted out, exact values, and when it stops."""

import itertools
import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.typing import NDArray

from engine.hands.betting_arrays import number_of_action
from engine.hands.hand_rank import hand_ranks
from engine.kernels.players.trials.situations import context_in, situation_in
from engine.kernels.players.trials.tree import make_child
from engine.players.action_context import context_of, situation_of
from engine.players.trials.sampler import JointSampler
from engine.players.trials.selective_sampling import Criterion, Estimates, best_move, selective_sampling
from engine.players.trials.trials import Trials, first_actions, new_tree
from engine.poker.cards import parse_written_cards
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, NUM_COMBOS, combo_index, combos_without
from engine.poker.rules import CALL, FOLD, Action, Deal, GameDefinition, HandState, initial_hand, load_game
from engine.poker.rules.betting import initial_betting
from tests.engine.players.trials.spots import errors_off, fixed, make_spot, random_betting
from tests.support.asserting import refuses

# --- sampler ------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]

OWN = tuple(parse_written_cards("AdQc"))
BOARD = tuple(parse_written_cards("Jh4c3h"))


def narrow_table(seed: int, combos: int, cards: str) -> Floats:
    """Some weight on a few hands of a few cards, so that players get in each other's way."""
    rng = np.random.default_rng(seed)
    deck = parse_written_cards(cards)
    possible = [combo_index(*pair) for pair in itertools.combinations(deck, 2)]
    table = np.zeros(NUM_COMBOS)
    table[rng.choice(possible, combos, replace=False)] = rng.random(combos) ** 2 + 0.01
    return table


def cards_of(combo: int) -> set[int]:
    return {int(COMBO_HIGH[combo]), int(COMBO_LOW[combo])}


def exact_joint(tables: list[Floats]) -> dict[tuple[int, ...], float]:
    joint: dict[tuple[int, ...], float] = {}
    dead = {*OWN, *BOARD}
    for combos in itertools.product(*[np.flatnonzero(table).tolist() for table in tables]):
        held = [cards_of(combo) for combo in combos]
        if len(set().union(*held)) == 2 * len(combos) and not dead & set().union(*held):
            joint[combos] = float(np.prod([t[c] for t, c in zip(tables, combos, strict=True)]))
    total = sum(joint.values())
    return {combos: weight / total for combos, weight in joint.items()}


@pytest.mark.parametrize("seed", [0, *[pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2)]])
def test_three_hands_come_as_often_as_the_product_of_their_tables_says(seed: int) -> None:
    """Chi-square over all triples of hands that share no card, of tables that overlap in eight cards."""
    tables = [narrow_table(10 * seed + player, 9, "As Ks Qs Js Ts 9s 8s 7s") for player in range(3)]
    exact = exact_joint(tables)
    sampler = JointSampler(OWN, 0, BOARD, dict(enumerate(tables, start=1)))
    trials = 60_000

    holes, _, _ = sampler.deal(trials, seed=seed)

    drawn = np.array(
        [[combo_index(*map(int, holes[t, p])) for p in (1, 2, 3)] for t in range(trials)], np.int64
    )
    triples, counts = np.unique(drawn, axis=0, return_counts=True)
    seen = dict(zip(map(tuple, triples.tolist()), counts.tolist(), strict=True))
    assert set(seen) <= set(exact)
    likely = [combos for combos, chance in exact.items() if chance * trials >= 5]
    chi_square = sum(
        (seen.get(combos, 0) - exact[combos] * trials) ** 2 / (exact[combos] * trials) for combos in likely
    )
    # Mean and deviation of chi-square are n and sqrt(2 n).
    assert abs(chi_square - len(likely)) < 4 * (2 * len(likely)) ** 0.5
    assert sampler.dealt_in_turn == 0


def test_nobody_is_favoured_for_being_dealt_first() -> None:
    """Two players with the same two hands that share a card, and each a third: by symmetry each holds his
    third equally often, which dealing one after the other would not give.
    """
    first, second = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
    shared, low, high = combo_index(51, 46), combo_index(4, 0), combo_index(5, 1)
    first[[shared, low]] = second[[shared, high]] = 1

    holes, _, _ = JointSampler(OWN, 0, BOARD, {1: first, 2: second}).deal(30_000, seed=1)

    thirds = [np.mean((np.sort(holes[:, p]) < 6).all(axis=1)) for p in (1, 2)]
    # (shared, high), (low, shared) and (low, high) are equally likely.
    assert thirds == pytest.approx([2 / 3, 2 / 3], abs=0.011)


def test_no_card_is_dealt_twice_and_known_cards_stay_where_they_are() -> None:
    tables = {position: np.ones(NUM_COMBOS) for position in range(10) if position != 4}

    holes, boards, seeds = JointSampler(OWN, 4, BOARD, tables).deal(2000, seed=1)

    assert (holes[:, 4] == OWN).all()
    assert (boards[:, :3] == BOARD).all()
    everything = np.concatenate([holes.reshape(2000, 20), boards], axis=1)
    assert all(len(set(row)) == 25 for row in everything.tolist())
    assert everything.max() < 52
    assert len(np.unique(seeds)) == 2000


def test_the_cards_to_come_are_uniform() -> None:
    _, boards, _ = JointSampler(OWN, 0, BOARD, {1: np.ones(NUM_COMBOS)}).deal(47_000, seed=3)

    counts = np.bincount(boards[:, 3], minlength=52)

    live = [card for card in range(52) if card not in {*OWN, *BOARD}]
    assert counts[live].sum() == 47_000
    assert ((counts[live] - 1000) ** 2 / 1000).sum() < 46 + 4 * 92**0.5


def test_a_player_who_folded_without_telling_anything_need_not_be_dealt_in() -> None:
    """With the hands of those who remain distributed as before."""
    table = narrow_table(5, 6, "As Ks Qs Js 2s")
    everybody = {1: table, 2: np.ones(NUM_COMBOS), 3: np.ones(NUM_COMBOS)}

    with_them, _, _ = JointSampler(OWN, 0, BOARD, everybody).deal(20_000, seed=1)
    without, _, _ = JointSampler(OWN, 0, BOARD, everybody, passive=[2, 3]).deal(20_000, seed=2)

    def shares(holes: NDArray[np.uint8]) -> Floats:
        combos = [combo_index(*map(int, hand)) for hand in holes[:, 1]]
        return np.bincount(combos, minlength=NUM_COMBOS) / len(combos)

    assert (without[:, 2:4] == 0).all()
    assert abs(shares(with_them) - shares(without)).max() < 4 * (0.5 / 20_000) ** 0.5


def test_the_share_of_trials_in_which_we_are_ahead_is_the_hand_strength() -> None:
    """Loki: a simulation contains it.  Poki 3.3.1: A♦Q♣ on J♥4♣3♥ is ahead of .585 of all hands."""
    trials = 40_000
    holes, _, _ = JointSampler(OWN, 0, BOARD, {1: np.ones(NUM_COMBOS)}).deal(trials, seed=1)
    board = np.tile(np.array(BOARD, np.uint8), (trials, 1))

    ours = hand_ranks(np.concatenate([holes[:, 0], board], axis=1)).astype(int)
    theirs = hand_ranks(np.concatenate([holes[:, 1], board], axis=1)).astype(int)

    share = (ours > theirs) + 0.5 * (ours == theirs)
    assert abs(share.mean() - 0.585) < 3 * share.std() / trials**0.5 + 0.0005


@pytest.mark.parametrize(("cards", "potential"), [(1, 0.406), (2, 0.620)])
def test_the_share_of_trials_that_improve_is_the_potential(cards: int, potential: float) -> None:
    """Poki 3.3.2: 7♥9♥ on 8♥6♣4♥, with one and with two cards to come (eq 3.1)."""
    trials = 40_000
    own, flop = tuple(parse_written_cards("7h9h")), tuple(parse_written_cards("8h6c4h"))
    holes, boards, _ = JointSampler(own, 0, flop, {1: np.ones(NUM_COMBOS)}).deal(trials, seed=2)

    def outcome(size: int) -> NDArray[np.int64]:
        """1 ahead, 0 tied, -1 behind on the first so many board cards."""
        ours = hand_ranks(np.concatenate([holes[:, 0], boards[:, :size]], axis=1)).astype(np.int64)
        theirs = hand_ranks(np.concatenate([holes[:, 1], boards[:, :size]], axis=1)).astype(np.int64)
        signs: NDArray[np.int64] = np.sign(ours - theirs)
        return signs

    before, after = outcome(3), outcome(3 + cards)
    gained = np.where(before < 0, (after + 1) / 2, np.where(before == 0, after == 1, 0) / 2)
    could = np.where(before < 0, 1.0, np.where(before == 0, 0.5, 0.0))

    share = gained.sum() / could.sum()
    error = np.std(gained - share * could) * trials**0.5 / could.sum()
    assert abs(share - potential) < 3 * error + 0.0005


def test_tables_that_never_fit_are_dealt_in_turn_and_counted() -> None:
    """Two players who can only hold the same card: better a hand of some kind than none."""
    same = np.zeros(NUM_COMBOS)
    same[combo_index(51, 50)] = 1

    sampler = JointSampler(OWN, 0, BOARD, {1: same, 2: same}, max_attempts=50)
    holes, boards, _ = sampler.deal(100, seed=1)

    assert sampler.dealt_in_turn == 100
    everything = np.concatenate([holes[:, :3].reshape(100, 6), boards], axis=1)
    assert all(len(set(row)) == 11 for row in everything.tolist())


def test_a_table_with_nothing_but_our_cards_stands_for_any_hand() -> None:
    mine = np.zeros(NUM_COMBOS)
    mine[combo_index(*OWN)] = 1

    holes, _, _ = JointSampler(OWN, 0, BOARD, {1: mine}).deal(3000, seed=1)

    combos = {combo_index(*map(int, hand)) for hand in holes[:, 1]}
    assert combos <= set(np.flatnonzero(combos_without((*OWN, *BOARD))).tolist())
    assert len(combos) > 900


def test_same_seed_same_deals() -> None:
    tables = {position: np.random.default_rng(position).random(NUM_COMBOS) for position in range(1, 10)}

    first, second = (JointSampler(OWN, 0, (), tables).deal(50, seed=9) for _ in range(2))
    other = JointSampler(OWN, 0, (), tables).deal(50, seed=10)

    for part in range(3):
        assert np.array_equal(first[part], second[part])
    assert not np.array_equal(other[0], first[0])


def test_the_same_card_twice_is_refused() -> None:
    refuses(ValueError, "different cards", JointSampler, OWN, 0, (OWN[0], 1, 2), {1: np.ones(NUM_COMBOS)})


# --- situations ---------------------------------------------------------------------------------------------

TREE = new_tree(200)


@pytest.mark.parametrize(
    "name",
    ["limit-2p", "limit-3p", "limit-6p", "limit-10p", "nolimit-2p", "nolimit-3p", "nolimit-6p"]
    + [f"tests/golden/{file}.game" for file in ("short6", "limstack", "tiny10")],
)
def test_a_node_has_the_situation_of_its_betting(name: str) -> None:
    game, rng = load_game(name), random.Random(name)
    models = [fixed(0.2, 0.3)] * game.num_players
    for number in range(15):
        betting = initial_betting(game) if number < 5 else random_betting(game, rng, rng.randrange(1, 4))
        trials = Trials(make_spot(betting, range(betting.num_board_cards), (50, 51), models), 1, TREE)
        setting, node = trials.setting, 0
        while betting.position_to_act is not None:
            expected = situation_of(betting)
            integers = setting.tree.integers[node]

            situation = situation_in(setting.rules, integers)

            assert situation == expected
            assert context_in(situation, integers) == context_of(expected).index
            moves = [*first_actions(betting), *([FOLD] if expected.can_fold else [])]
            action = rng.choice(moves)
            node = make_child(
                setting.tree, setting.players, setting.averages, setting.rules, node,
                number_of_action(action, betting),
            )  # fmt: skip
            betting = betting.apply(action)


# --- selective sampling -------------------------------------------------------------------------------------

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
