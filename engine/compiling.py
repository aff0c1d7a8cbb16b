"""The one list of what is compiled before a clock runs: by purpose, a function that runs each kernel once.

A kernel is compiled once per machine and loaded once per process, each at its first call, where somebody may
be waiting.  So bots call the function for what they need before they take their seat, and `riverboat kernels`
calls all of `STEPS`, for installations.  What loads numpy or a compiler is imported by the functions here,
when they are called.

A rule-based bot starts in a fifth of a second because it loads no compiler until it needs a kernel.  On a new
machine that moment would last many seconds, in mid-hand.  So its kernel is compiled before it sits down, and
a *mark* beside the compiled kernels, which go with their sources, this Python and this numba, says that this
has been done on this processor (`compiled_once`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from engine.poker.rules import GameDefinition, HandView, initial_betting, load_game, parse_betting

if TYPE_CHECKING:
    from engine.players.table_reader import PotentialName
    from engine.solving.holdem.bucketed import BucketedStrategy


_BOARDS: Final = ((8, 17, 30), (8, 17, 30, 43), (8, 17, 30, 43, 50))
"""A flop, a turn and a river."""


def hand_strength() -> None:
    """Compile the kernel of `engine.hands.hand_strength`, unless a mark says that it has been."""
    compiled_once("hands.strength", _compile_hand_strength)


def _compile_hand_strength() -> None:
    from engine.hands.hand_strength import hand_strength as strength_of

    for board in _BOARDS:
        strength_of((0, 5), board)


def odds() -> None:
    """Compile the strength of a hand and its potential for all numbers of cards to come."""
    from engine.hands.hand_strength import hand_potential

    _compile_hand_strength()
    for board in _BOARDS:
        for look_ahead in range(1, 6 - len(board)):
            hand_potential((0, 5), board, look_ahead=look_ahead)


def odds_against_ranges() -> None:
    """Compile the odds against the range of one opponent and of two."""
    import numpy as np

    from engine.hands.equity import equity_against
    from engine.hands.reflective_odds import reflective_hand_odds

    for board in _BOARDS:
        equity_against((0, 5), board, np.ones(1326))
    reflective_hand_odds((0, 5), _BOARDS[-1], np.ones((2, 1326)))


@functools.cache
def models(potential: PotentialName = "plain") -> None:
    """Compile opponent models: read a hand to its showdown, and learn from it.

    Args:
        potential: the hands against which hand potential will be computed.
    """
    from engine.kernels.players.raises import raises_in_company
    from engine.players.learning import learn_from_hand, predicted_triple
    from engine.players.models.player import PlayerModel, features_of, psi_of
    from engine.players.table_reader import TableReader

    both = [PlayerModel(), PlayerModel()]
    betting, board = parse_betting(load_game("limit-2p"), "rc/cc/rc/cc"), (0, 17, 34, 51, 8)
    for _ in range(2):  # the second time with something counted
        learn_from_hand(both, TableReader(both), betting, board, ((1, 2), (3, 4)))
    reader = TableReader(both, 0.0, potential)
    reader.follow(betting, board)
    (decision, _), *_ = reader.reading.decisions()
    predicted_triple(both[0], decision)
    raises_in_company(decision.situation)
    features_of(decision.situation, psi_of(decision.situation, decision.values.hands, decision.weights))


@functools.cache
def formula() -> None:
    """Compile what the formula bot decides by besides models: its triples, and what its raises are worth."""
    from engine.players.models.formula import continue_chance, formula_triples, protection, traits_array
    from engine.players.models.model import NoModel
    from engine.players.table_reader import TableReader

    reader = TableReader([NoModel()] * 2)
    reader.follow(parse_betting(load_game("limit-2p"), "rc/c"), _BOARDS[0])
    (decision, _), *_ = reader.reading.decisions()
    traits = traits_array({})
    formula_triples(decision.situation, decision.values, decision.weights, traits)
    continue_chance(decision.situation, traits, 0)
    protection(decision.situation, traits)
    worths()


def strategy(looked_up: BucketedStrategy) -> None:
    """Compile what finds the buckets of all hands and of one, and so the answers of a strategy of hold'em."""
    for board in _BOARDS:
        looked_up.abstraction.buckets(board)
        looked_up.abstraction.bucket(0, board)


