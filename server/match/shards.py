"""The hands of a pass, divided among several who play them at the same time: ``riverboat match --jobs N``.

Tables over sockets and processes of installed bots (``riverboat arena-worker``) are members of a `Division`
alike: chunk by chunk they take turns, their hands come back in the order of a match, and a member that is
ahead waits.  Log and result are those of one table if no player carries anything from hand to hand, and hands
are divided only in that case.

A house and a worker talk in lines of JSON::

    house    ShardOrder     the game, the bots, where cards and seeds come from
    worker   Readiness      whether the bots are ready, or why they cannot play
    house    Share          which of the hands
    worker   Frame ...      finished hands, in order, until all of its share are played or a bot fails
    house    ShardOrder     another match, or the end
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import attrs

if TYPE_CHECKING:
    from server.table.book import FinishedHand


@attrs.frozen
class _Line:
    """A message as a line of JSON."""

    def line(self) -> bytes:
        """The line on the wire."""
        return json.dumps(attrs.asdict(self, recurse=False), default=attrs.asdict).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> Self:
        """The message that `line` has written.

        Raises:
            ValueError: it is not whole, since its sender has ended.
        """
        return cls(**json.loads(line))


@attrs.frozen
class ShardOrder(_Line):
    """The game and its players."""

    definition: str
    """A game file."""
    bots: Sequence[tuple[str, Sequence[str]]]
    """By seat, a bot's name and its ``KEY=VALUE`` options."""
    names: Sequence[str]
    seeds: Sequence[int]
    """The players' own."""
    cards: str
    """What they follow from, as `engine.poker.match_key.parse_match_seed` reads it."""
    fixed_seats: bool
    discloses: bool = False
    """The bots are asked what they would have done with other hands."""
    explains: bool = False
    """The bots say by which numbers they decided."""


@attrs.frozen
class ShardFailure:
    """A bot that could not go on."""

    seat: int
    detail: str
    hand_number: int | None = None
    """In which; None before the first."""


def _failure(value: Any) -> ShardFailure | None:
    return ShardFailure(**value) if isinstance(value, dict) else value


@attrs.frozen
class Readiness(_Line):
    """Whether the bots are ready."""

    stateless: Sequence[bool]
    """By seat, whether its hands may be played in any order, by several copies of it."""
    failure: ShardFailure | None = attrs.field(default=None, converter=_failure)


@attrs.frozen
class Frame(_Line):
    """Some finished hands."""

    lines: Sequence[str]
    """The lines of the log."""
    chips: Sequence[Sequence[float]]
    """Hand by hand, what each seat won: a log's decimals do not tell thirds exactly."""
    failure: ShardFailure | None = attrs.field(default=None, converter=_failure)
    """After these hands."""
    told: Sequence[str] = ()
    """What the bots told in these hands, as the house keeps it (`protocol.policy`)."""
    comments: str = ""
    """By which numbers they decided, as the house keeps it."""


@attrs.frozen
class Share(_Line):
    """The hands of a member: of the chunks from `first` on, each `stride`-th, beginning with its own."""

    first: int
    end: int
    """Behind the last hand of the match."""
    chunk: int
    """Hands."""
    stride: int = 1
    offset: int = 0

    def chunks(self) -> Iterator[range]:
        """The numbers of the hands of each chunk."""
        for start in range(self.first + self.offset * self.chunk, self.end, self.stride * self.chunk):
            yield range(start, min(start + self.chunk, self.end))

    def offset_of(self, hand_number: int) -> int:
        """The `offset` of the share that a hand is in."""
        return (hand_number - self.first) // self.chunk % self.stride


class Member(Protocol):
    """One of those who play a pass."""

    async def play(self, share: Share) -> None:
        """Begin to play some of its hands."""

    async def hand(self) -> FinishedHand:
        """The next of them, once it is over."""


@attrs.frozen
class Division:
    """The hands of a pass, divided among its members."""

    members: Sequence[Member | None]
    """None for the one who asks for the hands of the others, and plays its own."""
    share: Share
    """The share of the first member."""

    @classmethod
    async def begin(cls, members: Sequence[Member | None], first: int, end: int, chunk: int) -> Division:
        """Have the hands from `first` to `end` played."""
        shares = [Share(first, end, chunk, len(members), offset) for offset in range(len(members))]
        for member, share in zip(members, shares, strict=True):
            if member is not None:
                await member.play(share)
        return cls(members, shares[0])

    async def hand(self, number: int) -> FinishedHand | None:
        """A hand, asked for in order, once it is over; None if the one who asks is to play it."""
        member = self.members[self.share.offset_of(number)]
        return None if member is None else await member.hand()


def not_divided(names: Sequence[str], may: str = "may carry something from hand to hand") -> str:
    """The line that says why the hands of a pass are played at one table, or in one process.

    Args:
        names: of players who do not allow it.
        may: what they do.
    """
    return f"{' and '.join(names)} {may}: the hands of a pass are not shared out"
