"""Finds the passes of duplicate matches among logs, and pairs their hands.

In a duplicate match every deal is played once from each seat, and each pass has its own log.  Nothing in a
log says so, but the cards show it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from server.records.logs import LogError, LoggedHand, MatchLog

__all__ = ["deals", "group_passes"]

_SAMPLE: Final = 64
"""The number of hands by which passes are recognised."""
_COINCIDENCE: Final = 1e-9
"""If cards would agree by chance with less than this probability, they are the same deal."""


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
        sample = _sample(log)
        for group in groups:
            if all(_is_pass_of(log, sample, *other) for other in group):
                group.append((log, sample))
                break
        else:
            groups.append([(log, sample)])
    return tuple([tuple([log for log, _ in group]) for group in groups])


_Sample = dict[int, LoggedHand]


def _sample(log: MatchLog) -> _Sample:
    """The first hands of a log, by number."""
    return {hand.number: hand for hand in itertools.islice(log.hands(), _SAMPLE) if hand.match == 0}


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


def deals(passes: Sequence[MatchLog]) -> Iterator[tuple[LoggedHand, ...]]:
    """The hands of each deal, in the order of the passes; deals that a pass does not have are left out.

    Raises:
        LogError: a line that cannot be read, or cards that differ from those of the first pass.
    """
    readers = [log.hands() for log in passes]
    hands = [next(reader, None) for reader in readers]
    while True:
        deal = tuple([hand for hand in hands if hand is not None])
        if len(deal) < len(hands) or not deal:
            return
        keys = [(hand.match, hand.number) for hand in deal]
        latest = max(keys)
        is_complete = min(keys) == latest
        if is_complete:
            _check_cards(passes, deal)
            yield deal
        hands = [
            next(reader, None) if is_complete or key < latest else hand
            for reader, hand, key in zip(readers, hands, keys, strict=True)
        ]


def _check_cards(passes: Sequence[MatchLog], deal: tuple[LoggedHand, ...]) -> None:
    for log, hand in zip(passes, deal, strict=True):
        if any(mine != theirs for mine, theirs in _shared_cards(deal[0], hand)):
            raise LogError(f"{log.path}:{hand.line}: other cards than in {passes[0].path}:{deal[0].line}")
