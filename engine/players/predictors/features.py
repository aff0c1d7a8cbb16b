"""What a predictor sees of a decision, in numbers: the public situation, and what is reasonable there.

Source: the features of Davidson, *Using Artificial Neural Networks to Model Opponents in Texas Hold'em*
(1999), as far as they follow from the betting.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.players.action_context import Situation
from engine.players.probability_triple import ProbabilityTriple
from engine.poker.records import LastAction

Floats = NDArray[np.float64]

NAMES: Final = (
    "flop or later", "turn or later", "river", "something to call", "two bets to call", "can raise",
    "raises in this round", "an opponent raised last", "has raised in this hand", "has called in this hand",
    "opponents who have entered", "opponents to respond", "opponents", "pot odds", "size of the pot",
    "reasonable fold", "reasonable call", "reasonable raise",
)  # fmt: skip
"""Of the numbers, each from 0 to 1."""


def features_of(situation: Situation, reasonable: ProbabilityTriple) -> Floats:
    """The numbers of a decision, shape (len(NAMES),).

    Args:
        situation: of the player to act.
        reasonable: what the generic model expects of the player, whatever they hold.
    """
    public, context = situation.public, situation.context
    to_call = public.to_call
    return np.array(
        [
            public.betting_round >= 1,
            public.betting_round >= 2,
            public.betting_round >= 3,
            to_call > 0,
            context.bets_to_call >= 2,
            public.can_raise,
            min(public.raises, 4) / 4,
            public.raiser >= 0 and public.raiser != public.position,
            context.last_action == LastAction.RAISED,
            context.last_action == LastAction.CALLED,
            min(public.entered.bit_count(), 3) / 3,
            min(public.to_respond.bit_count(), 3) / 3,
            min(public.opponents.bit_count() - 1, 4) / 4,
            to_call / (public.pot + to_call) if to_call > 0 else 0.0,
            min(np.log2(max(public.pot / max(public.bet, 1.0), 0.5)) + 1.0, 5.0) / 5.0,
            reasonable.fold,
            reasonable.call,
            reasonable.raise_,
        ],
        np.float64,
    )


def legal_actions(situation: Situation) -> NDArray[np.bool_]:
    """A mask of the legal kinds of actions: fold, call, raise; shape (3,)."""
    return np.array([situation.can_fold, True, situation.can_raise])
