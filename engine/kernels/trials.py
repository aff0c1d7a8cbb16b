"""Trials: hands played to the end by players who act by chance, each on what he can see.

**The tree.**  What a player does follows from his own two cards, the board and the betting.  All that
follows from the betting alone is worked out once for a betting sequence and kept in a *tree* whose nodes are
made as trials come to them: who is to act, the thresholds, how the ranges of all players lie, how often the
player acts in which way on average.  Trials with other cards walk the same tree.  So nothing in a node
depends on cards that are dealt in a trial, and the triple of a player depends on a node, his two cards and
the board that is out.

**Ranges.**  In a node each player's range is a distribution over `NUM_STRATA` classes of hand strength: the
share of all hands a hand beats (``hand_features``) or, before the flop, the share of starting hands that
are worth less.  It begins with the player's weight table and moves with each of his actions as a weight
table does (Fig. 3.5), class by class; a new board card moves it by how strengths move on average.  Strata
are of equal width in the square of the strength, finer towards the top, where the money goes in.

A hand's strength against a field of ranges is the product of what it beats of each (eq 3.3).

**Random numbers.**  The k-th action of a player in a betting round is drawn with the same number in every
branch of a trial.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.betting import BIG_BLIND as BIG_BLIND_RULE
from engine.kernels.betting import (
    CALL,
    FOLD,
    FOLDED,
    GENERAL,
    IS_LIMIT,
    LAST_RAISER,
    MAX_PLAYERS,
    MAX_RAISES,
    MAX_SPENT,
    NODE_SIZE,
    NUM_PLAYERS,
    NUM_ROUNDS,
    RAISE_SIZE,
    RAISES,
    RESPONDED,
    ROUND,
    STACK,
    TO_ACT,
    apply_action,
    count_bits,
    legal_raise,
    settle,
)
from engine.kernels.hand_features import (
    MAX_GROUPS,
    class_on_board,
    fill_class_counts,
    quick_potential,
    share_of_class,
    usual_negative_potential,
)
from engine.kernels.joint_sampling import GOLDEN, mixed, unit
from engine.kernels.opponents import (
    NUM_PARAMETERS,
    implied_thresholds,
    threshold_triple_of,
    triple_of,
)
from engine.kernels.thresholds import (
    HABIT_VERY_WEAK,
    TRAIT_LOOSENESS,
    bluff_chance,
    bluff_pays,
    fill_thresholds,
    protection,
    weakness,
)

NUM_STRATA: Final = 16
NUM_SIZES: Final = 5
"""Sizes of a raise: the smallest, half the pot, the pot, twice the pot, all in.  Limit games have one."""

# Kinds of players.
BLIND: Final = 0
"""Does anything that is legal, whatever he holds."""
REASONABLE: Final = 1
"""The formula among reasonable players: the generic model."""
OURS: Final = 2
"""The formula, with what is known of the others."""
COUNTED: Final = 3
"""The specific model: counts, drawn towards the generic model."""
FIXED: Final = 4
"""Acts as often as a table says, by his hand but for a part that is blind to it."""

# Columns of a node beyond the betting's.
ENTERED: Final = NODE_SIZE
"""Bit p: position p has called or raised in this round."""
LOW: Final = NODE_SIZE + 1
"""Least total of a raise; 0 where none is legal."""
HIGH: Final = NODE_SIZE + 2
READY: Final = NODE_SIZE + 3
"""1 once the triples have been worked out."""
PREFLOP_TABLE: Final = NODE_SIZE + 4
"""Before the flop: which of the tables of starting hands ranks the actor's hand."""
OPPONENT: Final = NODE_SIZE + 5
"""Before the flop, heads-up: the position of the other player; else -1."""
SEVERAL: Final = NODE_SIZE + 6
"""Opponents in the hand."""
CHILDREN: Final = NODE_SIZE + 7
"""The nodes after a fold, a call and a raise of each size; 0 where there is none yet."""
SPENT: Final = CHILDREN + 2 + NUM_SIZES
LAST_ACTION: Final = SPENT + MAX_PLAYERS
"""What each position did last in the hand: 0 nothing, 1 called, 2 raised."""
NODE_INTEGERS: Final = LAST_ACTION + MAX_PLAYERS

# Numbers of a node.
THRESHOLDS: Final = 0
"""First, so that a node's numbers are what `triple_of` takes."""
STRENGTH: Final = NUM_PARAMETERS
"""At the edges of the strata: the chance to be ahead of all opponents."""
MEAN: Final = STRENGTH + NUM_STRATA + 1
"""What the actor does on average over his range."""
FREQUENCY: Final = MEAN + 3
"""How often the model says that the actor folds, calls and raises."""
SHARE: Final = FREQUENCY + 3
"""How far the implied thresholds decide, instead of the formula."""
NOISE: Final = SHARE + 1
CALL_AT: Final = NOISE + 1
RAISE_AT: Final = CALL_AT + 1
PROTECT: Final = RAISE_AT + 1
TRIPLES: Final = PROTECT + 1
"""Of each stratum: first the chances to fold, then those to call, then those to raise."""
RANGES: Final = TRIPLES + 3 * NUM_STRATA
"""By position: the part of the range below each edge."""
NODE_NUMBERS: Final = RANGES + MAX_PLAYERS * (NUM_STRATA + 1)

