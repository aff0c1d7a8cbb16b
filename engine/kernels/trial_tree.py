"""The betting tree of trials: what each node's actor does, with any hand.

All that follows from the betting alone is worked out once for a betting sequence and kept in a *tree* whose
nodes are made as trials come to them: who is to act, the thresholds, how the ranges of all players lie, how
often the player acts in which way on average.  Nothing in a node depends on cards that are dealt in a trial:
the triple of a player depends on a node, his two cards and the board that is out.

**Ranges.**  In a node each player's range is a distribution over `NUM_STRATA` classes of hand strength
(``strata``); before the flop, of the share of starting hands that are worth less.  It begins with the
player's weight table and moves with each of his actions as a weight table does (Fig. 3.5), class by class; a
new board card moves it by how strengths move on average.

A hand's strength against a field of ranges is the product of what it beats of each (eq 3.3).
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
)
from engine.kernels.opponents import (
    NUM_PARAMETERS,
    implied_thresholds,
    parameters_of,
    ramp,
    threshold_triple_of,
    triple_of,
)
from engine.kernels.strata import NUM_STRATA, Averages
from engine.kernels.thresholds import (
    HABIT_VERY_WEAK,
    TRAIT_LOOSENESS,
    bluff_chance,
    bluff_pays,
    fill_thresholds,
    protection,
    weakness,
)
from engine.kernels.trial_players import (
    BLIND,
    FIXED,
    NUM_SIZES,
    OURS,
    Players,
    counted_frequencies,
    legal_frequencies,
    own_share,
    postflop_value,
    potentials_against,
)

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
RANGES: Final = LAST_ACTION + MAX_PLAYERS
"""By position: the row of `Tree.ranges` in which his range stands."""
NODE_INTEGERS: Final = RANGES + MAX_PLAYERS

# Numbers of a node.
THRESHOLDS: Final = 0
"""First, so that a node's numbers are what `parameters_of` takes."""
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
"""Of each stratum: first the chances to call, then those to raise."""
NODE_NUMBERS: Final = TRIPLES + 2 * NUM_STRATA

PASSING_NODES: Final = 4
"""Nodes at the end of the tree that are made anew each time: for when it is full."""
PASSING_RANGES: Final = PASSING_NODES * MAX_PLAYERS
"""Likewise; each passing node has its own, by position."""

LEAST_CHANCE: Final = 0.01
"""No action multiplies a weight by less, as in a weight table."""
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
    ranges: NDArray[np.float64]
    """Of a player: the part of his range below each edge.  Nodes between which a range does not change share
    it.  Shape (more, NUM_STRATA + 1)."""
    used: NDArray[np.int64]
    """Shape (3,): nodes made; ranges made; passing nodes made."""
    scratch: NDArray[np.float64]
    """Shape (6, NUM_STRATA + 1)."""


@kernel(allocates=False)
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


@kernel(allocates=False)
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


@kernel(allocates=False, inlined=True)
def _reweight(weights: NDArray[np.float64], chances: NDArray[np.float64], noise: float) -> None:
    """The weights of strata by the chances of the action seen, in place: as a weight table's (Fig. 3.5)."""
    for stratum in range(NUM_STRATA):
        chance = chances[stratum] * (1.0 - noise) + noise / 3.0
        weights[stratum] *= max(chance, LEAST_CHANCE)


@kernel(allocates=False, inlined=True)
def _move(weights: NDArray[np.float64], step: NDArray[np.float64], moved: NDArray[np.float64]) -> None:
    """What the weights of strata become with the next card; `moved` is filled in place.

    step: from each stratum to each, of `Averages`.
    """
    for later in range(NUM_STRATA):
        moved[later] = 0.0
    for stratum in range(NUM_STRATA):
        for later in range(NUM_STRATA):
            moved[later] += weights[stratum] * step[stratum, later]


