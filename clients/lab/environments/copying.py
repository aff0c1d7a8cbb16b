"""What environments that play hand by hand share: their settings, pictures, and copies in mid-hand.

Pickling and `copy.deepcopy` work: a copy is made anew and plays everything again since its match began, the
cards and the bots of this process follow from the seed, and our actions are kept, two bytes each.  Players in
other processes cannot be copied.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from clients.lab.environments.observations import Encoder
from clients.lab.environments.rendering import check_render_mode, render
from clients.lab.environments.table import OutsideTable
from engine.poker.rules import GameDefinition, HandView

_RESET: Final = -1
_NOTHING: Final = -2
"""An action None, of a PettingZoo agent that has finished."""


class OfOneTable:
    """An environment with a `table`, whose ``reset`` and ``step`` tell what they have done."""

    table: OutsideTable
    """Chips by seat, names, the end of the last hand."""
    encoder: Encoder
    """How views become observations, and numbers actions."""
    render_mode: str | None
    _hands: int
    """In an episode."""
    _is_dict: bool
    """Observations have fields."""
    _np_random: Any
    _options: Mapping[str, Any]
    """What it was made with."""
    _calls: array[int]
    """What was done since the match began."""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Keep what an environment is made with."""
        made: Self = super().__new__(cls)
        object.__setattr__(made, "_options", {"args": args, "options": options})
        object.__setattr__(made, "_calls", array("h"))
        return made

    def _set_up(
        self, game: GameDefinition, hands: int, sizes: Sequence[float], observations: str, mode: str | None
    ) -> None:
        """Take the settings, before there is a table.

        Raises:
            ValueError, PlotError: they cannot be had.
        """
        check_render_mode(mode)
        if hands < 1:
            raise ValueError(f"expected 1 or more hands in an episode, got {hands}")
        self.encoder = Encoder(game, sizes)
        self.render_mode, self._hands, self._is_dict = mode, hands, observations == "dict"

    def _rendered(self, view: HandView) -> str | NDArray[np.uint8] | None:
        """The hand as text, or as a picture of shape (height, width, 3), uint8."""
        mode = self.render_mode
        return None if mode is None else render(view, self.table.names_by_position, mode)

    def _has_reset(self, *, begins: bool) -> None:
        """Note that an episode has begun, perhaps with a match."""
        if begins:
            del self._calls[:]
        self._calls.append(_RESET)

    def _has_played(self, number: int | None) -> None:
        """Note an action."""
        self._calls.append(_NOTHING if number is None else number)

    def __getstate__(self) -> dict[str, Any]:
        """All that a copy needs.

        Raises:
            TypeError: players in other processes, or a log, cannot be copied.
        """
        why = self.table.why_not_copied()
        if why:
            raise TypeError(f"this environment cannot be copied: {why}")
        return {
            **self._options, "seed": self.table.seed, "calls": self._calls, "generator": self._np_random
        }  # fmt: skip

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(*state["args"], **state["options"])  # type: ignore[misc]
        object.__setattr__(self, "_options", {key: state[key] for key in ("args", "options")})
        object.__setattr__(self, "_calls", array("h"))
        for place, call in enumerate(state["calls"]):
            if call == _RESET:
                self.reset(seed=None if place else state["seed"])  # type: ignore[attr-defined]
            else:
                self.step(None if call == _NOTHING else call)  # type: ignore[attr-defined]
        self._np_random = state["generator"]
