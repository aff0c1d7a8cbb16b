"""Trials: exact values where they can be counted out, the rules, nobody peeking, and the models in them."""

import functools
import random

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from clients.core.registry import make_bot
from engine.hands.betting_arrays import action_from_number
from engine.kernels.players.trials.tree import Tree
from engine.players.action_context import ActionContext
from engine.players.learning import predicted_triple
from engine.players.models.formula import formula_triples, traits_array
from engine.players.models.frequencies import FrequencyModel, all_contexts
from engine.players.models.generic import GenericModel
from engine.players.models.model import Decision, OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.table_reader import PotentialName, TableReader
from engine.players.trials.selective_sampling import Criterion
from engine.players.trials.trials import Spot, Trials, deals_of, first_actions, new_tree, simulate
from engine.poker.combos import NUM_COMBOS, combo_cards
from engine.poker.rules import CALL, Deal, HandState, load_game, parse_betting
from tests.engine.players.hands import cards
from tests.engine.players.models.prediction import learn, play
from tests.engine.players.trials.spots import (
    errors_off,
    exact_values,
    experienced_model,
    fixed,
    make_spot,
    random_betting,
    random_model,
    random_spot,
)
from tests.support.asserting import refuses


def spot_after(
    betting: str,
    board: str,
    hand: str,
    model: OpponentModel,
    own: OpponentModel | None = None,
    game: str = "limit-2p",
) -> Spot:
    """A spot heads-up; the model is that of both players, unless another one is given for us."""
    state = parse_betting(load_game(game), betting)
    return make_spot(state, cards(board), cards(hand), [model, model], own=own)


def scores_of(spot: Spot, seed: int, trials: int) -> list[float]:
    """By how many standard errors the simulated values of a spot are off the exact ones."""
    *_, estimates = simulate(spot, seed, max_trials=trials, batch=500, tree=TREE)
    return errors_off(estimates, exact_values(spot, estimates.moves))


TREE = new_tree()


def check_scores(scores: list[float]) -> None:
    """Standard normal: 3 in 1000 beyond three, mean 0 and mean square 1 within four of their errors.

    The actions of a spot share their trials, so that only every other score counts as independent.
    """
    independent = len(scores) / 2
    assert sum(abs(score) > 3 for score in scores) <= max(1, round(0.01 * len(scores)))
    assert max(map(abs, scores)) < 4.5
    assert abs(np.mean(scores)) < 4 / independent**0.5
    assert abs(np.mean(np.square(scores)) - 1) < 4 * (2 / independent) ** 0.5


@pytest.mark.slow
def test_values_of_200_random_river_decisions_are_exact_within_three_standard_errors() -> None:
    scores: list[float] = []
    for seed in range(200):
        scores += scores_of(random_spot("limit-2p", seed, 3, combos=25), seed, 2000)

    assert len(scores) > 250
    check_scores(scores)


def test_values_of_turn_decisions_with_fixed_strategies_are_exact_within_three_standard_errors() -> None:
    scores: list[float] = []
    for seed in range(12):
        rng = random.Random(seed)
        spot = random_spot("limit-2p", seed, 2, combos=2, own_frequencies=True)
        models = [fixed(0.3 * rng.random(), 0.4 * rng.random()) for _ in range(2)]
        spot = make_spot(spot.betting, spot.board, spot.own_cards, models, spot.weights, fixed(0.1, 0.2))
        scores += scores_of(spot, seed, 4000)

    check_scores(scores)


