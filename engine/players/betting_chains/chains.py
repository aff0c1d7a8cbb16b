"""Chains, and finished hands from one player's side.

Source: Saukonoja and Pasanen, section 3.2.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Final

import attrs

from engine.poker.rules.action import Action, ActionKind
from engine.poker.rules.betting import BettingState

_SIZES: Final = (("h", 0.5), ("p", 1.0), ("d", 2.0))
"""Letters of no-limit raises less than all-in, and their shares of the pot."""
_ALL_IN: Final = "a"


def chain_of(betting: BettingState, position: int) -> str:
    """The chain of the actions so far, from the side of the player in a position.

    Heads-up limit, the player on the button having raised, been called and bet the flop: ``1:rc/cr``.
    """
    if betting.game.num_players == 2:
        chain = f"{position}:"
        before_round = 0
        for before, actor, action in betting.steps():
            if before.betting_round != before_round:
                chain += "/"
                before_round = before.betting_round
            chain += _letter(before, actor, action)
        return chain
    rounds: list[str] = []
    for before, actor, action in betting.steps():
        if len(rounds) <= before.betting_round:
            rounds.append(f"{before.num_in_hand}:")
        letter = _letter(before, actor, action)
        if actor == position:
            rounds[-1] += letter.upper()
        elif action.kind is not ActionKind.FOLD:
            rounds[-1] += letter
    return "/".join(rounds)


def _letter(before: BettingState, actor: int, action: Action) -> str:
    """An action in one letter."""
    if action.raise_to is None:
        return action.kind.value
    stack = before.game.betting_stacks[actor]
    if action.raise_to >= stack:
        return _ALL_IN
    share = before.pots_of_raise(action.raise_to)
    sizes = (*_SIZES, (_ALL_IN, before.pots_of_raise(stack)))
    return min(sizes, key=lambda size: abs(math.log(share / size[1])))[0]


class ChainEnding(Enum):
    """How a hand ended, seen by a player who was in it."""

    SHOWDOWN = "showdown"
    OTHERS_FOLDED = "others folded"
    WE_FOLDED = "we folded"


@attrs.frozen
class OwnAction:
    """One action of the player whose hand it was."""

    before: BettingState
    chain: str
    """Up to this action, which is the last of it."""
    kind: ActionKind
    pot: float
    """Chips in the middle before the action."""
    bets: float
    """Chips the player put in from this action on, the action's own included."""


@attrs.frozen
class PlayedHand:
    """A finished hand from the side of one player, with nothing in it that the player has not seen."""

    actions: tuple[OwnAction, ...]
    """Of the player, oldest first."""
    ending: ChainEnding
    pot: float
    """Chips in the middle at the end."""
    opponent_strength: float | None = None
    """At a showdown: the mean hand strength on the final board of the opponents' hands that were shown."""

    @classmethod
    def of(cls, betting: BettingState, position: int, opponent_strength: float | None = None) -> PlayedHand:
        """The hand of the player in a position.

        Raises:
            ValueError: the hand is not over.
        """
        if not betting.is_finished:
            raise ValueError(f"after {betting.text!r} the hand is not over: it has no ending yet")
        ending = ChainEnding.SHOWDOWN if betting.is_showdown else ChainEnding.OTHERS_FOLDED
        if betting.folded[position]:
            ending = ChainEnding.WE_FOLDED
        actions = [
            OwnAction(
                before,
                chain_of(before.apply(action), position),
                action.kind,
                before.pot,
                betting.spent[position] - before.spent[position],
            )
            for before, actor, action in betting.steps()
            if actor == position
        ]
        if ending is not ChainEnding.SHOWDOWN:
            opponent_strength = None
        return cls(tuple(actions), ending, betting.pot, opponent_strength)
