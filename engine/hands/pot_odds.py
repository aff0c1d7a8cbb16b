"""The price of a call or a raise: pot odds, implied odds, raise odds, rake and what a decision is worth.

Two conventions are in use and they are not the same number, so they are two types here:

========================  ==============================  =================================
type                      value                           $4 to call into a pot of $16
========================  ==============================  =================================
`PotOdds`                 call / (pot + call)             .20, the chance of winning needed
`BetToPotOdds`            bet / pot                       .25, "4 to 1", inverted
========================  ==============================  =================================

They have the same order (`BetToPotOdds.as_pot_odds` converts), but Python refuses to compare one with the
other.  The *pot* is always the money in the middle before we act, including the
opponents' bets of the current round but not our own call.

Implied and reverse implied odds are one ratio: what we can lose from now on to what we can win from now on.
A draw wins further bets when it gets there and loses none when it misses (implied odds); a made hand wins
nothing more from a draw that misses, and pays when the draw gets there (reverse implied odds).
`FurtherBets` holds both sides.

Source:
    *Poki* section 3.3.4 (eq 3.2; return on investment; implied and reverse implied odds in words) and
    *Hold'em Killer*, chapters "Implied Odds", "Check or Bet? Call or Raise?" and the expected value of a
    FlopConfig in "Beyond the Sklansky Preflop".
"""

from __future__ import annotations

import enum
import math
from typing import Final

import attrs

from engine.poker.rules.game_definition import NO_RAKE, Rake


def _finite_at_least_zero(_instance: object, attribute: attrs.Attribute[float], value: float) -> None:
    if not (value >= 0 and math.isfinite(value)):
        raise ValueError(f"{attribute.name} is {value!r}: expected a finite number of at least 0")


def _check_probability(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r}: expected a probability between 0 and 1")


def _check_amount(name: str, value: float) -> None:
    if not (value >= 0 and math.isfinite(value)):
        raise ValueError(f"{name} is {value!r}: expected a finite number of chips, at least 0")


@attrs.frozen(order=True)
class PotOdds:
    """A price as Poki writes it: call / (pot + call), the probability of winning at which a call breaks even.

    Source: *Poki* eq 3.2.
    """

    value: float = attrs.field()
    """Between 0 (a free call) and 1 (an empty pot)."""

    @value.validator
    def _check(self, _attribute: attrs.Attribute[float], value: float) -> None:
        _check_probability("pot odds", value)


@attrs.frozen(order=True)
class BetToPotOdds:
    """A price as Killer writes it: bet / pot.  "Four to one" is .25, and smaller is better for us.

    Source: *Hold'em Killer*, "Implied Odds", section 1.
    """

    value: float = attrs.field(validator=_finite_at_least_zero)
    """At least 0; above 1 when more is risked than can be won."""

    def as_pot_odds(self) -> PotOdds:
        """The same price as a needed probability of winning, ``r / (1 + r)``."""
        return PotOdds(self.value / (1 + self.value))


@attrs.frozen
class FurtherBets:
    """Expected bets after the one being decided, in chips, in the two ways the hand can end."""

    won_when_ahead: float = attrs.field(default=0.0, validator=_finite_at_least_zero)
    """The sum of what opponents still put in, in the hands that we win."""
    lost_when_behind: float = attrs.field(default=0.0, validator=_finite_at_least_zero)
    """What we still put in, in the hands that we lose."""


NO_FURTHER_BETS: Final = FurtherBets()
"""The hand is checked down."""


def immediate_pot_odds(pot: float, amount_to_call: float) -> PotOdds:
    """Poki's pot odds, ``amount_to_call / (pot + amount_to_call)``: $10 into $50 is .167.

    Args:
        pot: chips in the pot before our call, the opponents' current bets included.
        amount_to_call: chips the call costs.

    Raises:
        ValueError: a negative or infinite amount, or both are 0.

    Source: *Poki* eq 3.2.
    """
    _check_amount("pot", pot)
    _check_amount("amount to call", amount_to_call)
    if pot + amount_to_call == 0:
        raise ValueError("pot and amount to call are both 0: there are no odds to speak of")
    return PotOdds(amount_to_call / (pot + amount_to_call))