# --- the rules -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["limit-2p", "limit-3p", "limit-6p", "limit-10p", "nolimit-2p", "nolimit-3p", "nolimit-6p"]
    + [f"tests/golden/{file}.game" for file in ("short6", "limstack", "tiny10")],
)
def test_hands_played_in_trials_are_hands_by_the_rules(name: str) -> None:
    """Each action is legal, and everybody wins to the last digit what the rules say."""
    game = load_game(name)
    for seed in range(8):
        rng = random.Random(seed)
        betting = random_betting(game, rng, rng.randrange(4), passive=0.8)
        drawn = rng.sample(range(52), 7)
        board = drawn[: betting.num_board_cards]
        models = [rng.choice((fixed(0.1, 0.4), random_model(rng))) for _ in range(game.num_players)]
        spot = make_spot(betting, board, drawn[5:], models)
        trials = Trials(spot, seed, TREE)
        deals = trials.sample(20)
        trace = np.zeros((20, 200, 5))

        chips = trials.play(deals, 0, (), trace)

        for trial in range(20):
            hole_cards = tuple(
                tuple(int(card) for card in deals.holes[trial, p]) for p in range(game.num_players)
            )
            state = HandState(betting, 0, Deal(hole_cards, tuple(deals.boards[trial].tolist())))
            for position, number, *triple in trace[trial].tolist():
                if position < 0:
                    break
                assert state.position_to_act == position
                action = action_from_number(int(number), game.is_limit)
                assert action in state.legal_actions()
                assert sum(triple) == pytest.approx(1)
                assert min(triple) >= -1e-12
                state = state.apply(action)
            assert state.is_finished
            assert chips[trial, : game.num_players].tolist() == list(state.chips_won())


def test_first_actions_are_a_call_and_each_different_raise() -> None:
    limit = parse_betting(load_game("limit-2p"), "rc/")
    capped = parse_betting(load_game("limit-2p"), "rc/rrrr")
    free = parse_betting(load_game("nolimit-2p"), "r300c/")
    nearly_all_in = parse_betting(load_game("nolimit-2p"), "r12000c/")

    assert [str(action) for action in first_actions(limit)] == ["c", "r"]
    assert [str(action) for action in first_actions(capped)] == ["c"]
    assert [str(action) for action in first_actions(free)] == ["c", "r600", "r900", "r20000"]
    assert [str(action) for action in first_actions(nearly_all_in)] == ["c", "r20000"]


def test_folding_is_worth_zero_from_here_on() -> None:
    """A player who folds whatever comes loses what they put in from now on, not what is in the pot."""
    loser = spot_after("rc/r", "Js8c4s", "7h2d", fixed(0, 1), own=fixed(1, 0))

    *_, estimates = simulate(loser, 1, max_trials=50)

    # A call costs a small bet; a raise costs two, and the answer makes the player fold.
    assert estimates.values == pytest.approx([-1, -2])


# --- nobody peeks ----------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(["limit-2p", "limit-3p", "nolimit-3p", "limit-6p"]),
    betting_round=st.integers(0, 3),
)
def test_nobody_plays_on_cards_that_he_cannot_see(seed: int, name: str, betting_round: int) -> None:
    """However the cards that are hidden from a player are dealt, what the player does stays the same."""
    rng = random.Random(seed)
    game = load_game(name)
    betting = random_betting(game, rng, betting_round)
    pack = rng.sample(range(52), 52)
    known = betting.num_board_cards
    models = [random_model(rng) for _ in range(game.num_players)]
    spot = make_spot(betting, pack[5 : 5 + known], pack[:2], models)
    trials = Trials(spot, seed, new_tree(2000))
    deals = trials.sample(1)
    trace = np.zeros((1, 200, 5))
    trials.play(deals, 0, (), trace)
    steps = int(np.argmax(trace[0, :, 0] < 0))
    script = [int(number) for number in trace[0, :steps, 1]]

    state = betting
    for step in range(steps):
        position, shown = state.position_to_act, state.num_board_cards
        holes, board = deals.holes[0].copy(), deals.boards[0].copy()
        seen = {int(card) for card in (*holes[position], *board[:shown])}
        hidden = rng.sample([card for card in range(52) if card not in seen], 52 - len(seen))
        for other in range(game.num_players):
            if other != position:
                holes[other] = hidden.pop(), hidden.pop()
        for place in range(shown, 5):
            board[place] = hidden.pop()
        again = np.zeros((1, 200, 5))
        trials.play(deals_of(holes[None], board[None], deals.seeds), 0, script, again)

        assert (again[0, step] == trace[0, step]).all()
        state = state.apply(action_from_number(script[step], game.is_limit))


