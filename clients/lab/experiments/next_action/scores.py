"""Scores of models that watch played hands and predict what a player does next."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.arena import Arena
from engine.players.learning import PredictionScore, learn_from_hand, predicted_triple
from engine.players.models.model import OpponentModel
from engine.players.table_reader import TableReader
from engine.poker.rules import GameDefinition, HandState

__all__ = [
    "NOISE",
    "by_position",
    "gain",
    "learn",
    "losses_by_hand",
    "play",
    "score",
    "seat_at",
    "shown",
]

NOISE = 0.05
"""The noise factor of the re-weighting."""


def play(game: GameDefinition, agents: Sequence[Agent], hands: int, seed: int) -> list[HandState]:
    """Play some hands; returns their ends.  Seats move around the table."""
    states: list[HandState] = []
    Arena(game, agents, seed).play(hands, on_hand=lambda state, _: states.append(state))
    return states


def seat_at(state: HandState, position: int) -> int:
    """The seat in a position."""
    return (position + state.hand_number) % state.betting.game.num_players


def by_position(models: Sequence[OpponentModel], state: HandState) -> list[OpponentModel]:
    """The models of the seats, in the order of positions in a hand."""
    return [models[seat_at(state, position)] for position in range(len(models))]


def shown(state: HandState) -> list[tuple[int, ...]]:
    """The hole cards that everybody has seen, by position; empty for others."""
    return [
        cards if state.betting.is_showdown and not folded else ()
        for cards, folded in zip(state.deal.hole_cards, state.betting.folded, strict=True)
    ]


def learn(models: Sequence[OpponentModel], state: HandState) -> None:
    """Let the models of the seats learn from a hand."""
    here = by_position(models, state)
    learn_from_hand(here, TableReader(here, NOISE), state.betting, state.board, shown(state))


def score(
    models: Sequence[OpponentModel], states: Sequence[HandState], *, learning: bool = False
) -> list[PredictionScore]:
    """How each seat's model predicts what the seat does in some hands.

    Args:
        models: the models of the seats.
        states: the ends of the hands.
        learning: whether to learn from each hand after it has been predicted.
    """
    scores = [PredictionScore() for _ in models]
    for state in states:
        here = by_position(models, state)
        reader = TableReader(here, NOISE)
        reader.follow(state.betting, state.board)
        for decision, action in reader.decisions:
            position = decision.situation.position
            predicted = predicted_triple(here[position], decision)
            scores[seat_at(state, position)].observe(decision, predicted, action)
        if learning:
            learn_from_hand(here, reader, state.betting, state.board, shown(state))
    return scores


def losses_by_hand(models: Sequence[OpponentModel], states: Sequence[HandState]) -> NDArray[np.float64]:
    """For each hand, the sum of log losses of seat 0's model and the number of actions; shape (hands, 2)."""
    of_hands = [score(models, [state])[0] for state in states]
    return np.array([(one.log_loss * one.cases if one.cases else 0.0, one.cases) for one in of_hands])


def gain(before: NDArray[np.float64], after: NDArray[np.float64]) -> tuple[float, float]:
    """How much the log loss per action falls from one model to another, and its standard error.

    Args:
        before, after: `losses_by_hand` of the models, on the same hands.  Hands are independent, actions of
            one hand are not, so the error is that of the paired differences of hands.
    """
    differences = before[:, 0] - after[:, 0]
    cases = float(before[:, 1].sum())
    error = float(differences.std(ddof=1)) * math.sqrt(len(differences))
    return float(differences.sum()) / cases, error / cases