def worths() -> None:
    """Compile what a raise is worth."""
    import numpy as np

    from engine.players.models.formula import bluff_share, reasonable_share, worths_of_raise
    from engine.support.arrays import read_only

    betting = parse_betting(load_game("nolimit-2p-100bb"), "")
    worths_of_raise(betting, read_only(np.zeros(1)), betting.max_spent, 0.5, 0.5)
    bluff_share(1.0, 2.0)
    reasonable_share(1)


@functools.cache
def simulation(potential: PotentialName = "plain") -> None:
    """Compile opponent models and trials: simulate a decision before the flop and one on it.

    Args:
        potential: the hands against which hand potential will be computed.
    """
    from engine.players.models.player import PlayerModel
    from engine.players.table_reader import TableReader
    from engine.players.trials.players import OwnStrategy, simulated_players
    from engine.players.trials.trials import Spot, new_tree, simulate

    models(potential)
    both = [PlayerModel(), PlayerModel()]
    for text, board in (("", ()), ("rc/", (8, 30, 51))):
        betting = parse_betting(load_game("limit-2p"), text)
        reader = TableReader(both)
        reader.follow(betting, board)
        position = betting.position_to_act
        players = simulated_players([OwnStrategy() if p == position else both[p] for p in range(2)])
        spot = Spot(betting, board, (0, 5), reader.reading.weights, players)
        for _ in simulate(spot, 0, max_trials=2, tree=new_tree(64)):
            pass


def equilibria() -> None:
    """Compile solving and measuring: solve Kuhn poker, learn from a board and deals, respond on a river."""
    import numpy as np

    from engine.kernels.poker.tables import ranking_table
    from engine.kernels.solving.strengths import fill_distribution, find_nearest
    from engine.solving.bounds.players import AskedPlayer
    from engine.solving.bounds.river_round import RiverRound, rounds_of
    from engine.solving.game_tree import GameTree
    from engine.solving.holdem.abstraction import Percentiles
    from engine.solving.holdem.board_solver import BoardSolver
    from engine.solving.holdem.deal_solver import DealSolver, won_of
    from engine.solving.holdem.distributions import BINS, distributions_on
    from engine.solving.solver import Solver
    from engine.solving.strategies import exploitability

    tree = GameTree(load_game("kuhn-2p"))
    for solver in (Solver(tree, "cfr+"), Solver(tree, "mcfr")):
        solver.run(1)
        exploitability(tree, solver.average().policy)
    river = RiverRound(rounds_of(load_game("limit-2p")), AskedPlayer(lambda betting, board: [(0, 1, 0)]), 0)
    lanes = river.lanes([0], [np.ones((1326, 1), np.float32)])
    river.add((0, 5, 10, 15, 20), np.arange(1326)[None], lanes)
    game = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
    board = BoardSolver(game, Percentiles(2))
    board.run(1)
    short = attrs.evolve(load_game("nolimit-2p-100bb"), stacks=(4, 4))
    deals = DealSolver(short, Percentiles(2), (((math.inf,),),))
    deals.run(1)
    won_of(deals.average(), deals.average(), 2, np.random.default_rng(1))
    cards = np.arange(4, dtype=np.uint8)
    centres = distributions_on(cards)[-2:].T
    find_nearest(distributions_on(cards), np.ascontiguousarray(centres), np.empty(1326, np.int64))
    fill_distribution(ranking_table(), 50, 51, cards, np.empty(BINS, np.uint16))


@functools.cache
def subgames() -> None:
    """Compile what solves subgames with every hand apart: a turn with two hands of each player."""
    import numpy as np

    from engine.solving.subgames.menus import BettingPlan
    from engine.solving.subgames.solver import Subgame
    from engine.solving.subgames.tree import Point

    weights = np.zeros(1326)
    weights[:2] = 1.0
    other = np.roll(weights, 20)
    Subgame(_BOARDS[1], (weights, other), Point(1, 2.0, 4.0), BettingPlan(menus={})).run(1)


