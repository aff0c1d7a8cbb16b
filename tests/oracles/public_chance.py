"""The best response on a board of limit hold'em, and one player's pass on a board, written for the reader.

Every pair of hands stands in a matrix, every betting follows from the rules, and nothing is remembered.
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from engine.poker.combos import COMBO_CARDS, NUM_COMBOS
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, BettingState, hand_rank, initial_betting
from engine.solving.holdem.abstraction import Abstraction
from engine.solving.holdem.betting import HoldemBetting
from engine.support.arrays import Floats, Ints

# --- limit response -----------------------------------------------------------------------------------------

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


# --- public chance ------------------------------------------------------------------------------------------

Learnt = tuple[HoldemBetting, Abstraction, Floats]
"""A betting and buckets, and regrets by its slots."""


class Pass:
    """What one player learns on one board.

    Args:
        betting: the game's.
        abstraction: which hands are taken for the same.
        board: five cards.
        regrets: by slot, which both players match.
        player: who learns.
        trembles: the part of the other's actions that are anything allowed.
        answers: the other answers best on the river, by bucket, what the player would do on this board.
        is_answer: the player does so itself.
        opponent: what the other has learnt, where that is something of its own.
    """

    def __init__(
        self,
        betting: HoldemBetting,
        abstraction: Abstraction,
        board: tuple[int, ...],
        regrets: Floats,
        player: int,
        trembles: float = 0.0,
        *,
        answers: bool = False,
        is_answer: bool = False,
        opponent: Learnt | None = None,
    ) -> None:
        own: Learnt = (betting, abstraction, regrets)
        other = opponent or own
        self._betting, self._player = betting, player
        self._learnt = (own, other) if player == 0 else (other, own)
        self._trembles, self._is_answer = trembles, is_answer
        self.best: dict[str, Floats] = {}
        """On the river, by betting: the player's best answers with each hand."""
        self.answer = (
            Pass(other[0], other[1], board, other[2], 1 - player, is_answer=True, opponent=own)
            if answers
            else None
        )
        """What the other learns, if it answers on the river."""
        live = np.flatnonzero(~np.isin(COMBO_CARDS, board).any(axis=1))
        cards = COMBO_CARDS[live]
        ranks = np.array([hand_rank((*map(int, pair), *board)) for pair in cards])
        self._buckets = [
            [known.buckets(board[:size])[live] for size in (0, 3, 4, 5)] for _, known, _ in self._learnt
        ]
        meets = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
        self._matrices = {False: meets.astype(float), True: np.sign(ranks[:, None] - ranks) * meets}
        self._ends: dict[str, tuple[bool, float, Floats]] = {}
        self._worth: dict[str, Floats] = {}
        self.gains, self.sums = np.zeros_like(regrets), np.zeros_like(regrets)
        ones = np.ones(len(live))
        start = initial_betting(betting.game)
        self._go_down(start, ones, ones)
        for shown in (False, True):
            texts = [text for text, end in self._ends.items() if end[0] == shown]
            reaches = np.stack([self._ends[text][2] for text in texts], axis=1)
            paid = self._matrices[shown] @ reaches / 990
            for number, text in enumerate(texts):
                self._worth[text] = self._ends[text][1] * paid[:, number]
        self.worth = self._come_back(start)
        """By hand, at the start."""

    def _chances(self, betting: BettingState) -> Floats:
        if self.answer is not None and betting.text in self.answer.best:
            return self.answer.best[betting.text]
        actor = betting.position_to_act
        assert actor is not None
        known, _, regrets = self._learnt[actor]
        decision = known.decision(betting)
        num_actions = len(decision.actions)
        buckets = self._buckets[actor][betting.betting_round]
        slots = decision.first_slot + buckets[:, None] * num_actions + np.arange(num_actions)
        positive = np.maximum(regrets[slots], 0)
        total = positive.sum(axis=1, keepdims=True)
        chances: Floats = np.full(positive.shape, 1 / num_actions)
        np.divide(positive, total, out=chances, where=total > 0)
        return chances

    def _go_down(self, betting: BettingState, ours: Floats, theirs: Floats) -> None:
        if betting.position_to_act is None:
            chips = float(min(betting.spent))
            if not betting.is_showdown and betting.folded[self._player]:
                chips = -chips
            self._ends[betting.text] = (betting.is_showdown, chips, theirs)
            return
        decision = self._betting.decision(betting)
        chances = self._chances(betting)
        for number, action in enumerate(decision.actions):
            after = betting.apply(action)
            if betting.position_to_act != self._player:
                tremble = self._trembles / len(decision.actions)
                self._go_down(after, ours, theirs * ((1 - self._trembles) * chances[:, number] + tremble))
                continue
            slots = decision.first_slot + self._own_buckets(betting) * len(decision.actions)
            np.add.at(self.sums, slots + number, ours * chances[:, number])
            self._go_down(after, ours * chances[:, number], theirs)

    def _own_buckets(self, betting: BettingState) -> Ints:
        return self._buckets[self._player][betting.betting_round]

    def _come_back(self, betting: BettingState) -> Floats:
        if betting.position_to_act is None:
            return self._worth[betting.text]
        decision = self._betting.decision(betting)
        below = np.stack([self._come_back(betting.apply(action)) for action in decision.actions], axis=1)
        is_ours = betting.position_to_act == self._player
        worth: Floats = (below * self._chances(betting) if is_ours else below).sum(axis=1)
        if not is_ours:
            return worth
        buckets = self._own_buckets(betting)
        slots = decision.first_slot + buckets * len(decision.actions)
        for number in range(len(decision.actions)):
            np.add.at(self.gains, slots + number, below[:, number] - worth)
        if self._is_answer and betting.betting_round == 3:
            sums = np.zeros((buckets.max() + 1, len(decision.actions)))
            np.add.at(sums, buckets, below)
            choice = sums.argmax(axis=1)[buckets]
            self.best[betting.text] = np.eye(len(decision.actions))[choice]
            worth = below[np.arange(len(below)), choice]
        return worth
