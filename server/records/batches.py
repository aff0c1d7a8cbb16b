"""The hands of logs in columns, thousands at a time; those of a duplicate match with the passes together.

Long logs of hold'em are read by compiled loops.  Other logs are played hand by hand by the rules, as in
`server.records.logs`, in less time than the compiler takes to load.  The hands, and the errors for bad lines,
are the same either way.

In a duplicate match every deal is played once from each seat, and each pass has its own log.  Nothing in a
log says so, but the cards show it (`group_passes`).
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.poker.rules import HandState
from server.records.log_lines import fault
from server.records.logs import LogError, LoggedHand, LoggedLine, MatchLog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.evidence.columns.hands import HandColumns

FEWEST_HANDS: Final = 2000
"""Compiled loops read fewer hands than this no faster, since they must be loaded."""
_AT_ONCE: Final = 8192
_SAMPLE: Final = 64
"""The number of hands by which passes are recognised."""
_COINCIDENCE: Final = 1e-9
"""If cards would agree by chance with less than this probability, they are the same deal."""


# --- passes ------------------------------------------------------------------------------------------------


def group_passes(logs: Iterable[MatchLog]) -> tuple[tuple[MatchLog, ...], ...]:
    """The logs grouped by match, in the order given; the passes of a duplicate match form one group.

    Passes have the same game, the same names and, hand by hand, the same cards, but different players in each
    position.  Two logs with the same cards and the same players in the same positions are two matches: the
    second may be a replay of the first.  A log that shows too few cards for certainty, such as a few hands of
    Kuhn poker, forms a group of its own.

    Raises:
        LogError: one of the first hands of a log cannot be read.
    """
    groups: list[list[tuple[MatchLog, _Sample]]] = []
    for log in logs:
        sample = {hand.number: hand for hand in itertools.islice(log.hands(), _SAMPLE) if hand.match == 0}
        for group in groups:
            if all(_is_pass_of(log, sample, *other) for other in group):
                group.append((log, sample))
                break
        else:
            groups.append([(log, sample)])
    return tuple([tuple([log for log, _ in group]) for group in groups])


_Sample = dict[int, LoggedHand]
"""The first hands of a log, by number."""


def _is_pass_of(log: MatchLog, sample: _Sample, other: MatchLog, others: _Sample) -> bool:
    common = [(hand, others[number]) for number, hand in sample.items() if number in others]
    if log.game != other.game or not common:
        return False
    one, two = common[0]
    if one.names == two.names or sorted(one.names) != sorted(two.names):
        return False
    chance = 1.0
    for one, two in common:
        left = len(log.game.deck)
        for mine, theirs in _shared_cards(one, two):
            if mine != theirs:
                return False
            chance /= left
            left -= 1
    return chance < _COINCIDENCE


def _shared_cards(one: LoggedHand, two: LoggedHand) -> Iterator[tuple[int, int]]:
    """The pairs of cards that two hands both show, in the order dealt."""
    for mine, theirs in zip(one.state.deal.hole_cards, two.state.deal.hole_cards, strict=True):
        yield from zip(mine, theirs, strict=False)
    yield from zip(one.state.deal.board, two.state.deal.board, strict=False)


# --- batches -----------------------------------------------------------------------------------------------


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
        return self.rows[place].played()

    def take(self, places: Sequence[int]) -> Batch:
        """Some of the hands of one log."""
        import numpy as np

        rows = tuple([self.rows[place] for place in places])
        return attrs.evolve(self, hands=self.hands.take(np.array(places, np.int64)), rows=rows)


def is_worth_compiling(logs: Iterable[MatchLog]) -> bool:
    """Whether compiled loops can read some logs of one game, and are faster."""
    logs = list(logs)
    game = logs[0].game
    if (
        not game.is_holdem
        or any(log.has_games_of_hands for log in logs)
        or sum([log.num_hands for log in logs]) < FEWEST_HANDS
    ):
        return False
    from engine.evidence.columns.hands import can_be_read

    return can_be_read(game)


def batches(log: MatchLog, *, compiled: bool) -> Iterator[Batch]:
    """The hands of a log in the order of the file.

    Args:
        log: the log.
        compiled: whether compiled loops read it (`is_worth_compiling`).

    Raises:
        LogError: a line that cannot be read or played, with file and line.
    """
    lines = log.parsed_lines()
    while True:
        rows, error = _next(lines)
        for _, group in itertools.groupby(rows, key=lambda row: row.reader.game):
            of_game = tuple(group)
            yield Batch(_columns(log, of_game, compiled), (log,), of_game)
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


def _columns(log: MatchLog, rows: Sequence[LoggedLine], compiled: bool) -> HandColumns:
    """Some hands of the same game."""
    import numpy as np

    from engine.evidence.columns.hands import HandColumns, read_hands

    def played(row: LoggedLine) -> HandState:
        try:
            return row.reader.state(row.record)
        except ValueError as error:
            raise fault(log.path, row.line, str(error)) from None

    if not compiled:
        return HandColumns.of(rows[0].reader.game, list(map(played, rows)))
    cards = [row.record.cards.replace("?", "") for row in rows]
    numbers = [row.record.hand_number for row in rows]
    hands, is_read = read_hands(log.game, numbers, [row.record.betting for row in rows], cards)
    for place in np.flatnonzero(~is_read).tolist():
        hands.put(place, played(rows[place]))
    return hands


def deals_in_batches(passes: Sequence[MatchLog], *, compiled: bool) -> Iterator[Batch]:
    """The hands with those of each deal together, in the order of the passes.

    Deals that a pass does not have are left out.

    Args:
        passes: the logs of one match.
        compiled: whether compiled loops read them (`is_worth_compiling`).

    Raises:
        LogError: a line that cannot be read, or other cards than in the first pass.
    """
    if len(passes) == 1:
        yield from batches(passes[0], compiled=compiled)
        return
    readers = [batches(log, compiled=compiled) for log in passes]
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
        return ((mine != theirs) & both).reshape(len(mine), -1).any(axis=1)

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
    import numpy as np

    from engine.evidence.columns.hands import HandColumns

    places = np.arange(sum(map(len, parts))).reshape(len(parts), -1).T.ravel()
    return Batch(
        HandColumns.joined([part.hands for part in parts]).take(places),
        tuple([log for part in parts for log in part.logs]),
        tuple(itertools.chain.from_iterable(zip(*[part.rows for part in parts], strict=True))),
    )
