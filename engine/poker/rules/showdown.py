"""Chips won and lost in a finished hand: side pots and split pots, as the ACPC dealer counts them.

Contributions are peeled in layers (docs/acpc-dealer.md 3.6).  Every layer is shared by all positions that put
into it; a share is one IEEE division, and shares are added from the smallest layer up.  That order is
part of the format: it decides the last digit and even the sign of a printed zero.

Equal antes are contributions like any others.  Other antes are shared at the end by the best hands of all.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from typing import Final

from engine.poker.rules.betting import BettingState
from engine.poker.rules.hand_rank import hand_rank

_FOLDED: Final = -2
_MUCKED: Final = -1
_NOTHING: Final = (0.0, 0.0)


def rake_taken(betting: BettingState) -> float:
    """Chips the house takes from a finished hand: from the called bets, once a board card has been dealt."""
    game = betting.game
    if not game.has_rake or (game.board_ends[-1] and not game.board_ends[betting.betting_round]):
        return 0.0
    return game.rake.amount(sum(called_chips(betting)))


def called_chips(betting: BettingState) -> list[int]:
    """Chips of each position in a finished hand's pot, without a bet that nobody has called."""
    second = sorted(betting.spent)[-2]
    antes = betting.game.antes_posted
    return [ante + min(chips, second) for ante, chips in zip(antes, betting.spent, strict=True)]


def chips_won(
    betting: BettingState,
    hole_cards: Sequence[Sequence[int]],
    board: Sequence[int],
    *,
    mucked: Collection[int] = (),
) -> tuple[float, ...]:
    """Net chips of each position at the end of a hand.

    They add up to zero, less what the house takes (`rake_taken`), except in one case the ACPC rules leave
    open: in a limit game with stacks, a raise by a short stack can lower the bet, and if a position then
    folds that has put in more than anybody left, nobody gets the excess (docs/acpc-dealer.md 8.9).

    Args:
        betting: a finished hand.
        hole_cards: by position; at a showdown those of positions that have not folded must be given.
        board: all board cards of the hand; ignored without a showdown.
        mucked: positions that have mucked their cards at the showdown, and win only chips that nobody
            else who is left has matched.

    Raises:
        ValueError: the hand is not finished, or hole cards needed for the showdown are missing.
    """
    if not betting.is_finished:
        raise ValueError(f"chips change hands when the hand is over; after {betting.text!r} it is not")
    won = _won(betting, hole_cards, board, mucked)
    taken = rake_taken(betting) if betting.game.has_rake else 0.0
    if not taken:
        return won
    # Everybody who gets something from the pot pays in proportion.
    called = called_chips(betting)
    pot = sum(called)
    return tuple([chips - taken * (chips + own) / pot for chips, own in zip(won, called, strict=True)])


def _won(
    betting: BettingState, hole_cards: Sequence[Sequence[int]], board: Sequence[int], mucked: Collection[int]
) -> tuple[float, ...]:
    """The same before the rake."""
    game, folded = betting.game, betting.folded
    spent, dead = betting.spent, 0
    if game.has_antes:
        if game.has_equal_antes or betting.num_in_hand == 1:
            spent = tuple(map(operator.add, game.antes_posted, spent))
        else:
            dead = sum(game.antes_posted)
    if betting.num_in_hand == 1:
        pot = betting.pot
        return tuple(
            float(-chips) if out else float(pot - chips) for chips, out in zip(spent, folded, strict=True)
        )

    ranks: list[int] = []
    for position, out in enumerate(folded):
        if out:
            ranks.append(_FOLDED)
        elif position in mucked:
            ranks.append(_MUCKED)
        elif not hole_cards[position]:
            raise ValueError(
                f"the hole cards of position {position}, which is at the showdown, are not known"
            )
        else:
            ranks.append(hand_rank((*hole_cards[position], *board)))
    if len(spent) == 2 and 0 < spent[0] == spent[1] and not dead:  # one layer, as nearly always heads-up
        ours, theirs = ranks
        if ours == theirs:
            return _NOTHING
        stake = float(spent[0])
        return (stake, -stake) if ours > theirs else (-stake, stake)
    won = [0.0] * len(spent)
    remaining = list(spent)
    paying = [position for position, chips in enumerate(spent) if chips > 0]
    while paying:
        layer = min([remaining[p] for p in paying])
        best = max([ranks[p] for p in paying])
        winners = 0 if best == _FOLDED else sum([ranks[p] == best for p in paying])
        losers = len(paying) - winners
        for p in paying:
            if winners and ranks[p] == best:
                won[p] += layer * losers / winners
            else:
                won[p] -= layer
            remaining[p] -= layer
        paying = [p for p in paying if remaining[p]]
    if dead:
        best = max(ranks)
        winners = ranks.count(best)
        for position, ante in enumerate(game.antes_posted):
            won[position] += (dead / winners if ranks[position] == best else 0) - ante
    return tuple(won)
