"""Solving by external sampling on buckets: a small no-limit game exactly, no-limit hold'em as it goes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from clients.bots.baselines import Random
from clients.bots.equilibrium import Equilibrium
from clients.core.arena import Arena
from clients.lab.exploitability.measures import LocalPlan, by_local_response
from engine.kernels.solving.deal_sampling import SampledDeals
from engine.poker.cards import parse_cards
from engine.poker.combos import COMBO_CARDS
from engine.poker.rules import GameDefinition, hand_rank, load_game, parse_game
from engine.solving.game_tree import GameTree
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import USUAL_SIZES, HoldemBetting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.deal_solver import DealSolver, deals_on
from engine.solving.strategies import exploitability, normalised
from engine.solving.strategy_file import PARTS, read_strategy, write_strategy
from engine.support.arrays import Floats, Ints
from engine.support.files.archive import ArchiveError
from tests.engine.solving.test_strategy_file import edited
from tests.support.asserting import refuses

NO_LIMIT = load_game("nolimit-2p-100bb")
SHORT = attrs.evolve(NO_LIMIT, stacks=(12, 12))
"""Six big blinds: few bettings."""
LEDUC = parse_game(
    "GAMEDEF\nnolimit\nnumPlayers=2\nnumRounds=2\nstack=3 3\nblind=1 1\nfirstPlayer=1 1\nnumSuits=2\n"
    "numRanks=3\nnumHoleCards=1\nnumBoardCards=0 1\nEND GAMEDEF\n"
)
"""Leduc's cards without limit: raises to 2 and to 3, the half pot and all in, are all there are."""
LEDUC_VALUE = -0.0214
"""By 2000 iterations of CFR+ in OpenSpiel 2.0.2, which leave 0.00002: ``universal_poker(betting=nolimit,
numPlayers=2,numRounds=2,blind=1 1,stack=3 3,firstPlayer=1 1,numSuits=2,numRanks=3,numHoleCards=1,
numBoardCards=0 1,bettingAbstraction=fullgame)``."""


# --- a game that is known ----------------------------------------------------------------------------------


class Ranks:
    """Leduc's hands by rank, with a card on the board both ranks: loses nothing."""

    kind = "ranks"
    num_buckets = (3, 9)
    buckets_on_a_board = (3, 9)
    notes: Mapping[str, Any] = {}

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return {}

    def buckets(self, board: Sequence[int]) -> Ints:
        raise NotImplementedError

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        raise NotImplementedError


def leduc_deals(generator: np.random.Generator) -> SampledDeals:
    cards = np.array([generator.permutation(6)[:3] for _ in range(50)]) // 2
    own, board = cards[:, :2], cards[:, 2:]
    strengths = own + 3 * (own == board)
    winners = np.sign(strengths[:, 0] - strengths[:, 1]).astype(np.float64)
    return SampledDeals(np.stack([own, 3 * own + board], axis=2), winners)


def on_tree(weights: Floats, betting: HoldemBetting, tree: GameTree) -> Floats:
    """What is known by bucket, by slot of a tree that tells all cards apart."""
    policy = np.zeros(tree.num_slots)
    lowest = tree.game.deck[0] // 4
    for found in tree.information_sets():
        view = tree.hand_view(found)
        own, board = (cards[0] // 4 - lowest if cards else 0 for cards in (view.own_cards, view.board))
        decision = betting.decision(view.betting)
        assert decision.actions == found.node.actions
        policy[found.slots] = weights[decision.slots(3 * own + board if view.board else own)]
    return normalised(tree, policy)


@pytest.mark.parametrize("trembles", [0.0, pytest.param(0.02, marks=pytest.mark.slow)])
def test_leduc_without_limit_is_solved(trembles: float) -> None:
    solver = DealSolver(LEDUC, Ranks(), (0.5, math.inf), seed=1, trembles=trembles, draw=leduc_deals)
    tree = GameTree(LEDUC)

    solver.run(400)

    found = exploitability(tree, on_tree(solver.state()["sums"], solver.betting, tree))
    assert found.values[0] == pytest.approx(LEDUC_VALUE, abs=0.015)
    assert found.mean < 0.03


# --- deals -------------------------------------------------------------------------------------------------


def test_deals_are_even_and_decided_by_the_rules() -> None:
    board = parse_cards("2c7d9hJsQh")
    abstraction = Percentiles(7)

    found = deals_on(board, abstraction, 300, np.random.default_rng(1))

    again = deals_on(board, abstraction, 300, np.random.default_rng(1))
    assert np.array_equal(found.buckets, again.buckets)
    assert found.buckets.shape == (300, 2, 4)
    assert (found.buckets >= 0).all()
    assert abs(found.winners.sum()) < 4 * math.sqrt(300)
    river = abstraction.buckets(board)
    ranks = {
        bucket: {
            hand_rank((*map(int, COMBO_CARDS[combo]), *board)) for combo in np.flatnonzero(river == bucket)
        }
        for bucket in range(7)
    }
    for (first, second), winner in zip(found.buckets[:, :, 3], found.winners, strict=True):
        if first != second:
            stronger = max(ranks[first]) > max(ranks[second])
            assert winner == (1 if stronger else -1)
    assert set(found.winners) >= {-1.0, 1.0}


# --- hold'em -----------------------------------------------------------------------------------------------


def solved(game: GameDefinition, boards: int, seed: int = 1) -> DealSolver:
    solver = DealSolver(game, Percentiles(3), USUAL_SIZES, seed=seed)
    solver.run(boards)
    return solver


def test_interruptions_change_nothing() -> None:
    unbroken, first = solved(SHORT, 3), solved(SHORT, 1)
    second = DealSolver(SHORT, Percentiles(3), USUAL_SIZES, seed=1)

    second.restore(first.state())
    second.run(2)

    for name, expected in unbroken.state().items():
        assert np.array_equal(second.state()[name], expected), name
    assert not np.array_equal(solved(SHORT, 3, seed=2).state()["sums"], unbroken.state()["sums"])
    with pytest.raises(ValueError, match="expected 'regrets', an array of shape"):
        DealSolver(SHORT, Percentiles(4), USUAL_SIZES).restore(first.state())


def test_a_no_limit_strategy_is_saved_sits_down_and_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "short.npz"
    strategy = solved(SHORT, 2).average()
    write_strategy(path, strategy, {"algorithm": "mcfr"})

    saved = read_strategy(path, SHORT)
    bot = Equilibrium(path)
    Arena(SHORT, [bot, Random()], 5).play(20)  # which raises to anything
    measured = by_local_response(
        str(path), saved, SHORT, LocalPlan(3, 1, (1.0, math.inf)), lambda _, __: None
    )

    assert saved.notes["sizes"] == [0.5, 1.0, "all-in"]
    assert isinstance(saved.strategy, BucketedStrategy)
    assert saved.strategy.policy == pytest.approx(strategy.policy, abs=1 / PARTS)
    assert measured["estimator"] == "aivat"
    refuses(ArchiveError, "plays another game: stacks is", read_strategy, path, NO_LIMIT)
    edited(path, lambda header, _: header["notes"].update(sizes=["much"]))
    refuses(ArchiveError, "expected parts of the pot as 'sizes'", read_strategy, path)
