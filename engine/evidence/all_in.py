"""All-in equity: what a hand pays on average once nobody can act any more before the last card.

From then on only the cards decide, so the mean over all of them replaces what they happened to decide.  Both
have the same mean, and nothing is assumed about how anybody plays.

Source: the ACPC's rules since 2014 (``all_in_expectation``); it is a case of AIVAT (Burch et al. 2018) in
which only chance is known, and the value of a hand once nobody can act.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.evidence.equity import KnownHand, pot_shares
from engine.evidence.moments import Layer, moments_of
from engine.poker.rules import HandState

__all__ = ["all_in_chips", "expected_chips", "not_shown", "unknown_cards"]


def expected_chips(
    paid: Sequence[int], layers: Sequence[Layer], shares: Sequence[Sequence[float]]
) -> tuple[float, ...]:
    """What each position wins on average.

    Args:
        paid: the chips that each position has put in.
        layers: the pots.
        shares: for each layer that two or more share, each position's share.
    """
    won = [-float(chips) for chips in paid]
    for layer, share in zip(layers, shares, strict=True):
        for position in range(len(won)):
            if layer.sharing >> position & 1:
                won[position] += layer.chips * (share[position] if layer.asked >= 0 else 1.0)
    return tuple(won)


def all_in_chips(hand: HandState) -> tuple[float, ...]:
    """Net chips of each position, averaged over the cards dealt after nobody could act any more.

    For other hands they are what the hand paid.

    Raises:
        ValueError: the hand is not over, or hole cards are not known and the cards to come depend on them.
    """
    moments = moments_of(hand.betting)
    if not moments.is_run_out:
        return hand.chips_won()
    unknown = unknown_cards(hand)
    if unknown is not None:
        raise ValueError(f"the expectation of an all-in needs everybody's hole cards: {unknown}")
    known = KnownHand(hand.hand_number, hand.deal.hole_cards, hand.board)
    shares = pot_shares(hand.betting.game, [known], [(0, *asked) for asked in moments.asked]).tolist()
    return expected_chips(moments.paid, moments.layers, [shares[layer.asked] for layer in moments.layers])


def unknown_cards(hand: HandState) -> str | None:
    """A phrase about the first position whose hole cards are not known; None if all are known."""
    for position, cards in enumerate(hand.deal.hole_cards):
        if len(cards) != hand.betting.game.num_hole_cards:
            return not_shown(hand.hand_number, position)
    return None


def not_shown(number: int, position: int) -> str:
    """The phrase of `unknown_cards` for a hand and a position."""
    return f"hand {number} does not show those of position {position}"
