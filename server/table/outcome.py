"""The outcome of a match: facts without sockets, for reports and statistics."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import attrs

from server.support.errors import Failure, FailureKind

_BUCKETS_PER_E: Final = 51
_LEAST_S: Final = 1e-7
_OFFSET: Final = 1000
# So that the bucket of `_LEAST_S` has a number above 0; 0 is the bucket for everything smaller.
_AT_ONCE: Final = 1024
# Durations that are collected before they are put into buckets: 8 KB.

CHANGES: Final = {
    "called": "{} of {} answers were illegal and played as calls",
    "resized": "{} of {} answers were raises of illegal sizes, played as the nearest legal raises",
    "late": "{} answers came too late, after {} in time",
    "stale": "{} answers to other states were ignored, beside {} to its own",
    "unreadable": "{} lines could not be read, beside {} answers",
}
"""What the house did to answers of a player, in words: how often, and the answers that it took."""


def told_changes(changes: Mapping[str, int]) -> list[str]:
    """What the house did to a player's answers, as clauses for people.

    Args:
        changes: how often, by `CHANGES`; and its ``answers``, those to its own state in time.
    """
    answers = changes.get("answers", 0)
    return [text.format(changes[kind], answers) for kind, text in CHANGES.items() if changes.get(kind)]


class Durations:
    """How long some things took, counted in buckets: a million take no more memory than a thousand.

    A bucket's bounds differ by 2 %, and its geometric mean represents everything in it: a percentile is off
    by less than 1 % of its value.  The longest is exact; anything below a tenth of a microsecond counts as 0.
    """

    __slots__ = ("_buckets", "_longest", "_recent")

    def __init__(self, seconds: Iterable[float] = ()) -> None:
        self._buckets: dict[int, int] = {}
        self._longest = 0.0
        self._recent = array("d")
        for each in seconds:
            self.add(each)

    def add(self, seconds: float) -> None:
        """Count one more; since this is called for every decision, it only stores the number."""
        recent = self._recent
        recent.append(seconds)
        if len(recent) == _AT_ONCE:
            self._count()

    def _count(self) -> None:
        """Put the stored durations into their buckets: in order, so that each bucket takes one search."""
        ordered = sorted(self._recent)
        del self._recent[:]
        if not ordered:
            return
        self._longest = max(self._longest, ordered[-1])
        buckets, at = self._buckets, 0
        while at < len(ordered):
            seconds = ordered[at]
            bucket = int(math.log(seconds) * _BUCKETS_PER_E + _OFFSET) if seconds > _LEAST_S else 0
            bound = math.exp((bucket + 1 - _OFFSET) / _BUCKETS_PER_E) if bucket else _LEAST_S
            end = max(at + 1, bisect_left(ordered, bound, at))
            buckets[bucket] = buckets.get(bucket, 0) + end - at
            at = end

    @property
    def longest(self) -> float:
        """The longest so far, in seconds."""
        self._count()
        return self._longest

    def __len__(self) -> int:
        self._count()
        return sum(self._buckets.values())

    def __add__(self, other: Durations) -> Durations:
        both = Durations()
        for each in (self, other):
            each._count()
            for bucket, number in each._buckets.items():
                both._buckets[bucket] = both._buckets.get(bucket, 0) + number
        both._longest = max(self._longest, other._longest)
        return both

    def as_json(self) -> dict[str, Any]:
        """The buckets, for `from_json`."""
        self._count()
        return {"buckets": sorted(self._buckets.items()), "longest": self._longest}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Durations:
        """What `as_json` has made.

        Raises:
            ValueError, TypeError, KeyError: it is something else.
        """
        durations = cls()
        durations._buckets = {int(bucket): int(number) for bucket, number in value["buckets"]}
        durations._longest = float(value["longest"])
        return durations

    def percentile(self, share: float) -> float:
        """The smallest value that at least `share` of the durations do not exceed, to within 1 %.

        Raises:
            ValueError: there are none.
        """
        missing = math.ceil(share * len(self))
        for bucket in sorted(self._buckets):
            missing -= self._buckets[bucket]
            if missing <= 0:
                middle = math.exp((bucket + 0.5 - _OFFSET) / _BUCKETS_PER_E) if bucket else 0.0
                return min(middle, self.longest)
        raise ValueError("expected at least one duration, got none")

    def in_short(self) -> dict[str, float] | None:
        """The object in ``result.json``: median and 99th percentile, to 1 %, and maximum; None without any.

        In seconds.
        """
        if not self:
            return None
        return {"median": self.percentile(0.5), "p99": self.percentile(0.99), "max": self.longest}


@attrs.frozen
class SeatOutcome:
    """The outcome of one seat's player, apart from the chips."""

    name: str
    failures: Sequence[Failure] = ()
    """In the order they happened."""
    more_failures: int = 0
    """The number of further failures, which are not kept one by one."""
    decision_times: Durations = attrs.Factory(Durations)
    """How long its decisions took."""
    changes: Counter[str] = attrs.Factory(Counter)
    """Answers that the house ignored or changed, by `CHANGES`."""
    hands_by_default: int = 0
    """Hands in which the house checked or folded for it."""
    seconds_used: float = 0.0
    """How much it has used of its time for the match."""

    def __add__(self, other: SeatOutcome) -> SeatOutcome:
        """The joint outcome of a player that plays at two tables."""
        counted = [field.name for field in attrs.fields(SeatOutcome)[2:]]  # all but name and failures
        sums = {name: getattr(self, name) + getattr(other, name) for name in counted}
        return SeatOutcome(self.name, [*self.failures, *other.failures], **sums)

    def crashed(self, how: str, earlier: int = 0) -> SeatOutcome:
        """The same, where connections lost because its process died are crashes.

        Args:
            how: the process ended.
            earlier: the number of failures in earlier sittings, which had processes of their own.
        """
        failures = [
            attrs.evolve(each, kind=FailureKind.CRASHED, detail=how)
            if k >= earlier and each.kind is FailureKind.DISCONNECTED
            else each
            for k, each in enumerate(self.failures)
        ]
        return attrs.evolve(self, failures=failures)

    def as_json(self) -> dict[str, Any]:
        """Everything but the name, for `from_json`."""
        return attrs.asdict(self, recurse=False, filter=attrs.filters.exclude("name")) | {
            "failures": [[each.kind.value, each.detail, each.hand_number] for each in self.failures],
            "decision_times": self.decision_times.as_json(),
        }

    @classmethod
    def from_json(cls, name: str, value: Mapping[str, Any]) -> SeatOutcome:
        """What `as_json` has made.

        Raises:
            ValueError, TypeError, KeyError: it is something else.
        """
        return cls(
            name,
            [Failure(FailureKind(kind), detail, hand) for kind, detail, hand in value["failures"]],
            int(value["more_failures"]),
            Durations.from_json(value["decision_times"]),
            Counter({kind: int(number) for kind, number in value.get("changes", {}).items()}),
            int(value["hands_by_default"]),
            float(value["seconds_used"]),
        )


@attrs.frozen
class EarlierSittings:
    """Facts about hands already played that the log does not have."""

    seconds: float
    """From the first state to the last."""
    seats: tuple[SeatOutcome, ...]


@attrs.frozen
class MatchOutcome:
    """The outcome of a match, final or so far."""

    hands: int
    """Hands finished, replayed ones included."""
    chips_by_seat: tuple[float, ...]
    squares_by_seat: tuple[float, ...]
    """The sum of the squares of the chips won in each hand."""
    seats: tuple[SeatOutcome, ...]
    seconds: float
    """From the first state to the last."""
    error: str | None = None
    """Why the match ended before its last hand; the lines the ACPC dealer prints."""
    can_go_on: bool = False
    """It was cut short, and more hands are to come."""
    hand_chips_by_seat: tuple[array[float], ...] = ()
    """Chips won in each hand, in hand order, if `MatchConfig.keeps_hands` is set; else empty."""

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
            squares_by_seat=(0.0,) * len(names),
            hand_chips_by_seat=tuple(array("d") for _ in names),
            seats=tuple(
                SeatOutcome(name, [failures[seat]] if seat in failures else [])
                for seat, name in enumerate(names)
            ),
            seconds=0.0,
        )
