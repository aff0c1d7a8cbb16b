"""Models beside the players they are models of: hands that were played, scores of what was predicted."""

from collections.abc import Sequence

import numpy as np

from clients.core.agent import Agent
from clients.lab.experiments import next_action
from clients.lab.experiments.next_action import NOISE, by_position, score, shown
from engine.players.learning import PredictionScore, learn_from_hand
from engine.players.models.model import OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.table_reader import TableReader
from engine.poker.rules import HandState, load_game


def play(game: str, agents: Sequence[Agent], number: int, seed: int = 77) -> list[HandState]:
    """The ends of hands; seats move around the table."""
    return next_action.play(load_game(game), agents, number, seed)


def learn(models: Sequence[OpponentModel], state: HandState) -> None:
    """Let the models of the seats learn from a hand."""
    here = by_position(models, state)
    learn_from_hand(here, TableReader(here, NOISE), state.betting, state.board, shown(state))


def foretold(states: Sequence[HandState]) -> list[PredictionScore]:
    """Scores of player models that begin with nothing and learn hand by hand, each hand predicted first."""
    models = [PlayerModel() for _ in range(states[0].betting.game.num_players)]
    return score(models, states, learning=True)


def worst_calibration(of_seats: Sequence[PredictionScore], least_cases: int) -> tuple[float, int]:
    """The greatest distance between predicted and observed folds in a context, and how many contexts had so
    many cases.
    """
    counted = np.concatenate([of_seat.contexts for of_seat in of_seats])
    cases, predicted, observed = counted[counted[:, 0] >= least_cases].T
    return float(np.max(abs(predicted - observed) / cases, initial=0.0)), len(cases)
