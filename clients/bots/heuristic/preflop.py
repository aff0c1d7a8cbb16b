"""Before the flop: probabilistic rules by the percentile of the starting hand and the raises met.

The report uses "a probabilistic rule-based expert system" there and does not print it, since "the total
effect of the pre-flop play is so insignificant".  These are ours for heads-up limit:

===================  ======================================================================
when                 it
===================  ======================================================================
nobody has raised    raises the best 45 % of its hands in 8 of 10 cases and those up to 75 % in
                     3 of 10, and calls otherwise; calls with 6 of 10 of the others
one raise            raises the best 15 % in 7 of 10 cases, calls with those up to 70 % and
                     with 3 of 10 of the others
two or more raises   raises the best 8 % in half the cases, calls with those up to 45 %
===================  ======================================================================

With more players the shares shrink like those of a reasonable opener (`reasonable_share`), the other hands
are folded, and a call after other callers is made with more hands.  In no-limit games a raise goes to three
times the last one, and a call that costs much of the stack takes a better hand.
"""

from __future__ import annotations

from typing import Final

from clients.bots.percentiles import starting_hand_percentiles
from engine.players.models.formula import reasonable_share
from engine.players.probability_triple import legal_triple
from engine.poker.records import ProbabilityTriple
from engine.poker.rules import Action, ActionKind, HandView
from engine.poker.rules.betting import BettingState

_USUAL_PRICE: Final = 0.34
"""Pot odds up to which the shares of the table hold: a limit raise heads-up asks for 1 in 4."""


def preflop_triple(view: HandView, looseness: float = 1.0) -> ProbabilityTriple:
    """The probabilities of folding, calling and raising.

    Args:
        view: before the flop, our turn.
        looseness: scales the shares of the hands.
    """
    betting = view.betting
    better, raises, scale = table_entry(view, looseness)
    heads_up = view.game.num_players == 2
    if raises == 0:
        limpers = sum(spent == betting.max_spent for spent in betting.spent) - 1
        if better <= 0.45 * scale:
            triple = (0.0, 0.2, 0.8)
        elif better <= 0.75 * scale * (1.0 if heads_up else 1 + 0.25 * max(0, limpers)):
            triple = (0.0, 0.7, 0.3)
        else:
            triple = (0.4, 0.6, 0.0) if heads_up else (1.0, 0.0, 0.0)
    else:
        raised, called = (0.15, 0.70) if raises == 1 else (0.08, 0.45)
        often, otherwise = (0.7, 0.3 if heads_up else 0.0) if raises == 1 else (0.5, 0.0)
        if better <= raised * scale:
            triple = (0.0, 1 - often, often)
        elif better <= called * scale:
            triple = (0.0, 1.0, 0.0)
        else:
            triple = (1 - otherwise, otherwise, 0.0)
    legal = betting.legal_actions()
    return legal_triple(triple, legal.can_fold, legal.can_raise)


def table_entry(view: HandView, looseness: float = 1.0) -> tuple[float, int, float]:
    """The share of hands that are better than ours, the raises met, and the factor on the table's shares."""
    betting = view.betting
    first, second = view.own_cards
    better = 1.0 - starting_hand_percentiles(view.game.num_players)[52 * first + second]
    raises = betting.raises_in_round
    return better, raises, looseness * _crowd(betting) * (_price(betting) if raises else 1.0)


def preflop_raise(betting: BettingState) -> Action:
    """The raise to make; a call where none is legal."""
    legal = betting.legal_actions()
    if legal.is_limit:
        return legal.raising_to()
    return betting.raise_or_all_in(3.0 * betting.max_spent)


def _crowd(betting: BettingState) -> float:
    """The factor on the shares of heads-up play at this table.

    It depends on how many players act after the first raiser; if nobody has raised, after us.
    """
    if betting.game.num_players == 2:
        return 1.0
    acted: set[int] = set()
    opener, state = betting.position_to_act, betting
    for before, position, action in betting.steps():
        if action.kind is ActionKind.RAISE:
            opener, state = position, before
            break
        acted.add(position)
    behind = sum(not out and p != opener and p not in acted for p, out in enumerate(state.folded))
    return reasonable_share(max(1, behind)) / reasonable_share(1)


def _price(betting: BettingState) -> float:
    """The factor on the shares for the price of a call: 1 at a usual price, less at a higher one."""
    position = betting.actor()
    to_call = betting.amount_to_call(position)
    odds = to_call / (betting.pot + to_call) if to_call > 0 else 0.0
    factor = min(1.0, _USUAL_PRICE / odds) if odds else 1.0
    if betting.game.is_limit:
        return factor
    left = betting.game.betting_stacks[position] - betting.spent[position]
    return factor * (1.0 - 0.6 * min(1.0, to_call / max(1, left)))
