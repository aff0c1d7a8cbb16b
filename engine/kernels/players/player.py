"""The player model: how likely a player folds, and raises, with each hand; and what a decision teaches of it.

A decision is two questions, asked in turn: does he fold, and, having not folded, does he raise?  Each has a
*curve* over the hands c in a situation x::

    z(c) = sum over j of theta_j * phi_j(x) * psi_j(c)      p(c) = e/2 + (1 - e) * logistic(kappa * z(c))

`FEATURES` names the pairs of a phi (`Phi`, of the situation) and a psi (`Psi`, of the hand).  What is known
of theta is a normal distribution; kappa, 1/sqrt(1 + pi/8 v), flattens the curve by the variance v of z at the
mean hand.  A decision moves the distribution by one step of moment matching (`observe`).

Source: D. MacKay, "The evidence framework applied to classification networks", 1992, for kappa; T. Minka,
"Expectation propagation for approximate Bayesian inference", 2001, for the step; Papp (1998) for thresholds.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from engine.kernels._jit import kernel
from engine.kernels.poker.cards import count_bits
from engine.poker import records as plain
from engine.poker.records import PublicSituation, TripleIndex
from engine.support.arrays import Floats, Ints, Words

_bets_to_call = kernel(allocates=False, inlined=True)(plain.bets_to_call)

LAPSE: Final = 0.001
"""Of all answers, the part that comes by accident."""
FORGOTTEN: Final = 0.0003
"""The part of what is known that each decision makes unsure again."""
_LINEAR: Final = 0.9
"""What part of the variance of an answer may come from theta, at most."""
_MOST: Final = 4.97
"""Where the rational function for tanh comes to 1, and would turn back."""
_UNIFORM_SPREAD: Final = 3.0**0.5
"""By how many deviations the mean and the end of an even distribution are apart."""


class Phi(IntEnum):
    """Features of a situation."""

    ALWAYS = 0
    PREFLOP = 1
    FLOP = 2
    TURN = 3
    RIVER = 4
    RAISED_PREFLOP = 5
    FACING = 6
    """There is a bet to call."""
    TWO_BETS = 7
    RAISES = 8
    """In this round, in fours."""
    RAISED_LAST = 9
    """The player's last action in the hand was a raise."""
    CALLED_LAST = 10
    HAS_ACTED = 11
    """In this round."""
    PRICE = 12
    """The call, as a part of the pot after it."""
    POT = 13
    """Half the logarithm of the pot in bets."""
    OPPONENTS = 14
    """But one, in threes."""
    ENTERED = 15
    """Those of them who have bet or called in this round, in threes."""
    BEHIND = 16
    """Somebody is still to act."""
    CAPPED = 17
    LAST_RAISE = 18
    NO_LIMIT = 19
    SIZE = 20
    """In no-limit games: the logarithm of the bet to call, in pots before it; -1.5 to 2."""
    AFTER_FLOP = 21


NUM_PHI: Final = len(Phi)


class Psi(IntEnum):
    """Features of a hand."""

    ONE = 0
    SHARE = 1
    """The share of all hands that it beats, less a half."""
    VALUE = 2
    """Its effective strength against the tables of the opponents, less a half."""
    SQUARE = 3
    """Four times the square of SHARE."""
    CHANCE = 4
    """Its chance at the showdown, less the price of the call."""


NUM_PSI: Final = len(Psi)

_STREETS: Final = (Phi.FLOP, Phi.TURN, Phi.RIVER)
_BOTH: Final = (
    *((phi, Psi.ONE) for phi in Phi if phi not in (Phi.FACING, Phi.AFTER_FLOP)),
    *((phi, Psi.SHARE) for phi in (Phi.PREFLOP, *_STREETS, Phi.RAISED_PREFLOP, Phi.TWO_BETS, Phi.PRICE)),
    *((phi, Psi.SHARE) for phi in (Phi.OPPONENTS, Phi.RAISED_LAST)),
    *((phi, Psi.VALUE) for phi in _STREETS),
    *((phi, Psi.SQUARE) for phi in (Phi.PREFLOP, *_STREETS)),
)
_OF_RAISES: Final = tuple((Phi.FACING, psi) for psi in (Psi.ONE, Psi.SHARE, Psi.VALUE, Psi.SQUARE))
FEATURES: Final = ((*_BOTH, (Phi.AFTER_FLOP, Psi.CHANCE)), (*_BOTH, *_OF_RAISES))
"""The pairs of which the curves of folds and of raises are sums: the one table of features."""


