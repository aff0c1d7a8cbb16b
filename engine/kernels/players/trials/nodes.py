"""What the player to act at a node does: with each stratum of its range, and with one hand.

The player to act, the node's *actor*, is one of the `Kind`s of ``players``.  Most play
by the formula: its thresholds follow from the public situation, and its bluffs are measured out on the
actor's own range.  A modelled player acts by the curves of ``engine.kernels.players.player``, one whose
frequencies are given ignores its hand.

The rows of `Scratch` describe the strata of a range while their triples are computed.  What is kept is each
stratum's chance to call and chance to raise, by which ranges move (``tree``).
"""

from __future__ import annotations

from engine.kernels._jit import integer, kernel
from engine.kernels.players.hand_values import postflop_value, potentials_against
from engine.kernels.players.player import Line, Phi, chance_at, fill_phi
from engine.kernels.players.raises import protection, push_of
from engine.kernels.players.thresholds import bluff_chance, bluff_pays, thresholds_of
from engine.kernels.players.trials.players import Kind, Players
from engine.kernels.players.trials.situations import context_in, situation_in
from engine.kernels.players.trials.sizes import prepare_sizes
from engine.kernels.players.trials.strata import NUM_STRATA, Averages
from engine.kernels.players.trials.tree import (
    NodeNumber,
    Scratch,
    Tree,
    TreeNode,
    keep,
    push_in,
    thresholds_in,
)
from engine.kernels.players.trials.values import ask_opponents, curve_at, fill_answers, fill_values
from engine.kernels.players.triples import legal_triple, mean_triple_of, neutral_triple, triple_at, triple_of
from engine.kernels.poker.cards import count_bits
from engine.poker.records import ProbabilityTriple, PublicSituation
from engine.support.arrays import Floats, Ints

# --- one hand --------------------------------------------------------------------------------------------


@kernel(allocates=False)
def triple_in_node(
    numbers: Floats, share: float, value: float, chance: float, draw: float
) -> ProbabilityTriple:
    """The triple of a node's actor for a hand.

    share: of all hands that it beats.
    The other parameters are those of `triple_of`.
    """
    kind = integer(numbers[NodeNumber.KIND])
    if kind == Kind.MODELLED:
        price = numbers[NodeNumber.CALL_PRICE]
        fold = raising = 0.0
        if numbers[NodeNumber.CAN_FOLD] > 0.0:
            fold = chance_at(_line_in(numbers, NodeNumber.FOLDS), share - 0.5, value - 0.5, chance - price)
        if numbers[NodeNumber.CAN_RAISE] > 0.0:
            raising = chance_at(_line_in(numbers, NodeNumber.LIFTS), share - 0.5, value - 0.5, chance - price)
        return ProbabilityTriple(fold, (1.0 - fold) * (1.0 - raising), (1.0 - fold) * raising)
    return triple_of(
        value, chance, draw, thresholds_in(numbers), push_in(numbers), numbers[NodeNumber.BLUFFS]
    )


@kernel(allocates=False, inlined=True)
def _line_in(numbers: Floats, first: int) -> Line:
    """The curve that is kept in a node's numbers."""
    at = numbers[first:]
    return Line(at[0], at[1], at[2], at[3], at[4], at[5])


@kernel(allocates=False)
def preflop_triple(tree: Tree, node: int, value: float, equities: Floats) -> ProbabilityTriple:
    """The triple of a node's actor for a starting hand, before the flop.

    equities: the row of ``Averages.preflop_equities`` for the hand.
    """
    numbers = tree.numbers[node]
    opponent = integer(tree.integers[node, TreeNode.OPPONENT])
    chance = 0.0
    if opponent >= 0:
        chance = _chance_against(tree.ranges[tree.integers[node, TreeNode.RANGES + opponent]], equities)
    elif numbers[NodeNumber.PUSH] > 0.0:
        chance = _chance_against(numbers[NodeNumber.STRENGTH :], equities)
    return triple_in_node(numbers, value, value, chance, 0.0)


@kernel(allocates=False, inlined=True)
def _chance_against(below: Floats, equities: Floats) -> float:
    """The chance of winning against a range before the flop.

    below: its weight below each edge of the strata.  equities: against each stratum.
    """
    chance = 0.0
    for stratum in range(NUM_STRATA):
        chance += (below[stratum + 1] - below[stratum]) * equities[stratum]
    return chance