@functools.cache
def miximax() -> None:
    """Compile miximax: decide in every round, and learn from a hand that was shown, limit and no-limit.

    With few chips, so that the bettings are soon made.
    """
    import numpy as np

    from engine.kernels.solving.miximax.strength import BUCKETS
    from engine.kernels.solving.miximax.values import showdown

    chances, percentiles = np.zeros((2, BUCKETS))
    showdown(chances, percentiles, BUCKETS, 1.0, np.empty(BUCKETS))  # of a call that ends the betting
    for name, chips in (("limit-2p", 40), ("nolimit-2p-100bb", 20)):
        _decide_by_miximax(attrs.evolve(load_game(name), stacks=(chips, chips)))


def _decide_by_miximax(game: GameDefinition) -> None:
    from engine.solving.miximax.habits import Expectations, Habits, reasonable_habits, shipped_changes
    from engine.solving.miximax.trees import betting_tree
    from engine.solving.miximax.values import Miximax

    raises = "r" if game.is_limit else "r6"
    tree = betting_tree(game)
    values = Miximax(tree, shipped_changes())
    habits = Habits(tree, Expectations(tree, reasonable_habits(game)))
    board = (0, 17, 34, 51, 8)
    habits.observe(parse_betting(game, f"{raises}c/cc/cc/cc"), 0, (1, 2), board)
    for text, cards in (("", 0), ("c/c", 3), ("c/cc/c", 4), ("c/cc/cc/c", 5)):
        betting = parse_betting(game, text and raises + text)
        us = betting.position_to_act
        assert us is not None
        hole_cards = ((1, 2), ()) if us == 0 else ((), (1, 2))
        values.values(habits, HandView(betting, us, 0, hole_cards, board[:cards]), 0)


def luck() -> None:
    """Compile what reads long logs and takes luck out of results; compute its table of pairs of hands."""
    import numpy as np

    from engine.evidence.columns.hands import read_hands
    from engine.evidence.confidence_sequence import ConfidenceSequence
    from engine.evidence.equity import KnownCards, pot_shares
    from engine.evidence.pair_equities import pair_points

    game = load_game("limit-2p")
    holes, board = np.array([[[0, 5], [10, 15]]], np.uint8), np.array([[20, 25, 30, 0, 0]], np.uint8)
    pot_shares(game, KnownCards(np.zeros(1, np.int64), holes, board), np.array([[0, 3, 3]]))
    pair_points()
    read_hands(game, [0], ["f"], ["AhKd|2c2d"])
    ConfidenceSequence(-1.0, 1.0).add_all(np.array([0.5]))


def environments() -> None:
    """Compile the tables of `engine.learning.table_batch`."""
    import numpy as np

    from engine.learning.table_batch import HISTORY_COLUMNS, Places, SeatKind, TableBatch

    places = Places(0, 52, 104, 106, 108, 112, 114, 116, 118, 122, 122 + 64 * HISTORY_COLUMNS)
    tables = TableBatch(
        load_game("limit-2p"), 1, [SeatKind.OUTSIDE] * 2, places=places, most_spent=(240, 240)
    )
    tables.begin(np.zeros(1, np.uint64))


