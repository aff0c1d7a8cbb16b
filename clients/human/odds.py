"""The odds of a spot, for those who ask: hand strength, potential, pot odds.

The engine's evaluation, and numba with it, is imported at the first question and not before, so that a
table opens at once.  `describe_odds` takes from a millisecond to some seconds the first time: call it in a
thread.
"""

from __future__ import annotations

import textwrap

from clients.human.style import Style
from engine.poker.rules import HandView

NOT_AVAILABLE = "Odds are worked out for hold'em only: two cards, a full deck, flop, turn and river."


def describe_odds(view: HandView, style: Style) -> list[str]:
    """The odds of our hand as it stands, against hands of which nothing is known.

    Looks at our cards, the board and the betting; a view has no others before the showdown.
    """
    if not view.game.is_holdem:
        return [NOT_AVAILABLE]
    from clients.reports.odds import hand_worth
    from engine.hands.equity import equity_against

    hole, board = view.own_cards, view.board
    betting = view.betting
    opponents = betting.num_in_hand - (not betting.folded[view.position])
    on = f" on {style.cards(board)}" if board else ""
    lines = [f"Odds of {style.cards(hole)}{on}, against unknown hands:"]
    equity = equity_against(hole, board)
    if board:
        worth = hand_worth(hole, board)
        strength = worth.strength
        ahead = f"ahead of {strength.ahead:.0f} hands, tied with {strength.tied:.0f}"
        lines.append(f"  hand strength   {strength.value:6.1%}   {ahead}, behind {strength.behind:.0f}")
        if opponents > 1:
            lines.append(f"                  {strength.value**opponents:6.1%}   against all {opponents}")
        if worth.potentials:
            to_come = max(worth.potentials)
            potential = worth.potentials[to_come]
            cards = "two cards" if to_come == 2 else "one card"
            falls = f"{potential.negative:.1%} to fall behind when ahead ({cards} to come)"
            lines.append(f"  potential       {potential.positive:6.1%}   to get ahead when behind, {falls}")
            effective = worth.effective(to_come)
            lines.append(f"  effective       {effective:6.1%}   strength and positive potential together")
    lines.append(f"  at the showdown {equity:6.1%}   of the pot, on average, against one of them")
    lines += _describe_price(view, style)
    return lines


def _describe_price(view: HandView, style: Style) -> list[str]:
    from engine.hands.pot_odds import immediate_pot_odds

    to_call = view.amount_to_call
    if view.is_finished or to_call <= 0:
        return ["  pot odds                 there is nothing to call"]
    odds = immediate_pot_odds(view.pot, to_call).value
    pays = f"calling {to_call} to win {view.pot} pays if you win more often than that"
    text = f"  pot odds        {odds:6.1%}   {pays}"
    return textwrap.wrap(text, max(style.width, 40), subsequent_indent=" " * 27, drop_whitespace=True)
