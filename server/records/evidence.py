"""What logs prove about the players, with luck taken out: the server's interface to ``engine.evidence``.

The arithmetic needs numpy, and for hold'em also the compiler.  Both are loaded only when a report is made, so
a dealer runs without them.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.poker.rules import GameDefinition
from engine.support.intervals import Z95, Estimate
from server.records.batches import batches, is_worth_columns
from server.records.logs import LogError, MatchLog, open_log
from server.records.policies import POLICY_FILE, PolicyFile

if TYPE_CHECKING:
    from pathlib import Path

    from engine.evidence.estimates import Evidence

__all__ = ["Luck", "MatchEvidence", "collect", "evidence_of", "match_evidence", "policies_beside"]


_NOTHING: Final = 1e-12


class Luck(enum.Enum):
    """How far luck is taken out of results."""

    OFF = "off"
    EQUITY = "equity"
    """Take out the luck of the cards, by equity."""
    AIVAT = "aivat"
    """The same, and the luck of the random draws of players whose strategy is known."""


@attrs.frozen
class MatchEvidence:
    """What some hands prove about their players, beside the chips they won."""

    players: tuple[str, ...]
    estimates: dict[str, tuple[Estimate | None, ...]]
    """Milli big blinds per hand by estimator (``chips``, ``all_in``, ``equity``) and player.

    None if an estimator has no result.
    """
    missing: dict[str, str]
    """Why an estimator has no result, by its name."""
    doubts: dict[str, int] = attrs.Factory(dict)
    """What was wrong with the strategies that players stated, and how often."""

    @property
    def best(self) -> str:
        """The estimator that takes the most luck out, of those with a result."""
        says = [name for name in ("aivat", "equity") if any(self.estimates.get(name, ()))]
        return says[0] if says else "chips"

    def as_json(self, player: int) -> dict[str, Any]:
        """A player's ``evidence`` in ``result.json``."""
        found: dict[str, Any] = {}
        for name, by_player in self.estimates.items():
            each = by_player[player] if player < len(by_player) else None
            found[name] = None if each is None else {"mbb_per_hand": each.mean, "ci95": each.ci95}
        return found

    def of(self, estimator: str, player: int) -> Estimate | None:
        """An estimator's result for a player."""
        by_player = self.estimates.get(estimator, ())
        return by_player[player] if player < len(by_player) else None

    def times_fewer_hands(self, estimator: str) -> float | None:
        """The factor by which an estimator needs fewer hands than the chips for the same intervals.

        It is the ratio of the squared widths, over all players together; None if it is not known.
        """
        plain = corrected = 0.0
        for chips, other in zip(self.estimates["chips"], self.estimates.get(estimator, ()), strict=False):
            if chips is not None and other is not None and chips.ci95 is not None and other.ci95 is not None:
                plain += chips.ci95**2
                corrected += other.ci95**2
        return _times(plain, corrected)

    def times_fewer_hands_of(self, estimator: str, player: int) -> float | None:
        """The same for one player."""
        chips, other = self.of("chips", player), self.of(estimator, player)
        if chips is None or other is None or chips.ci95 is None or other.ci95 is None:
            return None
        return _times(chips.ci95**2, other.ci95**2)


def _times(plain: float, corrected: float) -> float | None:
    """The ratio of two squared widths; None if the corrected one is only a rounding error."""
    return plain / corrected if corrected > _NOTHING * plain else None


