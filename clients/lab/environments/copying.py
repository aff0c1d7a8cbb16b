"""Copies of an environment in the middle of a hand: pickling, and `copy.deepcopy`.

A copy is made anew and plays everything again since its match began: the cards and the bots of this process
follow from the seed, and our actions are kept, two bytes each.  Players in other processes cannot be copied.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, Final, Self

from clients.lab.environments.table import OutsideTable

_RESET: Final = -1
_NOTHING: Final = -2
"""An action None, of a PettingZoo agent that has finished."""


class Copied:
    """An environment with a `table`, whose ``reset`` and ``step`` tell what they have done."""

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
        table: OutsideTable = self.table  # type: ignore[attr-defined]
        why = table.why_not_copied()
        if why:
            raise TypeError(f"this environment cannot be copied: {why}")
        generator = self._np_random
        return {**self._options, "seed": table.seed, "calls": self._calls, "generator": generator}

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
