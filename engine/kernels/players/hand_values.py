"""What a hand is worth: among how many players before the flop; value and chance at the showdown after it."""

from __future__ import annotations

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.players.records import Trait
from engine.kernels.poker.betting import MAX_PLAYERS
from engine.kernels.poker.cards import count_bits
from engine.poker.records import PublicSituation
from engine.support.arrays import Floats


@kernel(allocates=False)
def preflop_players(situation: PublicSituation, traits: Floats) -> tuple[int, int]:
    """How many players may still be in, and how many are expected to see the flop: 2 to 10 each.

    Opponents who have put in a bet are expected, others as loosely as they play (`Trait.LOOSENESS`).
    """
    expected = 1.0 + count_bits(situation.entered)
    for position in range(MAX_PLAYERS):
        if (situation.opponents & ~situation.entered) >> position & 1:
            expected += min(1.0, 0.25 * traits[position, Trait.LOOSENESS])
    players = count_bits(situation.opponents) + 1
    return max(2, min(10, players)), max(2, min(10, integer(np.rint(expected))))


@kernel(allocates=False, inlined=True)
def potentials_against(
    positive: float, negative: float, betting_round: int, num_opponents: int
) -> tuple[float, float]:
    """What the potentials of a hand for one card come to by the showdown against some opponents.

    betting_round: 1 to 3; on the flop two cards are to come.

    Returns:
        The chance that a hand which is ahead of all stays ahead, and that one which is behind comes ahead.
    """
    if betting_round == 1:
        positive *= 2.0 - positive
        negative *= 2.0 - negative
    kept = 1.0
    for _ in range(num_opponents):
        kept *= 1.0 - negative
    if num_opponents > 1:
        positive /= np.sqrt(float(num_opponents))
    return kept, positive


@kernel(allocates=False, inlined=True)
def postflop_value(
    strength: float, positive: float, kept: float, gained: float, protect: float
) -> tuple[float, float]:
    """The value of a hand and its chance at the showdown (eq 3.6 and 3.5).

    positive: potential for one card.  kept, gained: of `potentials_against`.
    protect: how much a bet protects a hand.  With 1, negative potential is left out as in eq 3.6, since draws
        must fold or pay; with 0, when nobody will ever fold, only the showdown counts.
    """
    behind = 1.0 - strength
    showdown = strength * kept + behind * gained
    return protect * (strength + behind * positive) + (1.0 - protect) * showdown, showdown


@kernel(allocates=False)
def fill_postflop_values(
    strengths: Floats,
    positive: Floats,
    negative: Floats,
    betting_round: int,
    num_opponents: int,
    values: Floats,
    showdowns: Floats,
) -> None:
    """`postflop_value` of every hand.

    strengths: against all opponents together.  positive, negative: potentials for one card.  Shape (n,).
    values, showdowns: shape (n,), filled in place.
    """
    for hand in range(strengths.shape[0]):
        kept, gained = potentials_against(positive[hand], negative[hand], betting_round, num_opponents)
        values[hand], showdowns[hand] = postflop_value(strengths[hand], positive[hand], kept, gained, 1.0)
