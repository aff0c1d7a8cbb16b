"""Spots for tests: decisions in the middle of hands, with models of every kind, and their exact values."""

import random
from collections.abc import Iterable, Sequence

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.hands.betting_arrays import number_of_action
from engine.players.models.frequencies import FrequencyModel
from engine.players.models.generic import GenericModel
from engine.players.models.model import NoModel, OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import Estimates
from engine.players.trials.trials import Spot, Trials, deals_of, new_tree
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, NUM_COMBOS, combos_without
from engine.poker.rules import CALL, FOLD, Action, GameDefinition, load_game
from engine.poker.rules.betting import BettingState, initial_betting
from engine.poker.rules.showdown import chips_won
from tests.engine.players.hands import random_hand
from tests.engine.players.models.prediction import learn

Floats = NDArray[np.float64]
_MODELS: dict[int, PlayerModel] = {}


def fixed(fold: float, raise_: float) -> FrequencyModel:
    """Folds and raises with these frequencies, whatever the context."""
    return FrequencyModel(lambda context: (fold, 1 - fold - raise_, raise_))


def experienced_model(seed: int) -> PlayerModel:
    """A player model that has learnt from some hands of random players, as one does at a table."""
    if seed not in _MODELS:
        models = [PlayerModel(), PlayerModel()]
        for hand in range(40):
            learn(models, random_hand("limit-2p", 1000 * seed + hand)[-1])
        _MODELS[seed] = models[0]
    return _MODELS[seed]


def random_model(rng: random.Random) -> OpponentModel:
    """One of each kind."""
    kind = rng.randrange(5)
    if kind == 0:
        return NoModel()
    if kind == 1:
        return GenericModel()
    if kind == 2:
        return experienced_model(rng.randrange(4))
    return fixed(0.4 * rng.random(), 0.5 * rng.random())


def random_betting(
    game: GameDefinition, rng: random.Random, betting_round: int, passive: float = 0.75
) -> BettingState:
    """A state in a betting round, somebody to act."""
    while True:
        state = initial_betting(game)
        while state.position_to_act is not None and state.betting_round < betting_round:
            legal = state.legal_actions()
            drawn = rng.random()
            if drawn < passive or not legal.can_raise:
                action = CALL
            elif drawn < passive + 0.05 and legal.can_fold and state.num_in_hand > 2:
                action = FOLD
            else:
                action = legal.raising_to(rng.choice((None, 2 * state.max_spent + 2)))
            state = state.apply(action)
        for _ in range(rng.randrange(3)):
            if state.position_to_act is None or state.betting_round != betting_round:
                break
            legal = state.legal_actions()
            following = state.apply(CALL if rng.random() < 0.5 else legal.raising_to())
            if following.position_to_act is None or following.betting_round != betting_round:
                break
            state = following
        if state.position_to_act is not None and state.betting_round == betting_round:
            return state


def random_table(rng: random.Random, dead: Sequence[int], combos: int) -> Floats:
    """So many hands of random weights."""
    table = np.zeros(NUM_COMBOS)
    live = np.flatnonzero(combos_without(dead)).tolist()
    for combo in rng.sample(live, combos):
        table[combo] = rng.random() + 0.02
    return table


def make_spot(
    betting: BettingState,
    board: Sequence[int],
    own_cards: Sequence[int],
    models: Sequence[OpponentModel],
    weights: Sequence[Floats] | None = None,
    own: OpponentModel | None = None,
) -> Spot:
    """A spot; we play on by formula unless another model is given for us."""
    position = betting.position_to_act
    mine = OwnStrategy() if own is None else own
    first, second = own_cards
    return Spot(
        betting,
        tuple(board),
        (first, second),
        tuple(weights) if weights is not None else tuple(np.ones(NUM_COMBOS) for _ in models),
        simulated_players([mine if p == position else model for p, model in enumerate(models)]),
    )


