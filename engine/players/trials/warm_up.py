"""Compiles (once per machine) or loads (once per process) everything that a simulation runs.

A bot does this before it takes its seat, while no clock runs.
"""

from __future__ import annotations

import functools

from engine.players import warm_up as opponents
from engine.players.models.specific import SpecificModel
from engine.players.table_reader import PotentialName, TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.trials import Spot, new_tree, simulate
from engine.poker.rules import load_game, parse_betting


@functools.cache
def warm_up(potential: PotentialName = "plain") -> None:
    """Simulate a decision before the flop and one on it.

    Args:
        potential: the hands against which hand potential will be computed.
    """
    opponents.warm_up(potential)
    game = load_game("limit-2p")
    models = [SpecificModel(), SpecificModel()]
    for text, board in (("", ()), ("rc/", (8, 30, 51))):
        betting = parse_betting(game, text)
        reader = TableReader(models)
        reader.follow(betting, board)
        position = betting.position_to_act
        players = simulated_players([OwnStrategy() if p == position else models[p] for p in range(2)])
        spot = Spot(betting, board, (0, 5), reader.reading.weights, players)
        for _ in simulate(spot, 0, max_trials=2, tree=new_tree(64)):
            pass
