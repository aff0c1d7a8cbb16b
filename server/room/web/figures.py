"""Figures for the operator's monitoring, in the format of Prometheus, and a health check.

They are computed when they are asked for, from what the room counts anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

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
            yield GaugeMetricFamily(f"riverboat_{name}", text, value)
        faults = CounterMetricFamily("riverboat_faults", "Faults of ours", labels=["where"])
        faults.add_metric(["tables"], room.faults)
        faults.add_metric(["pages"], guard.faults)
        yield faults
        answers = CounterMetricFamily("riverboat_page_answers", "Answers to browsers", labels=["status"])
        for status, count in sorted(guard.statuses.items()):
            answers.add_metric([str(status)], count)
        yield answers

    def _tables(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        hands = CounterMetricFamily("riverboat_hands", "Hands since the table was opened", labels=["table"])
        seats = GaugeMetricFamily("riverboat_seats", "Seats", labels=["table", "who"])
        paused = GaugeMetricFamily("riverboat_table_paused", "The ledger cannot be written", labels=["table"])
        unfilled = GaugeMetricFamily("riverboat_unfilled", "Bots that do not come", labels=["table"])
        for name, table in self._room.tables.items():
            hands.add_metric([name], table.hands_played)
            taken = [place for place in table.places if place is not None]
            house = sum(place.is_house for place in taken)
            free = len(table.places) - len(taken)
            for who, count in (("house", house), ("visitors", len(taken) - house), ("free", free)):
                seats.add_metric([name, who], count)
            paused.add_metric([name], table.is_paused)
            unfilled.add_metric([name], len(table.company.filling.unfilled))
        yield hands
        yield seats
        yield paused
        yield unfilled

    def _players(self) -> Iterator[Metric]:
        """Figures of the players who have a seat now."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        labels = ["table", "player"]
        seconds = GaugeMetricFamily(
            "riverboat_decision_seconds", "How long decisions took", labels=[*labels, "quantile"]
        )
        decisions = CounterMetricFamily("riverboat_decisions", "Decisions in this seat", labels=labels)
        failures = CounterMetricFamily("riverboat_player_failures", "Late, gone or nonsense", labels=labels)
        for name, table in self._room.tables.items():
            for place in table.places:
                if place is None:
                    continue
                who, times = [name, place.player.name], place.seat.decision_times
                decisions.add_metric(who, len(times))
                failures.add_metric(who, len(place.seat.failures) + place.seat.more_failures)
                for quantile in _QUANTILES if len(times) else ():
                    seconds.add_metric([*who, f"{quantile:g}"], times.percentile(quantile))
        yield decisions
        yield seconds
        yield failures


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