def random_spot(
    game_name: str, seed: int, betting_round: int, *, combos: int = 40, own_frequencies: bool = False
) -> Spot:
    """A random decision with random models and tables of some hands."""
    rng = random.Random(seed)
    game = load_game(game_name)
    betting = random_betting(game, rng, betting_round)
    cards = rng.sample(range(52), 7)
    board, own = cards[: betting.num_board_cards], cards[5:]
    dead = [*board, *own]
    models = [random_model(rng) for _ in range(game.num_players)]
    weights = [random_table(rng, dead, combos) for _ in range(game.num_players)]
    return make_spot(betting, board, own, models, weights, fixed(0.1, 0.3) if own_frequencies else None)


def errors_off(estimates: Estimates[Action], exact: Iterable[float]) -> list[float]:
    """By how many standard errors values are off the exact ones; those without an error must be exact."""
    scores = []
    for value, error, right in zip(estimates.values, estimates.standard_errors, exact, strict=True):
        if error < 1e-9:
            assert value == pytest.approx(right, abs=1e-9)
        else:
            scores.append(float((value - right) / error))
    return scores


@attrs.frozen
class Outcomes:
    """Every hand the opponent of a heads-up spot may hold, on every board, dealt as trials."""

    trials: Trials
    holes: NDArray[np.uint8]
    boards: NDArray[np.uint8]
    chances: Floats


def outcomes_of(spot: Spot) -> Outcomes:
    """All of them: of heads-up spots with at most one card to come."""
    position = spot.position
    other = 1 - position
    dead = {*spot.board, *spot.own_cards}
    weights = np.where(combos_without(dead), spot.weights[other], 0.0)
    holes, boards, chances = [], [], []
    for combo in np.flatnonzero(weights).tolist():
        theirs = (int(COMBO_HIGH[combo]), int(COMBO_LOW[combo]))
        rest = [card for card in range(52) if card not in dead and card not in theirs]
        rivers = [()] if len(spot.board) == 5 else [(card,) for card in rest]
        for river in rivers:
            hands = np.zeros((10, 2), np.uint8)
            hands[position], hands[other] = spot.own_cards, theirs
            holes.append(hands)
            boards.append((*spot.board, *river))
            chances.append(weights[combo] / len(rivers))
    total = np.array(chances)
    return Outcomes(
        Trials(spot, 0, new_tree(4096)), np.array(holes), np.array(boards, np.uint8), total / total.sum()
    )


def exact_values(spot: Spot, moves: Sequence[Action]) -> list[float]:
    """The exact value of each first action of a heads-up limit spot, in the spot's unit.

    The triples are the simulation's own; that all hands, boards and actions are weighed, and who wins how
    much, is worked out here by the rules.
    """
    outcomes = outcomes_of(spot)
    position, spent = spot.position, spot.betting.spent[spot.position]

    def value(state: BettingState, script: list[int], start: int, reach: Floats) -> float:
        if not (reach > 0).any():
            return 0.0
        if state.position_to_act is None:
            won = np.array(
                [
                    chips_won(state, hands[:2].tolist(), board)[position] if chance > 0 else 0.0
                    for hands, board, chance in zip(
                        outcomes.holes, outcomes.boards.tolist(), reach, strict=True
                    )
                ]
            )
            return float(reach @ (won + spent))
        deals = deals_of(outcomes.holes, outcomes.boards, np.zeros(len(outcomes.boards), np.uint64))
        trace = np.zeros((len(outcomes.boards), len(script) + 1, 5))
        outcomes.trials.play(deals, start, script, trace)
        assert (trace[:, len(script), 0] == state.position_to_act).all()
        total = 0.0
        legal = state.legal_actions()
        for index, action in enumerate((FOLD, CALL, legal.raising_to())):
            chances = trace[:, len(script), 2 + index]
            if action in legal and (index < 2 or legal.can_raise):
                number = number_of_action(action, state)
                total += value(state.apply(action), [*script, number], start, reach * chances)
            else:
                assert np.allclose(chances, 0)
        return total

    return [
        value(spot.betting.apply(move), [], outcomes.trials.start(move), outcomes.chances) / spot.unit
        for move in moves
    ]
