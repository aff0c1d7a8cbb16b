"""What a model of an opponent is, and the model that knows nothing.

Source: Poki 3.3.3 (``PredictOpponentAction`` of Fig. 3.5); Loki, "Opponent modeling".
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, Protocol, Self

import attrs
import numpy as np

from engine.players.hand_values import HandValues
from engine.players.models.formula import REASONABLE, Traits
from engine.poker.combos import NUM_COMBOS
from engine.poker.records import PublicSituation
from engine.support.arrays import Floats, read_only


@attrs.frozen(eq=False)
class Decision:
    """A player to act, as everybody at the table sees them."""

    situation: PublicSituation
    values: HandValues
    """Values of all the player's combos, against the tables of the opponents."""
    weights: Floats
    """The player's own table, shape (1326,)."""


class OpponentModel(Protocol):
    """Predicts a player's actions, and learns from them.

    All of it is public: a model never learns a card that its player has not shown.
    """

    @property
    def traits(self) -> Traits:
        """How the player plays, as far as the formula asks."""

    def triples(self, decision: Decision) -> Floats:
        """The probability triple of every combo the player may hold, shape (1326, 3)."""

    def learn(self, decisions: Sequence[tuple[Decision, int]], combo: int | None = None) -> None:
        """The player made these decisions in a hand, each with its action, a `TripleIndex`.

        combo: what they held meanwhile, if they have shown it.
        """

    @property
    def state(self) -> Hashable:
        """What has been learned until now: models of equal states predict alike.

        All who watch a table see the same, so where several models of one player live in one
        process the work of reading them is done once (``table_reader``).
        """

    def snapshot(self) -> OpponentModel:
        """A model of the same state that does not learn together with this one."""

    def adopt(self, other: OpponentModel) -> None:
        """Know what another model of this kind knows, instead of what this one knew.

        Raises:
            TypeError: it is of another kind.
        """


_UNIFORM: Final = tuple(
    read_only(np.tile(np.array(legal, np.float64) / sum(legal), (NUM_COMBOS, 1)))
    for legal in ((0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1))
)


class FixedModel:
    """A model that learns nothing: every player is a reasonable one."""

    @property
    def traits(self) -> Traits:
        """Those of a reasonable player."""
        return REASONABLE

    def learn(self, decisions: Sequence[tuple[Decision, int]], combo: int | None = None) -> None:
        """Nothing is learned."""

    def snapshot(self) -> Self:
        """The model itself, which never changes."""
        return self

    def adopt(self, other: OpponentModel) -> None:
        """There is nothing to know."""


class NoModel(FixedModel):
    """A player who does anything that is legal, whatever they hold: the actions tell nothing."""

    @property
    def state(self) -> Hashable:
        """The same for all."""
        return NoModel

    def triples(self, decision: Decision) -> Floats:
        """Uniform over what is legal, shape (1326, 3)."""
        situation = decision.situation
        return _UNIFORM[2 * situation.can_fold + situation.can_raise].copy()  # for kernels as others' are
