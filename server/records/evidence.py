"""What logs prove about the players, with luck taken out: the server's interface to ``engine.evidence``.

The arithmetic needs numpy, and for hold'em also the compiler.  Both are loaded only when a report is made, so
a dealer runs without them.
"""

from __future__ import annotations

import enum
import functools
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.evidence.verdict import FEW, FIXED, WHENEVER, Adjusted, fixed_kind
from engine.poker.rules import GameDefinition
from engine.support.intervals import Estimate
from engine.support.user_input import told_as
from protocol.policy import parse_record
from server.records.batches import Batch, batches, is_worth_compiling
from server.records.logs import LogError, MatchLog
from server.support.record_file import read_lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.evidence.confidence_sequence import AtAllTimes
    from engine.evidence.estimates import Evidence

POLICY_FILE: Final = "policies"
"""The name of the file with the strategies that clients stated, which is beside the log."""

_NOTHING: Final = 1e-12

Told = Mapping[str, Callable[[], Sequence[bytes]]]


class Luck(enum.Enum):
    """How far luck is taken out of results."""

    OFF = "off"
    EQUITY = "equity"
    """Take out the luck of the cards, by equity."""
    AIVAT = "aivat"
    """The same, and the luck of the random draws of players whose strategy is known."""


@attrs.frozen
class MatchEvidence:
    """Evidence of some hands about their players, beside the chips they won."""

    players: tuple[str, ...]
    estimates: dict[str, tuple[Estimate | None, ...]]
    """Milli big blinds per hand by estimator (``chips``, ``all_in``, ``equity``) and player.

    None if an estimator has no result.
    """
    missing: dict[str, str]
    """Why an estimator has no result, by its name."""
    doubts: dict[str, int] = attrs.Factory(dict)
    """What was wrong with the strategies that players stated, and how often."""
    kind: str = FIXED
    """The kind of the intervals, in words."""
    leads: Callable[[str], tuple[Estimate, ...]] | None = attrs.field(default=None, eq=False)
    """The pairs' leads by an estimator, in chips (`engine.evidence.estimates.Evidence.leads`)."""

    @property
    def adjusted(self) -> Adjusted | None:
        """The leads by the best estimator, for a verdict; None if that is the chips."""
        if self.leads is None or self.best == "chips":
            return None
        return Adjusted(self.best, self.leads(self.best))

    @property
    def best(self) -> str:
        """The estimator that takes the most luck out, of those no wider than the chips."""
        return next((name for name in ("aivat", "equity") if self._gains(name)), "chips")

    @property
    def why_not(self) -> str:
        """Why no estimator is better than the chips; empty if one is."""
        if self.best != "chips":
            return ""
        return self.missing.get("equity", "the intervals would be no narrower")

    def _gains(self, estimator: str) -> bool:
        plain, corrected = self._widths(estimator, range(len(self.players)))
        return corrected <= plain > 0

    def as_json(self, player: int) -> dict[str, Any]:
        """A player's ``evidence`` in ``result.json``."""
        found = {name: self.of(name, player) for name in self.estimates}
        return {
            name: each and {"mbb_per_hand": each.mean, "ci95": each.ci95, "kind": self.kind}
            for name, each in found.items()
        }

    def of(self, estimator: str, player: int) -> Estimate | None:
        """An estimator's result for a player."""
        by_player = self.estimates.get(estimator, ())
        return by_player[player] if player < len(by_player) else None

    def times_fewer_hands(self, estimator: str, player: int | None = None) -> float | None:
        """The factor by which an estimator needs fewer hands than the chips for the same intervals.

        It is the ratio of the squared widths, over all players together or of one; None if it is not known,
        the corrected width is only a rounding error, or the deals are too few.
        """
        players = range(len(self.players)) if player is None else [player]
        plain, corrected = self._widths(estimator, players)
        is_known = corrected > _NOTHING * plain and self.kind != FEW
        return plain / corrected if is_known else None

    def _widths(self, estimator: str, players: Iterable[int]) -> tuple[float, float]:
        """The sums of the squared half widths of the chips and of an estimator, of players that have both."""
        plain = corrected = 0.0
        for each in players:
            chips, other = self.of("chips", each), self.of(estimator, each)
            if chips is not None and other is not None and chips.ci95 is not None and other.ci95 is not None:
                plain += chips.ci95**2
                corrected += other.ci95**2
        return plain, corrected


