"""What the player to act at a node does: with each stratum of its range, and with one hand.

The player to act, the node's *actor*, is one of the `Kind`s of ``players``.  All but the random one begin
with the formula: its thresholds follow from the public situation, and its bluffs are measured out on the
actor's own range.  A player whose frequencies are known acts partly by the thresholds that these imply, as in
the specific model at the table.

The rows of `Scratch` describe the strata of a range while their triples are computed.  What is kept is each
stratum's chance to call and chance to raise, by which ranges move (``tree``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import integer, kernel
from engine.kernels.players.bars import with_bars
from engine.kernels.players.hand_values import postflop_value, potentials_against, preflop_players
from engine.kernels.players.predictions import prediction_of
from engine.kernels.players.raises import protection, push_of, raises_in_company
from engine.kernels.players.records import Counts, Noise
from engine.kernels.players.reweighting import implied_thresholds
from engine.kernels.players.thresholds import bluff_chance, bluff_pays, thresholds_of
from engine.kernels.players.trials.players import Kind, Players
from engine.kernels.players.trials.situations import context_in, situation_in
from engine.kernels.players.trials.sizes import prepare_sizes
from engine.kernels.players.trials.strata import NUM_STRATA, Averages, Potential, table_index
from engine.kernels.players.trials.tree import (
    NodeNumber,
    Scratch,
    Tree,
    TreeNode,
    keep_push,
    keep_thresholds,
    push_in,
    thresholds_in,
)
from engine.kernels.players.triples import (
    SPREAD,
    blended,
    blurred,
    blurred_spread,
    keep_triple,
    legal_triple,
    mean_triple_of,
    neutral_triple,
    own_share,
    own_triple,
    threshold_triple_of,
    triple_at,
    triple_of,
)
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.cards import count_bits, lowest_bit
from engine.poker import records as plain
from engine.poker.records import ProbabilityTriple, PublicSituation

_noise_index = kernel(allocates=False, inlined=True)(plain.noise_index)

# --- one hand --------------------------------------------------------------------------------------------


@kernel(allocates=False)
def triple_in_node(
    numbers: NDArray[np.float64], value: float, chance: float, draw: float, call_value: float
) -> ProbabilityTriple:
    """The triple of a node's actor for a hand.

    call_value: the value that is compared with the implied call threshold.
    The other parameters are those of `triple_of`.
    """
    share = numbers[NodeNumber.SHARE]
    fold_noise, raise_noise = numbers[NodeNumber.FOLD_NOISE], numbers[NodeNumber.RAISE_NOISE]
    triple = ProbabilityTriple(0.0, 0.0, 0.0)
    if share < 1.0:
        thresholds, push = thresholds_in(numbers), push_in(numbers)
        triple = triple_of(value, chance, draw, thresholds, push, numbers[NodeNumber.BLUFFS])
    if share > 0.0:
        call_at, raise_at = numbers[NodeNumber.CALL_AT], numbers[NodeNumber.RAISE_AT]
        own = threshold_triple_of(value, call_value, call_at, raise_at, SPREAD, SPREAD)
        triple = blended(triple, own, share)
    if max(fold_noise, raise_noise) > 0.0:
        triple = blurred(triple, triple_at(numbers[NodeNumber.MEAN :]), fold_noise, raise_noise)
    return triple


@kernel(allocates=False)
def preflop_triple(
    tree: Tree, node: int, value: float, draw: float, equities: NDArray[np.float64]
) -> ProbabilityTriple:
    """The triple of a node's actor for a starting hand, before the flop.

    equities: the row of ``Averages.preflop_equities`` for the hand.
    """
    numbers = tree.numbers[node]
    opponent = integer(tree.integers[node, TreeNode.OPPONENT])
    if opponent >= 0:
        chance = _chance_against(tree.ranges[tree.integers[node, TreeNode.RANGES + opponent]], equities)
        return triple_in_node(numbers, value, chance, draw, chance)
    chance = 0.0
    if numbers[NodeNumber.PUSH] > 0.0:
        chance = _chance_against(numbers[NodeNumber.STRENGTH :], equities)
    return triple_in_node(numbers, value, chance, draw, value)


@kernel(allocates=False, inlined=True)
def _chance_against(below: NDArray[np.float64], equities: NDArray[np.float64]) -> float:
    """The chance of winning against a range before the flop.

    below: its weight below each edge of the strata.  equities: against each stratum.
    """
    chance = 0.0
    for stratum in range(NUM_STRATA):
        chance += (below[stratum + 1] - below[stratum]) * equities[stratum]
    return chance


@kernel(allocates=False)
def value_in_node(
    numbers: NDArray[np.float64],
    betting_round: int,
    num_opponents: int,
    squared: float,
    positive: float,
    negative: float,
) -> tuple[float, float]:
    """A hand's value and its chance at the showdown against the ranges of a node, after the flop.

    squared: the square of the share of hands that it beats.
    positive, negative: its potentials for one card.
    """
    in_strata = squared * NUM_STRATA
    stratum = min(integer(in_strata), NUM_STRATA - 1)
    lower = numbers[NodeNumber.STRENGTH + stratum]
    upper = numbers[NodeNumber.STRENGTH + stratum + 1]
    strength = lower + (in_strata - stratum) * (upper - lower)
    kept, gained = potentials_against(positive, negative, betting_round, num_opponents)
    return postflop_value(strength, positive, kept, gained, numbers[NodeNumber.PROTECTION])


# --- the strata of a range -------------------------------------------------------------------------------


@kernel(allocates=False)
def prepare_node(
    tree: Tree, players: Players, averages: Averages, rules: NDArray[np.int64], node: int
) -> None:
    """Compute what a node's actor does, for each stratum of the range and for any hand; all in place."""
    integers, numbers = tree.integers[node], tree.numbers[node]
    situation = situation_in(rules, integers)
    integers[TreeNode.READY] = 1
    integers[TreeNode.NUM_OPPONENTS] = count_bits(situation.opponents)
    numbers[NodeNumber.BLUFFS] = 0.0
    numbers[NodeNumber.SHARE] = 0.0
    numbers[NodeNumber.FOLD_NOISE] = 0.0
    numbers[NodeNumber.RAISE_NOISE] = 0.0
    kind = integer(players.kinds[situation.position])
    if kind == Kind.RANDOM:
        _prepare_random(numbers, situation)
        return
    weights, below = (
        tree.scratch[Scratch.WEIGHTS],
        tree.ranges[integers[TreeNode.RANGES + situation.position]],
    )
    for stratum in range(NUM_STRATA):
        weights[stratum] = below[stratum + 1] - below[stratum]
    if situation.betting_round == 0:
        _fill_preflop_values(tree, players, averages, node, situation, kind == Kind.OURS)
    else:
        numbers[NodeNumber.PROTECTION] = protection(situation, players.traits)
        _fill_postflop_values(tree, averages, node, situation)
    _prepare_formula(tree, players, node, situation, kind == Kind.OURS)
    is_sized = kind == Kind.OURS and not situation.is_limit and situation.can_raise
    if is_sized and integers[TreeNode.NUM_OPPONENTS] == 1:
        prepare_sizes(tree, players, rules, node, situation)
    if kind > Kind.OURS:
        _prepare_known(tree, players, node, situation)


