"""Compiles (once per machine) or loads (once per process) everything that opponent models run.

A bot does this before it takes its seat, while no clock runs.
"""

from __future__ import annotations

import functools

from engine.players.learning import learn_from_hand
from engine.players.models.specific import SpecificModel
from engine.players.table_reader import PotentialName, TableReader
from engine.poker.rules import load_game, parse_betting


@functools.cache
def warm_up(potential: PotentialName = "plain") -> None:
    """Read a hand to its showdown, and learn from it.

    Args:
        potential: the hands against which hand potential will be computed.
    """
    game = load_game("limit-2p")
    models = [SpecificModel(), SpecificModel()]
    betting, board = parse_betting(game, "rc/cc/rc/cc"), (0, 17, 34, 51, 8)
    for _ in range(2):  # the second time with something counted
        learn_from_hand(models, TableReader(models), betting, board, ((1, 2), (3, 4)))
    TableReader(models, 0.0, potential).follow(betting, board)
