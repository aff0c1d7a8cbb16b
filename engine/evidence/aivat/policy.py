"""What a player has told of its strategy in one decision, as chances for each combo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.combos import NUM_COMBOS, NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO
from engine.opponents.probability_triple import TRIPLE_INDEX
from engine.rules import Action, ActionKind

__all__ = ["Policy"]

Floats = NDArray[np.float64]
_ONE: Final = 65535


@attrs.frozen(eq=False)
class Policy:
    """A player's distribution over fold, call and raise with every combo."""

    triples: Floats
    """Shape (1326, 3); rows add up to 1."""
    size: Floats | None = None
    """How likely a raise is to be the one that was made, on any scale, shape (1326,); None where that says
    nothing of the hand."""

    @classmethod
    def of_columns(cls, columns: Sequence[bytes]) -> Policy:
        """From 16-bit numbers by hand, big end first: the chances of folding and raising, and of the size.

        Args:
            columns: two or three, for 1 hand, the 169 starting hands or the 1326 combos; 65535 stands for 1.

        Raises:
            ValueError: another number of columns or hands.
        """
        numbers = [np.frombuffer(column, ">u2").astype(np.float64) for column in columns]
        rows = {len(each) for each in numbers}
        if len(numbers) not in (2, 3) or rows not in ({1}, {NUM_STARTING_HANDS}, {NUM_COMBOS}):
            raise ValueError(
                f"expected 2 or 3 columns for 1, 169 or 1326 hands, got {len(numbers)} for {rows}"
            )
        by_combo = [_by_combo(each) for each in numbers]
        fold, raise_ = by_combo[:2]
        triples = np.stack([fold, np.maximum(_ONE - fold - raise_, 0.0), raise_], axis=-1)
        triples /= triples.sum(axis=1, keepdims=True)
        return cls(triples, by_combo[2] / _ONE if len(by_combo) == 3 else None)

    def chances(self, action: Action) -> Floats:
        """How likely the player is, with each combo, to do what it did, on any scale.  Shape (1326,)."""
        chances = self.triples[:, TRIPLE_INDEX[action.kind]]
        if action.kind is ActionKind.RAISE and self.size is not None:
            return chances * self.size
        return chances


def _by_combo(numbers: Floats) -> Floats:
    if len(numbers) == 1:
        return np.full(NUM_COMBOS, numbers[0])
    return numbers[STARTING_HAND_OF_COMBO] if len(numbers) == NUM_STARTING_HANDS else numbers