@kernel(allocates=False, inlined=True)
def _prepare_random(numbers: NDArray[np.float64], situation: PublicSituation) -> None:
    """Fill in the triples of a player who takes any legal action."""
    neutral = neutral_triple(situation.can_fold, situation.can_raise)
    keep_triple(neutral, numbers[NodeNumber.MEAN :])
    numbers[NodeNumber.FOLD_NOISE] = 1.0
    numbers[NodeNumber.RAISE_NOISE] = 1.0
    for stratum in range(NUM_STRATA):
        numbers[NodeNumber.CALLS + stratum] = neutral.call
        numbers[NodeNumber.RAISES + stratum] = neutral.raise_


@kernel(allocates=False, inlined=True)
def _fill_preflop_values(
    tree: Tree, players: Players, averages: Averages, node: int, situation: PublicSituation, is_ours: bool
) -> None:
    """Fill the rows of `Scratch` with the values of the strata of the actor's range, before the flop."""
    integers, opponents = tree.integers[node], situation.opponents
    num_players, expected_players = preflop_players(situation, players.traits)
    table = table_index(num_players, expected_players)
    opponent = -1
    if count_bits(opponents) == 1:
        opponent = lowest_bit(opponents)
    integers[TreeNode.PREFLOP_TABLE] = table
    integers[TreeNode.OPPONENT] = opponent
    values, chances, draws = (
        tree.scratch[Scratch.VALUES], tree.scratch[Scratch.CHANCES], tree.scratch[Scratch.DRAWS]
    )  # fmt: skip
    for stratum in range(NUM_STRATA):
        values[stratum] = averages.preflop_stratum_values[table, stratum]
        draws[stratum] = averages.preflop_stratum_draws[table, stratum]
        chances[stratum] = 0.0
        tree.scratch[Scratch.VALUE_VARIANCES, stratum] = averages.preflop_stratum_variances[table, stratum]
        tree.scratch[Scratch.CHANCE_VARIANCES, stratum] = averages.preflop_stratum_equity_variances[stratum]
    if opponent >= 0:
        _fill_preflop_chances(tree, averages, tree.ranges[integers[TreeNode.RANGES + opponent]])
    elif is_ours and raises_in_company(situation):
        mean = tree.numbers[node, NodeNumber.STRENGTH : NodeNumber.STRENGTH + NUM_STRATA + 1]
        mean[:] = 0.0
        for other in range(MAX_PLAYERS):
            if opponents >> other & 1:
                below = tree.ranges[integers[TreeNode.RANGES + other]]
                for edge in range(NUM_STRATA + 1):
                    mean[edge] += below[edge] / integers[TreeNode.NUM_OPPONENTS]
        _fill_preflop_chances(tree, averages, mean)