_SCRATCH: Final = 4
"""Nodes at the end of the tree that are made anew each time: for when it is full."""

LEAST_CHANCE: Final = 0.01
"""No action multiplies a weight by less, as in a weight table."""
APART: Final = 0.10
NEAR: Final = 0.01
"""As of ``engine.opponents.specific``."""
SPREAD: Final = 0.10
"""Of implied thresholds."""
USUAL_NO_LIMIT_BET: Final = 0.75
"""As of ``engine.opponents.action_context``."""
COMMITTED: Final = 0.5
"""A raise of more than this part of the stack is made all in."""


class Tree(NamedTuple):
    """The betting tree as far as trials have come."""

    integers: NDArray[np.int64]
    """Shape (capacity, NODE_INTEGERS)."""
    numbers: NDArray[np.float64]
    """Shape (capacity, NODE_NUMBERS)."""
    used: NDArray[np.int64]
    """Shape (2,): nodes made; passing nodes made."""
    scratch: NDArray[np.float64]
    """Shape (6, NUM_STRATA + 1)."""


class Players(NamedTuple):
    """What is known of the players, by position."""

    kinds: NDArray[np.int64]
    """Shape (10,)."""
    traits: NDArray[np.float64]
    """Shape (10, NUM_TRAITS)."""
    usual_traits: NDArray[np.float64]
    """Those of reasonable players, shape (10, NUM_TRAITS)."""
    habits: NDArray[np.float64]
    """Our own parameters, shape (NUM_HABITS,)."""
    usual_habits: NDArray[np.float64]
    """Shape (NUM_HABITS,)."""
    noise: NDArray[np.float64]
    """Shape (10,)."""
    contexts: NDArray[np.float64]
    """COUNTED: actions seen; FIXED: frequencies.  Shape (10, NUM_CONTEXTS, 3)."""
    groups: NDArray[np.float64]
    """Actions seen, shape (10, NUM_GROUPS, 3)."""
    corrections: NDArray[np.float64]
    """Actions seen, actions expected, and factors, shape (10, NUM_CONTEXTS, 9)."""
    neutral: NDArray[np.float64]
    """COUNTED: how far anything legal is expected, and not what is reasonable.  Shape (10,)."""
    say: NDArray[np.float64]
    """The part of the counts, by group; the rest is the corrections'.  Shape (10, NUM_GROUPS)."""
    priors: NDArray[np.float64]
    """Of groups, contexts and corrections, shape (3,)."""
    sizes: NDArray[np.float64]
    """The chance that a raise has this size or a smaller one, before and after the flop: shape (10, 2,
    NUM_SIZES)."""
    reweighting_noise: NDArray[np.float64]
    """Shape (1,)."""


class Averages(NamedTuple):
    """How hands lie in the strata."""

    to_flop: NDArray[np.float64]
    """From a stratum before the flop to those on the flop, shape (NUM_STRATA, NUM_STRATA); rows add to 1."""
    to_next: NDArray[np.float64]
    """From the flop to the turn and from there to the river, shape (2, NUM_STRATA, NUM_STRATA)."""
    potentials: NDArray[np.float64]
    """Positive and negative, on the flop and on the turn: shape (2, 2, NUM_STRATA)."""
    preflop_values: NDArray[np.float64]
    """The value of each starting hand for 2 to 10 players and company: shape (81, 169)."""
    preflop_draws: NDArray[np.float64]
    """Likewise, 1 for hands that want company."""
    preflop_strata: NDArray[np.float64]
    """The mean value and draw of each stratum, shape (81, 2, NUM_STRATA)."""
    preflop_equities: NDArray[np.float64]
    """Of each starting hand against each stratum, shape (169, NUM_STRATA)."""
    preflop_stratum_equities: NDArray[np.float64]
    """Of each stratum against each, shape (NUM_STRATA, NUM_STRATA)."""


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
    known: NDArray[np.bool_]
    """Whether the features of a round are there, shape (n, 3)."""
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
    """Of `fill_class_counts`: with each next card on the board that is known, on itself, and on the board
    looked at last.  Shape (54, MAX_GROUPS)."""
    counts: NDArray[np.int32]
    """Shape (54, MAX_GROUPS)."""
    found: NDArray[np.bool_]
    """Whether they have been worked out, shape (54,)."""


_KNOWN_BOARD: Final = 52
_PASSING_BOARD: Final = 53
NUM_BOARDS: Final = 54


