"""A spot of hold'em: what speaks for an action, and what each action is worth, by simulation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clients.core.agent import Agent, Triples
from clients.reports.grids import mean_by_starting_hand
from clients.reports.odds import hand_worth, worth_entries
from engine.players.models.generic import GenericModel
from engine.players.models.model import NoModel, OpponentModel
from engine.players.table_reader import TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import best_move
from engine.players.trials.trials import Spot, simulate
from engine.poker.combos import STARTING_HAND_NAMES, combos_without
from engine.poker.rules import FOLD, HandView, load_game, parse_betting
from engine.support.arrays import Floats


def simulation_report(
    hole_cards: Sequence[int],
    board: Sequence[int],
    *,
    game: str = "limit-2p",
    betting: str = "",
    model: str = "generic",
    trials: int = 100_000,
    seed: int = 1,
) -> dict[str, Any]:
    """What each action is worth to the player to act, by selective sampling, as it stands in the JSON.

    Args:
        hole_cards: Those of the player to act.
        board: The board cards that are out.
        game: What is played.
        betting: What has been bet, written as in logs.
        model: How the others play and are read: none or generic.
        trials: How many.
        seed: Same seed, same values.

    Raises:
        OSError: there is no such game.
        ValueError: it cannot be played, a betting that is none, or another number of board cards.
    """
    definition = load_game(game)
    state = parse_betting(definition, betting)
    position = state.position_to_act
    if not definition.is_holdem:
        raise ValueError(f"{game} is not Texas hold'em")
    if position is None:
        raise ValueError(f"after {betting!r} the hand is over")
    if len(board) != state.num_board_cards:
        raise ValueError(f"after {betting!r} there are {state.num_board_cards} board cards, got {len(board)}")
    players = range(definition.num_players)
    models: list[OpponentModel] = [GenericModel() if model == "generic" else NoModel() for _ in players]
    reader = TableReader(models)
    reader.follow(state, board)
    first, second = hole_cards
    seated = simulated_players([OwnStrategy() if p == position else each for p, each in enumerate(models)])
    spot = Spot(state, tuple(board), (first, second), reader.reading.weights, seated)
    *_, estimates = simulate(spot, seed, max_trials=trials, batch=1000)
    actions = list(map(str, estimates.moves))
    values, errors = estimates.values.tolist(), estimates.standard_errors.tolist()
    if state.legal_actions().can_fold:
        actions, values, errors = [str(FOLD), *actions], [0.0, *values], [0.0, *errors]
    asked = {"game": game, "betting": betting, "position": position, "model": model}
    unit = "small bets" if definition.is_limit else "big blinds"
    best = actions[best_move(values, range(len(values)))]
    rows = _rows(actions, values, errors)
    return {**asked, "trials": estimates.samples, "unit": unit, "values": rows, "best": best}


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
        worth = worth_entries(hand_worth(view.own_cards, view.board))
        potentials = ("positive_potential", "negative_potential", "effective_hand_strength")
        found = {name: worth[name] for name in ("hand_strength", *potentials)}
    players = range(view.game.num_players)
    reader = TableReader([GenericModel() for _ in players])
    reader.follow(view.betting, view.board)
    others = [p for p in players if p != view.position and not view.betting.folded[p]]
    found["weights"] = {str(p): _likeliest(reader.table(p).grid()) for p in others}
    if trials:
        simulated = simulation_report(
            view.own_cards, view.board, game=game, betting=view.betting.text, trials=trials, seed=seed
        )
        found["simulation"] = {name: simulated[name] for name in ("unit", "trials", "values", "best")}
    return found


def _likeliest(grid: Floats) -> dict[str, float]:
    """The starting hands by their weights, the greatest first; of equal ones the highest cards."""
    order = np.lexsort((-np.arange(len(grid)), -grid))
    return {STARTING_HAND_NAMES[index]: round(float(grid[index]), 4) for index in order}


def own_values(agent: Agent, unit: str) -> dict[str, Any] | None:
    """The values behind a bot's own decision, where it keeps them (`sampling`)."""
    estimates = getattr(agent, "estimates", None)
    if estimates is None:
        return None
    rows = _rows(estimates.moves, estimates.values, estimates.standard_errors)
    return {"unit": unit, "trials": int(estimates.samples), "values": rows}


def _rows(actions: Iterable[object], *numbers: Iterable[float]) -> list[dict[str, Any]]:
    """The value of each action and its error, as they stand in the JSON."""
    return [
        {"action": str(action), "value": float(value), "standard_error": float(error)}
        for action, value, error in zip(actions, *numbers, strict=True)
    ]


def own_model(agent: Agent, view: HandView) -> dict[str, Any]:
    """Why a bot expects of its opponents what it does, by position, where it can say so (`formula`)."""
    explain = getattr(agent, "own_model", None)
    return explain(view) if explain else {}


def by_starting_hand(triples: Triples, dead: Sequence[int]) -> Floats:
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
    means = mean_by_starting_hand(table, combos_without(dead))
    totals = means.sum(axis=1, keepdims=True)
    return np.divide(means, totals, out=np.zeros_like(means), where=totals > 0)
