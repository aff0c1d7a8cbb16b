"""Compiling the kernels that solving and measuring games need, before a clock runs."""

from __future__ import annotations

import math

import attrs
import numpy as np

from engine.kernels.poker.tables import ranking_table
from engine.kernels.solving.strengths import fill_distribution, find_nearest
from engine.poker.combos import NUM_COMBOS
from engine.poker.rules import load_game
from engine.solving.bounds.players import AskedPlayer
from engine.solving.bounds.river_round import RiverRound, rounds_of
from engine.solving.game_tree import GameTree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.board_solver import BoardSolver
from engine.solving.holdem.deal_solver import DealSolver, won_of
from engine.solving.holdem.distributions import BINS, distributions_on
from engine.solving.solver import Solver
from engine.solving.strategies import exploitability

__all__ = ["warm_up"]


def warm_up() -> None:
    """Run every kernel once: solve Kuhn poker, learn from a board and from deals, respond on a river."""
    tree = GameTree(load_game("kuhn-2p"))
    for solver in (Solver(tree, "cfr+"), Solver(tree, "mcfr")):
        solver.run(1)
        exploitability(tree, solver.average().policy)
    river = RiverRound(rounds_of(load_game("limit-2p")), AskedPlayer(lambda betting, board: [(0, 1, 0)]), 0)
    lanes = river.lanes([0], [np.ones((NUM_COMBOS, 1), np.float32)])
    river.add((0, 5, 10, 15, 20), np.arange(NUM_COMBOS)[None], lanes)
    game = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
    board = BoardSolver(game, Percentiles(2))
    board.run(1)
    short = attrs.evolve(load_game("nolimit-2p-100bb"), stacks=(4, 4))
    deals = DealSolver(short, Percentiles(2), (math.inf,))
    deals.run(1)
    won_of(deals.average(), deals.average(), 2, np.random.default_rng(1))
    cards = np.arange(4, dtype=np.uint8)
    centres = distributions_on(cards)[-2:].T
    find_nearest(distributions_on(cards), np.ascontiguousarray(centres), np.empty(NUM_COMBOS, np.int64))
    counts = np.empty(BINS, np.uint16)
    fill_distribution(ranking_table(), 50, 51, cards, counts)