# --- the tree ------------------------------------------------------------------------------------------


@kernel()
def _finish_node(rules: NDArray[np.int64], integers: NDArray[np.int64]) -> None:
    """What follows at once from the betting."""
    integers[READY] = 0
    integers[LOW] = 0
    integers[HIGH] = 0
    for child in range(2 + NUM_SIZES):
        integers[CHILDREN + child] = 0
    if integers[TO_ACT] >= 0:
        low, high = legal_raise(rules, integers[SPENT : SPENT + MAX_PLAYERS], integers[:NODE_SIZE])
        integers[LOW] = low
        integers[HIGH] = high


@kernel()
def raise_total(rules: NDArray[np.int64], integers: NDArray[np.int64], size: int) -> int:
    """The total of a raise of a size by the position to act; only where a raise is legal."""
    low, high = integer(integers[LOW]), integer(integers[HIGH])
    if rules[GENERAL, IS_LIMIT] or size == 0:
        return low
    if size == NUM_SIZES - 1:
        return high
    position = integers[TO_ACT]
    pot = 0
    for other in range(rules[GENERAL, NUM_PLAYERS]):
        pot += integers[SPENT + other]
    stack, spent = rules[STACK, position], integers[SPENT + position]
    pot += min(stack, integers[MAX_SPENT]) - spent
    share = 0.5 if size == 1 else (1.0 if size == 2 else 2.0)
    total = integer(integers[MAX_SPENT] + share * pot + 0.5)
    if total - spent > COMMITTED * (stack - spent):
        return high
    return min(max(total, low), high)


@kernel()
def make_child(
    tree: Tree, players: Players, averages: Averages, rules: NDArray[np.int64], node: int, action: int
) -> int:
    """The node after an action, `FOLD`, `CALL` or the total raised to, of the position to act in a node.

    If the tree is full, the new node is a passing one, good until four more have been made.
    """
    capacity = tree.integers.shape[0] - _SCRATCH
    if tree.used[0] < capacity:
        child = integer(tree.used[0])
        tree.used[0] += 1
    else:
        child = capacity + integer(tree.used[1]) % _SCRATCH
        tree.used[1] += 1
    old, new = tree.integers[node], tree.integers[child]
    old_numbers, new_numbers = tree.numbers[node], tree.numbers[child]
    for column in range(NODE_SIZE):
        new[column] = old[column]
    for column in range(SPENT, NODE_INTEGERS):
        new[column] = old[column]
    position = integer(old[TO_ACT])
    entered = integer(old[ENTERED])
    kind = 0
    if action == CALL:
        kind = 1
    elif action != FOLD:
        kind = 2
    if kind:
        entered |= 1 << position
        new[LAST_ACTION + position] = kind
    apply_action(rules, new[SPENT : SPENT + MAX_PLAYERS], new[:NODE_SIZE], action)
    is_new_round = new[ROUND] != old[ROUND]
    new[ENTERED] = 0 if is_new_round else entered
    _finish_node(rules, new)

    if new[TO_ACT] < 0:
        return child

    # The ranges: the actor's by what he did, everybody's by the card that comes.
    for column in range(RANGES, NODE_NUMBERS):
        new_numbers[column] = old_numbers[column]
    noise = players.reweighting_noise[0]
    start = RANGES + position * (NUM_STRATA + 1)
    if kind and old[READY]:
        below = 0.0
        for stratum in range(NUM_STRATA):
            weight = old_numbers[start + stratum + 1] - old_numbers[start + stratum]
            chance = old_numbers[TRIPLES + kind * NUM_STRATA + stratum] * (1.0 - noise) + noise / 3.0
            below += weight * max(chance, LEAST_CHANCE)
            new_numbers[start + stratum + 1] = below
        for stratum in range(NUM_STRATA):
            new_numbers[start + stratum + 1] /= below
    if is_new_round:
        step = averages.to_flop if new[ROUND] == 1 else averages.to_next[new[ROUND] - 2]
        moved = tree.scratch[0]
        for other in range(rules[GENERAL, NUM_PLAYERS]):
            if new[FOLDED] >> other & 1:
                continue
            at = RANGES + other * (NUM_STRATA + 1)
            for stratum in range(NUM_STRATA):
                moved[stratum] = 0.0
            for stratum in range(NUM_STRATA):
                weight = new_numbers[at + stratum + 1] - new_numbers[at + stratum]
                for target in range(NUM_STRATA):
                    moved[target] += weight * step[stratum, target]
            below = 0.0
            for stratum in range(NUM_STRATA):
                below += moved[stratum]
                new_numbers[at + stratum + 1] = below
    return child


