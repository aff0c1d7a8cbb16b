"""What the street-learner observes: its situation, and the style of its opponents."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engine.kernels._jit import integer, kernel
from engine.kernels.poker.betting import CALL, FOLD, General, Node, Rule, legal_raise, pot_of, to_call
from engine.support.arrays import Floats, Ints

_FLOP: Final = 1

# A situation is one number, put together from these.
NUM_ROUNDS: Final = 4
NUM_BUCKETS: Final = 16
_PLACES_HEADS_UP: Final = 2
_THIRDS: Final = 3
"""Parts of the table, in the order of acting after the flop."""
_OPPONENTS: Final = 3
"""Numbers of opponents that are told apart: one, two, more."""
_PLACES: Final = _THIRDS * _OPPONENTS
_INITIATIVES: Final = 3
"""Kinds of last raiser before this round: nobody, the player, an opponent."""
_LIMIT_PRICES: Final = 3
"""Prices of a call: nothing, one bet, more."""
_LIMIT_DEPTH_EDGES: Final = (2.0, 4.0, 6.0, 9.0)
"""Edges between depths: bets in the pot."""
_LIMIT_DEPTHS: Final = len(_LIMIT_DEPTH_EDGES) + 1
_LIMIT_RAISES: Final = 5
_PRICE_EDGES: Final = (0.0, 0.2, 0.4, 0.55, 0.8)
"""Edges between prices of a call, in pots."""
_NO_LIMIT_PRICES: Final = len(_PRICE_EDGES) + 1
_DEPTH_EDGES: Final = (0.0, 0.5, 1.0, 2.5, 6.0, 15.0)
"""Edges between depths: chips behind, in pots."""
_NO_LIMIT_DEPTHS: Final = len(_DEPTH_EDGES) + 1
_NO_LIMIT_RAISES: Final = 3

# A style is one number, too; 0 where it is not known.
_LOOSENESS_EDGES: Final = (0.45, 0.62, 0.78, 0.9)
"""Edges between degrees: how often a player stays in the hand if there is something to call."""
_AGGRESSION_EDGES: Final = (0.1, 0.28, 0.5)
"""Edges between degrees: how often a player raises if a raise is legal."""
_LOOSE: Final = 0.5
_AGGRESSIVE: Final = 0.25
"""With more than two players, the edge between two degrees of each."""
MANY_STYLES: Final = 1 + (len(_LOOSENESS_EDGES) + 1) * (len(_AGGRESSION_EDGES) + 1)
"""The number of styles heads-up, unknown included."""
FEW_STYLES: Final = 1 + 2 * 2
"""The number of styles with more players, unknown included."""


class Counter(IntEnum):
    """Entries of a player's counters, an array of shape (NUM_COUNTERS,), float64."""

    FACED = 0
    """Decisions with something to call."""
    FOLDED = 1
    """Folds among them."""
    COULD_RAISE = 2
    """Decisions in which a raise was allowed."""
    RAISED = 3
    """Raises among them."""


NUM_COUNTERS: Final = len(Counter)

KNOWN_AFTER: Final = 20.0
"""The number of decisions after which a player has a style."""
FADES_AFTER: Final = 400.0
"""The number of decisions at which a player's counters are halved, so that its style can change."""


@kernel(allocates=False, inlined=True)
def _number_below(edges: tuple[float, ...], value: float) -> int:
    """The number of edges below a value."""
    number = 0
    for edge in edges:
        number += integer(value > edge)
    return number


@kernel(allocates=False)
def _num_places(num_players: int) -> int:
    """The number of places at the table that are told apart."""
    return _PLACES_HEADS_UP if num_players == 2 else _PLACES


@kernel(allocates=False)
def num_situations(is_limit: int, num_players: int) -> int:
    """The number of situations against opponents of one style."""
    count = NUM_ROUNDS * NUM_BUCKETS * _num_places(num_players) * _INITIATIVES
    if is_limit:
        return count * _LIMIT_PRICES * _LIMIT_DEPTHS * _LIMIT_RAISES
    return count * _NO_LIMIT_PRICES * _NO_LIMIT_DEPTHS * _NO_LIMIT_RAISES


