"""The best response on a board of limit hold'em, written for the reader.

Every pair of hands stands in a matrix, every betting follows from the rules, and nothing is remembered.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from engine.poker.combos import COMBO_CARDS, NUM_COMBOS
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, BettingState, hand_rank
from engine.support.arrays import Floats

Board = tuple[int, ...]
Says = Callable[[BettingState, Board], Floats]
"""The chances of folding, calling and raising with each combo, shape (1326, 3)."""


def response_values(
    betting: BettingState,
    board: Board,
    rivers: Sequence[int],
    says: Says,
    responder: int,
    reach: Floats,
    weight: float = 1.0,
) -> Floats:
    """What a best response wins with each combo, times the opponent's reach: shape (1326,).

    Args:
        betting: where somebody is to act.
        board: of four cards, or of five.
        rivers: the cards that are dealt after four; what they bring is added up.
        says: what the opponent does.
        responder: the best response's position.
        reach: of the opponent with each combo, shape (1326,).
        weight: of each river.
    """
    if not betting.is_finished and len(board) < betting.num_board_cards:
        worth = np.zeros(NUM_COMBOS)
        for card in rivers:
            worth += response_values(betting, (*board, card), (), says, responder, reach)
        return worth * weight
    live = np.array([not set(cards) & set(board) for cards in COMBO_CARDS.tolist()])
    if betting.is_showdown:
        held = zip(COMBO_CARDS.tolist(), live, strict=True)
        ranks = np.array([hand_rank((*cards, *board)) if is_live else 0 for cards, is_live in held])
        wins = np.sign(ranks[:, None] - ranks[None, :])
        shown: Floats = betting.max_spent * ((_meets() * wins) @ (reach * live)) * live
        return shown
    if betting.is_finished:
        loser = betting.folded.index(True)
        chips = -betting.spent[loser] if loser == responder else betting.spent[loser]
        folded: Floats = chips * (_meets() @ (reach * live)) * live
        return folded
    legal = betting.legal_actions()
    actions = [(1, CALL)]
    actions += [(0, FOLD)] if legal.can_fold else []
    actions += [(2, LIMIT_RAISE)] if legal.can_raise else []
    is_ours = betting.position_to_act == responder
    chances = np.ones((NUM_COMBOS, 3)) if is_ours else says(betting, board)
    after = [
        response_values(
            betting.apply(action), board, rivers, says, responder, reach * chances[:, column], weight
        )
        for column, action in actions
    ]
    best: Floats = np.max(after, axis=0) if is_ours else np.sum(after, axis=0)
    return best


@functools.cache
def _meets() -> Floats:
    """1 for combos that share no card."""
    holding = np.zeros((NUM_COMBOS, 52))
    holding[np.arange(NUM_COMBOS)[:, None], COMBO_CARDS] = 1
    meets: Floats = (holding @ holding.T == 0).astype(np.float64)
    return meets