@kernel()
def postflop_value(
    strength: float, positive: float, negative: float, betting_round: int, several: int, protect: float
) -> tuple[float, float]:
    """The value of a hand and its chance at the showdown: ``engine.opponents.formula.postflop_values``."""
    if betting_round >= 3:
        return strength, strength
    behind = 1.0 - strength
    effective = strength + behind * positive
    if betting_round == 1:
        positive_all = positive * (2.0 - positive)
        negative_all = negative * (2.0 - negative)
    else:
        positive_all = positive
        negative_all = negative
    kept = 1.0
    for _ in range(several):
        kept *= 1.0 - negative_all
    if several > 1:
        positive_all /= np.sqrt(float(several))
    showdown = strength * kept + behind * positive_all
    if protect >= 1.0:
        return effective, showdown
    return protect * effective + (1.0 - protect) * showdown, showdown


@kernel()
def legal_frequencies(frequencies: NDArray[np.float64], can_fold: bool, can_raise: bool) -> None:
    """Scales three frequencies to one, without what is not allowed, which becomes a call; in place."""
    total = frequencies[0] + frequencies[1] + frequencies[2]
    for action in range(3):
        frequencies[action] /= total
    if not can_fold:
        frequencies[1] += frequencies[0]
        frequencies[0] = 0.0
    if not can_raise:
        frequencies[1] += frequencies[2]
        frequencies[2] = 0.0


@kernel()
def counted_frequencies(
    players: Players,
    position: int,
    context: int,
    group: int,
    mean: NDArray[np.float64],
    can_fold: bool,
    can_raise: bool,
    counts: NDArray[np.float64],
    corrected: NDArray[np.float64],
    frequencies: NDArray[np.float64],
) -> None:
    """How often a counted player acts: ``SpecificModel.frequencies``.  `frequencies` is filled in place.

    mean: the generic model's frequencies, shape (3,).  counts, corrected: scratch, shape (3,) or more.
    """
    neutral = players.neutral[position]
    legal = 1.0 / (1.0 + can_fold + can_raise)
    cases = 0.0
    in_group = 0.0
    for action in range(3):
        chance = 0.0 if (action == 0 and not can_fold) or (action == 2 and not can_raise) else legal
        frequencies[action] = mean[action] + neutral * (chance - mean[action])  # to be expected
        counts[action] = players.groups[position, group, action] + players.priors[0] * frequencies[action]
        in_group += counts[action]
        cases += players.corrections[position, context, action]
    for action in range(3):
        usual = frequencies[action]
        counts[action] = (
            players.contexts[position, context, action] + players.priors[1] * counts[action] / in_group
        )
        prior = players.priors[2] * usual + 1e-9
        seen = players.corrections[position, context, action]
        expected = players.corrections[position, context, 3 + action]
        if neutral > 0.0:
            chance = 0.0 if (action == 0 and not can_fold) or (action == 2 and not can_raise) else legal
            expected += neutral * (cases * chance - expected)
        corrected[action] = usual * (seen + prior) / (expected + prior)
    legal_frequencies(counts, can_fold, can_raise)
    legal_frequencies(corrected, can_fold, can_raise)
    say = players.say[position, group]
    for action in range(3):
        both = say * counts[action] + (1.0 - say) * corrected[action]
        frequencies[action] = both * players.corrections[position, context, 6 + action]
    legal_frequencies(frequencies, can_fold, can_raise)


@kernel()
def own_share(mean: NDArray[np.float64], frequencies: NDArray[np.float64]) -> float:
    """How far a counted player's own thresholds decide, and not the formula: as in the specific model."""
    apart = 0.0
    for action in range(3):
        apart += abs(mean[action] - frequencies[action])
    share = min(apart / (2.0 * APART), 1.0)
    for action in range(3):
        missing = mean[action] - frequencies[action]
        if missing > NEAR:
            share = max(share, missing / mean[action])
    return share if share > 0.01 else 0.0


@kernel()
def _triple_in_node(
    numbers: NDArray[np.float64], value: float, chance: float, draw: float, staying: float
) -> tuple[float, float, float]:
    """What the actor of a node does with a hand.

    numbers: of the node, which begin with the thresholds.  staying: what the implied call threshold is
    measured on.
    """
    share, noise = numbers[SHARE], numbers[NOISE]
    fold, call, raising = 0.0, 0.0, 0.0
    if share < 1.0:
        fold, call, raising = triple_of(value, chance, draw, numbers)
    if share > 0.0:
        own_fold, own_call, own_raising = threshold_triple_of(
            value, staying, numbers[CALL_AT], numbers[RAISE_AT], SPREAD, 0.0, numbers
        )
        fold += share * (own_fold - fold)
        call += share * (own_call - call)
        raising += share * (own_raising - raising)
    if noise > 0.0:
        fold += noise * (numbers[MEAN] - fold)
        call += noise * (numbers[MEAN + 1] - call)
        raising += noise * (numbers[MEAN + 2] - raising)
    return fold, call, raising