class Curve(NamedTuple):
    """The knowledge of how a player answers one of the two questions."""

    layout: Ints
    """The `Phi` and the `Psi` of each feature, shape (n, 2)."""
    mean: Floats
    """Shape (n,)."""
    covariance: Floats
    """Shape (n, n)."""


class Player(NamedTuple):
    """The knowledge of a player: both curves."""

    folds: Curve
    raises: Curve


class Hands(NamedTuple):
    """The features of each hand of a range: arrays of shape (n,)."""

    share: Floats
    """The share of all hands that it beats."""
    value: Floats
    """Effective strength against the tables of the opponents."""
    showdown: Floats
    """Chance at the showdown."""


class Answer(NamedTuple):
    """The chances of a player's actions over all hands of a range."""

    fold: float
    raise_: float
    blind_fold: float
    """How little of the folds has to do with the hand: 0 where the worst hands are folded, 1 for dice."""
    blind_raise: float


class Spare(NamedTuple):
    """Scratch of `line_of`, arrays of shape (n,)."""

    on: Words
    """The features that are not 0."""
    parts: Floats
    """What these are of the situation."""
    factors: Floats
    """And of the mean hand."""


class Line(NamedTuple):
    """z over the hands of a situation: the factor of each `Psi`, and kappa."""

    one: float
    share: float
    value: float
    square: float
    chance: float
    kappa: float


@kernel(allocates=False, inlined=True)
def logistic(z: float) -> float:
    """1 / (1 + exp(-z)), by a rational function that is vector code; off by less than .0001."""
    x = min(max(0.5 * z, -_MOST), _MOST)
    s = x * x
    above = x * (135135.0 + s * (17325.0 + s * (378.0 + s)))
    below = 135135.0 + s * (62370.0 + s * (3150.0 + 28.0 * s))
    return 0.5 + 0.5 * above / below


@kernel(allocates=False)
def fill_phi(situation: PublicSituation, phi: Floats) -> None:
    """The features of a situation, by `Phi`; `phi`, shape (NUM_PHI,), is filled in place."""
    stage, own = situation.betting_round, situation.position
    raised, called = situation.raised_last >> own & 1, situation.called_last >> own & 1
    pot, to_call = situation.pot, situation.to_call
    phi[:] = 0.0
    phi[Phi.ALWAYS] = 1.0
    phi[Phi.PREFLOP + stage] = 1.0
    phi[Phi.AFTER_FLOP] = 1.0 if stage > 0 else 0.0
    phi[Phi.RAISED_PREFLOP] = 1.0 if stage == 0 and situation.raises > 0 else 0.0
    phi[Phi.FACING] = 1.0 if to_call > 0.0 else 0.0
    phi[Phi.TWO_BETS] = 1.0 if _bets_to_call(situation) == 2 else 0.0
    phi[Phi.RAISES] = 0.25 * situation.raises
    phi[Phi.RAISED_LAST] = raised
    phi[Phi.CALLED_LAST] = called
    phi[Phi.HAS_ACTED] = raised | called if stage == 0 else situation.is_in >> own & 1
    phi[Phi.PRICE] = to_call / (pot + to_call)
    phi[Phi.POT] = 0.5 * np.log(max(pot / situation.bet, 0.1))
    phi[Phi.OPPONENTS] = (count_bits(situation.opponents) - 1) / 3.0
    phi[Phi.ENTERED] = count_bits(situation.entered) / 3.0
    phi[Phi.BEHIND] = 1.0 if situation.to_respond else 0.0
    phi[Phi.CAPPED] = 0.0 if situation.can_raise else 1.0
    phi[Phi.LAST_RAISE] = 1.0 if situation.raises_left == 1 else 0.0
    if not situation.is_limit:
        phi[Phi.NO_LIMIT] = 1.0
        if to_call > 0.0:
            phi[Phi.SIZE] = min(max(np.log(to_call / max(pot - to_call, 1e-9)), -1.5), 2.0)


@kernel(inlined=True)
def _spare_for(curve: Curve) -> Spare:
    number = curve.mean.shape[0]
    return Spare(np.empty(number, np.uint64), np.empty(number), np.empty(number))


