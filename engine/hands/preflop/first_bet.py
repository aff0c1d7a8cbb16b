"""How good a hand must be to bet first, or to call a first bet, before the flop: Killer's one-chip games.

In *one-chip zero-blind hold'em* (1C0B) a player may bet one chip before the flop at even money, and there is
no other betting: the first player to bet claims to hold the best hand of those still to act.  With ``n``
players to act and hands ordered from best to worst, the top fraction ``x`` that may bet solves
``(1 - x)^n = p``, where ``p`` is the probability of winning that the price requires: 1/2 at even money.
*With blinds* (1CwB) a bettor risks one chip to win one and a half (``p = 2/5``), the small blind half a chip
to win one and a half (``p = 1/4``).

The killer bot uses these games to read opponents, and to play with ``preflop=one-chip``.

A call of a first bet needs the same probability against the bettor's hands only: against a bettor who bets
the top ``x``, the caller needs the top ``x (1 - p)``, in the order of the hands *against that range*.

Percentiles are fractions: .07 is the top 7 %.

Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", "A Reductive look at the Preflop".
"""

from __future__ import annotations

from typing import Final

import attrs

from engine.hands.pot_odds import BetToPotOdds, PotOdds

SEATS: Final = ("UTG", "4", "5", "6", "7", "8", "9", "OTB", "SB", "BB")
"""The seats of a ten-player table in the order they act before the flop, as Killer names them.

UTG is under the gun, the first to act; OTB is on the button; SB and BB are the blinds."""

_EVEN_MONEY: Final = BetToPotOdds(1.0)


def first_bet_percentile(seats_to_act: int, odds: BetToPotOdds | PotOdds = _EVEN_MONEY) -> float:
    """The top fraction of hands with which to bet first, ``1 - p^(1 / seats_to_act)``.

    Args:
        seats_to_act: players who act after the bettor, all holding random hands.
        odds: the price of the bet, in either convention.  The default is even money.

    Returns:
        A fraction: .5 with one player to act at even money; 1, any hand, with none.

    Raises:
        ValueError: ``seats_to_act`` is negative.

    Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", the tables of 1C0B and 1CwB.
    """
    if seats_to_act < 0:
        raise ValueError(f"{seats_to_act} seats to act: expected at least 0")
    if seats_to_act == 0:
        return 1.0
    needed = odds.as_pot_odds() if isinstance(odds, BetToPotOdds) else odds
    return float(1 - needed.value ** (1 / seats_to_act))


def call_percentile(bettor_percentile: float, odds: BetToPotOdds | PotOdds) -> float:
    """The top fraction of hands, in the order of their value against the bettor's, that call a first bet.

    Killer prints its call column from percentages that were already rounded: 7.8 % behind seat 4 is
    ``11 % (1 - 29 %)``; without rounding it is ``10.8 % (1 - 2/7) = 7.7 %``.

    Args:
        bettor_percentile: the top fraction of hands that the first bettor bets.
        odds: the price of the call, in either convention.

    Raises:
        ValueError: ``bettor_percentile`` is not between 0 and 1.

    Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", "What quality hand is required to call".
    """
    if not 0 <= bettor_percentile <= 1:
        raise ValueError(f"bettor's percentile is {bettor_percentile!r}: expected a fraction between 0 and 1")
    needed = odds.as_pot_odds() if isinstance(odds, BetToPotOdds) else odds
    return bettor_percentile * (1 - needed.value)


@attrs.frozen
class OneChipGame:
    """One of Killer's one-chip games at a table of ten: its prices, and the percentiles that follow."""

    bet_odds: BetToPotOdds
    """The price of a first bet for everybody except the small blind."""
    small_blind_odds: BetToPotOdds
    """The price of the small blind's first bet, half of which is already in."""
    call_odds: BetToPotOdds
    """The price of calling a first bet when the bettor's chip is counted too."""

    def first_bet(self, seat: str) -> float:
        """The top fraction of hands with which ``seat`` (one of `SEATS`) bets if nobody has bet.

        Raises:
            ValueError: not one of `SEATS`.
        """
        if seat not in SEATS:
            raise ValueError(f"{seat!r} is not a seat: expected one of {', '.join(SEATS)}")
        odds = self.small_blind_odds if seat == "SB" else self.bet_odds
        return first_bet_percentile(len(SEATS) - 1 - SEATS.index(seat), odds)

    def call(self, seat: str) -> float:
        """The top fraction of hands with which to call a first bet that came from ``seat``.

        Raises:
            ValueError: not one of `SEATS`.
        """
        return call_percentile(self.first_bet(seat), self.call_odds)


ONE_CHIP_ZERO_BLIND: Final = OneChipGame(
    bet_odds=_EVEN_MONEY, small_blind_odds=_EVEN_MONEY, call_odds=_EVEN_MONEY
)
"""1C0B: even money for everybody."""

ONE_CHIP_WITH_BLINDS: Final = OneChipGame(
    bet_odds=BetToPotOdds(1 / 1.5), small_blind_odds=BetToPotOdds(0.5 / 1.5), call_odds=BetToPotOdds(1 / 2.5)
)
"""1CwB: 2 to 3 for a first bet, 1 to 3 for the small blind's, 2 to 5 for a call."""