@kernel(allocates=False)
def make_child(
    tree: Tree, players: Players, averages: Averages, rules: NDArray[np.int64], node: int, action: int
) -> int:
    """The node after an action, `FOLD`, `CALL` or the total raised to, of the position to act in a node.

    If the tree is full, the new node is a passing one, good until four more have been made.
    """
    nodes = tree.integers.shape[0] - PASSING_NODES
    ranges = tree.ranges.shape[0] - PASSING_RANGES
    is_passing = tree.used[0] >= nodes or tree.used[1] > ranges - MAX_PLAYERS
    if not is_passing:
        child = integer(tree.used[0])
        tree.used[0] += 1
    else:
        child = nodes + integer(tree.used[2]) % PASSING_NODES
        tree.used[2] += 1
    old, new = tree.integers[node], tree.integers[child]
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
    own = ranges + (child - nodes) * MAX_PLAYERS
    has_acted = kind > 0 and old[READY] > 0
    noise = players.reweighting_noise[0]
    for other in range(rules[GENERAL, NUM_PLAYERS]):
        row = integer(old[RANGES + other])
        moves = is_new_round or (has_acted and other == position)
        if new[FOLDED] >> other & 1 or not (moves or (is_passing and row >= ranges)):
            continue
        if is_passing:
            target = own + other
        else:
            target = integer(tree.used[1])
            tree.used[1] += 1
        new[RANGES + other] = target
        below, after = tree.ranges[row], tree.ranges[target]
        if not moves:
            for edge in range(NUM_STRATA + 1):
                after[edge] = below[edge]
            continue
        weights = tree.scratch[0]
        for stratum in range(NUM_STRATA):
            weights[stratum] = below[stratum + 1] - below[stratum]
        if has_acted and other == position:
            start = TRIPLES + (kind - 1) * NUM_STRATA
            _reweight(weights, tree.numbers[node, start : start + NUM_STRATA], noise)
        if is_new_round:
            step = averages.to_flop if new[ROUND] == 1 else averages.to_next[new[ROUND] - 2]
            _move(weights, step, tree.scratch[1])
            weights = tree.scratch[1]
        total = 0.0
        after[0] = 0.0
        for stratum in range(NUM_STRATA):
            total += weights[stratum]
            after[stratum + 1] = total
        scale = 1.0 / total
        for stratum in range(NUM_STRATA):
            after[stratum + 1] *= scale
    return child


@kernel(allocates=False)
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
        fold, call, raising = triple_of(value, chance, draw, parameters_of(numbers))
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


@kernel(allocates=False)
def preflop_triple(
    tree: Tree, node: int, value: float, draw: float, equities: NDArray[np.float64]
) -> tuple[float, float, float]:
    """What the actor of a node before the flop does with a starting hand.

    equities: of his hand, a row of ``Averages.preflop_equities``.
    """
    numbers = tree.numbers[node]
    opponent = integer(tree.integers[node, OPPONENT])
    if opponent < 0:
        return _triple_in_node(numbers, value, 0.0, draw, value)
    below = tree.ranges[tree.integers[node, RANGES + opponent]]
    chance = 0.0
    for stratum in range(NUM_STRATA):
        chance += (below[stratum + 1] - below[stratum]) * equities[stratum]
    return _triple_in_node(numbers, value, chance, draw, chance)


