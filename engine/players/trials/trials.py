"""Trials of a decision: hands dealt from weight tables and played to the end (Loki; Poki 3.5, Fig. 3.9).

A `Spot` is a decision with what is known about it.  `Trials` turns it into the three parts that
``selective_sampling`` needs: the legal first actions, samples of what is hidden, and the value of an action
in each sample.  ``engine.kernels.players.trials.trials``, ``tree`` and ``nodes`` explain how a trial is
played.

Values are what is won from the decision on, in small bets (limit) or big blinds, so folding is worth 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs
import numpy as np

from engine.hands.betting_arrays import betting_arrays, game_array, number_of_action
from engine.kernels.players.hand_features import MAX_GROUPS, straight_completions
from engine.kernels.players.player import FEATURES, NUM_PHI, Spare
from engine.kernels.players.trials import strata as strata_kernels, tree as tree_kernels, trials as kernels
from engine.kernels.players.trials.players import Players
from engine.kernels.players.trials.tree import TreeNode, Used
from engine.kernels.players.trials.trials import Deals as Deals
from engine.kernels.poker import betting as betting_kernels
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.tables import ranking_table
from engine.players.board_values import Potentials, board_values
from engine.players.trials.sampler import JointSampler
from engine.players.trials.selective_sampling import Criterion, Estimates, selective_sampling
from engine.players.trials.strata import STARTING_HANDS, averages, range_of
from engine.poker.combos import NUM_COMBOS
from engine.poker.records import LastAction
from engine.poker.rules.action import CALL, Action, ActionKind
from engine.poker.rules.betting import BettingState
from engine.support.arrays import Bytes, Floats, Words

TREE_SIZE: Final = 16_384
"""The number of nodes kept of a betting tree; 21 MB if all are used."""
_MOST_FEATURES: Final = max(map(len, FEATURES))


@attrs.frozen(eq=False)
class Spot:
    """A decision, and what is known about it."""

    betting: BettingState
    """The state; the position to act is ours."""
    board: tuple[int, ...]
    own_cards: tuple[int, int]
    weights: tuple[Floats, ...]
    """By position, the weight tables that follow from public information, shape (1326,), including our own as
    the others see it."""
    players: Players
    """The others and ourselves, as ``engine.players.trials.players`` makes them."""
    potentials: Mapping[int, Potentials] | None = None
    """The potentials of all combos, by position, of players still in; None: against a random hand."""

    @property
    def position(self) -> int:
        """Our position, which is to act.

        Raises:
            ValueError: the hand is over.
        """
        position = self.betting.position_to_act
        if position is None:
            raise ValueError(f"after {self.betting.text!r} the hand is over: there is nothing to decide")
        return position

    @property
    def unit(self) -> int:
        """The chips of a small bet, or of a big blind in no-limit games."""
        game = self.betting.game
        return game.small_bet if game.small_bet is not None else max(1, game.big_blind)


def new_tree(capacity: int = TREE_SIZE) -> tree_kernels.Tree:
    """An empty tree, which can be used for several simulations, one after the other."""
    return tree_kernels.Tree(
        np.empty((capacity, tree_kernels.NODE_INTEGERS), np.int64),
        np.empty((capacity, tree_kernels.NODE_NUMBERS)),
        np.empty((_START_RANGES + 2 * capacity + tree_kernels.PASSING_RANGES, strata_kernels.NUM_STRATA + 1)),
        np.zeros(tree_kernels.NUM_USED, np.int64),
        np.zeros((tree_kernels.NUM_SCRATCH, strata_kernels.NUM_STRATA + 1)),
        np.zeros((2, NUM_PHI)),
        Spare(np.zeros(_MOST_FEATURES, np.uint64), *np.zeros((2, _MOST_FEATURES))),
    )


def first_actions(betting: BettingState, shares: Sequence[float] = (0.5, 1.0, np.inf)) -> tuple[Action, ...]:
    """The actions to simulate besides folding: a call, and a raise of each distinct legal size.

    Args:
        betting: the state.
        shares: no-limit games: raises as shares of the pot after a call; infinity is all in.
    """
    legal = betting.legal_actions()
    actions = [CALL]
    if legal.can_raise:
        for share in shares:
            all_in = legal.is_limit or share == np.inf
            action = legal.raising_to(legal.max_raise_to if all_in else round(betting.total_of_pots(share)))
            if action not in actions:
                actions.append(action)
    return tuple(actions)


_STARTS: Final = 15
"""The number of nodes after the root that are reserved for our first actions."""
_START_RANGES: Final = (1 + _STARTS) * MAX_PLAYERS
"""The number of ranges reserved for the root and these nodes."""

_NO_SCRIPT: Final = np.zeros(0, np.int64)
_NO_TRACE: Final = np.zeros((0, 0, kernels.STEP_SIZE))


class Trials:
    """The trials of one spot.

    Args:
        spot: the decision.
        seed: the same seed gives the same trials.
        tree: scratch from `new_tree`; nothing else may use it meanwhile.
    """

    def __init__(self, spot: Spot, seed: int, tree: tree_kernels.Tree | None = None) -> None:
        self._spot, self._seed = spot, seed
        game, position = spot.betting.game, spot.position
        others = [p for p in range(game.num_players) if p != position]
        self.sampler = JointSampler(
            spot.own_cards,
            position,
            spot.board,
            {p: spot.weights[p] for p in others},
            passive=[p for p in others if spot.betting.folded[p]],
        )
        self._batches = 0
        self.tree = tree if tree is not None else new_tree()
        self.setting = kernels.Setting(
            self.tree, spot.players, averages(game.num_players), _cards(spot), game_array(game)
        )
        self._scratch = np.zeros((kernels.NUM_SCRATCH, MAX_PLAYERS), np.int64)
        self._plant()
        self._starts: dict[Action, int] = {}

    def _plant(self) -> None:
        """Make the root: the current betting, with ranges from the tables."""
        spot, tree = self._spot, self.tree
        tree.used[Used.NODES] = 1 + _STARTS
        tree.used[Used.RANGES] = _START_RANGES
        tree.used[Used.PASSING] = 0
        integers = tree.integers[0]
        integers[:] = 0
        spent, node = betting_arrays(spot.betting)
        integers[: betting_kernels.NODE_SIZE] = node
        integers[TreeNode.SPENT : TreeNode.SPENT + len(spent)] = spent
        for before, position, action in spot.betting.steps():
            if action.kind is not ActionKind.FOLD:
                if before.betting_round == spot.betting.betting_round:
                    integers[TreeNode.ENTERED] |= 1 << position
                raised = action.kind is ActionKind.RAISE
                integers[TreeNode.LAST_ACTION + position] = LastAction.RAISED if raised else LastAction.CALLED
        low, high = betting_kernels.legal_raise(self.setting.rules, spent, node)
        integers[TreeNode.LOW], integers[TreeNode.HIGH] = low, high
        for position, weights in enumerate(spot.weights):
            integers[TreeNode.RANGES + position] = position
            tree.ranges[position] = range_of(weights, spot.board, spot.betting.game.num_players)

    def start(self, action: Action) -> int:
        """The node after our first action."""
        node = self._starts.get(action)
        if node is None:
            tree, used = self.tree, self.tree.used.copy()
            if len(self._starts) >= _STARTS:
                raise ValueError(f"a spot has at most {_STARTS} first actions")
            # Among those kept free, whether the tree is full or not.
            tree.used[Used.NODES] = 1 + len(self._starts)
            tree.used[Used.RANGES] = MAX_PLAYERS * (1 + len(self._starts))
            number = number_of_action(action, self._spot.betting)
            node = self._starts[action] = tree_kernels.make_child(
                tree, self._spot.players, self.setting.averages, self.setting.rules, 0, number
            )
            tree.used[:] = used
        return node

    def sample(self, trials: int) -> Deals:
        """Deal a number of trials."""
        self._batches += 1
        holes, boards, seeds = self.sampler.deal(trials, (self._seed * 0x10001 + self._batches) & _SEEDS)
        return deals_of(holes, boards, seeds)

    def value(self, deals: Deals, action: Action) -> Floats:
        """The value of an action in each trial, shape (trials,)."""
        position = self._spot.position
        chips = self.play(deals, self.start(action))
        return (chips[:, position] + self._spot.betting.spent[position]) / self._spot.unit

    def play(
        self, deals: Deals, start: int = 0, script: Sequence[int] = (), trace: Floats = _NO_TRACE
    ) -> Floats:
        """The chips each position wins in each trial in the whole hand, shape (trials, 10).

        Args:
            deals: the trials.
            start: the node to begin at: from `start`, or 0 for the spot itself.
            script: actions that are taken first in every trial, as the kernel's numbers.
            trace: filled in place with the actions taken (``play_trials``).
        """
        chips = np.zeros((len(deals.boards), MAX_PLAYERS))
        actions = np.array(script, np.int64) if script else _NO_SCRIPT
        kernels.play_trials(self.setting, deals, start, actions, trace, chips, self._scratch)
        return chips


_SEEDS: Final = (1 << 63) - 1


def deals_of(holes: Bytes, boards: Bytes, seeds: Words) -> Deals:
    """Trials with the given cards; nothing has been computed about them yet.

    Args:
        holes: hole cards, shape (trials, 10, 2).
        boards: shape (trials, 5).
        seeds: a number for each trial, shape (trials,).
    """
    number = len(boards)
    return Deals(
        holes,
        boards,
        seeds,
        np.empty((number, 3, MAX_PLAYERS, kernels.NUM_FEATURES)),
        np.zeros((number, 3), np.int64),
        np.full((number, MAX_PLAYERS), -1, np.int64),
    )


_NO_POTENTIAL: Final = np.zeros((1, 1))


def _known_potentials(spot: Spot) -> tuple[Floats, Floats]:
    """The spot's positive and negative potentials, in the form of ``Cards``."""
    if not spot.board:
        return _NO_POTENTIAL, _NO_POTENTIAL
    if spot.potentials is None:
        positive, negative = board_values(spot.board).plain
        return positive.reshape(1, -1).copy(), negative.reshape(1, -1).copy()
    known = np.zeros((2, MAX_PLAYERS, NUM_COMBOS))
    for position, potentials in spot.potentials.items():
        known[:, position] = potentials
    return known[0], known[1]


