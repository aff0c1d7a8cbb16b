"""The prior of the player model: the matches of a population, and what is learnt from them.

Players meet each other, and `_HOST` in one match of three.  Their hands are read as at the table, from public
information; what they held is known besides.

From their decisions the mean and the covariance of theta follow by EM.  For each player the posterior of
theta given mean and covariance is taken for normal around its mode, which Newton's method finds (Laplace);
then mean and covariance are those of the population, the covariance drawn towards `_LEAST` of each feature by
itself, which `_DRAWN` players are taken to have.

One thread of linear algebra is enough for matrices of forty.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.experiments.next_action import NOISE, seat_at
from clients.lab.player_prior.styles import drawn_player
from engine.players.models.generic import GenericModel
from engine.players.models.player import LAPSE, Player, curve_of, features_of, psi_of
from engine.players.table_reader import TableReader
from engine.poker.combos import combo_index
from engine.poker.records import TripleIndex
from engine.poker.rules import HandState, load_game
from engine.support.seeds import derive_seed

Floats = NDArray[np.float64]

_ROUNDS: Final = 9
_DRAWN: Final = 5.0
_LEAST: Final = 0.3
_STEPS: Final = 12
"""Of Newton's method, for one player."""
_FARTHEST: Final = 4.0
"""What one step may change a z by."""

Answers = tuple[Floats, Floats]
"""Of a player: the features of each decision, shape (n, features), and whether the answer was yes (n,)."""


_HOST: Final = "formula:model=generic"


@attrs.frozen
class Matches:
    """Matches of one game."""

    game: str
    number: int
    hands: int
    """Of each."""


SHIPPED: Final = (Matches("limit-2p", 170, 200), Matches("nolimit-2p", 60, 150), Matches("limit-6p", 30, 100))
"""Of the prior that ships."""

Answered = tuple[Answers, Answers]
"""Of a player: folds and raises."""


def population(matches: Sequence[Matches], seed: int) -> Iterator[Answered]:
    """The decisions of each player of the population."""
    for number, each in enumerate(matches):
        for match in range(each.number):
            yield from _played(each, derive_seed(derive_seed(seed, number), match))


def _played(matches: Matches, seed: int) -> Iterator[Answered]:
    """The decisions of each player of a match, but for the host's."""
    rng, game = random.Random(seed), load_game(matches.game)
    agents: list[Agent] = [drawn_player(rng) for _ in range(game.num_players)]
    has_host = rng.random() < 1 / 3
    if has_host:
        agents[-1] = make_bot(_HOST)
    found: list[tuple[list[Floats], list[bool], list[Floats], list[bool]]] = [
        ([], [], [], []) for _ in agents
    ]

    def read(state: HandState, _: object) -> None:
        reader = TableReader([GenericModel()] * game.num_players, NOISE)
        reader.follow(state.betting, state.board)
        for decision, action in reader.reading.decisions():
            situation = decision.situation
            seat = seat_at(state, situation.position)
            combo = combo_index(*state.deal.hole_cards[situation.position])
            one = type(decision.values.hands)(*(array[combo : combo + 1] for array in decision.values.hands))
            folds, raises = features_of(situation, psi_of(situation, one, np.ones(1)))
            folded = action == TripleIndex.FOLD
            rows = found[seat]
            if situation.can_fold:
                rows[0].append(folds)
                rows[1].append(folded)
            if situation.can_raise and not folded:
                rows[2].append(raises)
                rows[3].append(action == TripleIndex.RAISE)

    Arena(game, agents, seed).play(matches.hands, on_hand=read)
    for folds, folded, raises, raised in found[: len(agents) - has_host]:
        if folds and raises:
            yield (np.array(folds), np.array(folded, float)), (np.array(raises), np.array(raised, float))


def prior_of(players: Sequence[Answered]) -> Player:
    """The curves of a player of whom nothing is known but that he is of a population."""
    return Player(*(curve_of(which, *fit([player[which] for player in players])) for which in (0, 1)))


# --- mean and covariance -------------------------------------------------------------------------------


def fit(players: Sequence[Answers]) -> tuple[Floats, Floats]:
    """The mean and the covariance of theta among players."""
    size = players[0][0].shape[1]
    mean, covariance = np.zeros(size), np.eye(size)
    modes = [np.zeros(size) for _ in players]
    for _ in range(_ROUNDS):
        precision = _inverse(covariance)
        spread = np.zeros((size, size))
        for number, answers in enumerate(players):
            modes[number], posterior = _posterior(answers, mean, precision, modes[number])
            spread += posterior
        mean = np.mean(modes, axis=0)
        apart = np.array(modes) - mean
        spread += apart.T @ apart + _DRAWN * _LEAST * np.eye(size)
        covariance = spread / (len(players) + _DRAWN)
    return mean, covariance


def _posterior(answers: Answers, mean: Floats, precision: Floats, start: Floats) -> tuple[Floats, Floats]:
    """The mode and the covariance of one player's theta."""
    features, came = answers
    theta = start
    for _ in range(_STEPS):
        gradient, curvature = _slopes(features, came, theta)
        step = np.linalg.solve(curvature + precision, gradient - precision @ (theta - mean))
        farthest = np.abs(features @ step).max(initial=0.0)
        theta = theta + step * min(1.0, _FARTHEST / max(farthest, 1e-9))
        if farthest < 1e-3:
            break
    _, curvature = _slopes(features, came, theta)
    return theta, _inverse(curvature + precision)


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a matrix, in doubles."""
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _slopes(features: Floats, came: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """The gradient of the log likelihood, and its curvature by Fisher's information."""
    sure = 1.0 / (1.0 + np.exp(-features @ theta))
    chance = 0.5 * LAPSE + (1.0 - LAPSE) * sure
    slope = (1.0 - LAPSE) * sure * (1.0 - sure)
    doubt = chance * (1.0 - chance)
    return features.T @ ((came - chance) * slope / doubt), (features.T * (slope**2 / doubt)) @ features


def surprise(players: Sequence[Answers], mean: Floats, covariance: Floats) -> float:
    """The log loss of an answer, each predicted from those before it: by Laplace's evidence of all."""
    precision, evidence = _inverse(covariance), 0.0
    for features, came in players:
        theta, posterior = _posterior((features, came), mean, precision, mean)
        chance = 0.5 * LAPSE + (1.0 - LAPSE) / (1.0 + np.exp(-features @ theta))
        apart = theta - mean
        evidence += np.log(np.where(came > 0, chance, 1.0 - chance)).sum() - apart @ precision @ apart / 2
        evidence += (np.linalg.slogdet(posterior)[1] - np.linalg.slogdet(covariance)[1]) / 2
    return -float(evidence) / sum(len(came) for _, came in players)
