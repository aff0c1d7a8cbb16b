"""What each action is worth in a spot that is described: the report of ``riverboat odds --simulate``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.players.models.generic import GenericModel
from engine.players.models.model import NoModel, OpponentModel
from engine.players.table_reader import TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import best_move
from engine.players.trials.trials import Spot, simulate
from engine.poker.rules import FOLD, load_game, parse_betting

__all__ = ["simulation_report"]


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
    spot = Spot(
        state,
        tuple(board),
        (first, second),
        reader.reading.weights,
        simulated_players([OwnStrategy() if p == position else each for p, each in enumerate(models)]),
    )
    *_, estimates = simulate(spot, seed, max_trials=trials, batch=1000)
    actions = [str(action) for action in estimates.moves]
    values, errors = estimates.values.tolist(), estimates.standard_errors.tolist()
    if state.legal_actions().can_fold:
        actions, values, errors = [str(FOLD), *actions], [0.0, *values], [0.0, *errors]
    return {
        "game": game,
        "betting": betting,
        "position": position,
        "model": model,
        "trials": estimates.samples,
        "unit": "small bets" if definition.is_limit else "big blinds",
        "values": [
            {"action": action, "value": value, "standard_error": error}
            for action, value, error in zip(actions, values, errors, strict=True)
        ],
        "best": actions[best_move(values, range(len(values)))],
    }