@kernel(allocates=False, inlined=True)
def _fill_preflop_chances(tree: Tree, averages: Averages, below: NDArray[np.float64]) -> None:
    """Fill `Scratch.CHANCES` with the chance of each stratum against a range: its weight below each edge."""
    chances = tree.scratch[Scratch.CHANCES]
    for against in range(NUM_STRATA):
        weight = below[against + 1] - below[against]
        for stratum in range(NUM_STRATA):
            chances[stratum] += weight * averages.preflop_stratum_equities[against, stratum]


@kernel(allocates=False, inlined=True)
def _fill_postflop_values(tree: Tree, averages: Averages, node: int, situation: PublicSituation) -> None:
    """The same after the flop; reads `NodeNumber.PROTECTION`, by how much a bet protects."""
    integers, numbers = tree.integers[node], tree.numbers[node]
    strengths = numbers[NodeNumber.STRENGTH : NodeNumber.STRENGTH + NUM_STRATA + 1]
    product = tree.scratch[Scratch.SPARE]
    for edge in range(NUM_STRATA + 1):
        product[edge] = 1.0
    for other in range(MAX_PLAYERS):
        if situation.opponents >> other & 1:
            below = tree.ranges[integers[TreeNode.RANGES + other]]
            for edge in range(NUM_STRATA + 1):
                product[edge] *= below[edge]
    for edge in range(NUM_STRATA + 1):
        strengths[edge] = product[edge]
    potentials = averages.potentials[situation.betting_round - 1, integers[TreeNode.NUM_OPPONENTS]]
    positive, kept, gained, blurs = (
        potentials[Potential.POSITIVE], potentials[Potential.KEPT], potentials[Potential.GAINED],
        potentials[Potential.BLUR],
    )  # fmt: skip
    values, chances, draws = (
        tree.scratch[Scratch.VALUES], tree.scratch[Scratch.CHANCES], tree.scratch[Scratch.DRAWS]
    )  # fmt: skip
    value_variances, chance_variances = (
        tree.scratch[Scratch.VALUE_VARIANCES], tree.scratch[Scratch.CHANCE_VARIANCES]
    )  # fmt: skip
    protect = numbers[NodeNumber.PROTECTION]
    for stratum in range(NUM_STRATA):
        strength = 0.5 * (product[stratum] + product[stratum + 1])
        values[stratum], chances[stratum] = postflop_value(
            strength, positive[stratum], kept[stratum], gained[stratum], protect
        )
        draws[stratum] = positive[stratum]
        # Some hands of a stratum are draws and most are not: a mean of both would call where most would fold.
        blur = (1.0 - strength) * blurs[stratum]
        chance_blur = blur * gained[stratum] / max(positive[stratum], 1e-9)
        value_blur = protect * blur + (1.0 - protect) * chance_blur
        width = product[stratum + 1] - product[stratum]
        within = width * width / 12.0
        chance_variances[stratum] = chance_blur * chance_blur + within
        value_variances[stratum] = value_blur * value_blur + within


