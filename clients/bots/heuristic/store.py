"""What the heuristic bot remembers of its hands: their betting chains, and how opponents met bets.

It holds only what the bot could see: the betting, its own cards, and hands shown at a showdown.  It learns
when a hand is over, so no decision within a hand depends on when it was asked for.
"""

from __future__ import annotations

from typing import Final

import attrs

from clients.bots.memory_file import KnownPlayers
from engine.hands.hand_strength import UNIFORM_WEIGHTS
from engine.players.betting_chains.chains import PlayedHand
from engine.players.betting_chains.store import ChainStore
from engine.players.board_values import board_values
from engine.poker.combos import combo_index
from engine.poker.rules import ActionKind, HandView
from engine.poker.rules.betting import BettingState

_MOST_RAISES: Final = 2
_STRENGTH_BY_RAISES: Final = (0.5, 0.65, 0.75, 0.8)
"""The mean strength of an ordinary opponent's hand at a showdown, by the raises met."""
_SHOWDOWN_PRIOR: Final = 8.0
"""The weight of an ordinary player's strength, in showdowns."""


@attrs.define
class Habits:
    """Counts of what a player did after the flop, starting with those of an ordinary player."""

    bets_met: float = attrs.field(default=20.0, metadata={"least": 20.0})
    folds: float = 6.0
    raises: float = 3.0
    """Raises of bets met."""
    chances_to_bet: float = attrs.field(default=20.0, metadata={"least": 20.0})
    bets: float = 8.0

    @property
    def fold_rate(self) -> float:
        """The share of bets met that the player folded to."""
        return self.folds / self.bets_met

    @property
    def raise_rate(self) -> float:
        """The share of bets met that the player raised."""
        return self.raises / self.bets_met

    @property
    def bet_rate(self) -> float:
        """How often the player bet when nobody had."""
        return self.bets / self.chances_to_bet


def scene_of(before: BettingState, kind: ActionKind) -> str:
    """The kind of a decision: betting round, raises, whether a bet was met, opponents and action."""
    position = before.actor()
    facing = "b" if before.amount_to_call(position) > 0 else "u"
    raises = min(before.raises_in_round, _MOST_RAISES)
    opponents = min(before.num_in_hand - 1, 2)
    return f"{before.betting_round}{raises}{facing}{opponents}{kind.value}"


class Experience(KnownPlayers[Habits]):
    """The hands of one agent, and its opponents' habits; the agent says its seat and when a hand ends."""

    part, kind = "habits", Habits

    def __init__(self) -> None:
        super().__init__()
        self.chains = ChainStore()
        """How hands continued from our actions after the flop, by betting chain."""
        self.scenes = ChainStore()
        """The same by `scene_of`."""
        self._shown: dict[int, list[float]] = {}
        # By raises met, at most 3: showdowns and the sum of the strengths that opponents showed.

    def strength_met(self, raises: int) -> float:
        """The mean strength that opponents showed after `raises` raises; at first an ordinary player's."""
        number, total = self._shown.get(min(raises, 3), (0.0, 0.0))
        usual = _STRENGTH_BY_RAISES[min(raises, len(_STRENGTH_BY_RAISES) - 1)]
        return (total + _SHOWDOWN_PRIOR * usual) / (number + _SHOWDOWN_PRIOR)

    def hand_finished(self, view: HandView) -> None:
        """Count a hand; the caller must report each hand only once."""
        self.hands += 1
        hand = played_hand(view)
        for ours in hand.actions:
            if ours.before.betting_round > 0:
                self.chains.observe(ours.chain, ours, hand)
                self.scenes.observe(scene_of(ours.before, ours.kind), ours, hand)
        if hand.opponent_strength is not None:
            shown = self._shown.setdefault(min(raises_met(view.betting, view.position), 3), [0.0, 0.0])
            shown[0] += 1
            shown[1] += hand.opponent_strength
        for before, position, action in view.betting.steps():
            if before.betting_round > 0 and position != view.position:
                habits = self.of(view, position)
                if before.amount_to_call(position) > 0:
                    habits.bets_met += 1
                    habits.folds += action.kind is ActionKind.FOLD
                    habits.raises += action.kind is ActionKind.RAISE
                else:
                    habits.chances_to_bet += 1
                    habits.bets += action.kind is ActionKind.RAISE


def raises_met(betting: BettingState, position: int) -> int:
    """Bets and raises that opponents of the player in a position have made after the flop."""
    raises = [step for step in betting.steps() if step[2].kind is ActionKind.RAISE]
    return sum(actor != position and before.betting_round > 0 for before, actor, _ in raises)


def played_hand(view: HandView) -> PlayedHand:
    """A finished hand in the form that the chain store keeps."""
    betting, us = view.betting, view.position
    if not betting.is_showdown or betting.folded[us]:
        return PlayedHand.of(betting, us)
    strengths = board_values(view.board).strengths(UNIFORM_WEIGHTS)
    others = [cards for p, cards in enumerate(view.hole_cards) if p != us and not betting.folded[p]]
    shown = [float(strengths[combo_index(*cards)]) for cards in others if len(cards) == 2]
    return PlayedHand.of(betting, us, sum(shown) / len(shown) if shown else None)