@kernel(allocates=False)
def value_in_node(
    numbers: Floats, betting_round: int, num_opponents: int, squared: float, positive: float, negative: float
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


@kernel(allocates=False, inlined=True)
def prepare_node(tree: Tree, players: Players, averages: Averages, rules: Ints, node: int) -> None:
    """Compute what a node's actor does, for each stratum of the range and for any hand; all in place."""
    integers, numbers = tree.integers[node], tree.numbers[node]
    situation = situation_in(rules, integers)
    integers[TreeNode.READY] = 1
    integers[TreeNode.NUM_OPPONENTS] = count_bits(situation.opponents)
    kind = integer(players.kinds[situation.position])
    is_ours = kind == Kind.OURS
    numbers[NodeNumber.KIND] = kind
    numbers[NodeNumber.BLUFFS] = 0.0
    numbers[NodeNumber.PUSH] = 0.0
    numbers[NodeNumber.PROTECTION] = 1.0
    if kind == Kind.RANDOM:
        _prepare_blind(numbers, neutral_triple(situation.can_fold, situation.can_raise))
        return
    if kind == Kind.FIXED:
        frequencies = triple_at(players.contexts[situation.position, context_in(situation, integers)])
        _prepare_blind(numbers, legal_triple(frequencies, situation.can_fold, situation.can_raise))
        return
    if is_ours:
        ask_opponents(tree, players, averages, node, situation)
        if not situation.is_limit and situation.can_raise and integers[TreeNode.NUM_OPPONENTS] == 1:
            prepare_sizes(tree, players, averages, rules, node, situation)
        if situation.betting_round > 0:
            numbers[NodeNumber.PROTECTION] = protection(situation, players.traits)
    fill_values(tree, players, averages, node, situation, is_ours)
    if kind == Kind.MODELLED:
        _prepare_modelled(tree, players, node, situation)
    else:
        _prepare_formula(tree, players, node, situation, is_ours)


@kernel(allocates=False, inlined=True)
def _prepare_blind(numbers: Floats, triple: ProbabilityTriple) -> None:
    """Fill in the triples of a player who does the same with every hand."""
    keep(triple, numbers[NodeNumber.MEAN :])
    for stratum in range(NUM_STRATA):
        numbers[NodeNumber.CALLS + stratum] = triple.call
        numbers[NodeNumber.RAISES + stratum] = triple.raise_


@kernel(allocates=False, inlined=True)
def _prepare_formula(
    tree: Tree, players: Players, node: int, situation: PublicSituation, is_ours: bool
) -> None:
    """Fill in the triples of the formula, with bluffs, from the values of the strata."""
    numbers = tree.numbers[node]
    traits = players.traits if is_ours else players.usual_traits
    parameters = players.parameters if is_ours else players.usual_parameters
    thresholds = thresholds_of(situation, traits, parameters)
    keep(thresholds, numbers[NodeNumber.THRESHOLDS :])
    keep(push_of(situation, traits), numbers[NodeNumber.PUSH :])
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
    keep(mean, numbers[NodeNumber.MEAN :])


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
    calling = raising = 0.0
    for stratum in range(NUM_STRATA):
        calling += weights[stratum] * calls[stratum]
        raising += weights[stratum] * raises[stratum]
    return ProbabilityTriple(max(1.0 - calling - raising, 0.0), calling, raising)


@kernel(allocates=False, inlined=True)
def _prepare_modelled(tree: Tree, players: Players, node: int, situation: PublicSituation) -> None:
    """Fill in the curves of a modelled actor, and the triples of the strata."""
    numbers, position = tree.numbers[node], situation.position
    numbers[NodeNumber.CAN_FOLD] = 1.0 if situation.can_fold else 0.0
    numbers[NodeNumber.CAN_RAISE] = 1.0 if situation.can_raise else 0.0
    fill_phi(situation, tree.features[0])
    numbers[NodeNumber.CALL_PRICE] = tree.features[0, Phi.PRICE]
    folds, lifts = tree.scratch[Scratch.SPARE], tree.scratch[Scratch.SPARE + 1]
    folds[:] = 0.0
    lifts[:] = 0.0
    if situation.can_fold:
        line = fill_answers(tree, curve_at(players.folds, position), lifts, folds)
        keep(line, numbers[NodeNumber.FOLDS :])
    if situation.can_raise:
        line = fill_answers(tree, curve_at(players.raises, position), folds, lifts)
        keep(line, numbers[NodeNumber.LIFTS :])
    for stratum in range(NUM_STRATA):
        numbers[NodeNumber.CALLS + stratum] = (1.0 - folds[stratum]) * (1.0 - lifts[stratum])
        numbers[NodeNumber.RAISES + stratum] = (1.0 - folds[stratum]) * lifts[stratum]