def _cards(spot: Spot) -> kernels.Cards:
    positive, negative = _known_potentials(spot)
    return kernels.Cards(
        ranking_table(),
        straight_completions(),
        STARTING_HANDS,
        max(0, len(spot.board) - 2),
        positive,
        negative,
        np.empty((kernels.NUM_BOARDS, MAX_GROUPS), np.int32),
        np.empty((kernels.NUM_BOARDS, MAX_GROUPS), np.int32),
        np.zeros(kernels.NUM_BOARDS, np.uint64),
    )


def simulate(
    spot: Spot,
    seed: int,
    *,
    max_trials: int,
    batch: int = 100,
    criterion: Criterion = Criterion.NEVER,
    shares: Sequence[float] = (0.5, 1.0, np.inf),
    tree: tree_kernels.Tree | None = None,
) -> Iterator[Estimates[Action]]:
    """Simulate a spot; yields the estimated values after each batch of trials.

    Args:
        spot: the decision.
        seed: the same seed gives the same values.
        max_trials: the most trials to play.
        batch: the number of trials between two yields.
        criterion: when an action is obvious.
        shares: no-limit games: the raises to simulate (`first_actions`).
        tree: scratch from `new_tree`.
    """
    trials = Trials(spot, seed, tree)
    return selective_sampling(
        trials.sample,
        first_actions(spot.betting, shares),
        trials.value,
        max_samples=max_trials,
        batch=batch,
        criterion=criterion,
        known=0.0 if spot.betting.legal_actions().can_fold else None,
    )
