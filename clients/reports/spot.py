"""What speaks for an action in a spot of hold'em: strength, potential, the others' hands, simulated
values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent, Triples
from clients.reports.odds import hand_worth
from clients.reports.simulation import simulation_report
from engine.players.models.generic import GenericModel
from engine.players.table_reader import TableReader
from engine.poker.combos import STARTING_HAND_NAMES, STARTING_HAND_OF_COMBO, combos_without
from engine.poker.rules import HandView

__all__ = ["by_starting_hand", "own_values", "reasons"]

_MOST_NAMED: Final = 8


def reasons(view: HandView, game: str, *, trials: int, seed: int) -> dict[str, Any]:
    """Strength and potential of the hand, what the others may hold as the generic model reads the betting,
    and what each action is worth, simulated against that model.

    Args:
        view: of the player who is to act, in hold'em.
        game: what is played, as it was named.
        trials: of the simulation; 0 for none.
        seed: of the simulation.
    """
    found: dict[str, Any] = {}
    if view.board:
        worth = hand_worth(view.own_cards, view.board)
        found["hand_strength"] = worth.strength.value
        found["positive_potential"] = {str(k): p.positive for k, p in worth.potentials.items()}
        found["negative_potential"] = {str(k): p.negative for k, p in worth.potentials.items()}
        found["effective_hand_strength"] = {str(k): worth.effective(k) for k in worth.potentials}
    players = range(view.game.num_players)
    reader = TableReader([GenericModel() for _ in players])
    reader.follow(view.betting, view.board)
    found["weights"] = {
        str(position): _likeliest(reader.table(position).grid())
        for position in players
        if position != view.position and not view.betting.folded[position]
    }
    if trials:
        simulated = simulation_report(
            view.own_cards, view.board, game=game, betting=view.betting.text, trials=trials, seed=seed
        )
        found["simulation"] = {name: simulated[name] for name in ("unit", "trials", "values", "best")}
    return found


def _likeliest(grid: NDArray[np.float64]) -> dict[str, float]:
    """The starting hands of the greatest weights."""
    order = np.argsort(-grid, kind="stable")[:_MOST_NAMED]
    return {STARTING_HAND_NAMES[index]: round(float(grid[index]), 4) for index in order}


def own_values(agent: Agent) -> dict[str, Any] | None:
    """The values behind a bot's own decision, where it keeps them (`sampling`)."""
    estimates = getattr(agent, "estimates", None)
    if estimates is None:
        return None
    rows = zip(estimates.moves, estimates.values, estimates.standard_errors, strict=True)
    return {
        "trials": int(estimates.samples),
        "values": [
            {"action": str(action), "value": float(value), "standard_error": float(error)}
            for action, value, error in rows
        ],
    }


def by_starting_hand(triples: Triples, dead: Sequence[int]) -> NDArray[np.float64]:
    """Chances of folding, calling and raising by starting hand, the mean over its combos without dead cards.

    Args:
        triples: as agents tell them: one row, 169, or 1326.
        dead: cards that nobody can hold.

    Returns:
        Shape (169, 3); zeros for a starting hand of which no combo is left.
    """
    table = np.asarray(triples, np.float64)
    if len(table) == 1:
        table = np.broadcast_to(table, (169, 3))
    if len(table) == 169:
        return np.array(table)
    alive = combos_without(dead)
    hands = STARTING_HAND_OF_COMBO
    sums = np.zeros((169, 3))
    np.add.at(sums, hands[alive], table[alive])
    totals = sums.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
    return shares