@kernel(allocates=False)
def line_of(curve: Curve, phi: Floats, means: Floats, spare: Spare) -> Line:
    """The curve of a situation, flattened as far as it is unsure at the mean hand.

    means: the mean of each `Psi` over the range, shape (NUM_PSI,).
    """
    layout, on, parts, factors = curve.layout, spare.on, spare.parts, spare.factors
    number = 0
    for i in range(layout.shape[0]):
        here = phi[layout[i, 0]]
        on[number] = i
        parts[number] = here
        number += 1 if here != 0.0 else 0  # not a branch, which would be mispredicted
    one = share = value = square = chance = variance = 0.0
    for i in range(number):
        psi, row, here = layout[on[i], 1], curve.covariance[on[i]], parts[i]
        part = curve.mean[on[i]] * here
        one += part if psi == Psi.ONE else 0.0
        share += part if psi == Psi.SHARE else 0.0
        value += part if psi == Psi.VALUE else 0.0
        square += part if psi == Psi.SQUARE else 0.0
        chance += part if psi == Psi.CHANCE else 0.0
        factors[i] = means[psi]
        here *= factors[i]
        for j in range(i):
            variance += 2.0 * here * row[on[j]] * parts[j] * factors[j]
        variance += here * here * row[on[i]]
    kappa = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * max(variance, 0.0))
    return Line(one, share, value, square, chance, kappa)


@kernel(allocates=False, inlined=True)
def chance_at(line: Line, share: float, value: float, chance: float) -> float:
    """The answer yes with a hand: share and value less a half, chance at the showdown less the price."""
    z = line.one + line.share * share + line.value * value
    z += 4.0 * line.square * share * share + line.chance * chance
    return 0.5 * LAPSE + (1.0 - LAPSE) * logistic(line.kappa * z)


@kernel(allocates=False)
def _fill_means(hands: Hands, weights: Floats, price: float, means: Floats) -> float:
    """The mean of each `Psi` over a range, in place, shape (NUM_PSI,); returns the sum of the weights."""
    total = shares = values = squares = chances = 0.0
    for hand in range(weights.shape[0]):
        weight, share = weights[hand], hands.share[hand] - 0.5
        total += weight
        shares += weight * share
        values += weight * (hands.value[hand] - 0.5)
        squares += weight * share * share
        chances += weight * hands.showdown[hand]
    scale = 1.0 / max(total, 1e-300)
    means[Psi.ONE] = 1.0
    means[Psi.SHARE] = scale * shares
    means[Psi.VALUE] = scale * values
    means[Psi.SQUARE] = 4.0 * scale * squares
    means[Psi.CHANCE] = scale * chances - price
    return total


@kernel(allocates=False)
def _fill_chances(
    curve: Curve, phi: Floats, hands: Hands, weights: Floats, means: Floats, chances: Floats, spare: Spare
) -> float:
    """The answer yes of each hand, and `_fill_means`, in place; returns the sum of the weights."""
    price = phi[Phi.PRICE]
    total = _fill_means(hands, weights, price, means)
    line = line_of(curve, phi, means, spare)
    share, value, showdown = hands.share, hands.value, hands.showdown
    for hand in range(weights.shape[0]):
        chances[hand] = chance_at(line, share[hand] - 0.5, value[hand] - 0.5, showdown[hand] - price)
    return total


@kernel()
def fill_player_triples(
    player: Player, situation: PublicSituation, hands: Hands, weights: Floats, triples: Floats
) -> None:
    """The triple of every hand; `triples`, shape (n, 3), is filled in place.

    weights: of the player's range, shape (n,).
    """
    number = weights.shape[0]
    phi, means = np.empty(NUM_PHI), np.empty(NUM_PSI)
    folds, raises, left = np.zeros(number), np.zeros(number), weights
    spare = _spare_for(player.raises)
    fill_phi(situation, phi)
    if situation.can_fold:
        _fill_chances(player.folds, phi, hands, weights, means, folds, spare)
        left = weights * (1.0 - folds)
    if situation.can_raise:
        _fill_chances(player.raises, phi, hands, left, means, raises, spare)
    for hand in range(number):
        stays = 1.0 - folds[hand]
        triples[hand, TripleIndex.FOLD] = folds[hand]
        triples[hand, TripleIndex.CALL] = stays * (1.0 - raises[hand])
        triples[hand, TripleIndex.RAISE] = stays * raises[hand]


