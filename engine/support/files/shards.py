"""What a house and a worker say to each other that plays hands between installed bots in one process.

::

    house    ShardOrder     one line of JSON: the game, the bots, where cards and seeds come from
    worker   Readiness      one line of JSON: how the bots are, or why they cannot play
    house    Share          one line of JSON: which of the hands
    worker   Frame ...      finished hands, in order, until all of its share are played or a bot fails
    house    ShardOrder     another match, or the end

A frame is a line of JSON, then the hands as lines of a log, then what the bots told of their strategies, a
line for each decision, where the house has asked, then the chips that each seat won in each hand as
64-bit floats of this machine, hand by hand: a log's decimals do not tell thirds exactly.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from typing import Any

import attrs

__all__ = ["Frame", "FrameHeader", "Readiness", "ShardFailure", "ShardOrder", "Share"]


def _line(value: Any) -> bytes:
    return json.dumps(attrs.asdict(value)).encode() + b"\n"


@attrs.frozen
class ShardOrder:
    """What is played, by whom."""

    definition: str
    """A game file."""
    bots: tuple[tuple[str, tuple[str, ...]], ...]
    """By seat, a bot's name and its ``KEY=VALUE`` options."""
    names: tuple[str, ...]
    seeds: tuple[int, ...]
    """The players' own."""
    cards: str
    """What they follow from, as `engine.poker.match_key.parse_match_seed` reads it."""
    fixed_seats: bool
    discloses: bool = False
    """The bots are asked what they would have done with other hands."""

    def line(self) -> bytes:
        """As it is sent."""
        return _line(self)

    @classmethod
    def parse(cls, line: bytes) -> ShardOrder:
        """What `line` has made."""
        value = json.loads(line)
        return cls(
            value["definition"],
            tuple((name, tuple(settings)) for name, settings in value["bots"]),
            tuple(value["names"]),
            tuple(value["seeds"]),
            value["cards"],
            value["fixed_seats"],
            value["discloses"],
        )


@attrs.frozen
class ShardFailure:
    """A bot that could not go on."""

    seat: int
    detail: str
    hand_number: int | None = None
    """In which; None before the first."""


def _failure(value: Any) -> ShardFailure | None:
    return None if value is None else ShardFailure(**value)


@attrs.frozen
class Readiness:
    """How the bots are that sit down."""

    stateless: tuple[bool, ...]
    """By seat, whether its hands may be played in any order, by several copies of it."""
    failure: ShardFailure | None = None

    def line(self) -> bytes:
        """As it is sent."""
        return _line(self)

    @classmethod
    def parse(cls, line: bytes) -> Readiness:
        """What `line` has made.

        Raises:
            ValueError: the worker has ended.
        """
        value = json.loads(line)
        return cls(tuple(value["stateless"]), _failure(value["failure"]))


@attrs.frozen
class Share:
    """Which hands a worker plays: of the chunks from `first` on, each `stride`-th, beginning with its own."""

    first: int
    end: int
    """Behind the last hand of the match."""
    chunk: int
    """Hands."""
    stride: int = 1
    offset: int = 0

    def line(self) -> bytes:
        """As it is sent."""
        return _line(self)

    @classmethod
    def parse(cls, line: bytes) -> Share:
        """What `line` has made."""
        return cls(**json.loads(line))

    def chunks(self) -> Iterator[range]:
        """The numbers of the hands of each chunk."""
        for start in range(self.first + self.offset * self.chunk, self.end, self.stride * self.chunk):
            yield range(start, min(start + self.chunk, self.end))

    def offset_of(self, hand_number: int) -> int:
        """The `offset` of the share that a hand is in."""
        return (hand_number - self.first) // self.chunk % self.stride


@attrs.frozen
class FrameHeader:
    """What a frame holds."""

    hands: int
    text_bytes: int
    failure: ShardFailure | None = None
    """After these hands."""

    @classmethod
    def parse(cls, line: bytes) -> FrameHeader:
        """That of a frame.

        Raises:
            ValueError: the worker has ended.
        """
        value = json.loads(line)
        return cls(value["hands"], value["text_bytes"], _failure(value["failure"]))


@attrs.frozen
class Frame:
    """Some finished hands."""

    lines: tuple[str, ...]
    """As they stand in a log."""
    chips: array[float]
    """Hand by hand, seat by seat."""
    failure: ShardFailure | None = None
    told: tuple[str, ...] = ()
    """What the bots told in these hands, as the house keeps it (`protocol.policy`)."""

    def encode(self) -> bytes:
        """As it is sent."""
        text = "".join(self.lines + self.told).encode()
        return _line(FrameHeader(len(self.lines), len(text), self.failure)) + text + self.chips.tobytes()

    @classmethod
    def decode(cls, header: FrameHeader, data: bytes) -> Frame:
        """The frame of a header and what follows it."""
        lines = tuple(data[: header.text_bytes].decode().splitlines(keepends=True))
        return cls(
            lines[: header.hands],
            array("d", data[header.text_bytes :]),
            header.failure,
            lines[header.hands :],
        )