@kernel()
def _preflop_triple(
    numbers: NDArray[np.float64],
    opponent: int,
    value: float,
    draw: float,
    equities: NDArray[np.float64],
    hand: int,
) -> tuple[float, float, float]:
    """What the actor of a node before the flop does with a starting hand.

    opponent: heads-up the other's position, else -1.  equities: ``Averages.preflop_equities``.
    """
    if opponent < 0:
        return _triple_in_node(numbers, value, 0.0, draw, value)
    chance = 0.0
    at = RANGES + opponent * (NUM_STRATA + 1)
    for stratum in range(NUM_STRATA):
        chance += (numbers[at + stratum + 1] - numbers[at + stratum]) * equities[hand, stratum]
    return _triple_in_node(numbers, value, chance, draw, chance)


@kernel()
def _postflop_triple(
    numbers: NDArray[np.float64],
    betting_round: int,
    several: int,
    squared: float,
    positive: float,
    negative: float,
) -> tuple[float, float, float]:
    """What the actor of a node after the flop does with a hand, whose squared share and potentials are
    given.
    """
    place = squared * NUM_STRATA
    stratum = min(integer(place), NUM_STRATA - 1)
    lower = numbers[STRENGTH + stratum]
    strength = lower + (place - stratum) * (numbers[STRENGTH + stratum + 1] - lower)
    value, chance = postflop_value(strength, positive, negative, betting_round, several, numbers[PROTECT])
    return _triple_in_node(numbers, value, chance, positive, chance)


