"""Trials: hands played to the end by players who act by chance, each on what he can see.

Trials with other cards walk the same betting tree (``trial_tree``), in which a player's triple is found from
a node, his two cards and the board that is out.

**Random numbers.**  The k-th action of a player in a betting round is drawn with the same number in every
branch of a trial.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.cards.bits import count_bits
from engine.kernels.cards.ranking import board_key, class_on_board
from engine.kernels.opponents.hand_features import (
    fill_class_counts,
    quick_potential,
    share_of_class,
    usual_negative_potential,
)
from engine.kernels.rules.betting import CALL, FOLD, MAX_PLAYERS, General, Node, Rule, settle
from engine.kernels.splitmix import GOLDEN, mixed, unit
from engine.kernels.trials.nodes import postflop_triple, preflop_triple, prepare_node
from engine.kernels.trials.players import NUM_SIZES, Players
from engine.kernels.trials.strata import Averages
from engine.kernels.trials.tree import (
    CHILDREN,
    LOW,
    MEAN,
    NOISE,
    PASSING_NODES,
    PREFLOP_TABLE,
    READY,
    SEVERAL,
    SPENT,
    Tree,
    make_child,
    raise_total,
)


class Deals(NamedTuple):
    """Trials that have been dealt, and what has been worked out about them."""

    holes: NDArray[np.uint8]
    """Shape (n, 10, 2)."""
    boards: NDArray[np.uint8]
    """Shape (n, 5)."""
    seeds: NDArray[np.uint64]
    """Shape (n,)."""
    features: NDArray[np.float64]
    """Of each player on flop, turn and river: squared strength, positive and negative potential.  Shape (n,
    3, 10, 3)."""
    known: NDArray[np.int64]
    """Bit p: the features of position p in a round are there.  Shape (n, 3)."""
    ranks: NDArray[np.int64]
    """At the showdown, shape (n, 10); -1 where not known yet."""


class Cards(NamedTuple):
    """What cards are worth."""

    table: NDArray[np.uint16]
    """``ranking_table()``."""
    completing: NDArray[np.int64]
    """``straight_completions()``."""
    starting_hands: NDArray[np.int64]
    """Of two cards, shape (52, 52)."""
    known_round: NDArray[np.int64]
    """Shape (1,): the betting round whose board is known, 0 for none."""
    known_potentials: NDArray[np.float64]
    """On the board that is known, of combos: positive and negative.  Shape (2, 1326)."""
    classes: NDArray[np.int32]
    """Of `fill_class_counts`: with each next card on the board that is known, on itself, and on the flop,
    turn and river looked at last.  Shape (56, MAX_GROUPS)."""
    counts: NDArray[np.int32]
    """Shape (56, MAX_GROUPS)."""
    found: NDArray[np.uint64]
    """What they have been worked out for: 1, or on boards looked at once the seed of the trial; else 0.
    Shape (56,)."""


_KNOWN_BOARD: Final = 52
_PASSING_BOARDS: Final = 53
"""One for each of flop, turn and river."""
NUM_BOARDS: Final = 56


@kernel(allocates=False)
def _fill_features(
    cards: Cards, deals: Deals, trial: int, betting_round: int, num_players: int, folded: int
) -> None:
    """What each player's hand is worth on the board of a betting round, which is 1 to 3.

    folded: mask of those who are not asked for.
    """
    board = deals.boards[trial]
    size = betting_round + 2
    known = integer(cards.known_round[0])
    # The board that is known and those with one card more come again; others are looked at once or twice.
    row = _PASSING_BOARDS + betting_round - 1
    found = deals.seeds[trial]
    if known > 0 and betting_round - known <= 1:
        row = _KNOWN_BOARD if betting_round == known else integer(board[size - 1])
        found = np.uint64(1)
    classes, counts = cards.classes[row], cards.counts[row]
    if cards.found[row] != found:
        fill_class_counts(cards.table, board, size, classes, counts)
        cards.found[row] = found
    wanted = ((1 << num_players) - 1) & ~folded & ~integer(deals.known[trial, betting_round - 1])
    key = board_key(board, size)
    for position in range(num_players):
        if wanted >> position & 1 == 0:
            continue
        a, b = integer(deals.holes[trial, position, 0]), integer(deals.holes[trial, position, 1])
        rank = class_on_board(cards.table, key, board, size, a, b)
        strength = share_of_class(classes, counts, size, rank)
        features = deals.features[trial, betting_round - 1, position]
        features[0] = strength * strength
        if betting_round == 3:
            features[1] = 0.0
            features[2] = 0.0
            deals.ranks[trial, position] = rank
        elif known == betting_round:
            high, low = max(a, b), min(a, b)
            combo = (high * (high - 1) >> 1) + low
            features[1] = cards.known_potentials[0, combo]
            features[2] = cards.known_potentials[1, combo]
        else:
            features[1] = quick_potential(cards.completing, board, size, a, b, strength)
            features[2] = usual_negative_potential(size, strength)
    deals.known[trial, betting_round - 1] |= wanted


@kernel(allocates=False)
def play_trials(
    tree: Tree,
    players: Players,
    averages: Averages,
    cards: Cards,
    deals: Deals,
    rules: NDArray[np.int64],
    start: int,
    script: NDArray[np.int64],
    trace: NDArray[np.float64],
    chips: NDArray[np.float64],
    scratch: NDArray[np.int64],
) -> None:
    """Plays all trials from a node to the end of the hand.

    The loop is written out in one kernel: to hand all these arrays on at every decision would cost more than
    the decision.

    script: actions that are done whatever the triples say, shape (k,); further ones are drawn.
    trace: shape (n, m, 5), or (0, 0, 5): position, action, triple of each decision are written there, m of
    them at most, and a position of -1 after the last.
    chips: shape (n, 10), filled in place: won by each position in the whole hand.
    scratch: shape (3, MAX_PLAYERS).
    """
    integers, numbers = tree.integers, tree.numbers
    last_kept = integers.shape[0] - PASSING_NODES
    is_limit = rules[Rule.GENERAL, General.IS_LIMIT] != 0
    num_players = integer(rules[Rule.GENERAL, General.NUM_PLAYERS])
    acted, remaining, ranks = scratch[0], scratch[1], scratch[2]
    for trial in range(deals.boards.shape[0]):
        node = start
        current = -1
        steps = 0
        seed = deals.seeds[trial]
        while integers[node, Node.TO_ACT] >= 0:
            betting_round = integer(integers[node, Node.ROUND])
            if betting_round != current:
                current = betting_round
                for position in range(MAX_PLAYERS):
                    acted[position] = 0
            position = integer(integers[node, Node.TO_ACT])
            if not integers[node, READY]:
                prepare_node(tree, players, averages, rules, node)
            if numbers[node, NOISE] >= 1.0:
                fold = numbers[node, MEAN]
                call = numbers[node, MEAN + 1]
                raising = numbers[node, MEAN + 2]
            elif betting_round == 0:
                hand = integer(
                    cards.starting_hands[deals.holes[trial, position, 0], deals.holes[trial, position, 1]]
                )
                table = integers[node, PREFLOP_TABLE]
                fold, call, raising = preflop_triple(
                    tree, node, averages.preflop_values[table, hand], averages.preflop_draws[table, hand],
                    averages.preflop_equities[hand],
                )  # fmt: skip
            else:
                if deals.known[trial, betting_round - 1] >> position & 1 == 0:
                    _fill_features(
                        cards, deals, trial, betting_round, num_players, integer(integers[node, Node.FOLDED])
                    )
                fold, call, raising = postflop_triple(
                    numbers[node], betting_round, integer(integers[node, SEVERAL]),
                    deals.features[trial, betting_round - 1, position, 0],
                    deals.features[trial, betting_round - 1, position, 1],
                    deals.features[trial, betting_round - 1, position, 2],
                )  # fmt: skip

            slot = 1
            action = CALL
            if steps < script.shape[0]:
                action = integer(script[steps])
                slot = 0 if action == FOLD else (1 if action == CALL else -1)
            else:
                word = mixed(seed + GOLDEN * np.uint64(1 + (position * 4 + current) * 64 + acted[position]))
                drawn = unit(word)
                if drawn < fold:
                    slot = 0
                    action = FOLD
                elif drawn >= 1.0 - raising and integers[node, LOW] > 0:
                    size = 0
                    if not is_limit:
                        second = unit(mixed(word))
                        after = min(current, 1)
                        while size < NUM_SIZES - 1 and second >= players.sizes[position, after, size]:
                            size += 1
                    slot = 2 + size
                    action = raise_total(rules, integers[node], size)
            acted[position] += 1
            if steps < trace.shape[1]:
                trace[trial, steps, 0] = position
                trace[trial, steps, 1] = action
                trace[trial, steps, 2] = fold
                trace[trial, steps, 3] = call
                trace[trial, steps, 4] = raising
            steps += 1
            child = integer(integers[node, CHILDREN + slot]) if slot >= 0 else 0
            if child == 0:
                child = make_child(tree, players, averages, rules, node, action)
                if child < last_kept and slot >= 0:
                    integers[node, CHILDREN + slot] = child
            node = child
        if steps < trace.shape[1]:
            trace[trial, steps, 0] = -1.0

        folded = integer(integers[node, Node.FOLDED])
        if count_bits(folded) < num_players - 1:
            for position in range(num_players):
                if folded >> position & 1 == 0:
                    rank = integer(deals.ranks[trial, position])
                    if rank < 0:
                        board = deals.boards[trial]
                        rank = class_on_board(
                            cards.table, board_key(board, 5), board, 5,
                            integer(deals.holes[trial, position, 0]),
                            integer(deals.holes[trial, position, 1]),
                        )  # fmt: skip
                        deals.ranks[trial, position] = rank
                    ranks[position] = rank
        settle(rules, integers[node, SPENT : SPENT + MAX_PLAYERS], folded, ranks, remaining, chips[trial])
