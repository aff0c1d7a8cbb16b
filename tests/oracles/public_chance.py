"""One player's pass on one board of hold'em, pair of hands by pair of hands: slow and obvious."""

from __future__ import annotations

import numpy as np

from engine.poker.combos import COMBO_CARDS
from engine.poker.rules import BettingState, hand_rank, initial_betting
from engine.solving.holdem.abstraction import Abstraction
from engine.solving.holdem.betting import HoldemBetting
from engine.support.arrays import Floats, Ints

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