@kernel()
def prepare_node(
    tree: Tree, players: Players, averages: Averages, rules: NDArray[np.int64], node: int
) -> None:
    """Works out what a node's actor does, for each stratum of his range and for any hand."""
    integers, numbers = tree.integers[node], tree.numbers[node]
    integers[READY] = 1
    position = integer(integers[TO_ACT])
    betting_round = integer(integers[ROUND])
    num_players = integer(rules[GENERAL, NUM_PLAYERS])
    folded = integer(integers[FOLDED])
    stack, spent = rules[STACK, position], integers[SPENT + position]
    can_fold = spent != integers[MAX_SPENT]
    can_raise = integers[LOW] > 0
    opponents = 0
    to_respond = 0
    pot = 0
    left = 0
    for other in range(num_players):
        pot += integers[SPENT + other]
        if other != position and folded >> other & 1 == 0:
            opponents |= 1 << other
            behind = rules[STACK, other] - integers[SPENT + other]
            left = max(left, behind)
            if behind > 0 and integers[RESPONDED] >> other & 1 == 0:
                to_respond |= 1 << other
    left = min(left, stack - spent)
    several = count_bits(opponents)
    integers[SEVERAL] = several
    for column in range(SHARE, TRIPLES):
        numbers[column] = 0.0
    kind = integer(players.kinds[position])
    if kind == BLIND:
        choices = 1.0 + (1.0 if can_fold else 0.0) + (1.0 if can_raise else 0.0)
        numbers[MEAN] = 1.0 / choices if can_fold else 0.0
        numbers[MEAN + 1] = 1.0 / choices
        numbers[MEAN + 2] = 1.0 / choices if can_raise else 0.0
        numbers[NOISE] = 1.0
        for action in range(3):
            for stratum in range(NUM_STRATA):
                numbers[TRIPLES + action * NUM_STRATA + stratum] = numbers[MEAN + action]
        return

    # The situation, as ``engine.opponents.action_context`` sees it.
    entered = integer(integers[ENTERED]) & opponents
    raises = integer(integers[RAISES])
    raiser = integer(integers[LAST_RAISER]) if raises > 0 else -1
    to_call = max(0, min(stack, integers[MAX_SPENT]) - spent)
    is_limit = rules[GENERAL, IS_LIMIT] != 0
    rounds_left = rules[GENERAL, NUM_ROUNDS] - 1 - betting_round
    if is_limit:
        bet = float(rules[RAISE_SIZE, betting_round])
        future = 0.0
        for later in range(betting_round + 1, rules[GENERAL, NUM_ROUNDS]):
            future += rules[RAISE_SIZE, later]
        bets = 0 if to_call == 0 else (1 if to_call <= bet else 2)
    else:
        bet = min(
            max(float(rules[GENERAL, BIG_BLIND_RULE]), USUAL_NO_LIMIT_BET * (pot + to_call)),
            float(max(left - to_call, 1)),
        )
        future = 0.5 * (pot + to_call) * rounds_left
        bets = 0 if to_call == 0 else (1 if 2 * to_call <= pot else 2)
    future = min(future, float(max(left - to_call, 0)))
    last_raise = rules[MAX_RAISES, betting_round] - raises == 1
    ours = kind == OURS
    traits = players.traits if ours else players.usual_traits
    habits = players.habits if ours else players.usual_habits
    fill_thresholds(
        betting_round, position, raises, raiser, entered, to_respond, opponents, float(pot), float(to_call),
        bet, future, last_raise, is_limit, can_fold, can_raise, traits, habits, numbers,
    )  # fmt: skip

    # What the strata of his range are worth.
    weights, values, chances, draws = tree.scratch[0], tree.scratch[1], tree.scratch[2], tree.scratch[3]
    start = RANGES + position * (NUM_STRATA + 1)
    for stratum in range(NUM_STRATA):
        weights[stratum] = numbers[start + stratum + 1] - numbers[start + stratum]
    protect = 1.0
    integers[OPPONENT] = -1
    if betting_round == 0:
        expected = 1.0 + count_bits(entered)
        other_position = -1
        for other in range(num_players):
            if opponents >> other & 1:
                other_position = other
                if entered >> other & 1 == 0:
                    expected += min(1.0, 0.25 * players.traits[other, TRAIT_LOOSENESS])
        table_size = max(2, min(10, several + 1))
        company = max(2, min(10, integer(np.rint(expected))))
        table = (table_size - 2) * 9 + company - 2
        integers[PREFLOP_TABLE] = table
        if several == 1:
            integers[OPPONENT] = other_position
        for stratum in range(NUM_STRATA):
            values[stratum] = averages.preflop_strata[table, 0, stratum]
            draws[stratum] = averages.preflop_strata[table, 1, stratum]
            chances[stratum] = 0.0
            if several == 1:
                at = RANGES + other_position * (NUM_STRATA + 1)
                for against in range(NUM_STRATA):
                    weight = numbers[at + against + 1] - numbers[at + against]
                    chances[stratum] += weight * averages.preflop_stratum_equities[stratum, against]
    else:
        protect = protection(betting_round, raises, raiser, entered, to_respond, opponents, players.traits)
        strengths = tree.scratch[4]
        for edge in range(NUM_STRATA + 1):
            strengths[edge] = 1.0
        for other in range(num_players):
            if opponents >> other & 1:
                at = RANGES + other * (NUM_STRATA + 1)
                for edge in range(NUM_STRATA + 1):
                    strengths[edge] *= numbers[at + edge]
        for edge in range(NUM_STRATA + 1):
            numbers[STRENGTH + edge] = strengths[edge]
        for stratum in range(NUM_STRATA):
            positive = 0.0
            negative = 0.0
            if betting_round < 3:
                positive = averages.potentials[betting_round - 1, 0, stratum]
                negative = averages.potentials[betting_round - 1, 1, stratum]
            strength = 0.5 * (strengths[stratum] + strengths[stratum + 1])
            values[stratum], chances[stratum] = postflop_value(
                strength, positive, negative, betting_round, several, protect
            )
            draws[stratum] = positive
    numbers[PROTECT] = protect

    mean = numbers[MEAN : MEAN + 3]
    _fill_triples(numbers, weights, values, chances, draws, mean)
    pays = bluff_pays(
        betting_round, raises, raiser, entered, to_respond, opponents, float(pot), float(to_call), bet,
        can_raise, traits, habits,
    )  # fmt: skip
    if pays > 0.0:
        weak = 0.0
        for stratum in range(NUM_STRATA):
            weak += weights[stratum] * weakness(values[stratum], habits[HABIT_VERY_WEAK])
        chance = bluff_chance(betting_round, pays, bet, float(pot), mean[2], weak, habits)
        if chance > 0.0:
            numbers[10] = chance
            _fill_triples(numbers, weights, values, chances, draws, mean)
    if kind <= OURS:
        return

    # What is known of him in particular.
    place = 4 if betting_round == 0 and raises > 0 else betting_round
    capped = 0 if can_raise else 1
    context = integer(((place * 3 + bets) * 3 + integers[LAST_ACTION + position]) * 2 + capped)
    group = ((1 if betting_round > 0 else 0) * 2 + (1 if bets > 0 else 0)) * 2 + capped
    frequencies = numbers[FREQUENCY : FREQUENCY + 3]
    share = 1.0
    if kind == FIXED:
        for action in range(3):
            frequencies[action] = players.contexts[position, context, action]
        legal_frequencies(frequencies, can_fold, can_raise)
    else:
        counted_frequencies(
            players, position, context, group, mean, can_fold, can_raise, tree.scratch[4], tree.scratch[5],
            frequencies,
        )  # fmt: skip
        share = own_share(mean, frequencies)
    numbers[SHARE] = share
    numbers[NOISE] = players.noise[position]
    staying = chances if betting_round > 0 or several == 1 else values
    if share > 0.0:
        # His own part goes so much farther than the formula that the whole has his frequencies.
        own = tree.scratch[4]
        for action in range(3):
            own[action] = max(mean[action] - (mean[action] - frequencies[action]) / share, 0.0)
        legal_frequencies(own, can_fold, can_raise)
        call_at, raise_at = implied_thresholds(weights, values, staying, own[0], own[2], SPREAD)
        numbers[CALL_AT] = max(call_at, -1e9)
        numbers[RAISE_AT] = min(raise_at, 1e9)
        for action in range(3):
            mean[action] = frequencies[action]
    noise = numbers[NOISE]
    for stratum in range(NUM_STRATA):
        fold = numbers[TRIPLES + stratum]
        raising = numbers[TRIPLES + 2 * NUM_STRATA + stratum]
        if share > 0.0:
            own_fold, _, own_raising = threshold_triple_of(
                values[stratum], staying[stratum], numbers[CALL_AT], numbers[RAISE_AT], SPREAD, 0.0, numbers
            )
            fold += share * (own_fold - fold)
            raising += share * (own_raising - raising)
        fold += noise * (mean[0] - fold)
        raising += noise * (mean[2] - raising)
        numbers[TRIPLES + stratum] = fold
        numbers[TRIPLES + NUM_STRATA + stratum] = 1.0 - fold - raising
        numbers[TRIPLES + 2 * NUM_STRATA + stratum] = raising


