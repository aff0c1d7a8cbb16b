"""What a match proves: chips, rates and intervals (design: units).

Rates are per hand played.  An interval is the normal approximation 1.96 s/√n, with s the sample standard
deviation of a seat's chips per hand (n - 1 in its denominator); below two hands there is none.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any, Final

import attrs

from engine.rules import GameDefinition
from server.errors import Failure, FailureKind
from server.match import MatchOutcome

_Z95: Final = statistics.NormalDist().inv_cdf(0.975)


def half_width_95(values: Sequence[float]) -> float | None:
    """Half width of the 95 % interval of the mean of some values; None below two of them."""
    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    variance = math.fsum([(value - mean) ** 2 for value in values]) / (n - 1)
    return _Z95 * math.sqrt(variance / n)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest of some sorted values that at least `share` of them do not pass."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


@attrs.frozen
class DecisionTimes:
    """How long a player took for its decisions, in seconds."""

    median: float
    p99: float
    max: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> DecisionTimes | None:
        """Of all decisions of a match; None without any."""
        if not seconds:
            return None
        ordered = sorted(seconds)
        return cls(percentile(ordered, 0.5), percentile(ordered, 0.99), ordered[-1])


@attrs.frozen
class PlayerResult:
    """What one player won."""

    name: str
    seat: int
    chips: float
    mbb_per_hand: float | None
    """Milli big blinds per hand; None without a hand."""
    ci95: float | None
    """Half width of its 95 % interval, in mbb/h."""
    sb_per_hand: float | None
    """Small bets per hand; None in no-limit games."""
    failure: Failure | None
    """The first, where there was one."""
    failures: int
    decision_seconds: DecisionTimes | None

    def as_json(self, game: GameDefinition) -> dict[str, Any]:
        """The player's object in ``result.json``."""
        row: dict[str, Any] = {
            "name": self.name,
            "seat": self.seat,
            "chips": self.chips,
            "mbb_per_hand": self.mbb_per_hand,
            "ci95": self.ci95,
        }
        if game.is_limit:
            row["sb_per_hand"] = self.sb_per_hand
        if self.failure is not None:
            row |= {
                "failure": self.failure.kind.value,
                "failure_detail": self.failure.detail,
                "failure_hand": self.failure.hand_number,
                "failures": self.failures,
            }
        times = self.decision_seconds
        row["decision_seconds"] = None if times is None else attrs.asdict(times)
        return row


def player_results(
    outcome: MatchOutcome, game: GameDefinition, crashes: dict[int, str] | None = None
) -> tuple[PlayerResult, ...]:
    """The players' results, in seat order.

    Args:
        outcome: what the match came to.
        game: what was played.
        crashes: by seat, how a player's process ended that ended by itself with an error: a connection
            that was lost that way was a crash.
    """
    crashes = crashes or {}
    to_mbb = 1000 / game.big_blind if game.big_blind else math.nan
    results: list[PlayerResult] = []
    for seat in outcome.seats:
        failure = seat.failures[0] if seat.failures else None
        if failure is not None and failure.kind is FailureKind.DISCONNECTED and seat.number in crashes:
            failure = attrs.evolve(failure, kind=FailureKind.CRASHED, detail=crashes[seat.number])
        chips = outcome.chips_by_seat[seat.number]
        per_hand = chips / outcome.hands if outcome.hands else None
        half_width = half_width_95(outcome.hand_chips_by_seat[seat.number])
        small_bet = game.small_bet
        rates_mean_something = per_hand is not None and game.big_blind > 0
        results.append(
            PlayerResult(
                name=seat.name,
                seat=seat.number,
                chips=chips,
                mbb_per_hand=per_hand * to_mbb if per_hand is not None and rates_mean_something else None,
                ci95=half_width * to_mbb if half_width is not None and rates_mean_something else None,
                sb_per_hand=per_hand / small_bet if per_hand is not None and small_bet else None,
                failure=failure,
                failures=len(seat.failures),
                decision_seconds=DecisionTimes.of(seat.decision_seconds),
            )
        )
    return tuple(results)
