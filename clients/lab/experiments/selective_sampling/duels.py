"""Matches of a sampling bot that records its stated values, each deal played from two seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.lab.experiments.line_up import matches
from clients.lab.experiments.selective_sampling.bots import NotedSampling, Stated
from engine.poker.rules import GameDefinition, HandState

__all__ = ["JudgedDecision", "Table", "cut_into_matches", "play_duel"]

Table = tuple[NotedSampling, *tuple[Agent, ...]]
"""Our bot and its opponents."""

HANDS_OF_A_MATCH = 250
"""The number of deals of a match, each of which is played twice."""


@attrs.frozen(eq=False)
class JudgedDecision:
    """One decision and its result.  Units are small bets, in no-limit games big blinds."""

    stated: Stated
    realised: float
    """Chips won from the decision to the end of the hand."""
    deal: int
    opponent_cards: tuple[int, ...]
    """The hole cards of the opponent; of several, of the one who sits behind."""


def cut_into_matches(hands: int, seed: int) -> Iterator[tuple[int, int]]:
    """Seed and number of deals of each match, which add up to a number of hands."""
    return matches(max(1, hands // 2), HANDS_OF_A_MATCH, seed)


def play_duel(
    game: GameDefinition, agents: Sequence[Table], seed: int, deals: int
) -> tuple[NDArray[np.float64], list[JudgedDecision]]:
    """Play the same deals from both seats, at larger tables from the first two.

    Args:
        game: the game.
        agents: our bot and its opponents, who fill the table; new ones for each of the two passes.
        seed: the seed of the deals.
        deals: the number of deals.

    Returns:
        What our bot won per hand on each deal, shape (deals,), and its decisions.
    """
    unit = game.small_bet or game.big_blind
    won = np.zeros(deals)
    decisions: list[JudgedDecision] = []
    for seat, (ours, *others) in enumerate(agents):

        def settle(
            state: HandState, chips: tuple[float, ...], ours: NotedSampling = ours, seat: int = seat
        ) -> None:
            position = (seat - state.hand_number) % game.num_players
            result = chips[position] / unit
            won[state.hand_number] += result / len(agents)
            cards = state.deal.hole_cards[(position + 1) % game.num_players]
            decisions.extend(
                JudgedDecision(stated, result + stated.spent / unit, state.hand_number, cards)
                for stated in ours.take_stated()
            )

        Arena(game, [*others[:seat], ours, *others[seat:]], seed).play(deals, on_hand=settle)
    return won, decisions
