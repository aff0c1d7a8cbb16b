"""The matches of a population, and the prior that follows from them.

Players meet each other, and `_HOST` in one match of three.  Their hands are read as at the table, from public
information; what they held is known besides.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

import attrs
import numpy as np

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.experiments.next_action import NOISE, seat_at
from clients.lab.player_prior.fitting import Answers, Floats, fit
from clients.lab.player_prior.styles import drawn_player
from engine.players.models.generic import GenericModel
from engine.players.models.player import Player, curve_of, features_of, psi_of
from engine.players.probability_triple import TripleIndex
from engine.players.table_reader import TableReader
from engine.poker.combos import combo_index
from engine.poker.rules import HandState, load_game
from engine.support.seeds import derive_seed

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
        for decision, action in reader.decisions:
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