@kernel(allocates=False)
def situation_index(rules: Ints, spent: Ints, node: Ints, bucket: int) -> int:
    """The situation of the position to act, whose hand is in a bucket: 0 to `num_situations` - 1.

    It consists of betting round, bucket, position, number of opponents, last raiser before this round, price
    of a call, depth, and raises in this round.
    """
    num_players = rules[Rule.GENERAL, General.NUM_PLAYERS]
    position = node[Node.TO_ACT]
    current = node[Node.ROUND]
    pot = pot_of(rules, spent)
    opponents = behind_others = 0
    for other in range(num_players):
        if other != position and node[Node.FOLDED] >> other & 1 == 0:
            opponents += 1
            behind_others = max(behind_others, rules[Rule.STACK, other] - node[Node.MAX_SPENT])
    chips = max(0, to_call(rules, spent, node))
    # In the order of acting after the flop.
    order = (position - rules[Rule.FIRST_POSITION, _FLOP] + num_players) % num_players
    if num_players == 2:
        place = order
    else:
        place = _OPPONENTS * (order * _THIRDS // num_players) + min(opponents, _OPPONENTS) - 1
    raiser = node[Node.FORMER_RAISER]
    initiative = 0 if raiser < 0 else (1 if raiser == position else 2)

    index = (current * NUM_BUCKETS + bucket) * _num_places(num_players) + place
    index = index * _INITIATIVES + initiative
    if rules[Rule.GENERAL, General.IS_LIMIT]:
        size = max(1, rules[Rule.RAISE_SIZE, current])
        price = 0 if chips == 0 else (1 if chips <= size else 2)
        depth = _number_below(_LIMIT_DEPTH_EDGES, pot / size)
        index = (index * _LIMIT_PRICES + price) * _LIMIT_DEPTHS + depth
        return integer(index * _LIMIT_RAISES + min(node[Node.RAISES], _LIMIT_RAISES - 1))
    price = _number_below(_PRICE_EDGES, chips / pot) if chips > 0 else 0
    behind = max(0, min(rules[Rule.STACK, position] - node[Node.MAX_SPENT], behind_others))
    depth = _number_below(_DEPTH_EDGES, behind / (pot + chips)) if behind > 0 else 0
    index = (index * _NO_LIMIT_PRICES + price) * _NO_LIMIT_DEPTHS + depth
    return integer(index * _NO_LIMIT_RAISES + min(node[Node.RAISES], _NO_LIMIT_RAISES - 1))


@kernel(allocates=False)
def count_decision(counters: Floats, rules: Ints, spent: Ints, node: Ints, action: int) -> None:
    """Count what the position to act is about to do; its `counters` are updated in place."""
    position = node[Node.TO_ACT]
    if spent[position] < min(rules[Rule.STACK, position], node[Node.MAX_SPENT]):
        counters[Counter.FACED] += 1.0
        counters[Counter.FOLDED] += 1.0 if action == FOLD else 0.0
    if legal_raise(rules, spent, node)[1] > 0:
        counters[Counter.COULD_RAISE] += 1.0
        counters[Counter.RAISED] += 1.0 if action > CALL else 0.0
    if counters[Counter.FACED] + counters[Counter.COULD_RAISE] >= 2.0 * FADES_AFTER:
        for entry in range(NUM_COUNTERS):
            counters[entry] /= 2.0


@kernel(allocates=False)
def style_of(counters: Floats, position: int, folded: int, num_players: int) -> int:
    """The style of a position's opponents who are still in the hand; 0 while it is not known.

    counters: by position, shape (MAX_PLAYERS, NUM_COUNTERS).
    folded: positions that have folded, as bits.
    """
    faced = folds = chances = raises = 0.0
    for other in range(num_players):
        if other != position and folded >> other & 1 == 0:
            faced += counters[other, Counter.FACED]
            folds += counters[other, Counter.FOLDED]
            chances += counters[other, Counter.COULD_RAISE]
            raises += counters[other, Counter.RAISED]
    if faced + chances < 2.0 * KNOWN_AFTER:
        return 0
    stays = 1.0 - folds / faced if faced > 0.0 else 1.0
    presses = raises / chances if chances > 0.0 else 0.0
    if num_players > 2:
        return integer(1 + 2 * integer(stays > _LOOSE) + integer(presses > _AGGRESSIVE))
    looseness = _number_below(_LOOSENESS_EDGES, stays)
    aggression = _number_below(_AGGRESSION_EDGES, presses)
    return integer(1 + (len(_AGGRESSION_EDGES) + 1) * looseness + aggression)
