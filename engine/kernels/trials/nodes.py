"""What the actor of a node does: with each stratum of his range, and with any hand.

A node is prepared once, when a trial first comes to it (`prepare_node`): thresholds from the situation,
values of the strata from the ranges of the others, the formula's triples, and how far they are drawn towards
what is known of the player.  From that the triple of a hand follows at once (`preflop_triple`,
`postflop_triple`).
The arithmetic is that of the models at the table: ``engine.opponents``.

A hand's strength against a field of ranges is the product of what it beats of each (eq 3.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.bets import USUAL_NO_LIMIT_BET
from engine.kernels._jit import integer, kernel
from engine.kernels.cards.bits import count_bits
from engine.kernels.opponents.thresholds import (
    HABIT_VERY_WEAK,
    TRAIT_LOOSENESS,
    bluff_chance,
    bluff_pays,
    fill_thresholds,
    protection,
    weakness,
)
from engine.kernels.opponents.triples import (
    BLUFF,
    SPREAD,
    implied_thresholds,
    parameters_of,
    ramp,
    threshold_triple_of,
    triple_of,
)
from engine.kernels.rules.betting import MAX_PLAYERS, General, Node, Rule
from engine.kernels.trials.players import (
    BLIND,
    FIXED,
    OURS,
    Players,
    counted_frequencies,
    legal_frequencies,
    own_share,
    postflop_value,
    potentials_against,
)
from engine.kernels.trials.strata import NUM_STRATA, Averages
from engine.kernels.trials.tree import (
    CALL_AT,
    ENTERED,
    FREQUENCY,
    LAST_ACTION,
    LOW,
    MEAN,
    NOISE,
    OPPONENT,
    PREFLOP_TABLE,
    PROTECT,
    RAISE_AT,
    RANGES,
    READY,
    SEVERAL,
    SHARE,
    SPENT,
    STRENGTH,
    TRIPLES,
    Tree,
)


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
    position = integer(integers[Node.TO_ACT])
    betting_round = integer(integers[Node.ROUND])
    num_players = integer(rules[Rule.GENERAL, General.NUM_PLAYERS])
    folded = integer(integers[Node.FOLDED])
    stack, spent = rules[Rule.STACK, position], integers[SPENT + position]
    can_fold = spent != integers[Node.MAX_SPENT]
    can_raise = integers[LOW] > 0
    opponents = ((1 << num_players) - 1) & ~folded & ~(1 << position)
    with_chips = 0
    pot = 0
    left = 0
    for other in range(num_players):
        behind = rules[Rule.STACK, other] - integers[SPENT + other]
        pot += integers[SPENT + other]
        left = max(left, behind if opponents >> other & 1 else 0)
        with_chips |= integer(behind > 0) << other
    to_respond = opponents & with_chips & ~integer(integers[Node.RESPONDED])
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
    raises = integer(integers[Node.RAISES])
    raiser = integer(integers[Node.LAST_RAISER]) if raises > 0 else -1
    to_call = max(0, min(stack, integers[Node.MAX_SPENT]) - spent)
    is_limit = rules[Rule.GENERAL, General.IS_LIMIT] != 0
    rounds_left = rules[Rule.GENERAL, General.NUM_ROUNDS] - 1 - betting_round
    if is_limit:
        bet = float(rules[Rule.RAISE_SIZE, betting_round])
        future = 0.0
        for later in range(betting_round + 1, rules[Rule.GENERAL, General.NUM_ROUNDS]):
            future += rules[Rule.RAISE_SIZE, later]
        bets = 0 if to_call == 0 else (1 if to_call <= bet else 2)
    else:
        bet = min(
            max(float(rules[Rule.GENERAL, General.BIG_BLIND]), USUAL_NO_LIMIT_BET * (pot + to_call)),
            float(max(left - to_call, 1)),
        )
        future = 0.5 * (pot + to_call) * rounds_left
        bets = 0 if to_call == 0 else (1 if 2 * to_call <= pot else 2)
    future = min(future, float(max(left - to_call, 0)))
    last_raise = rules[Rule.MAX_RAISES, betting_round] - raises == 1
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
            numbers[BLUFF] = chance
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
    potentials = averages.potentials[integers[Node.ROUND] - 1, integers[SEVERAL]]
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
    position = integer(integers[Node.TO_ACT])
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
