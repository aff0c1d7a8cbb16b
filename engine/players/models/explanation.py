"""Why the player model says what it says: the parts of a curve at the mean hand of a range.

z is their sum.  Each is what everybody's habits say of it, by the prior, and what has been learnt of this
player.
"""

from __future__ import annotations

import math
from typing import Any, Final

import attrs
import numpy as np

from engine.kernels.players import player as kernels
from engine.kernels.players.player import Curve, Hands, Player, Psi
from engine.players.models.player import FEATURE_NAMES, PlayerModel, features_of, psi_of
from engine.poker.records import PublicSituation
from engine.support.arrays import Floats

_SHARES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Parts of the range, from the worst hand up, whose chances are told."""
_TOLD: Final = 4
"""Parts that are told in a line."""


@attrs.frozen
class Explanation:
    """One answer of a player, in parts."""

    parts: tuple[tuple[str, float, float], ...]
    """Of each feature that is on: its name, what it adds to z, and how much of that is the player's own; the
    greatest first."""
    z: float
    kappa: float
    """By what z is multiplied: below 1 as far as the model is unsure."""
    chance: float
    """Of a yes, over the range."""
    threshold: float | None
    """The share of all hands that the hand beats with which yes and no are equally likely; None if no hand's
    chance is even."""
    chances: tuple[float, ...]
    """Of hands at the bottom of the range, and so on to its top: 5, 25, 50, 75 and 95 % of it."""

    def __str__(self) -> str:
        """The sum with its greatest parts, and in brackets how much of each is the player's own."""
        rest = self.parts[_TOLD:]
        others = "others", sum(z for _, z, _ in rest), sum(own for _, _, own in rest)
        told = [f"{name} {z:+z.2f} ({own:+z.2f})" for name, z, own in (*self.parts[:_TOLD], others)]
        return f"z {self.z:+z.2f} = {', '.join(told)}"

    def as_dict(self) -> dict[str, Any]:
        """JSON values."""
        parts = [{"name": name, "z": whole, "own": own} for name, whole, own in self.parts]
        return {**attrs.asdict(self), "parts": parts}


def explained(
    model: PlayerModel, situation: PublicSituation, hands: Hands, weights: Floats
) -> tuple[Explanation | None, Explanation | None]:
    """Why a player folds as often as is said in a situation, and raises what is not folded; None: not asked.

    Args:
        model: of the player.
        situation: the public state.
        hands: of the range, arrays of shape (n,).
        weights: of the range, shape (n,).
    """
    folds = raises = None
    left = weights
    if situation.can_fold:
        folds, chances = _explained(0, model, situation, hands, weights)
        left = weights * (1.0 - chances)
    if situation.can_raise:
        raises, _ = _explained(1, model, situation, hands, left)
    return folds, raises


def _explained(
    which: int, model: PlayerModel, situation: PublicSituation, hands: Hands, weights: Floats
) -> tuple[Explanation, Floats]:
    curve, prior = model.player[which], model.prior.player[which]
    mean_hand = psi_of(situation, hands, weights)
    features = features_of(situation, mean_hand)[which]
    whole, own = curve.mean * features, (curve.mean - prior.mean) * features
    order = np.argsort(-np.abs(whole), kind="stable")
    parts = tuple(
        (FEATURE_NAMES[which][j], float(whole[j]), float(own[j])) for j in order if features[j] != 0.0
    )
    chances = _chances(which, model.player, situation, hands, weights)
    by_strength = np.argsort(hands.share, kind="stable")
    below = np.cumsum(weights[by_strength])
    places = by_strength[np.searchsorted(below, np.array(_SHARES) * below[-1])]
    explanation = Explanation(
        parts,
        float(whole.sum()),
        float((1.0 + math.pi / 8.0 * (features @ curve.covariance @ features)) ** -0.5),
        float(weights @ chances / weights.sum()),
        _threshold(which, curve, situation, mean_hand),
        tuple(chances[places].tolist()),
    )
    return explanation, chances


def _chances(which: int, player: Player, situation: PublicSituation, hands: Hands, weights: Floats) -> Floats:
    """The chance of a yes with each hand, as the model says it; weights are those that are left."""
    if which:  # whether raises are capped is a feature of folds
        situation = situation._replace(can_fold=False, can_raise=True)
    triples = np.empty((len(weights), 3))
    kernels.fill_player_triples(player, situation, hands, weights, triples)
    return triples[:, 2 * which]


def _threshold(which: int, curve: Curve, situation: PublicSituation, mean_hand: Floats) -> float | None:
    """The share of hands beaten at which z crosses 0, all else as at the mean hand."""
    lines = []
    for share in (-0.5, 0.0, 0.5):
        hand = mean_hand.copy()
        hand[Psi.SHARE], hand[Psi.SQUARE] = share, 4.0 * share * share
        lines.append(float(curve.mean @ features_of(situation, hand)[which]))
    low, middle, high = lines
    roots = np.roots([2.0 * (low + high - 2.0 * middle), high - low, middle])
    inside = [float(root.real) for root in roots if abs(root.imag) < 1e-9 and abs(root.real) <= 0.5]
    return 0.5 + min(inside, key=abs) if inside else None