@kernel()
def _fill_triples(
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    draws: NDArray[np.float64],
    mean: NDArray[np.float64],
) -> None:
    """The formula's triple of each stratum and their mean; both are filled in place."""
    folding = 0.0
    raises = 0.0
    for stratum in range(NUM_STRATA):
        fold, call, raising = triple_of(values[stratum], chances[stratum], draws[stratum], numbers)
        numbers[TRIPLES + stratum] = fold
        numbers[TRIPLES + NUM_STRATA + stratum] = call
        numbers[TRIPLES + 2 * NUM_STRATA + stratum] = raising
        folding += weights[stratum] * fold
        raises += weights[stratum] * raising
    mean[0] = folding
    mean[1] = max(1.0 - folding - raises, 0.0)
    mean[2] = raises


# --- hands ---------------------------------------------------------------------------------------------


@kernel()
def _fill_features(
    cards: Cards, deals: Deals, trial: int, betting_round: int, num_players: int, folded: int
) -> None:
    """What each player's hand is worth on the board of a betting round, which is 1 to 3.

    folded: mask of those who will not be asked for.
    """
    board = deals.boards[trial]
    size = betting_round + 2
    known = integer(cards.known_round[0])
    # The board that is known and those with one card more come again; others are worked out and forgotten.
    row = _PASSING_BOARD
    if known > 0 and betting_round - known <= 1:
        row = _KNOWN_BOARD if betting_round == known else integer(board[size - 1])
    classes, counts = cards.classes[row], cards.counts[row]
    if row == _PASSING_BOARD or not cards.found[row]:
        fill_class_counts(cards.table, board, size, classes, counts)
        cards.found[row] = True
    for position in range(num_players):
        if folded >> position & 1:
            continue
        a, b = integer(deals.holes[trial, position, 0]), integer(deals.holes[trial, position, 1])
        rank = class_on_board(cards.table, board, size, a, b)
        strength = share_of_class(classes, counts, size, rank)
        features = deals.features[trial, betting_round - 1, position]
        features[0] = strength * strength
        if betting_round == 3:
            deals.ranks[trial, position] = rank
        elif known == betting_round:
            high, low = max(a, b), min(a, b)
            combo = (high * (high - 1) >> 1) + low
            features[1] = cards.known_potentials[0, combo]
            features[2] = cards.known_potentials[1, combo]
        else:
            features[1] = quick_potential(cards.completing, board, size, a, b, strength)
            features[2] = usual_negative_potential(size, strength)
    deals.known[trial, betting_round - 1] = True


