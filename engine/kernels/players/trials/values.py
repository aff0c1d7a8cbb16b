"""What the strata of a range are worth at a node, and what a modelled player does with them.

The rows of `Scratch` describe the strata.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.players.hand_values import postflop_value, preflop_players
from engine.kernels.players.player import Curve, Line, Phi, Psi, blindness, chance_at, fill_phi, line_of
from engine.kernels.players.raises import asked, raises_in_company
from engine.kernels.players.records import Trait
from engine.kernels.players.trials.players import Kind, Players
from engine.kernels.players.trials.strata import NUM_STRATA, Averages, Potential, table_index
from engine.kernels.players.trials.tree import NodeNumber, Scratch, Tree, TreeNode
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.cards import count_bits, lowest_bit
from engine.poker.records import PublicSituation
from engine.support.arrays import Floats

_EDGES: Final = np.sqrt(np.arange(NUM_STRATA + 1) / NUM_STRATA)
_SHARES: Final = 0.5 * (_EDGES[1:] + _EDGES[:-1])
"""Of all hands after the flop, what those of a stratum beat."""
_SHARE_VARIANCES: Final = np.diff(_EDGES) ** 2 / 12.0


@kernel(allocates=False, inlined=True)
def fill_values(
    tree: Tree, players: Players, averages: Averages, node: int, situation: PublicSituation, is_ours: bool
) -> None:
    """Fill the rows of `Scratch` with the range of the player to act in a situation, and its values.

    situation: that of a node, or one in which an opponent is asked there.
    """
    integers = tree.integers[node]
    weights, below = (
        tree.scratch[Scratch.WEIGHTS],
        tree.ranges[integers[TreeNode.RANGES + situation.position]],
    )
    for stratum in range(NUM_STRATA):
        weights[stratum] = below[stratum + 1] - below[stratum]
    if situation.betting_round == 0:
        _fill_preflop_values(tree, players, averages, node, situation, is_ours)
    else:
        _fill_postflop_values(tree, averages, node, situation)


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
    values, chances = tree.scratch[Scratch.VALUES], tree.scratch[Scratch.CHANCES]
    for stratum in range(NUM_STRATA):
        values[stratum] = averages.preflop_stratum_values[table, stratum]
        tree.scratch[Scratch.DRAWS, stratum] = chances[stratum] = 0.0
        tree.scratch[Scratch.VALUE_VARIANCES, stratum] = averages.preflop_stratum_variances[table, stratum]
        tree.scratch[Scratch.CHANCE_VARIANCES, stratum] = averages.preflop_stratum_equity_variances[stratum]
        tree.scratch[Scratch.SHARES, stratum] = values[stratum]
        tree.scratch[Scratch.SHARE_VARIANCES, stratum] = averages.preflop_stratum_variances[table, stratum]
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
def _fill_preflop_chances(tree: Tree, averages: Averages, below: Floats) -> None:
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
    scratch, protect = tree.scratch, numbers[NodeNumber.PROTECTION]
    values, chances, draws = scratch[Scratch.VALUES], scratch[Scratch.CHANCES], scratch[Scratch.DRAWS]
    value_variances, chance_variances = scratch[Scratch.VALUE_VARIANCES], scratch[Scratch.CHANCE_VARIANCES]
    shares, share_variances = scratch[Scratch.SHARES], scratch[Scratch.SHARE_VARIANCES]
    middles, blurred = scratch[Scratch.SPARE + 1], scratch[Scratch.SPARE + 2]
    # A loop for each row that is filled: with more in one, it would not become vector code.
    for stratum in range(NUM_STRATA):
        middles[stratum] = 0.5 * (product[stratum] + product[stratum + 1])
    for stratum in range(NUM_STRATA):
        values[stratum] = postflop_value(
            middles[stratum], positive[stratum], kept[stratum], gained[stratum], protect
        )[0]
    for stratum in range(NUM_STRATA):
        chances[stratum] = postflop_value(middles[stratum], 0.0, kept[stratum], gained[stratum], protect)[1]
    # Some hands of a stratum are draws and most are not: a mean of both would call where most would fold.
    for stratum in range(NUM_STRATA):
        blur = (1.0 - middles[stratum]) * blurs[stratum]
        blurred[stratum] = blur * gained[stratum] / max(positive[stratum], 1e-9)
    for stratum in range(NUM_STRATA):
        width = product[stratum + 1] - product[stratum]
        chance_variances[stratum] = blurred[stratum] * blurred[stratum] + width * width / 12.0
    for stratum in range(NUM_STRATA):
        blur = protect * ((1.0 - middles[stratum]) * blurs[stratum]) + (1.0 - protect) * blurred[stratum]
        width = product[stratum + 1] - product[stratum]
        value_variances[stratum] = blur * blur + width * width / 12.0
    for stratum in range(NUM_STRATA):
        draws[stratum] = positive[stratum]
        shares[stratum] = _SHARES[stratum]
        share_variances[stratum] = _SHARE_VARIANCES[stratum]


# --- what a modelled player does --------------------------------------------------------------------------


@kernel(allocates=False, inlined=True)
def _stratum_chance(tree: Tree, line: Line, price: float, stratum: int) -> float:
    """The answer yes of a stratum: its hands differ, which flattens the curve."""
    scratch = tree.scratch
    share, value = scratch[Scratch.SHARES, stratum] - 0.5, scratch[Scratch.VALUES, stratum] - 0.5
    slope = line.share + 8.0 * line.square * share
    variance = slope * slope * scratch[Scratch.SHARE_VARIANCES, stratum]
    variance += line.value * line.value * scratch[Scratch.VALUE_VARIANCES, stratum]
    variance += line.chance * line.chance * scratch[Scratch.CHANCE_VARIANCES, stratum]
    kappa = line.kappa / np.sqrt(1.0 + np.pi / 8.0 * line.kappa * line.kappa * variance)
    flat = Line(line.one, line.share, line.value, line.square, line.chance, kappa)
    return chance_at(flat, share, value, scratch[Scratch.CHANCES, stratum] - price)


@kernel(allocates=False)
def fill_answers(tree: Tree, curve: Curve, folds: Floats, answers: Floats) -> Line:
    """The answer yes of each stratum of the range in `Scratch`, shape (NUM_STRATA,), in place.

    The situation is that of the first row of ``Tree.features``.
    folds: how much of each stratum has been folded before.
    """
    scratch, phi, means = tree.scratch, tree.features[0], tree.features[1]
    price = phi[Phi.PRICE]
    total = 1e-300
    shares = values = squares = chances = 0.0
    for stratum in range(NUM_STRATA):
        weight = scratch[Scratch.WEIGHTS, stratum] * (1.0 - folds[stratum])
        share = scratch[Scratch.SHARES, stratum] - 0.5
        total += weight
        shares += weight * share
        values += weight * (scratch[Scratch.VALUES, stratum] - 0.5)
        squares += 4.0 * weight * (share * share + scratch[Scratch.SHARE_VARIANCES, stratum])
        chances += weight * scratch[Scratch.CHANCES, stratum]
    means[Psi.ONE] = 1.0
    means[Psi.SHARE] = shares / total
    means[Psi.VALUE] = values / total
    means[Psi.SQUARE] = squares / total
    means[Psi.CHANCE] = chances / total - price
    line = line_of(curve, phi, means, tree.spare)
    for stratum in range(NUM_STRATA):
        answers[stratum] = _stratum_chance(tree, line, price, stratum)
    return line


@kernel(allocates=False)
def curve_at(curves: Curve, position: int) -> Curve:
    """The curve of one of the players."""
    return Curve(curves.layout, curves.mean[position], curves.covariance[position])


@kernel(allocates=False, inlined=True)
def asked_fold(
    tree: Tree,
    players: Players,
    averages: Averages,
    node: int,
    situation: PublicSituation,
    other: int,
    bet: float,
) -> tuple[float, float]:
    """The chance that a modelled opponent folds to a raise by `bet`, or to a call where it is below 0.

    Returns:
        It, and how blind to the hand these folds are.  Overwrites the rows of `Scratch`.
    """
    after = asked(situation, other, bet)
    if not after.can_fold:
        return 0.0, 0.0
    fill_values(tree, players, averages, node, after, False)
    fill_phi(after, tree.features[0])
    folds, nothing = tree.scratch[Scratch.SPARE], tree.scratch[Scratch.SPARE + 1]
    nothing[:] = 0.0
    fill_answers(tree, curve_at(players.folds, other), nothing, folds)
    means, folded, fold = tree.features[1], 0.0, 0.0
    for stratum in range(NUM_STRATA):
        folding = tree.scratch[Scratch.WEIGHTS, stratum] * folds[stratum]
        fold += folding
        folded += folding * (tree.scratch[Scratch.SHARES, stratum] - 0.5)
    mean = means[Psi.SHARE]
    gap = mean - folded / max(fold, 1e-300)
    return fold, blindness(fold, gap, mean, means[Psi.SQUARE])


@kernel(allocates=False, inlined=True)
def ask_opponents(
    tree: Tree, players: Players, averages: Averages, node: int, situation: PublicSituation
) -> None:
    """Write what modelled opponents do if we raise by the usual bet, or call, to their traits."""
    in_company = count_bits(situation.opponents) > 1 and raises_in_company(situation)
    # Before the flop, against several, nothing else follows from it.
    matters = situation.can_raise and (
        in_company or situation.betting_round > 0 or count_bits(situation.opponents) == 1
    )
    for other in range(MAX_PLAYERS):
        traits = players.traits[other]
        is_asked = situation.opponents >> other & 1 == 1 and players.kinds[other] == Kind.MODELLED
        traits[Trait.KNOWN] = 1.0 if is_asked and matters else 0.0
        questions = 0 if traits[Trait.KNOWN] == 0.0 else (2 if in_company else 1)
        for question in range(questions):
            bet = situation.bet if question == 0 else -1.0
            fold, blind = asked_fold(tree, players, averages, node, situation, other, bet)
            if question == 0:
                traits[Trait.FOLD] = fold
                traits[Trait.BLIND_FOLD] = blind
            else:
                traits[Trait.FOLD_TO_CALL] = fold
