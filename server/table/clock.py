"""How much time each seat has used (acpc-spec 5.8).

Only the acting seat's clock runs, and each decision is charged once, when it is answered.
"""

from __future__ import annotations

from server.table.config import TimeLimits


class SeatClock:
    """Time used by one seat, in seconds."""

    def __init__(self, limits: TimeLimits, hands: int) -> None:
        self._limits = limits
        self._match_limit = limits.per_hand * hands
        self.in_hand = 0.0
        self.in_match = 0.0

    def new_hand(self) -> None:
        """Hand totals begin anew; match totals never do."""
        self.in_hand = 0.0

    def is_exceeded_by(self, seconds: float) -> bool:
        """Whether a decision that has taken `seconds` so far passes a limit."""
        limits = self._limits
        return (
            seconds > limits.response
            or self.in_hand + seconds > limits.hand
            or self.in_match + seconds > self._match_limit
        )

    def charge(self, seconds: float) -> None:
        """Book a decision."""
        self.in_hand += seconds
        self.in_match += seconds

    @property
    def is_used_up(self) -> bool:
        """No time is left for the match."""
        return self.in_match > self._match_limit

    def left(self) -> float:
        """Seconds the next decision may take."""
        limits = self._limits
        return min(limits.response, limits.hand - self.in_hand, self._match_limit - self.in_match)