@kernel()
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
) -> None:
    """Plays all trials from a node to the end of the hand.

    The loop is written out in one kernel: to hand all these arrays on at every decision would cost more than
    the decision.

    script: actions that are done whatever the triples say, shape (k,); further ones are drawn.
    trace: shape (n, m, 5), or (0, 0, 5): position, action, triple of each decision are written there, m of
    them at most, and a position of -1 after the last.
    chips: shape (n, 10), filled in place: won by each position in the whole hand.
    """
    integers, numbers = tree.integers, tree.numbers
    last_kept = integers.shape[0] - _SCRATCH
    is_limit = rules[GENERAL, IS_LIMIT] != 0
    num_players = integer(rules[GENERAL, NUM_PLAYERS])
    acted = np.zeros(MAX_PLAYERS, np.int64)
    ranks = np.zeros(MAX_PLAYERS, np.uint16)
    remaining = np.zeros(MAX_PLAYERS, np.int64)
    # Of all who were in the hand at the root features are worked out: another branch may ask for them.
    folded_before = integer(integers[0, FOLDED])
    for trial in range(deals.boards.shape[0]):
        node = start
        current = -1
        steps = 0
        seed = deals.seeds[trial]
        while integers[node, TO_ACT] >= 0:
            betting_round = integer(integers[node, ROUND])
            if betting_round != current:
                current = betting_round
                for position in range(MAX_PLAYERS):
                    acted[position] = 0
            position = integer(integers[node, TO_ACT])
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
                fold, call, raising = _preflop_triple(
                    numbers[node], integer(integers[node, OPPONENT]), averages.preflop_values[table, hand],
                    averages.preflop_draws[table, hand], averages.preflop_equities, hand,
                )  # fmt: skip
            else:
                if not deals.known[trial, betting_round - 1]:
                    _fill_features(cards, deals, trial, betting_round, num_players, folded_before)
                fold, call, raising = _postflop_triple(
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

        folded = integer(integers[node, FOLDED])
        if count_bits(folded) < num_players - 1:
            for position in range(num_players):
                if folded >> position & 1 == 0:
                    rank = integer(deals.ranks[trial, position])
                    if rank < 0:
                        rank = class_on_board(
                            cards.table, deals.boards[trial], 5, integer(deals.holes[trial, position, 0]),
                            integer(deals.holes[trial, position, 1]),
                        )  # fmt: skip
                        deals.ranks[trial, position] = rank
                    ranks[position] = rank
        settle(
            num_players, integers[node, SPENT : SPENT + MAX_PLAYERS], folded, ranks, remaining, chips[trial]
        )


# --- averages ------------------------------------------------------------------------------------------


@kernel()
def count_strata(
    table: NDArray[np.uint16],
    completing: NDArray[np.int64],
    combo_cards: NDArray[np.int64],
    starting_hands: NDArray[np.int64],
    boards: NDArray[np.uint8],
    to_flop: NDArray[np.float64],
    to_next: NDArray[np.float64],
    potentials: NDArray[np.float64],
) -> None:
    """Counts how all hands move between strata on some boards.

    combo_cards: shape (1326, 2).  starting_hands: shape (52, 52).  boards: shape (n, 5).
    to_flop: shape (169, NUM_STRATA), to_next: shape (2, NUM_STRATA, NUM_STRATA), potentials: shape (2, 3,
    NUM_STRATA), sums of positive and negative potentials and their number; all added to in place.
    """
    classes = np.empty((3, MAX_GROUPS), np.int32)
    counts = np.empty((3, MAX_GROUPS), np.int32)
    for index in range(boards.shape[0]):
        board = boards[index]
        dead = 0
        for i in range(5):
            dead |= 1 << integer(board[i])
        for later in range(3):
            fill_class_counts(table, board, later + 3, classes[later], counts[later])
        for combo in range(1326):
            a, b = integer(combo_cards[combo, 0]), integer(combo_cards[combo, 1])
            if (dead >> a | dead >> b) & 1:
                continue
            before = -1
            for later in range(3):
                rank = class_on_board(table, board, later + 3, a, b)
                strength = share_of_class(classes[later], counts[later], later + 3, rank)
                stratum = min(integer(strength * strength * NUM_STRATA), NUM_STRATA - 1)
                if later == 0:
                    to_flop[starting_hands[a, b], stratum] += 1.0
                else:
                    to_next[later - 1, before, stratum] += 1.0
                if later < 2:
                    potentials[later, 0, stratum] += quick_potential(
                        completing, board, later + 3, a, b, strength
                    )
                    potentials[later, 1, stratum] += usual_negative_potential(later + 3, strength)
                    potentials[later, 2, stratum] += 1.0
                before = stratum


@kernel()
def fill_range(
    table: NDArray[np.uint16],
    combo_cards: NDArray[np.int64],
    board: NDArray[np.uint8],
    weights: NDArray[np.float64],
    below: NDArray[np.float64],
) -> None:
    """A weight table as a distribution over strata.

    board: shape (3|4|5,).  weights: shape (1326,), zero for combos of board cards.
    below: shape (NUM_STRATA + 1,), filled in place: the part of the weight below each edge.
    """
    classes = np.empty(MAX_GROUPS, np.int32)
    counts = np.empty(MAX_GROUPS, np.int32)
    size = board.shape[0]
    fill_class_counts(table, board, size, classes, counts)
    in_stratum = np.zeros(NUM_STRATA, np.float64)
    total = 0.0
    for combo in range(1326):
        weight = weights[combo]
        if weight > 0.0:
            rank = class_on_board(
                table, board, size, integer(combo_cards[combo, 0]), integer(combo_cards[combo, 1])
            )
            strength = share_of_class(classes, counts, size, rank)
            in_stratum[min(integer(strength * strength * NUM_STRATA), NUM_STRATA - 1)] += weight
            total += weight
    below[0] = 0.0
    for stratum in range(NUM_STRATA):
        below[stratum + 1] = below[stratum] + in_stratum[stratum] / total
