"""Winnings of heads-up pairs with luck taken out: by equity, from the logs, over all matches of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.league.house import Folder
from server.league.journal import Played
from server.league.match import Match
from server.records.evidence import Luck, evidence_of
from server.records.logs import MatchLog, find_logs, open_log

__all__ = ["Adjusted", "adjusted_pairs"]

Adjusted = Mapping[tuple[int, str, str], dict[str, Any]]
"""By game and pair, what the first won from the second."""


def adjusted_pairs(folder: Folder, counting: Mapping[Match, Played]) -> Adjusted:
    """The pairs with luck taken out, if the plan asks for it.

    Args:
        folder: of the tournament.
        counting: the matches that count.

    Raises:
        LogError: a log cannot be read.
    """
    if folder.plan.luck is Luck.OFF:
        return {}
    logs: dict[tuple[int, str, str], list[tuple[MatchLog, ...]]] = {}
    for match in sorted(counting):
        event = folder.plan.events[match.event]
        if event.seats == 2 and counting[match].hands:
            one, other = sorted(match.players)
            passes = tuple([open_log(log, event.game) for log in find_logs([folder.place(match)])])
            logs.setdefault((match.event, one, other), []).append(passes)
    found: dict[tuple[int, str, str], dict[str, Any]] = {}
    for (number, one, other), matches in logs.items():
        evidence = evidence_of(matches, (one, other), folder.plan.luck)
        estimate = evidence.of(evidence.best, 0)
        if evidence.best == "chips" or estimate is None:
            continue
        row = {"method": evidence.best, "mbb_per_hand": estimate.mean, "ci95": estimate.ci95}
        found[number, one, other] = row
        found[number, other, one] = row | {"mbb_per_hand": -estimate.mean}
    return found
