"""What a match came to: facts without sockets, for reports and statistics."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

import attrs

from server.errors import Failure


@attrs.frozen
class SeatOutcome:
    """What is known about the player of one seat, apart from the chips."""

    name: str
    failures: Sequence[Failure] = ()
    """In the order they happened."""
    decision_seconds: Sequence[float] = ()
    """How long each of its decisions took."""
    warnings: int = 0
    """Replies that had to be ignored or corrected."""


@attrs.frozen
class MatchOutcome:
    """What a match came to, or has come to so far."""

    hands: int
    """Hands finished, replayed ones included."""
    chips_by_seat: tuple[float, ...]
    hand_chips_by_seat: tuple[array[float], ...]
    """Chips won in each hand, in hand order."""
    seats: tuple[SeatOutcome, ...]
    seconds: float
    """From the first state to the last."""
    error: str | None = None
    """Why the match ended before its last hand; the lines the ACPC dealer prints."""

    @classmethod
    def not_played(cls, names: Sequence[str], failures: Mapping[int, Failure]) -> MatchOutcome:
        """The outcome of a match that never began.

        Args:
            names: of the players, in seat order.
            failures: by seat, what kept a player from it.
        """
        return cls(
            hands=0,
            chips_by_seat=(0.0,) * len(names),
            hand_chips_by_seat=tuple(array("d") for _ in names),
            seats=tuple(
                SeatOutcome(name, [failures[seat]] if seat in failures else [])
                for seat, name in enumerate(names)
            ),
            seconds=0.0,
        )