# --- the models ------------------------------------------------------------------------------------------


def triples_at_root(spot: Spot, combos: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """What the player to act does in a spot with each of some hands."""
    trials = Trials(spot, 1, TREE)
    holes = np.zeros((len(combos), 10, 2), np.uint8)
    boards = np.zeros((len(combos), 5), np.uint8)
    for row, combo in enumerate(combos):
        own = combo_cards(combo)
        rest = [card for card in range(52) if card not in own and card not in spot.board]
        boards[row] = [*spot.board, *rest[: 5 - len(spot.board)]]
        for other in range(10):
            holes[row, other] = (
                own if other == spot.position else (rest[10 + 2 * other], rest[11 + 2 * other])
            )
    deals = deals_of(holes, boards, np.zeros(len(combos), np.uint64))
    trace = np.zeros((len(combos), 1, 5))
    trials.play(deals, 0, (), trace)
    return trace[:, 0, 2:]


def model_spots(
    model: OpponentModel, count: int, potential: PotentialName = "plain"
) -> list[tuple[Spot, Decision]]:
    """Spots in which the model's own player is to act, with tables as they are read."""
    found = []
    for seed in range(count):
        rng = random.Random(seed)
        game = load_game(rng.choice(("limit-2p", "limit-3p", "limit-6p")))
        betting = random_betting(game, rng, rng.randrange(4))
        board = rng.sample(range(52), 5)[: betting.num_board_cards]
        models: list[OpponentModel] = [GenericModel() for _ in range(game.num_players)]
        assert betting.position_to_act is not None
        models[betting.position_to_act] = model
        reader = TableReader(models, 0.05, potential)
        reader.follow(betting, board)
        own = [card for card in range(52) if card not in board][:2]
        spot = make_spot(
            betting,
            board,
            own,
            models,
            [reader.reading.weights[p] for p in range(game.num_players)],
            own=model,
        )
        spot = attrs.evolve(spot, potentials=reader.reading.potentials_by_position(betting))
        found.append((spot, reader.decision(betting)))
    return found


@pytest.mark.parametrize(
    ("kind", "potential"),
    [("generic", "plain"), ("generic", "weighted"), ("player", "plain"), ("fixed", "plain")],
)
def test_players_of_trials_do_what_their_models_predict(kind: str, potential: PotentialName) -> None:
    """At the first decision, where tables are known exactly; strata stand in for combos, so nearly."""
    model: OpponentModel
    if kind == "generic":
        model = GenericModel()
    elif kind == "player":
        model = experienced_model(1)
    else:
        model = fixed(0.3, 0.2)
    errors = []
    for spot, decision in model_spots(model, 40, potential):
        combos = [c for c in range(0, NUM_COMBOS, 13) if decision.weights[c] > 0]
        simulated = triples_at_root(spot, combos)
        expected = model.triples(decision)[combos]
        weights = decision.weights[combos]
        # How often each action is chosen otherwise, by the player's own table.
        errors.append(weights @ (0.5 * abs(simulated - expected).sum(axis=1)) / weights.sum())

    assert np.mean(errors) < 0.06
    assert np.quantile(errors, 0.9) < 0.14


@functools.cache
def models_of_six() -> list[OpponentModel]:
    models: list[OpponentModel] = [PlayerModel() for _ in range(6)]
    names = ("always-call", "random", "simple", "hand-strength", "always-call", "random")
    for state in play("limit-6p", [make_bot(name) for name in names], 60):
        learn(models, state)
    return models


@pytest.mark.parametrize("betting", ["", "f", "ffc", "fffcc", "cccc", "fr", "ffrc", "ffffr"])
def test_before_the_flop_we_do_in_trials_what_we_do_at_the_table(betting: str) -> None:
    """Against several opponents who are known, by whose folds we raise."""
    models = models_of_six()
    at = parse_betting(load_game("limit-6p"), betting)
    reader = TableReader(models)
    reader.follow(at, [])
    decision, tables = reader.decision(at), [reader.reading.weights[p] for p in range(6)]
    combos = list(range(0, NUM_COMBOS, 7))

    simulated = triples_at_root(make_spot(at, [], [0, 1], models, tables), combos)

    expected = formula_triples(
        decision.situation, decision.values, decision.weights, reader.reading.traits_here(at)
    )[combos]
    usual = formula_triples(decision.situation, decision.values, decision.weights, traits_array({}))[combos]
    apart, had_nothing_been_seen = (
        0.5 * abs(triples - expected).sum(axis=1).mean() for triples in (simulated, usual)
    )
    assert apart < had_nothing_been_seen / 3, apart


@pytest.mark.slow
@pytest.mark.parametrize("always", [None, 0.02, 0.2])
def test_players_of_trials_fold_as_often_as_their_models_predict(always: float | None) -> None:
    """With all that they may hold: some hands of a stratum are draws and go on, most are not and fold."""
    never = PlayerModel()
    for state in play("limit-2p", [make_bot("always-call"), make_bot("random")], 60):
        learn([never, GenericModel()], state)
    model = never if always is None else fixed(always, 0.3)
    too_often = []
    for spot, decision in model_spots(model, 60):
        if decision.situation.can_fold:
            combos = [c for c in range(0, NUM_COMBOS, 7) if decision.weights[c] > 0]
            weights = decision.weights[combos]
            folds = weights @ triples_at_root(spot, combos)[:, 0] / weights.sum()
            too_often.append(folds - (predicted_triple(never, decision).fold if always is None else always))

    assert abs(np.mean(too_often)) < 0.008
    assert np.quantile(np.abs(too_often), 0.9) < 0.03 + 0.3 * (always or 0.0)


def test_all_contexts_stand_at_their_index() -> None:
    assert [context.index for context in all_contexts()] == list(range(90))


# --- tactics ---------------------------------------------------------------------------------------------


def bets_when_checked_to(context: ActionContext) -> tuple[float, float, float]:
    if context.bets_to_call == 0:
        return 0.0, 0.0, 1.0
    return (0.6, 0.4, 0.0) if context.last_action != 2 else (0.0, 1.0, 0.0)


def values(spot: Spot, trials: int = 4000) -> tuple[list[str], list[float], tuple[float, float]]:
    *_, estimates = simulate(spot, 5, max_trials=trials, batch=500, tree=TREE)
    return [str(m) for m in estimates.moves], estimates.values.tolist(), estimates.difference(0, 1)


def test_with_the_nuts_it_checks_to_who_always_bets_and_then_raises() -> None:
    """A check-raise: two big bets, instead of one from an opponent who folds to most bets."""
    first, later = (
        spot_after(betting, "Js8c4s2h2d", "2s2c", FrequencyModel(bets_when_checked_to))
        for betting in ("rc/cc/cc/", "rc/cc/cc/cr")
    )

    _, (check, bet), (lead, error) = values(first)
    assert check > bet
    assert lead > 5 * error

    _, (call, raising), (lead, error) = values(later)
    assert raising > call
    assert lead < -5 * error


def test_with_trash_it_bets_against_who_always_folds() -> None:
    """A bluff: the pot, against nothing at the showdown."""
    spot = spot_after("rc/cc/cc/", "AsKcQsJd3c", "7h2d", fixed(1.0, 0.0))

    _, (check, bet), (lead, error) = values(spot)

    assert bet == pytest.approx(4)  # two small bets of each
    assert check < 2
    assert lead < -5 * error


def test_with_trash_it_checks_to_who_never_folds() -> None:
    _, (check, bet), _ = values(spot_after("rc/cc/cc/", "AsKcQsJd3c", "7h2d", fixed(0, 0)))

    assert check > bet


def raises_on_the_river(model: OpponentModel, own: str, deals: int = 60) -> list[int]:
    """The totals that we raise to in trials, on the river, after a check on the turn to one who checks."""
    spot = spot_after("r300c/cc/", "Js8c4s2h", own, model, game="nolimit-2p")
    trials = Trials(spot, 3, TREE)
    trace = np.zeros((deals, 20, 5))
    trials.play(trials.sample(deals), trials.start(CALL), (), trace)
    raises = []
    for steps in trace.tolist():
        by_us = [int(step[1]) for step in steps if step[0] == spot.position]
        raises += [total for total in by_us if total > 0]
    return raises


def test_in_no_limit_who_pays_all_is_bet_all_in_on_the_river() -> None:
    """Three jacks stand to win most of the stacks; with half of the pot they would win a hundredth."""
    totals = raises_on_the_river(fixed(0.0, 0.0), "JdJc")

    assert len(totals) > 30
    assert set(totals) == {20000}


# --- the machinery ---------------------------------------------------------------------------------------


def values_in(tree: Tree, spot: Spot, seed: int = 1) -> list[float]:
    """The values of a spot's moves after some trials."""
    *_, estimates = simulate(spot, seed, max_trials=200, tree=tree)
    found: list[float] = estimates.values.tolist()
    return found


def test_same_seed_same_values_and_another_seed_others() -> None:
    spot = random_spot("limit-6p", 4, 1, combos=300)

    first, again, other = (values_in(new_tree(3000), spot, seed) for seed in (1, 1, 2))

    assert first == again != other


def test_a_tree_that_is_full_changes_nothing_but_the_time() -> None:
    for name in ("limit-3p", "nolimit-3p"):
        spot = random_spot(name, 3, 1, combos=300)

        assert values_in(new_tree(20_000), spot) == values_in(new_tree(40), spot)


def test_a_tree_without_room_for_ranges_changes_nothing_but_the_time() -> None:
    spot = random_spot("limit-3p", 3, 1, combos=300)
    large, narrow = new_tree(20_000), new_tree(20_000)
    narrow = narrow._replace(ranges=new_tree(20).ranges)

    wide, tight = (values_in(tree, spot) for tree in (large, narrow))

    assert narrow.used[2] > 0  # passing nodes, though there was room for others
    assert narrow.used[0] < large.used[0]
    assert wide == tight


def test_a_tree_serves_one_spot_after_the_other() -> None:
    first, second = random_spot("limit-3p", 1, 1, combos=300), random_spot("nolimit-2p", 2, 2, combos=300)
    tree = new_tree()
    values_in(tree, first)

    assert values_in(tree, second) == values_in(new_tree(), second)


@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("name", ["limit-6p", "nolimit-2p", "nolimit-3p"])
def test_what_was_in_the_memory_of_a_new_tree_changes_nothing(name: str, garbage: float) -> None:
    for seed in range(8):
        spot = random_spot(name, seed, 0 if seed < 4 else seed - 4, combos=300)
        tree = new_tree(3000)
        tree.integers[:] = np.random.default_rng(seed).integers(-(2**60), 2**60, tree.integers.shape)
        for array in (tree.numbers, tree.ranges, tree.scratch, tree.features):
            array[:] = garbage

        assert values_in(tree, spot) == values_in(new_tree(3000), spot)


def test_both_branches_play_the_same_trials() -> None:
    """Common cards and random numbers: the difference is known better than from two simulations."""
    spot = spot_after("rc/", "Js8c4s", "AhJd", GenericModel())

    *_, estimates = simulate(spot, 1, max_trials=2000, criterion=Criterion.NEVER)

    _, paired = estimates.difference(0, 1)
    assert paired < 0.6 * float(np.hypot(*estimates.standard_errors))


def test_a_hand_that_is_over_is_no_spot() -> None:
    refuses(ValueError, "nothing to decide", Trials, spot_after("rf", "", "2c2d", GenericModel()), 1)