@kernel(allocates=False)
def blindness(part: float, gap: float, mean: float, square: float) -> float:
    """How little of an answer has to do with the hand.

    part: of the range that gives it.  gap: by how much the mean share of these hands is below that of all.
    mean, square: of SHARE and SQUARE over the range.
    """
    widest = _UNIFORM_SPREAD * np.sqrt(max(0.25 * square - mean * mean, 1e-12)) * (1.0 - part)
    return float(min(max(1.0 - gap / max(widest, 1e-9), 0.0), 1.0))


@kernel()
def answer(player: Player, situation: PublicSituation, hands: Hands, weights: Floats) -> Answer:
    """The chances of a player's actions with a range, and how blind to the hand they are."""
    triples, phi, means = np.empty((weights.shape[0], 3)), np.empty(NUM_PHI), np.empty(NUM_PSI)
    fill_player_triples(player, situation, hands, weights, triples)
    fill_phi(situation, phi)
    total = max(_fill_means(hands, weights, 0.0, means), 1e-300)
    fold = raising = folded = raised = 0.0
    for hand in range(weights.shape[0]):
        share = hands.share[hand] - 0.5
        folds, raises = weights[hand] * triples[hand, 0], weights[hand] * triples[hand, 2]
        fold += folds
        raising += raises
        folded += folds * share
        raised += raises * share
    mean, square = means[Psi.SHARE], means[Psi.SQUARE]
    fold_gap, raise_gap = mean - folded / max(fold, 1e-300), raised / max(raising, 1e-300) - mean
    fold /= total
    raising /= total
    return Answer(
        fold, raising, blindness(fold, fold_gap, mean, square), blindness(raising, raise_gap, mean, square)
    )


@kernel()
def _step(curve: Curve, prior: Floats, phi: Floats, hands: Hands, weights: Floats, came: bool) -> Floats:
    """Move a curve by an answer, in place; returns the chances of a yes before it, shape (n,).

    prior: the covariance of a player of whom nothing is known.
    """
    layout, covariance, number = curve.layout, curve.covariance, curve.mean.shape[0]
    for i in range(number):
        for j in range(number):
            covariance[i, j] += FORGOTTEN * (prior[i, j] - covariance[i, j])
    chances, means, slopes = np.empty(weights.shape[0]), np.empty(NUM_PSI), np.zeros(NUM_PSI)
    spare = _spare_for(curve)
    total = _fill_chances(curve, phi, hands, weights, means, chances, spare)
    kappa, price = line_of(curve, phi, means, spare).kappa, phi[Phi.PRICE]
    yes = 0.0
    for hand in range(weights.shape[0]):
        weight, share = weights[hand] * chances[hand], hands.share[hand] - 0.5
        yes += weight
        weight *= 1.0 - chances[hand]
        slopes[Psi.ONE] += weight
        slopes[Psi.SHARE] += weight * share
        slopes[Psi.VALUE] += weight * (hands.value[hand] - 0.5)
        slopes[Psi.SQUARE] += 4.0 * weight * share * share
        slopes[Psi.CHANCE] += weight * (hands.showdown[hand] - price)
    chance = yes / total
    gradient, gain = np.empty(number), np.zeros(number)
    for j in range(number):
        gradient[j] = phi[layout[j, 0]] * slopes[layout[j, 1]] * kappa / total
        if gradient[j] != 0.0:
            for i in range(number):
                gain[i] += covariance[j, i] * gradient[j]
    explained = 0.0
    for j in range(number):
        explained += gradient[j] * gain[j]
    variance = max(chance * (1.0 - chance), explained / _LINEAR)
    missed = (1.0 if came else 0.0) - chance
    for i in range(number):
        curve.mean[i] += gain[i] * missed / variance
        for j in range(number):
            covariance[i, j] -= gain[i] * gain[j] / variance
    return chances


@kernel()
def observe(
    player: Player, prior: Player, situation: PublicSituation, hands: Hands, weights: Floats, action: int
) -> None:
    """Learn from a decision: the player did `action`, a `TripleIndex`; changes `player` in place.

    weights: of the player's range before it; a hand that is known is a range of one.
    """
    phi = np.empty(NUM_PHI)
    fill_phi(situation, phi)
    left = weights
    if situation.can_fold:
        folded = action == TripleIndex.FOLD
        left = weights * (1.0 - _step(player.folds, prior.folds.covariance, phi, hands, weights, folded))
    if situation.can_raise and action != TripleIndex.FOLD:
        raised = action == TripleIndex.RAISE
        _step(player.raises, prior.raises.covariance, phi, hands, left, raised)