class Collector:
    """Collects the hands of logs, with what players told of their strategies, ready for every estimator.

    Args:
        game: the game played.
        luck: how far luck is taken out; for AIVAT the stated strategies are read from the logs' folders.
    """

    def __init__(self, game: GameDefinition, luck: Luck) -> None:
        from engine.evidence.estimates import Evidence

        self._game, self._luck = game, luck
        self._policies: dict[Path, PolicyFile] = {}
        self.evidence: Evidence = Evidence(game, with_aivat=luck is Luck.AIVAT)

    def add(self, batch: Batch, players: NDArray[np.int64], deals: NDArray[np.int64], passes: int) -> None:
        """Add hands.

        Args:
            batch: the hands.
            players: the player in each position, shape (hands, positions).
            deals: the number of each hand's deal, shape (hands,).
            passes: how many hands each deal has when it is complete.

        Raises:
            LogError: the stated strategies cannot be read.
        """
        told = []
        for place in range(len(batch) if self._luck is Luck.AIVAT else 0):
            path = batch.logs[place % len(batch.logs)].path
            if path not in self._policies:
                self._policies[path] = PolicyFile(path.parent / POLICY_FILE)
            hand = batch.hand(place)
            told.append((hand.state, self._policies[path].told(hand.number)))
        self.evidence.add(batch.hands, batch.chips, players, deals, passes, told)

    def result(self, players: Sequence[str], sequence: AtAllTimes = None) -> MatchEvidence:
        """What the hands prove.

        Args:
            players: the players' names.
            sequence: gives the intervals (`engine.evidence.confidence_sequence.sequence_of`).
        """
        to_mbb = 1000 / self._game.big_blind if self._game.big_blind else None
        estimates = {
            name: tuple([each.scaled(to_mbb) if each and to_mbb else None for each in by_player])
            for name, by_player in self.evidence.estimates(sequence).items()
            if name == "chips" or self._luck is not Luck.OFF
        }
        missing = dict(self.evidence.missing)
        if to_mbb is None:
            missing |= dict.fromkeys(estimates, "a game without blinds has no rate in big blinds")
        deals = max([each.samples for each in estimates["chips"] if each], default=0)
        kind, found = fixed_kind(deals) if sequence is None else WHENEVER, self.evidence
        return MatchEvidence(tuple(players), estimates, missing, found.doubts, kind, found.leads)

    def won(self, num_players: int) -> tuple[array[float], ...] | None:
        """By player, the chips won in each deal with luck taken out, by the best estimator that has a result.

        None if there is none.
        """
        from engine.evidence.columns.play import totals_by_deal

        found = self.evidence
        by_estimator = [found.values(name) for name in reversed(found.estimators) if name != "chips"]
        values = next((values for values in by_estimator if values is not None), None)
        if values is None:
            return None
        totals = totals_by_deal(found.deals, found.players, values, num_players)
        return tuple([array("d", each.tobytes()) for each in totals.T])


def collect(
    matches: Sequence[Sequence[MatchLog]], players: Sequence[str], luck: Luck = Luck.EQUITY
) -> Collector:
    """Collect the hands of some matches.

    Args:
        matches: matches of one game, in the order they were played; each is its passes (`group_passes`).
        players: the names, in the order in which the estimates are wanted.
        luck: how far luck is taken out.

    Raises:
        LogError: a log that cannot be read, different games, or a player who is not among the names.
    """
    import numpy as np

    game = matches[0][0].game
    collector = Collector(game, luck)
    index = {name: k for k, name in enumerate(players)}
    deals: dict[tuple[int, int, int], int] = {}
    compiled = is_worth_compiling([log for passes in matches for log in passes])
    for number, passes in enumerate(matches):
        for log in passes:
            if log.game != game:
                raise LogError(f"{log.path}: expected the game of {matches[0][0].path}, got another one")
            strangers = [name for name in log.players if name not in index]
            if strangers:
                raise LogError(f"{log.path}: expected the players {', '.join(players)}, got {strangers[0]}")
            # Players with the same name are told apart by their seats.
            order = range(len(players)) if log.has_namesakes else [index[name] for name in log.players]
            for batch in batches(log, compiled=compiled):
                of = np.array([deals.setdefault((number, *key), len(deals)) for key in batch.keys], np.int64)
                seated = np.array(order, np.int64)[np.array([row.players for row in batch.rows], np.int64)]
                collector.add(batch, seated, of, len(passes))
    return collector


class PolicyFile:
    """The strategies that the players of a log have stated; empty if there is no such file.

    Args:
        path: the file.

    Raises:
        LogError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # By hand, the lines by betting: the last statement about a state counts.
        self._lines: dict[str, dict[str, tuple[int, str]]] = {}
        with told_as(LogError, OSError, what=f"{path}: cannot be read: "):
            lines = read_lines(path)
        for number, line in enumerate(lines, 1):
            words = line.split(" ", 3)
            if len(words) == 4 and not line.startswith("#"):
                _, hand, betting, _ = words
                self._lines.setdefault(hand, {})[betting.strip("-")] = number, line

    def told(self, hand_number: int) -> Told:
        """The policies stated in a hand, by betting; each is parsed when it is looked up.

        Looking one up raises ValueError if what the client sent is not a policy.
        """
        lines = self._lines.get(str(hand_number), {})
        return {betting: functools.partial(self._columns, *line) for betting, line in lines.items()}

    def _columns(self, number: int, line: str) -> Sequence[bytes]:
        try:
            record = parse_record(line)
        except ValueError as error:
            raise ValueError(f"{self._path}:{number}: {error}") from None
        assert record is not None  # comments were left out
        return record.columns


def evidence_of(
    matches: Sequence[Sequence[MatchLog]],
    players: Sequence[str],
    luck: Luck = Luck.EQUITY,
    sequence: AtAllTimes = None,
) -> MatchEvidence:
    """What some matches prove about their players.

    Args:
        matches: matches of one game, in the order they were played; each is its passes (`group_passes`).
        players: the names, in the order in which the estimates are wanted.
        luck: how far luck is taken out.
        sequence: gives the intervals (`engine.evidence.confidence_sequence.sequence_of`).

    Raises:
        LogError: a log that cannot be read, different games, or a player who is not among the names.
    """
    return collect(matches, players, luck).result(players, sequence)