def bet_to_pot_odds(bet: float, pot: float) -> BetToPotOdds:
    """Killer's simple pot odds, ``bet / pot``: $4 into $16 is .25.

    Args:
        bet: chips contemplated, a bet or a call.
        pot: chips in the pot before it.

    Raises:
        ValueError: a negative or infinite amount, or an empty pot.

    Source: *Hold'em Killer*, "Implied Odds", section 1.
    """
    _check_amount("bet", bet)
    _check_amount("pot", pot)
    if pot == 0:
        raise ValueError("the pot is empty: bet / pot does not exist")
    return BetToPotOdds(bet / pot)


def implied_odds(pot: float, amount_to_call: float, further: FurtherBets = NO_FURTHER_BETS) -> BetToPotOdds:
    """Implied or reverse implied odds: all we stand to lose from now on to all we stand to win from now on.

    ``(amount_to_call + further.lost_when_behind) / (pot + further.won_when_ahead)``.  The denominator is the
    final pot without our own future bets.  With equal further bets on both sides this is Killer's figure ($4
    to call into $16 and one more $4 call by each of two players: 8 to 20, .40).  With ``lost_when_behind`` 0
    it prices a draw that folds when it misses; with ``won_when_ahead`` 0 a made hand that is paid by nobody
    and pays when beaten, Poki's reverse implied odds.  In each case a chance of winning above
    ``implied_odds(...).as_pot_odds()`` gains money on average.

    Raises:
        ValueError: a negative or infinite amount, or nothing to be won.

    Source: *Hold'em Killer*, "Implied Odds", section 2; *Poki* section 3.3.4, last two paragraphs.
    """
    _check_amount("pot", pot)
    _check_amount("amount to call", amount_to_call)
    return bet_to_pot_odds(amount_to_call + further.lost_when_behind, pot + further.won_when_ahead)


def implied_odds_of_raise(
    pot: float, amount_to_call: float, raise_by: float, callers: float, further: FurtherBets = NO_FURTHER_BETS
) -> BetToPotOdds:
    """Killer's IPOr: the implied odds of a raise by ``raise_by``, which ``callers`` opponents pay.

    Args:
        pot: chips in the pot before we act.
        amount_to_call: chips that a call alone costs; 0 if we bet first.
        raise_by: chips on top of the call.
        callers: expected number of opponents who put in the same again.
        further: bets after that.

    Raises:
        ValueError: a negative or infinite amount, or nothing to be won.

    Source: *Hold'em Killer*, "Implied Odds", section 3, and "Check or Bet?", section 1.
    """
    _check_amount("raise", raise_by)
    _check_amount("number of callers", callers)
    return implied_odds(pot + callers * raise_by, amount_to_call + raise_by, further)


def raise_odds(callers: float, bet: float = 1.0, further: FurtherBets = NO_FURTHER_BETS) -> BetToPotOdds:
    """Killer's RO: the odds of the additional bet alone, the present pot left out because it is not at risk.

    Against two opponents who call, a bet wins two of its kind: .50, or one win in three needed.

    Args:
        callers: expected number of opponents who pay the bet (one who calls and one who calls half of
            the time are 1.5).
        bet: chips of the bet or raise; matters only together with ``further``.
        further: later bets that happen only because of this one.

    Raises:
        ValueError: nobody to call, or a negative or infinite amount.

    Source: *Hold'em Killer*, "Check or Bet? Call or Raise?", section 1.
    """
    _check_amount("number of callers", callers)
    _check_amount("bet", bet)
    return bet_to_pot_odds(bet + further.lost_when_behind, callers * bet + further.won_when_ahead)


def is_callable(hand_odds: float, odds: BetToPotOdds) -> bool:
    """Killer's F(rho, ipo): whether the probability of winning exceeds the price, ``ipo / (1 + ipo)``.

    Args:
        hand_odds: probability of winning the pot, preferably the reflective hand odds, between 0 and 1.
        odds: the price in Killer's convention, immediate, implied, or of a raise.

    Raises:
        ValueError: ``hand_odds`` is not a probability.

    Source: *Hold'em Killer*, "Implied Odds", section 3.
    """
    _check_probability("hand odds", hand_odds)
    return hand_odds > odds.as_pot_odds().value


