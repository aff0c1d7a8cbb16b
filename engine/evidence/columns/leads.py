"""Who is better, from the deals of a finished match: `engine.evidence.verdict` in columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.evidence.confidence_sequence import MOST_RISKED, ROUNDING, ConfidenceSequence
from engine.evidence.verdict import Standings
from engine.kernels.evidence.bettors import bet_on_all
from engine.poker.rules import GameDefinition

__all__ = ["add_payoffs", "standings_of_deals"]

Floats = NDArray[np.float64]


def standings_of_deals(
    game: GameDefinition, names: Sequence[str], deals: Floats, learners: Collection[int] = ()
) -> Standings:
    """The standings after some deals, as `engine.evidence.verdict.standings_of` finds them.

    Args:
        game: the game played.
        names: the players' names.
        deals: what each player won per hand in each deal, in order.  Shape (deals, players).
        learners: the indices of players that learn while they play.

    Raises:
        ValueError: somebody won or lost more than the game allows.
    """
    standings = Standings(game, names, learners)
    standings.count(deals.tolist())
    for (first, second), lead in standings.leads():
        add_payoffs(lead, (deals[:, first] - deals[:, second]) * standings.scale)
    for player, rate in standings.rates():
        add_payoffs(rate, deals[:, player])
    return standings


def add_payoffs(sequence: ConfidenceSequence, payoffs: Floats) -> None:
    """Add payoffs to a sequence, as its `add` does one by one.

    Args:
        sequence: the sequence to update.
        payoffs: the payoffs in order, shape (n,).

    Raises:
        ValueError: one is outside the declared bounds.
    """
    low, width, enough = sequence.bounds_and_stakes
    if not width:
        for payoff in payoffs.tolist():
            sequence.add(payoff)
        return
    numbers, *bettors = sequence.numbers()
    state, both = np.array(numbers), np.array(bettors)
    rules = np.array([MOST_RISKED, ROUNDING, 2.0])
    done = bet_on_all(np.ascontiguousarray(payoffs), low, width, enough, rules, state, both)
    sequence.go_on_from([state.tolist(), *both.tolist()])
    if done < len(payoffs):
        sequence.add(float(payoffs[done]))  # raises the error
