"""The hands of long logs in columns, read thousands at a time by compiled loops.

The hands, and the errors for bad lines, are the same as in `server.records.logs`, which reads hand by hand.
Short logs are read there, since loading the compiler takes longer than reading them.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from protocol.records import HandReader
from server.records.log_lines import fault
from server.records.logs import LogError, LoggedHand, LoggedLine, MatchLog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.evidence.columns.hands import HandColumns

__all__ = ["Batch", "batches", "deals_in_batches", "is_worth_columns"]

FEWEST_HANDS: Final = 2000
"""Fewer hands than this are read one by one, in less time than the compiler takes to load."""
_AT_ONCE: Final = 8192


@attrs.frozen(eq=False)
class Batch:
    """Some hands of a log, or of the passes of a duplicate match, with the hands of each deal together."""

    hands: HandColumns
    logs: tuple[MatchLog, ...]
    """The logs of the passes; the hands come from them in turn."""
    rows: tuple[LoggedLine, ...]
    """The lines of the hands."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the hands.  Shape (hands,)."""
        import numpy as np

        return np.array([row.record.hand_number for row in self.rows], np.int64)

    @property
    def chips(self) -> NDArray[np.float64]:
        """The chips that each position won.  Shape (hands, positions)."""
        import numpy as np

        return np.array([row.record.chips for row in self.rows], np.float64)

    @property
    def keys(self) -> list[tuple[int, int]]:
        """Match and number of each hand, which identify it in its log and are ascending."""
        return [(row.match, row.record.hand_number) for row in self.rows]

    def hand(self, place: int) -> LoggedHand:
        """One of the hands, played by the rules."""
        return self.rows[place].played(HandReader(self.logs[place % len(self.logs)].game))

    def take(self, places: Sequence[int]) -> Batch:
        """Some of the hands of one log."""
        import numpy as np

        rows = tuple([self.rows[place] for place in places])
        return Batch(self.hands.take(np.array(places, np.int64)), self.logs, rows)


def is_worth_columns(logs: Iterable[MatchLog]) -> bool:
    """Whether it is faster to read some logs of one game in columns."""
    logs = list(logs)
    game = logs[0].game
    if not game.is_holdem or sum([log.num_hands for log in logs]) < FEWEST_HANDS:
        return False
    from engine.evidence.columns.hands import can_be_columns

    return can_be_columns(game)


def batches(log: MatchLog) -> Iterator[Batch]:
    """The hands of a log in the order of the file.

    Raises:
        LogError: a line that cannot be read or played, with file and line.
    """
    reader = HandReader(log.game)
    lines = log.parsed_lines(reader)
    while True:
        rows, error = _next(lines)
        if rows:
            yield _batch(log, reader, rows)
        if error is not None:
            raise error
        if not rows:
            return


def _next(lines: Iterator[LoggedLine]) -> tuple[list[LoggedLine], LogError | None]:
    """The next good lines, and the error of the line that follows them, if it is bad."""
    rows: list[LoggedLine] = []
    try:
        while len(rows) < _AT_ONCE:
            rows.append(next(lines))
    except StopIteration:
        pass
    except LogError as error:
        return rows, error
    return rows, None


def _batch(log: MatchLog, reader: HandReader, rows: Sequence[LoggedLine]) -> Batch:
    import numpy as np

    from engine.evidence.columns.hands import read_hands

    cards = [row.record.cards for row in rows]
    if any("?" in text for text in cards):
        cards = [text.replace("?", "") for text in cards]
    hands, is_read = read_hands(log.game, [row.record.betting for row in rows], cards)
    for place in np.flatnonzero(~is_read).tolist():
        try:
            hands.put(place, reader.state(rows[place].record))
        except ValueError as error:
            raise fault(log.path, rows[place].line, str(error)) from None
    return Batch(hands, (log,), tuple(rows))


def deals_in_batches(passes: Sequence[MatchLog]) -> Iterator[Batch]:
    """The hands with those of each deal together, as in `server.records.passes.deals`.

    Raises:
        LogError: a line that cannot be read, or other cards than in the first pass.
    """
    if len(passes) == 1:
        yield from batches(passes[0])
        return
    readers = [batches(log) for log in passes]
    held = [next(reader, None) for reader in readers]
    while True:
        there = [batch for batch in held if batch is not None]
        if len(there) < len(held):
            return
        keys = [batch.keys for batch in there]
        upto = min(of_pass[-1] for of_pass in keys)
        ends = [bisect.bisect_right(of_pass, upto) for of_pass in keys]
        common = set.intersection(*[set(of_pass[:end]) for of_pass, end in zip(keys, ends, strict=True)])
        if common:
            parts = [
                batch.take([row for row, key in enumerate(of_pass[:end]) if key in common])
                for batch, of_pass, end in zip(there, keys, ends, strict=True)
            ]
            _check_cards(parts)
            yield _in_turn(parts)
        held = [
            next(reader, None) if end == len(batch) else batch.take(range(end, len(batch)))
            for reader, batch, end in zip(readers, there, ends, strict=True)
        ]


def _check_cards(parts: Sequence[Batch]) -> None:
    import numpy as np

    from engine.evidence.columns.hands import NO_CARD

    def differ(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
        both = (mine != NO_CARD) & (theirs != NO_CARD)
        found: NDArray[np.bool_] = ((mine != theirs) & both).reshape(len(mine), -1).any(axis=1)
        return found

    first = parts[0]
    wrong = [
        differ(first.hands.holes, part.hands.holes) | differ(first.hands.board, part.hands.board)
        for part in parts
    ]
    for deal, number in np.argwhere(np.stack(wrong, axis=1))[:1].tolist():
        part = parts[number]
        raise LogError(
            f"{part.logs[0].path}:{part.rows[deal].line}: other cards than in "
            f"{first.logs[0].path}:{first.rows[deal].line}"
        )


def _in_turn(parts: Sequence[Batch]) -> Batch:
    from engine.evidence.columns.hands import HandColumns

    rows = itertools.chain.from_iterable(zip(*[part.rows for part in parts], strict=True))
    logs = [log for part in parts for log in part.logs]
    return Batch(HandColumns.in_turn([part.hands for part in parts]), tuple(logs), tuple(rows))
