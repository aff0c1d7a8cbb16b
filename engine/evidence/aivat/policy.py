"""What a player has told of its strategy in one decision, and how what it did differs from its average."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs
import numpy as np

from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.combos import NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.poker.records import USUAL_NO_LIMIT_BET
from engine.poker.rules import CALL, FOLD, Action, ActionKind, BettingState
from engine.support.arrays import Floats

_ONE: Final = 65535


class PolicyError(ValueError):
    """A player's stated strategy contradicts its action."""


@attrs.frozen(eq=False)
class Policy:
    """A player's distribution over fold, call and raise with everything it could hold: in hold'em the 1326
    combos, in other games all sets of hole cards in lexicographic order."""

    triples: Floats
    """Shape (hands, 3); rows add up to 1."""
    size: Floats | None = None
    """How likely a raise is to have the size of the raise made, on any scale, shape (hands,); None if the
    size does not depend on the hand."""

    @classmethod
    def of_columns(cls, columns: Sequence[bytes], num_hands: int = NUM_COMBOS) -> Policy:
        """From big-endian 16-bit numbers by hand: the probabilities of folding, of raising and of the size.

        Args:
            columns: two or three, for 1 hand or all hands, in hold'em also for the 169 starting hands; 65535
                stands for 1.
            num_hands: the number of hands in the game.

        Raises:
            ValueError: another number of columns or hands.
        """
        numbers = [np.frombuffer(column, ">u2").astype(np.float64) for column in columns]
        rows = {len(each) for each in numbers}
        sizes = [1, NUM_STARTING_HANDS, num_hands] if num_hands == NUM_COMBOS else [1, num_hands]
        if len(numbers) not in (2, 3) or rows not in [{size} for size in sizes]:
            expected = f"{', '.join(map(str, sizes[:-1]))} or {sizes[-1]} hands"
            raise ValueError(f"expected 2 or 3 columns for {expected}, got {len(numbers)} for {rows}")
        by_hand = [_by_hand(each, num_hands) for each in numbers]
        fold, raise_ = by_hand[:2]
        triples = np.stack([fold, np.maximum(_ONE - fold - raise_, 0.0), raise_], axis=-1)
        triples /= triples.sum(axis=1, keepdims=True)
        return cls(triples, by_hand[2] / _ONE if len(by_hand) == 3 else None)

    def chances(self, action: Action) -> Floats:
        """How likely the player takes the action with each hand, on any scale.  Shape (hands,)."""
        chances = self.triples[:, TRIPLE_INDEX[action.kind]]
        if action.kind is ActionKind.RAISE and self.size is not None:
            return chances * self.size
        return chances


def _by_hand(numbers: Floats, num_hands: int) -> Floats:
    if len(numbers) == 1:
        return np.full(num_hands, numbers[0])
    return numbers if len(numbers) == num_hands else numbers[STARTING_HAND_OF_COMBO]


def surpluses(before: BettingState, action: Action, by_action: Floats) -> Iterator[tuple[Action, int, float]]:
    """How much more than on average a player has taken each action: 1 less its chance, or less than 0.

    Args:
        before: the betting before the action.
        action: the player's action.
        by_action: how likely the player folds, calls and raises, on any scale.  Shape (3,).

    Yields:
        The legal actions that it takes at all, with a raise of the usual size; their columns, and how much
        more they were taken.

    Raises:
        PolicyError: the player has told that it never does this.
    """
    total, done = float(by_action.sum()), TRIPLE_INDEX[action.kind]
    if not by_action[done] > 1e-12 * total:
        raise PolicyError(f"{action} after {before.text!r}: its player has told that it never does that")
    legal = before.legal_actions()
    actions = [FOLD, CALL] if legal.can_fold else [CALL]
    if legal.can_raise:
        actions.append(legal.raising_to() if legal.is_limit else before.raise_of_pots(USUAL_NO_LIMIT_BET))
    for other in actions:
        column = TRIPLE_INDEX[other.kind]
        surplus = float(column == done) - float(by_action[column]) / total
        if surplus != 0.0 and by_action[column] > 0.0:
            yield other, column, surplus