class StraightPlay(enum.Enum):
    """The actions of statistically straightforward play, without bluffs and traps."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"


def straight_play(
    hand_odds: float, implied: BetToPotOdds, raising: BetToPotOdds | None, *, facing_bet: bool = True
) -> StraightPlay:
    """The action of Killer's straight play, from three numbers.

    An additional bet must pay for itself: if F(rho, ipo) is true and F(rho, RO) is false, the decision is to
    call (or check), however good the odds for the whole pot are.  A first bet needs F(rho, ipo) as well.

    The odds of raising against the whole pot (IPOr, `implied_odds_of_raise`) are not a third condition: they
    lie between the two, so they are good enough whenever both are.

    Args:
        hand_odds: chance of winning the pot, between 0 and 1.
        implied: the implied odds of a call or, if there is nothing to call, of the bet considered.
        raising: the raise odds RO; None if raising is not allowed.
        facing_bet: whether there is something to call: then the result is call, raise or fold, otherwise
            check or bet.

    Raises:
        ValueError: ``hand_odds`` is not a probability.

    Source: *Hold'em Killer*, "Implied Odds", section 3, and "Check or Bet? Call or Raise?", section 1.
    """
    if not is_callable(hand_odds, implied):
        return StraightPlay.FOLD if facing_bet else StraightPlay.CHECK
    if raising is not None and is_callable(hand_odds, raising):
        return StraightPlay.RAISE if facing_bet else StraightPlay.BET
    return StraightPlay.CALL if facing_bet else StraightPlay.CHECK


def return_on_investment(
    win_probability: float,
    pot: float,
    amount_to_call: float,
    *,
    further: FurtherBets = NO_FURTHER_BETS,
    rake: Rake = NO_RAKE,
) -> float:
    """The chips that a call gains on average; folding is worth 0.

    ``p (pot + won_when_ahead - rake) - (1 - p) (amount_to_call + lost_when_behind)``.  The rake is taken from
    ``pot + amount_to_call + won_when_ahead``; further bets of our own that we win back are not counted in it.

    For $10 into $50: +$9.20 at a chance of .32, -$1.00 at .15.

    Args:
        win_probability: chance of winning the pot; a tie may be counted as its share.
        pot: chips in the pot before the call.
        amount_to_call: chips the call costs.
        further: expected bets of later rounds.
        rake: what the house takes.

    Raises:
        ValueError: not a probability, or a negative or infinite amount.

    Source: *Poki* section 3.3.4.
    """
    _check_probability("win probability", win_probability)
    _check_amount("pot", pot)
    _check_amount("amount to call", amount_to_call)
    taken = rake.amount(pot + amount_to_call + further.won_when_ahead)
    gain = pot + further.won_when_ahead - taken
    return win_probability * gain - (1 - win_probability) * (amount_to_call + further.lost_when_behind)


def expected_value(
    hand_odds: float, expected_pot: float, expected_bets: float, rake: Rake = NO_RAKE
) -> float:
    """Killer's EVraw of a situation: ``p (pot - bets - rake) - (1 - p) bets``, in chips.

    Args:
        hand_odds: chance of winning, between 0 and 1.
        expected_pot: the final pot, including all future bets, our own among them.
        expected_bets: what we still put in.
        rake: what the house takes from the final pot.

    Raises:
        ValueError: not a probability, a negative or infinite amount, or a final pot smaller than our own
            bets.

    Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", "Expected Value".
    """
    _check_probability("hand odds", hand_odds)
    _check_amount("expected pot", expected_pot)
    _check_amount("expected bets", expected_bets)
    if expected_pot < expected_bets:
        raise ValueError(
            f"a final pot of {expected_pot} chips cannot hold our own further bets of {expected_bets}"
        )
    won = expected_pot - expected_bets - rake.amount(expected_pot)
    return hand_odds * won - (1 - hand_odds) * expected_bets


def bettable_value(
    hand_odds: float, expected_pot: float, expected_bets: float, rake: Rake = NO_RAKE
) -> float:
    """Killer's EV of a situation: `expected_value`, or 0 if that is negative, because we then fold.

    Source: *Hold'em Killer*, "Beyond the Sklansky Preflop", "EV(FlopConfig)".
    """
    return max(0.0, expected_value(hand_odds, expected_pot, expected_bets, rake))
