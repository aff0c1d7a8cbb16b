"""Deals played in the arena: who sits where, and what each seat won."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.arena import Arena
from engine.poker.rules import GameDefinition, HandState
from engine.support.seeds import derive_seed

__all__ = ["LineUp", "chips_by_seat", "matches"]


def chips_by_seat(
    game: GameDefinition, agents: Sequence[Agent], seed: int, deals: int
) -> NDArray[np.float64]:
    """Play some deals; returns the chips of each hand by seat, shape (deals, seats)."""
    players = game.num_players
    won = np.empty((deals, players))

    def keep(state: HandState, chips: tuple[float, ...]) -> None:
        for position, each in enumerate(chips):
            won[state.hand_number, (position + state.hand_number) % players] = each

    Arena(game, agents, seed).play(deals, on_hand=keep)
    return won


@attrs.frozen
class LineUp:
    """Players of one kind among players of another, in seats as far apart as possible.

    Each deal is played in every rotation that seats them differently, so each kind holds each hand equally
    often; luck remains only where hands end differently.
    """

    first: int
    """The number of players of the first kind."""
    seats: int

    @property
    def name(self) -> str:
        """``5 against 5``."""
        return f"{self.first} against {self.seats - self.first}"

    def passes(self) -> list[tuple[bool, ...]]:
        """For each rotation, by seat, whether a player of the first kind sits there."""
        pattern = [seat * self.first % self.seats < self.first for seat in range(self.seats)]
        rotations = self.seats // math.gcd(self.seats, self.first)
        return [
            tuple(pattern[(seat - shift) % self.seats] for seat in range(self.seats))
            for shift in range(rotations)
        ]

    def mean_of_first(self, won: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """What a player of the first kind won per hand on each deal, shape (deals,).

        Args:
            won: for each pass, the result of `chips_by_seat`.
        """
        total = np.zeros(len(won[0]))
        for seated, chips in zip(self.passes(), won, strict=True):
            total += chips[:, list(seated)].sum(axis=1)
        means: NDArray[np.float64] = total / (self.first * len(won))
        return means


def matches(deals: int, each: int, seed: int) -> Iterator[tuple[int, int]]:
    """Cut deals into matches of at most `each`; yields the seed and the number of deals of every match."""
    number = 0
    while deals > 0:
        yield derive_seed(seed, number), min(each, deals)
        deals -= each
        number += 1