def collect(
    matches: Sequence[Sequence[MatchLog]], players: Sequence[str], luck: Luck = Luck.EQUITY
) -> Evidence:
    """The hands of some matches, ready for every estimator.

    Args:
        matches: matches of one game, in the order they were played; each is its passes (`group_passes`).
        players: the names, in the order in which the estimates are wanted.
        luck: how far luck is taken out; for AIVAT the stated strategies are read from the logs' folders.

    Raises:
        LogError: a log that cannot be read, different games, or a player who is not among the names.
    """
    from engine.evidence.estimates import Evidence

    game = matches[0][0].game
    with_aivat = luck is Luck.AIVAT
    evidence = Evidence(game, with_aivat=with_aivat)
    index = {name: k for k, name in enumerate(players)}
    deals: dict[tuple[int, int, int], int] = {}
    in_columns = not with_aivat and is_worth_columns([log for passes in matches for log in passes])
    for number, passes in enumerate(matches):
        for log in passes:
            if log.game != game:
                raise LogError(f"{log.path}: expected the game of {matches[0][0].path}, got another one")
            strangers = [name for name in log.players if name not in index]
            if strangers:
                raise LogError(f"{log.path}: expected the players {', '.join(players)}, got {strangers[0]}")
            # Players with the same name are told apart by their seats.
            order = range(len(players)) if log.has_namesakes else [index[name] for name in log.players]
            if in_columns:
                _add_columns(evidence, log, order, number, len(passes), deals)
                continue
            policies = policies_beside(log.path) if with_aivat else None
            for hand in log.hands():
                told = None if policies is None else policies.told(hand.number)
                deal = deals.setdefault((number, hand.match, hand.number), len(deals))
                seated = [order[player] for player in hand.players]
                evidence.add(hand.state, hand.chips, seated, deal, len(passes), told)
    return evidence


def _add_columns(
    evidence: Evidence,
    log: MatchLog,
    order: Sequence[int],
    match: int,
    passes: int,
    deals: dict[tuple[int, int, int], int],
) -> None:
    """Add the hands of a log, thousands at a time."""
    import numpy as np

    for batch in batches(log):
        numbers = [deals.setdefault((match, *key), len(deals)) for key in batch.keys]
        seated = np.array(order, np.int64)[np.array([row.players for row in batch.rows], np.int64)]
        evidence.add_columns(
            batch.hands, batch.numbers, batch.chips, seated, np.array(numbers, np.int64), passes
        )


def policies_beside(log: Path) -> PolicyFile:
    """The strategies that the players of a log have stated; empty if there is no such file.

    Raises:
        LogError: the file cannot be read.
    """
    path = log.parent / POLICY_FILE
    try:
        return PolicyFile(path)
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None


def evidence_of(
    matches: Sequence[Sequence[MatchLog]],
    players: Sequence[str],
    luck: Luck = Luck.EQUITY,
    critical_value: float = Z95,
) -> MatchEvidence:
    """What some matches prove about their players.

    Args:
        matches: matches of one game, in the order they were played; each is its passes (`group_passes`).
        players: the names, in the order in which the estimates are wanted.
        luck: how far luck is taken out.
        critical_value: half the width of an interval, in standard errors.

    Raises:
        LogError: a log that cannot be read, different games, or a player who is not among the names.
    """
    game = matches[0][0].game
    evidence = collect(matches, players, luck)
    estimates = {
        name: tuple([_in_mbb(each, game) for each in by_player])
        for name, by_player in evidence.estimates(critical_value).items()
        if name == "chips" or luck is not Luck.OFF
    }
    missing = dict(evidence.missing)
    if not game.big_blind:
        missing |= dict.fromkeys(estimates, "a game without blinds has no rate in big blinds")
    return MatchEvidence(tuple(players), estimates, missing, evidence.doubts)


def match_evidence(
    logs: Sequence[Path],
    game: GameDefinition,
    players: Sequence[str],
    luck: Luck,
    critical_value: float = Z95,
) -> MatchEvidence:
    """What the logs of one match prove; a duplicate match has one for each pass.

    Raises:
        LogError: a log cannot be read.
    """
    return evidence_of([[open_log(path, game) for path in logs]], players, luck, critical_value)


def _in_mbb(each: Estimate | None, game: GameDefinition) -> Estimate | None:
    return None if each is None or not game.big_blind else each.scaled(1000 / game.big_blind)
