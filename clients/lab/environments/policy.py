"""What has been learnt in an environment, at any table: over TCP, in the arena, in a match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.lab.environments.observations import DEFAULT_SIZES, Encoder
from engine.poker.rules import Action, GameDefinition, HandView

ObservationKind: TypeAlias = Literal["dict", "array"]
"""Fields by name, with the mask; or the whole vector."""
Policy: TypeAlias = Callable[[Any, NDArray[np.int8]], int]
"""Called with an observation and the mask, returns the number of an action."""


@attrs.define(eq=False, slots=False)
class PolicyAgent(Agent):
    """A policy in a seat: it is shown what an environment would show it, and plays the numbers it returns.

    Args:
        policy: called with an observation and a mask; returns the number of an action, one that is not legal
            is put right as by the dealer.
        sizes: as of the environment.
        observations: as of the environment.
    """

    _policy: Policy
    _sizes: Sequence[float] = attrs.field(default=DEFAULT_SIZES, kw_only=True)
    _observations: ObservationKind = attrs.field(default="dict", kw_only=True)
    _encoder: Encoder | None = attrs.field(default=None, init=False)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Observations are those of the game."""
        self._encoder = Encoder(game, self._sizes)

    def choose_action(self, view: HandView) -> Action:
        """The action that the policy chooses."""
        encoder = self._encoder
        assert encoder is not None  # a match has started
        vector, mask = encoder.observe(view), encoder.mask(view.betting)
        if self._observations == "array":
            number = self._policy(vector, mask)
        else:
            number = self._policy(encoder.fields(vector) | {"action_mask": mask.copy()}, mask)
        return encoder.actions(view.betting)[int(number)]
