"""A match of a tournament: who sits where, with which cards; its folder, and what its logs say of it.

::

    DIR/tournament.json             what was begun: the file's contents, and the seed of the cards, if any
    DIR/tournament.lock             is locked while a process plays
    DIR/matches/ann-v-bob-001/      the folder of a match, as `riverboat match` leaves it

The logs have a line for each hand; all else is derived from them.  A match counts when its ``result.json``
says that it is over and its logs hold as many hands as that says.  If this fails - because a log was cut off,
or a result is unreadable - the match is moved aside, to ``damaged-1`` and so on, and played again: with
the same cards, if they follow from a seed.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import attrs

from engine.poker.match_key import DealKeys, MatchKey, MatchSeed
from engine.support.seeds import derive_seed
from engine.support.user_input import told_as
from server.league.plan import Event, Match
from server.match.sittings.sitting import result_of
from server.support.private_files import first_free


def canonical_order(players: tuple[str, ...]) -> tuple[str, ...]:
    """The same circle of players, beginning with the alphabetically first."""
    first = players.index(min(players))
    return players[first:] + players[:first]


def match_cards(root: MatchSeed | MatchKey | None, match: Match, *, common: bool) -> MatchSeed | MatchKey:
    """The seed or key of a match's cards.

    Args:
        root: the tournament's; None if every match draws keys of its own.
        match: the match.
        common: matches of the same number have the same cards, no matter who plays.
    """
    if root is None:
        return DealKeys.random()
    label = f"{match.event}/{match.number}" if common else match.id
    if isinstance(root, MatchSeed):
        place = int.from_bytes(sha256(label.encode()).digest()[:8], "big")
        return MatchSeed(derive_seed(root.number, place))
    from hmac import digest

    return MatchKey(digest(root.secret, b"riverboat tournament match " + label.encode(), "sha256"))


MATCHES: Final = "matches"
_LOG: Final = "match.log"
_STATE: Final = b"STATE:"
_HAND_PARTS: Final = 2


class DamagedMatch(Exception):
    """A match whose files do not agree; the message says how, in part of a line."""


@attrs.frozen
class Fault:
    """How a player failed in a match."""

    match: Match
    kind: str
    detail: str
    hand: int | None
    times: int = 1


@attrs.frozen
class Played:
    """A match that is over."""

    match: Match
    deals: tuple[array[float], ...]
    """By player of the match, the result of each deal: mbb per hand, the mean over its passes."""
    hands: int
    """Played in all passes."""
    settled: int
    """Deals at the end that were not played because a player had failed: scored as if folded."""
    faults: dict[str, Fault]
    """By player, its first failure."""
    by_default: dict[str, int]
    """By player, hands that the house folded for it, including those of deals that were not played."""
    seconds: float
    decision_seconds: dict[str, dict[str, float] | None]
    note: str = ""
    """What the report says about it."""
    changes: Mapping[str, Mapping[str, int]] = attrs.Factory(dict)
    """By player, what the house did to its answers (`server.table.outcome.told_changes`)."""

    def total(self, player: str) -> float:
        """A player's total winnings, in mbb."""
        return math.fsum(self.deals[self.match.players.index(player)])


def read_match(folder: Path, match: Match, event: Event) -> Played | None:
    """A match that is over; None if it is not, or has not begun.

    Raises:
        DamagedMatch: its files do not agree with one another.
    """
    result = result_of(folder)
    if result is None:
        return None
    try:
        return _read(folder, match, event, result)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DamagedMatch(f"result.json is not of this match: {error!r}") from None