@kernel(allocates=False, inlined=True)
def _prepare_formula(
    tree: Tree, players: Players, node: int, situation: PublicSituation, is_ours: bool
) -> None:
    """Fill in the triples of the formula, with bluffs, from the values of the strata."""
    numbers = tree.numbers[node]
    traits = players.traits if is_ours else players.usual_traits
    parameters = players.parameters if is_ours else players.usual_parameters
    thresholds = thresholds_of(situation, traits, parameters)
    keep_thresholds(thresholds, numbers)
    keep_push(push_of(situation, traits), numbers)
    mean = _fill_triples(tree, node, 0.0)
    pays = bluff_pays(situation, traits, parameters)
    if pays > 0.0:
        bluffs = bluff_chance(
            situation, parameters, pays, mean.raise_,
            tree.scratch[Scratch.WEIGHTS, :NUM_STRATA], tree.scratch[Scratch.VALUES, :NUM_STRATA],
        )  # fmt: skip
        if bluffs > 0.0:
            numbers[NodeNumber.BLUFFS] = bluffs
            mean = _fill_triples(tree, node, bluffs)
    keep_triple(mean, numbers[NodeNumber.MEAN :])


@kernel(allocates=False)
def _fill_triples(tree: Tree, node: int, bluffs: float) -> ProbabilityTriple:
    """Fill in the formula's triple of each stratum in a node's numbers.

    Returns:
        The weighted mean of the triples.
    """
    numbers = tree.numbers[node]
    thresholds, push = thresholds_in(numbers), push_in(numbers)
    weights, values = tree.scratch[Scratch.WEIGHTS], tree.scratch[Scratch.VALUES]
    chances, draws = tree.scratch[Scratch.CHANCES], tree.scratch[Scratch.DRAWS]
    value_variances, chance_variances = (
        tree.scratch[Scratch.VALUE_VARIANCES], tree.scratch[Scratch.CHANCE_VARIANCES]
    )  # fmt: skip
    calls = numbers[NodeNumber.CALLS : NodeNumber.CALLS + NUM_STRATA]
    raises = numbers[NodeNumber.RAISES : NodeNumber.RAISES + NUM_STRATA]
    for stratum in range(NUM_STRATA):
        variances = value_variances[stratum], chance_variances[stratum]
        triple = mean_triple_of(
            values[stratum], chances[stratum], draws[stratum], variances, thresholds, push, bluffs
        )
        calls[stratum] = triple.call
        raises[stratum] = triple.raise_
    calling = 0.0
    raising = 0.0
    for stratum in range(NUM_STRATA):
        calling += weights[stratum] * calls[stratum]
        raising += weights[stratum] * raises[stratum]
    return ProbabilityTriple(max(1.0 - calling - raising, 0.0), calling, raising)


