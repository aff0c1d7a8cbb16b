"""The result of a tournament: ``result.json``, derived from its journal and from nothing else."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.ranking import ratings as rating
from engine.evidence.ranking.crosstable import (
    CrossTable,
    RankRange,
    Sitting,
    crosstable,
    pair_p_values,
    rank_ranges,
)
from engine.support.intervals import Z95
from server.league.house import Folder
from server.league.match import Played
from server.league.plan import Match, RunOff, TournamentPlan
from server.records.evidence import Luck, evidence_of
from server.records.logs import MatchLog
from server.table.outcome import told_changes

_PROVED: Final = 0.95
"""The share of resamples in which a player must rank above another."""


@attrs.frozen(eq=False)
class _League:
    """Players, their deals, and what follows from them."""

    names: tuple[str, ...]
    sittings: tuple[Sitting, ...]
    table: CrossTable
    unit: str
    """What a block is: ``deal`` or ``match``."""


def standings(folder: Folder, *, is_complete: bool) -> dict[str, Any]:
    """The contents of ``result.json``.

    Args:
        folder: of the tournament.
        is_complete: nothing is left to be played.
    """
    plan = folder.plan
    out = folder.disqualified
    names = tuple([name for name in plan.names if name not in out])
    counting = folder.counting()
    league = _league(plan, names, counting)
    schedule = folder.schedule()
    adjusted = _adjusted_pairs(folder, counting)
    above = _bootstrap(plan, league)
    players = _players(folder, league, _ranks(plan, league, above, schedule.placing))
    content: dict[str, Any] = {
        "name": plan.name,
        "format": plan.format.name,
        "unit": plan.unit,
        "complete": is_complete,
        "players": sorted(players, key=lambda row: row["rank"]),
        "pairs": _pairs(league, counting, adjusted if len(plan.events) == 1 else {}),
        "hands": sum(played.hands for played in counting.values()),
        "matches": len(counting),
        "matches_planned": len(schedule.matches) if schedule.is_all else None,
        "seconds": math.fsum(played.seconds for played in folder.played.values()),
        "games": [
            {"game": event.name, "hands": event.hands, "duplicate": event.duplicate} for event in plan.events
        ],
        "rounds": [*schedule.notes, *[each.note for _, each in sorted(counting.items()) if each.note]],
        "rule_for_failures": plan.failures.rule.value,
        "failures": _failures(folder),
        **_ranking(league, above),
    }
    content["notes"] += [
        f"{row['name']}: {clause}"
        for row in players
        for clause in told_changes(row.get("answers_changed", {}))
    ]
    content |= {"version": version("riverboat")}
    if len(plan.events) > 1:
        for number, game in enumerate(content["games"]):
            of_game = {match: each for match, each in counting.items() if match.event == number}
            part = _league(plan, names, of_game)
            ranks = _ranks(plan, part, _bootstrap(plan, part), ())
            rows = [_player(part, k, ranks[k], of_game) for k in range(len(names))]
            game |= {
                "players": sorted(rows, key=lambda row: row["rank"]),
                "pairs": _pairs(part, of_game, adjusted, number),
            }
    return content


def _league(plan: TournamentPlan, names: Sequence[str], counting: Mapping[Match, Played]) -> _League:
    """The deals as arrays, with the blocks of deals that have the same cards."""
    place = {name: k for k, name in enumerate(names)}
    by_match = len({match.number for match in counting}) >= rating.LEAST_BLOCKS
    bases: dict[Any, int] = {}
    following = 0
    sittings: list[Sitting] = []
    for match in sorted(counting):
        event = plan.events[match.event]
        key = (match.event, match.number) if plan.common_seeds else match
        if key not in bases:
            bases[key] = following
            following += 1 if by_match else event.hands
        won = np.array([list(each) for each in counting[match].deals])
        deals = won.shape[1]
        blocks = np.full(deals, bases[key]) if by_match else bases[key] + np.arange(deals)
        sittings.append(Sitting(tuple([place[name] for name in match.players]), won, blocks))
    table = crosstable(len(names), sittings)
    return _League(tuple(names), tuple(sittings), table, "match" if by_match else "deal")


def _bootstrap(plan: TournamentPlan, league: _League) -> NDArray[np.float64]:
    rank = plan.format.rank
    ranks = rating.bankroll_ranks if rank is None else functools.partial(rank, plan)
    return rating.bootstrap_above(len(league.names), league.sittings, ranks)


def _ranks(
    plan: TournamentPlan, league: _League, above: NDArray[np.float64], placing: Sequence[Sequence[str]]
) -> list[RankRange]:
    """Ranks and ranges by player, by the rule of the format."""
    by_rate = rank_ranges(league.table)
    if plan.format.rank is not None:
        ranks = plan.format.rank(plan, league.table.mean)
        better, worse = (above >= _PROVED).sum(0).tolist(), (above >= _PROVED).sum(1).tolist()
        return [
            RankRange(rank, min(rank, 1 + better[k]), max(rank, len(ranks) - worse[k]))
            for k, rank in enumerate(ranks)
        ]
    if not placing:
        return by_rate
    found: dict[str, tuple[int, int]] = {}
    for group in placing:
        found |= dict.fromkeys(group, (len(found) + 1, len(found) + len(group)))
    return [
        RankRange(found[name][0], min(found[name][0], by_rate[k].low), max(found[name][1], by_rate[k].high))
        for k, name in enumerate(league.names)
    ]


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _players(folder: Folder, league: _League, ranks: Sequence[RankRange]) -> list[dict[str, Any]]:
    counting = folder.counting()
    rows = [_player(league, k, ranks[k], counting) for k in range(len(league.names))]
    ratings = rating.fit_margins(league.table)
    average = rating.nash_average(league.table.mean)
    for k, row in enumerate(rows):
        row["rating"] = None if ratings is None else float(ratings.rating[k])
        row["rating_ci95"] = None if ratings is None else Z95 * float(ratings.error[k])
        row["nash_weight"] = float(average.weight[k])
        row["nash_score"] = float(average.score[k])
    last = len(folder.plan.names)
    for name in folder.plan.names:
        if name in folder.disqualified:
            rows.append(
                dict.fromkeys(rows[0] if rows else (), None)
                | {"name": name, "rank": last, "rank_low": last, "rank_high": last, "mbb_per_hand": None}
                | {"ci95": None, "hands": 0, "hands_not_played": 0, "disqualified": True}
            )
    for row in rows:
        name, entrant = row["name"], folder.plan.entrant(row["name"])
        row["player"] = entrant.text
        if entrant.members:
            row["members"] = list(entrant.members)
        faults = [played.faults[name] for _, played in sorted(folder.played.items()) if name in played.faults]
        if faults:
            row |= {"failures": sum(each.times for each in faults), "matches_with_failures": len(faults)}
            row["failure"] = faults[0].kind
        by_match = [Counter(played.changes.get(name, {})) for played in folder.played.values()]
        changes = sum(by_match, Counter[str]())
        if changes:
            row["answers_changed"] = dict(changes)
    return rows


def _player(league: _League, k: int, rank: RankRange, counting: Mapping[Match, Played]) -> dict[str, Any]:
    table, name = league.table, league.names[k]
    mine = [played for match, played in counting.items() if name in match.players]
    rate = _finite(float(table.rate[k]))
    return {
        "name": name,
        "rank": rank.rank,
        "rank_low": rank.low,
        "rank_high": rank.high,
        "mbb_per_hand": rate,
        "ci95": None if rate is None else _finite(table.half_width(k)),
        "ci95_simultaneous": None if rate is None else _finite(table.half_width(k, 0.05 / len(league.names))),
        "hands": sum(played.hands for played in mine),
        "hands_not_played": sum(played.by_default[name] for played in mine),
    }


def _pairs(
    league: _League, counting: Mapping[Match, Played], adjusted: Adjusted, game: int = 0
) -> list[dict[str, Any]]:
    table = league.table
    plain, by_holm = pair_p_values(table)
    rows = []
    for i, j in itertools.combinations(range(len(league.names)), 2):
        one, other = league.names[i], league.names[j]
        if not table.deals[i, j]:
            continue
        hands = [played.hands for match, played in counting.items() if {one, other} <= {*match.players}]
        row = {
            "players": [one, other],
            "mbb_per_hand": float(table.mean[i, j]),
            "ci95": _finite(table.pair_half_width(i, j)),
            "hands": sum(hands),
            "deals": int(table.deals[i, j]),
            "p": float(plain[i, j]),
            "p_holm": float(by_holm[i, j]),
        }
        if (game, one, other) in adjusted:
            row["luck_corrected"] = adjusted[game, one, other]
        rows.append(row)
    return rows


def _failures(folder: Folder) -> list[dict[str, Any]]:
    """Every match in which somebody failed."""
    return [
        {
            "player": name,
            "match": match.label,
            "folder": str(folder.place(match).relative_to(folder.path)),
            "failure": fault.kind,
            "detail": fault.detail,
            "hand": fault.hand,
            "times": fault.times,
            "hands_not_played": played.by_default[name],
        }
        for match, played in sorted(folder.played.items())
        for name, fault in sorted(played.faults.items())
    ]


def _ranking(league: _League, above: NDArray[np.float64]) -> dict[str, Any]:
    """The support of the ranks: run-offs, bootstrap, cycles."""
    table, names = league.table, league.names
    matches = len({int(block) for each in league.sittings for block in each.blocks[:1]})
    notes = []
    if league.unit == "deal" and names:
        notes.append(
            f"fewer than {rating.LEAST_BLOCKS} matches a table: intervals come from deals, and are too "
            "narrow for players who learn"
        )
    found = {}
    for kind in RunOff:
        result = rating.run_off(table.mean, series=kind is RunOff.SERIES)
        found[kind.value] = {
            "ranks": dict(zip(names, result.ranks, strict=True)),
            "rounds": [
                {
                    "points": {names[k]: points for k, points in each.points.items()},
                    "out": [names[k] for k in each.out],
                }
                for each in result.rounds
            ],
        }
    ratings = rating.fit_margins(table)
    circles = rating.cycles(table.mean, pair_p_values(table)[1]) if len(names) > 2 else []
    return {
        "run_off": found,
        "bootstrap": {
            "resamples": rating.RESAMPLES,
            "unit": league.unit,
            "units": len(table.parts),
            "matches": matches,
            "players": list(names),
            "above": [[round(float(share), 4) for share in row] for row in above],
            "stable_from": _PROVED,
        },
        "bradley_terry": None
        if ratings is None
        else {"chi_square": ratings.chi_square, "degrees": ratings.degrees},
        "cycles": [[names[k] for k in circle] for circle in circles],
        "notes": notes,
    }


Adjusted = Mapping[tuple[int, str, str], dict[str, Any]]
"""By game and pair, what the first won from the second."""


def _adjusted_pairs(folder: Folder, counting: Mapping[Match, Played]) -> Adjusted:
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
        if folder.plan.events[match.event].seats == 2 and counting[match].hands:
            one, other = sorted(match.players)
            logs.setdefault((match.event, one, other), []).append(folder.logs(match))
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