def _read(folder: Path, match: Match, event: Event, result: dict[str, Any]) -> Played:
    players = {str(each["name"]): each for each in result["players"]}
    if sorted(players) != sorted(match.players):
        raise DamagedMatch(f"it was played by {', '.join(players)}")
    hands = int(result["hands"])
    logs = [folder / f"pass-{k}" / _LOG for k in range(event.passes)] if event.duplicate else [folder / _LOG]
    passes = [_chips(log, match.players) for log in logs if hands or log.exists()]
    found = sum(len(each[0]) for each in passes)
    if found != hands:
        raise DamagedMatch(f"its logs have {found} of {hands} hands")
    faults = {
        name: Fault(match, str(each["failure"]), str(each.get("failure_detail", "")), hand, times)
        for name, each in players.items()
        if each.get("failure")
        for hand, times in [(each.get("failure_hand"), int(each.get("failures", 1)))]
    }
    to_mbb = 1000 / event.game.big_blind if event.game.big_blind else 1.0
    whole = min([len(each[0]) for each in passes], default=0) if len(passes) == event.passes else 0
    seats = range(len(match.players))
    deals = tuple([_means([each[seat][:whole] for each in passes], to_mbb) for seat in seats])
    settled = 0
    if whole < event.hands:
        if faults:
            settled = event.hands - whole
            _settle(deals, settled, [name in faults for name in match.players], event)
        elif not (event.until is not None and whole):
            raise DamagedMatch(f"it ended after {whole} of {event.hands} deals")
    by_default = {name: int(each.get("hands_by_default", 0)) for name, each in players.items()}
    for name in faults:
        by_default[name] += settled * event.passes
    times = {name: each.get("decision_seconds") for name, each in players.items()}
    changes = {name: each.get("answers_changed", {}) for name, each in players.items()}
    seconds = float(result["seconds"])
    return Played(match, deals, hands, settled, faults, by_default, seconds, times, changes=changes)


def _means(passes: Sequence[Sequence[float]], factor: float) -> array[float]:
    """The mean of each deal over the passes."""
    return array("d", [math.fsum(hands) / len(hands) * factor for hands in zip(*passes, strict=True)])


def _settle(deals: Sequence[array[float]], number: int, failed: Sequence[bool], event: Event) -> None:
    """Score the deals not played after a failure: the player who failed pays the average cost of folding."""
    game = event.game
    price = (sum(game.blinds) + sum(game.antes_posted)) / game.num_players
    price *= 1000 / game.big_blind if game.big_blind else 1.0
    others = failed.count(False)
    gain = price * failed.count(True) / others if others else 0.0
    for each, has_failed in zip(deals, failed, strict=True):
        each.extend([-price if has_failed and others else gain] * number)


def _chips(log: Path, players: Sequence[str]) -> list[list[float]]:
    """By player, the chips won in each hand of a log.

    Raises:
        DamagedMatch: an incomplete line, other players, or a hand out of order.
    """
    with told_as(DamagedMatch, OSError, what=f"{log.parent.name}/{log.name} cannot be read: "):
        data = log.read_bytes()
    won: list[list[float]] = [[] for _ in players]
    columns: dict[bytes, list[list[float]]] = {}
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        if not line.startswith(_STATE):
            continue
        parts = line.rsplit(b":", _HAND_PARTS)
        hand = parts[0][len(_STATE) :].partition(b":")[0]
        if not line.endswith(b"\n") or len(parts) <= _HAND_PARTS or hand != b"%d" % len(won[0]):
            raise DamagedMatch(f"{log.parent.name}/{log.name}:{number}: expected hand {len(won[0])}, whole")
        by_position = columns.get(parts[2])
        if by_position is None:
            names = parts[2].decode().rstrip("\r\n").split("|")
            by_position = columns[parts[2]] = [won[players.index(name)] for name in names]
        for column, chips in zip(by_position, parts[1].split(b"|"), strict=True):
            column.append(float(chips))
    return won


def move_aside(folder: Path) -> Path:
    """Move a damaged match out of the way; returns where it is now.

    Raises:
        OSError: it cannot be moved.
    """
    names = (f"{folder.name}.damaged-{number}" for number in itertools.count(1))
    return folder.rename(first_free(map(folder.with_name, names)))