@kernel(allocates=False, inlined=True)
def _prepare_known(tree: Tree, players: Players, node: int, situation: PublicSituation) -> None:
    """Draw the formula's triples towards what is known of this actor in particular."""
    integers, numbers = tree.integers[node], tree.numbers[node]
    position, can_fold, can_raise = situation.position, situation.can_fold, situation.can_raise
    numbered = context_in(situation, integers)
    usual = triple_at(numbers[NodeNumber.MEAN :])
    if players.kinds[position] == Kind.FIXED:
        frequencies = legal_triple(
            triple_at(players.contexts[position, numbered.context]), can_fold, can_raise
        )
        share = 1.0
    else:
        counts = Counts(
            contexts=players.contexts[position],
            groups=players.groups[position],
            details=players.details[position],
            corrections=players.corrections[position],
            detail_corrections=players.detail_corrections[position],
            folds=players.folds[position],
            company=players.company[position],
            company_weight=players.company_weight[position],
            counts_weight=players.counts_weight[position],
            borrowing=players.borrowing[position],
            neutral_share=players.neutral_share[position],
            pot_odds=players.pot_odds[position],
            steepness=players.steepness[position],
            bars=players.bars[position],
            bars_weight=players.bars_weight[position],
            bars_moved=players.bars_moved[position],
        )
        frequencies = prediction_of(counts, numbered, usual, can_fold, can_raise).together
        if situation.betting_round > 0:
            below = tree.ranges[integers[TreeNode.RANGES + position]]
            frequencies = with_bars(frequencies, counts, situation, numbered.context, below)
        share = own_share(usual, frequencies)
    num_opponents = integer(integers[TreeNode.NUM_OPPONENTS])
    noises = players.noise[position, integer(_noise_index(situation.betting_round, num_opponents))]
    fold_noise, raise_noise = float(noises[Noise.FOLDS]), float(noises[Noise.RAISES])
    numbers[NodeNumber.SHARE] = share
    numbers[NodeNumber.FOLD_NOISE] = fold_noise
    numbers[NodeNumber.RAISE_NOISE] = raise_noise
    weights, values = tree.scratch[Scratch.WEIGHTS, :NUM_STRATA], tree.scratch[Scratch.VALUES, :NUM_STRATA]
    # The variances are not needed any more: from here on their rows hold spreads.
    spreads = tree.scratch[Scratch.VALUE_VARIANCES, :NUM_STRATA]
    call_values, call_spreads = (
        tree.scratch[Scratch.CHANCES, :NUM_STRATA], tree.scratch[Scratch.CHANCE_VARIANCES, :NUM_STRATA]
    )  # fmt: skip
    for stratum in range(NUM_STRATA):
        spreads[stratum] = blurred_spread(SPREAD, spreads[stratum])
        call_spreads[stratum] = blurred_spread(SPREAD, call_spreads[stratum])
    if situation.betting_round == 0 and integers[TreeNode.OPPONENT] < 0:
        call_values, call_spreads = values, spreads
    call_at = 0.0
    raise_at = 0.0
    if share > 0.0:
        own = own_triple(usual, frequencies, share, can_fold, can_raise)
        call_at, raise_at = implied_thresholds(
            weights, values, call_values, spreads, call_spreads, own, tree.scratch[Scratch.SPARE :]
        )
        numbers[NodeNumber.CALL_AT] = call_at
        numbers[NodeNumber.RAISE_AT] = raise_at
        keep_triple(frequencies, numbers[NodeNumber.MEAN :])
    blind = triple_at(numbers[NodeNumber.MEAN :])
    calls = numbers[NodeNumber.CALLS : NodeNumber.CALLS + NUM_STRATA]
    raises = numbers[NodeNumber.RAISES : NodeNumber.RAISES + NUM_STRATA]
    for stratum in range(NUM_STRATA):
        folds = 1.0 - calls[stratum] - raises[stratum]
        formula = ProbabilityTriple(folds, calls[stratum], raises[stratum])
        own = threshold_triple_of(
            values[stratum], call_values[stratum], call_at, raise_at, call_spreads[stratum], spreads[stratum]
        )
        triple = blurred(blended(formula, own, share), blind, fold_noise, raise_noise)
        calls[stratum] = triple.call
        raises[stratum] = triple.raise_