@kernel(allocates=False)
def postflop_triple(
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
    kept, gained = potentials_against(positive, negative, betting_round, several)
    value, chance = postflop_value(strength, positive, kept, gained, numbers[PROTECT])
    return _triple_in_node(numbers, value, chance, positive, chance)


@kernel(allocates=False)
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
    opponents = ((1 << num_players) - 1) & ~folded & ~(1 << position)
    with_chips = 0
    pot = 0
    left = 0
    for other in range(num_players):
        behind = rules[STACK, other] - integers[SPENT + other]
        pot += integers[SPENT + other]
        left = max(left, behind if opponents >> other & 1 else 0)
        with_chips |= integer(behind > 0) << other
    to_respond = opponents & with_chips & ~integer(integers[RESPONDED])
    left = min(left, stack - spent)
    several = count_bits(opponents)
    integers[SEVERAL] = several
    for column in range(SHARE, TRIPLES):
        numbers[column] = 0.0
    kind = integer(players.kinds[position])
    if kind == BLIND:
        _prepare_blind(numbers, can_fold, can_raise)
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
    below = tree.ranges[integers[RANGES + position]]
    for stratum in range(NUM_STRATA):
        weights[stratum] = below[stratum + 1] - below[stratum]
    if betting_round == 0:
        _fill_preflop_values(tree, players, averages, node, opponents, entered, values, chances, draws)
    else:
        numbers[PROTECT] = protection(
            betting_round, raises, raiser, entered, to_respond, opponents, players.traits
        )
        _fill_postflop_values(tree, averages, node, opponents, values, chances, draws)

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
    if kind > OURS:
        place = 4 if betting_round == 0 and raises > 0 else betting_round
        context = ((place * 3 + bets) * 3 + integer(integers[LAST_ACTION + position])) * 2
        group = ((1 if betting_round > 0 else 0) * 2 + (1 if bets > 0 else 0)) * 2
        capped = 0 if can_raise else 1
        staying = chances if betting_round > 0 or several == 1 else values
        _prepare_known(
            tree, players, node, context + capped, group + capped, can_fold, weights, values, staying
        )


@kernel(allocates=False, inlined=True)
def _prepare_blind(numbers: NDArray[np.float64], can_fold: bool, can_raise: bool) -> None:
    """The triples of a player who does anything that is legal."""
    chance = 1.0 / (1.0 + can_fold + can_raise)
    numbers[MEAN] = chance if can_fold else 0.0
    numbers[MEAN + 1] = chance
    numbers[MEAN + 2] = chance if can_raise else 0.0
    numbers[NOISE] = 1.0
    for stratum in range(NUM_STRATA):
        numbers[TRIPLES + stratum] = numbers[MEAN + 1]
        numbers[TRIPLES + NUM_STRATA + stratum] = numbers[MEAN + 2]


@kernel(allocates=False, inlined=True)
def _fill_preflop_values(
    tree: Tree,
    players: Players,
    averages: Averages,
    node: int,
    opponents: int,
    entered: int,
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    draws: NDArray[np.float64],
) -> None:
    """What the strata of the actor's range are worth before the flop; the last three are filled in place."""
    integers = tree.integers[node]
    several = count_bits(opponents)
    expected = 1.0 + count_bits(entered)
    opponent = -1
    for other in range(MAX_PLAYERS):
        if opponents >> other & 1:
            opponent = other
            if entered >> other & 1 == 0:
                expected += min(1.0, 0.25 * players.traits[other, TRAIT_LOOSENESS])
    table_size = max(2, min(10, several + 1))
    company = max(2, min(10, integer(np.rint(expected))))
    table = (table_size - 2) * 9 + company - 2
    integers[PREFLOP_TABLE] = table
    integers[OPPONENT] = opponent if several == 1 else -1
    for stratum in range(NUM_STRATA):
        values[stratum] = averages.preflop_strata[table, 0, stratum]
        draws[stratum] = averages.preflop_strata[table, 1, stratum]
        chances[stratum] = 0.0
    if several == 1:
        below = tree.ranges[integers[RANGES + opponent]]
        for against in range(NUM_STRATA):
            weight = below[against + 1] - below[against]
            for stratum in range(NUM_STRATA):
                chances[stratum] += weight * averages.preflop_stratum_equities[against, stratum]


@kernel(allocates=False, inlined=True)
def _fill_postflop_values(
    tree: Tree,
    averages: Averages,
    node: int,
    opponents: int,
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    draws: NDArray[np.float64],
) -> None:
    """Likewise after the flop; from how far a bet protects, `PROTECT`."""
    integers, numbers = tree.integers[node], tree.numbers[node]
    strengths = numbers[STRENGTH : STRENGTH + NUM_STRATA + 1]
    product = tree.scratch[4]
    for edge in range(NUM_STRATA + 1):
        product[edge] = 1.0
    for other in range(MAX_PLAYERS):
        if opponents >> other & 1:
            below = tree.ranges[integers[RANGES + other]]
            for edge in range(NUM_STRATA + 1):
                product[edge] *= below[edge]
    for edge in range(NUM_STRATA + 1):
        strengths[edge] = product[edge]
    potentials = averages.potentials[integers[ROUND] - 1, integers[SEVERAL]]
    positive, kept, gained = potentials[0], potentials[1], potentials[2]
    protect = numbers[PROTECT]
    for stratum in range(NUM_STRATA):
        strength = 0.5 * (product[stratum] + product[stratum + 1])
        values[stratum], chances[stratum] = postflop_value(
            strength, positive[stratum], kept[stratum], gained[stratum], protect
        )
        draws[stratum] = positive[stratum]


@kernel(allocates=False, inlined=True)
def _prepare_known(
    tree: Tree,
    players: Players,
    node: int,
    context: int,
    group: int,
    can_fold: bool,
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    staying: NDArray[np.float64],
) -> None:
    """Draws the triples of the formula towards what is known of the actor in particular.

    staying: what the strata are worth where it comes to a call.
    """
    integers, numbers = tree.integers[node], tree.numbers[node]
    position = integer(integers[TO_ACT])
    can_raise = integers[LOW] > 0
    mean, frequencies = numbers[MEAN : MEAN + 3], numbers[FREQUENCY : FREQUENCY + 3]
    share = 1.0
    if players.kinds[position] == FIXED:
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
    if share > 0.0:
        # His own part goes so much farther than the formula that the whole has his frequencies.
        own = tree.scratch[4]
        for action in range(3):
            own[action] = max(mean[action] - (mean[action] - frequencies[action]) / share, 0.0)
        legal_frequencies(own, can_fold, can_raise)
        call_at, raise_at = implied_thresholds(
            weights, values, staying, own[0], own[2], SPREAD, tree.scratch[4], tree.scratch[5]
        )
        numbers[CALL_AT] = max(call_at, -1e9)
        numbers[RAISE_AT] = min(raise_at, 1e9)
        for action in range(3):
            mean[action] = frequencies[action]
    noise, call_at, raise_at = numbers[NOISE], numbers[CALL_AT], numbers[RAISE_AT]
    mean_call, mean_raise = mean[1], mean[2]
    calls = numbers[TRIPLES : TRIPLES + NUM_STRATA]
    raises = numbers[TRIPLES + NUM_STRATA : TRIPLES + 2 * NUM_STRATA]
    for stratum in range(NUM_STRATA):
        own_raising = ramp(values[stratum], raise_at, SPREAD)
        own_staying = max(ramp(staying[stratum], call_at, SPREAD), own_raising)
        call = calls[stratum] + share * (own_staying - own_raising - calls[stratum])
        raising = raises[stratum] + share * (own_raising - raises[stratum])
        calls[stratum] = call + noise * (mean_call - call)
        raises[stratum] = raising + noise * (mean_raise - raising)


@kernel(allocates=False)
def _fill_triples(
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
    draws: NDArray[np.float64],
    mean: NDArray[np.float64],
) -> None:
    """The formula's triple of each stratum and their mean; both are filled in place."""
    parameters = parameters_of(numbers)
    calls = numbers[TRIPLES : TRIPLES + NUM_STRATA]
    raises = numbers[TRIPLES + NUM_STRATA : TRIPLES + 2 * NUM_STRATA]
    for stratum in range(NUM_STRATA):
        _, call, raising = triple_of(values[stratum], chances[stratum], draws[stratum], parameters)
        calls[stratum] = call
        raises[stratum] = raising
    calling = 0.0
    often = 0.0
    for stratum in range(NUM_STRATA):
        calling += weights[stratum] * calls[stratum]
        often += weights[stratum] * raises[stratum]
    mean[0] = max(1.0 - calling - often, 0.0)
    mean[1] = calling
    mean[2] = often