def showdowns() -> None:
    """Compile ranking, enumerating and sampling showdowns, and what computes the tables that are shipped."""
    import numpy as np

    from engine.hands.equity import hand_equity, monte_carlo_equities, range_equities
    from engine.hands.hand_odds import final_rank_counts, joint_hand_odds, results_by_board
    from engine.hands.hand_rank import hand_rank, hand_ranks
    from engine.hands.preflop.game import sampled_matchups
    from engine.hands.preflop.roll_outs import roll_out_income_rates
    from engine.kernels.hands import preflop
    from engine.kernels.poker.tables import ranking_table
    from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
    from engine.solving.miximax.strength import count_changes

    rng, hole, board = np.random.default_rng(0), (0, 5), _BOARDS[-1]
    cards = np.array([[*hole, *board]], np.uint8)
    for size in (5, 6, 7):
        hand_rank(cards[0, :size].tolist())
        hand_ranks(cards[:, :size].copy())
    hand_equity((hole, (10, 15)), board)
    ranges = np.zeros((2, 1326))
    ranges[0, 0] = ranges[1, -2:] = 1.0  # one hand against two
    range_equities(ranges, board)
    monte_carlo_equities(ranges, board, trials=2, rng=rng)
    monte_carlo_equities(np.ones((2, 1326)), board, trials=2, rng=rng)
    joint_hand_odds(hole, board, trials=2, rng=rng)
    results_by_board(hole, cards[:, 2:].copy(), np.ones((1, 1326)))
    final_rank_counts(hole, cards[:, 2:].copy(), np.ones((1, 1326)))
    sampled_matchups(1, rng)
    roll_out_income_rates(2, 1, rng)
    count_changes(1, 0)
    boards, weights = preflop.canonical_boards()
    boards, weights = boards[:1], weights[:1]
    odds = np.empty((NUM_STARTING_HANDS, 9))
    preflop.raw_odds_of_starting_hands(ranking_table(), boards, weights, STARTING_HAND_OF_COMBO, odds)


def street_training() -> None:
    """Compile the loop that trains the street-learner."""
    from engine.learning.deal_pool import PoolSize, make_pool
    from engine.learning.street import ActionValues, train

    for _ in train(
        ActionValues.unlearnt(load_game("limit-2p")), make_pool(2, 0, PoolSize(1, 1, 1, 2)), hands=1, seed=0
    ):
        pass


@functools.lru_cache(maxsize=8)
def street_decisions(game: GameDefinition) -> None:
    """Compile the decisions of `engine.learning.decision` in a game: decide, and learn from it."""
    from engine.learning.decision import HandInRound, StyleCounters, consider, learn
    from engine.learning.street import ActionValues

    betting = initial_betting(game)
    if betting.position_to_act is None:
        return
    learnt = ActionValues.unlearnt(game)
    counters = StyleCounters()
    for board in ((), (0, 5, 10), (0, 5, 10, 15, 20)):
        hand = HandInRound.of((51, 50), board, 0)
    considered = consider(learnt, betting, hand, counters.by_position(range(game.num_players)))
    counters.observe(0, betting, considered.actions[considered.best])
    learn(learnt, considered, len(considered.actions) - 1, 0.0)


STEPS: Final[dict[str, Callable[[], None]]] = {
    "hand strength": hand_strength,
    "equilibria": equilibria,
    "subgames": subgames,
    "models of opponents": functools.partial(models, "weighted"),
    "simulation": simulation,
    "answers of the formula": formula,
    "miximax": miximax,
    "luck": luck,
    "environments": environments,
    "showdowns": showdowns,
    "odds": odds,
    "training": street_training,
    "odds against ranges": odds_against_ranges,
}
"""What `riverboat kernels` compiles, by purpose, before it lets bots play for the rest.

Steps that share many kernels are not next to each other, since neighbours are compiled at the same time.
"""


def inventory() -> str:
    """How many kernels were brought along and how many were compiled here, in a line."""
    from engine.kernels import _jit, _kept

    return _kept.inventory(_jit.numba.core.registry.cpu_target.target_context.codegen().magic_tuple())  # type: ignore[attr-defined]


# --- marks --------------------------------------------------------------------------------------------------


def compiled_once(module: str, compile_all: Callable[[], None]) -> None:
    """Call a function that compiles, unless it is known to have been called on this machine.

    Args:
        module: that of the kernels, as ``hands.strength``; the mark lies with what is compiled of it.
        compile_all: a function that calls every kernel to be compiled.
    """
    from engine.kernels._kept import folder_name, kernels_folder

    # numba compiles for the processor it finds, or for the one it is told.
    processor = f"{platform.machine()} {os.environ.get('NUMBA_CPU_NAME') or _processor()}"
    name = hashlib.sha256(processor.encode()).hexdigest()[:20]
    mark = kernels_folder() / folder_name(module) / f"{name}.compiled"
    if not mark.exists():
        compile_all()
        with contextlib.suppress(OSError):  # if it cannot be written, the next process compiles as well
            mark.touch()


def _processor() -> str:
    """The processor's name and features, if the system tells them (Linux)."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    return "\n".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
