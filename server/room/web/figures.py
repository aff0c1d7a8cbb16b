"""Figures for the operator's monitoring, in the format of Prometheus, and a health check.

They are computed when they are asked for, from what the room counts anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from server.room.operator import TOKEN
from server.room.room import Room
from server.room.web.audience import Broadcasts
from server.room.web.guard import Guard
from server.support.addresses import is_loopback
from server.support.seat_tokens import same_token

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

_QUANTILES: Final = (0.5, 0.99)


class Figures:
    """The figures of a room.

    Args:
        room: the open room.
        guard: of its pages.
        broadcasts: to those who watch.
    """

    def __init__(self, room: Room, guard: Guard, broadcasts: Broadcasts) -> None:
        self._room = room
        self._guard = guard
        self._broadcasts = broadcasts
        self._registry = self._new_registry()

    def _new_registry(self) -> CollectorRegistry:
        from prometheus_client import CollectorRegistry, ProcessCollector

        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(self)
        return registry

    def text(self) -> bytes:
        """All of them."""
        from prometheus_client import generate_latest

        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """The figures, in the form that Prometheus's client library takes."""
        room, guard = self._room, self._guard
        yield from self._tables()
        yield from self._players()
        unsent = sum(visitor.client.channel.num_unsent for visitor in room.door.visitors)
        for name, text, value in (
            ("connections", "Connections at the door, browsers' seats among them", room.door.connections),
            ("unsent_bytes", "Bytes that clients have not read yet", unsent),
            ("page_requests_open", "Requests of browsers that are being answered", guard.open),
            ("watchers", "Browsers that watch a table", self._broadcasts.watchers),
        ):
            yield _gauge(name, text, "", [([], value)])
        faults = [(["tables"], room.faults), (["pages"], guard.faults)]
        yield _counter("faults", "Faults of ours", "where", faults)
        answers = [([str(status)], count) for status, count in sorted(guard.statuses.items())]
        yield _counter("page_answers", "Answers to browsers", "status", answers)

    def _tables(self) -> Iterator[Metric]:
        tables, seats = self._room.tables.items(), []
        for name, table in tables:
            taken = [place for place in table.places if place is not None]
            house = sum(place.is_house for place in taken)
            free = len(table.places) - len(taken)
            for who, count in (("house", house), ("visitors", len(taken) - house), ("free", free)):
                seats.append(([name, who], count))
        hands = [([name], table.hands_played) for name, table in tables]
        yield _counter("hands", "Hands since the table was opened", "table", hands)
        yield _gauge("seats", "Seats", "table who", seats)
        paused = [([name], table.is_paused) for name, table in tables]
        yield _gauge("table_paused", "The ledger cannot be written", "table", paused)
        unfilled = [([name], len(table.company.filling.unfilled)) for name, table in tables]
        yield _gauge("unfilled", "Bots that do not come", "table", unfilled)

    def _players(self) -> Iterator[Metric]:
        """Figures of the players who have a seat now."""
        decisions, seconds, failures = [], [], []
        for name, table in self._room.tables.items():
            for place in filter(None, table.places):
                who, times = [name, place.player.name], place.seat.decision_times
                decisions.append((who, len(times)))
                failures.append((who, len(place.seat.failures) + place.seat.more_failures))
                known = _QUANTILES if len(times) else ()
                seconds += [([*who, f"{each:g}"], times.percentile(each)) for each in known]
        yield _counter("decisions", "Decisions in this seat", "table player", decisions)
        yield _gauge("decision_seconds", "How long decisions took", "table player quantile", seconds)
        yield _counter("player_failures", "Late, gone or nonsense", "table player", failures)


Samples = Iterable[tuple[Sequence[str], float]]
"""The values of the labels, and the figure."""


def _counter(name: str, text: str, labels: str, samples: Samples) -> Metric:
    from prometheus_client.core import CounterMetricFamily

    return _filled(CounterMetricFamily(f"riverboat_{name}", text, labels=labels.split()), samples)


def _gauge(name: str, text: str, labels: str, samples: Samples) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    return _filled(GaugeMetricFamily(f"riverboat_{name}", text, labels=labels.split()), samples)


def _filled(family: Any, samples: Samples) -> Metric:
    for labels, value in samples:
        family.add_metric(labels, value)
    return cast("Metric", family)


def health(room: Room) -> tuple[int, dict[str, Any]]:
    """Status and contents of ``/healthz``: 503 if players had better go elsewhere."""
    paused = sorted(name for name, table in room.tables.items() if table.is_paused)
    state = "closing" if room.is_closing else "paused" if paused else "open"
    body = {"state": state, "tables": len(room.tables), "paused": paused, "faults": room.faults}
    return (200 if state == "open" else 503), body


def may_see(folder: Path, address: str, authorization: str) -> bool:
    """Whether a request may see the figures: from this machine, or with the operator's token.

    Args:
        folder: of the room's data.
        address: of the requester.
        authorization: the header of the request.
    """
    if is_loopback(address):
        return True
    try:
        token = (folder / TOKEN).read_text(encoding="ascii").strip()
    except OSError:
        return False
    return same_token(authorization.encode(), f"Bearer {token}".encode())
