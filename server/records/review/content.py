"""Everything that a report says, as one JSON object: the page and the tables show nothing else.

Rates are milli big blinds per hand; intervals are half widths of 95 % intervals, unless they are pairs.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Final

from engine.evidence.confidence_sequence import sequence_of
from engine.evidence.play_statistics import KINDS, STRONGEST
from engine.evidence.verdict import LEAST_DEALS, Goal, Standings
from engine.players.hand_play import Ending
from engine.poker.rules import format_game
from engine.poker.rules.hand_words import round_name
from engine.support.intervals import Winnings
from engine.support.user_input import printable
from server.records.batches import FEWEST_HANDS
from server.records.comments import comments_beside
from server.records.curves import kept
from server.records.evidence import Collector, Luck, MatchEvidence
from server.records.results import rates
from server.records.review.counts import Counts, count_hands
from server.records.review.sources import Record, Source, how_to_repeat
from server.records.telling import hand_in_words
from server.table.outcome import told_changes

_MOST_COMMENTS: Final = 50
_DIFFERENCE: Final = 0.01
# Chips per hand by which a result and its log may differ: six printed decimals, and a wide margin.


def report_on(source: Source, luck: Luck | None = None) -> dict[str, Any]:
    """The report on some hands, as a JSON object.

    Args:
        source: the hands.
        luck: the luck to take out, beside each result; None for the same as when the match was played.

    Raises:
        LogError: a line of a log that cannot be read.
    """
    result, first = source.result, source.logs[0]
    listed = [name for player in result.records("players") if (name := player.text("name"))]
    luck = luck or _luck_of(result)
    collector = None if luck is Luck.OFF else Collector(first.game, luck)
    counts = count_hands(source.matches, listed, collector)
    game = counts.game
    sequence = sequence_of(result.record("until"), result.record("verdict").texts("learners"))
    evidence = collector.result(counts.names, sequence) if collector else None
    players = [_player(counts, k, _result_of(result, name), evidence) for k, name in enumerate(counts.names)]
    comments = {log.path: comments_beside(log.path) for log in source.logs}
    costs = {printable(name): _costs(counts, k) for k, name in enumerate(counts.names)}
    warnings = [*source.warnings, *_contradictions(counts, result)]
    return {
        "title": source.title,
        "game": printable(result.text("game") or first.game_text),
        "game_definition": format_game(game),
        "limit": game.is_limit,
        "big_blind": game.big_blind,
        "hands": counts.hands,
        "deals": counts.deals,
        "passes": counts.passes,
        "duplicate": counts.passes > 1,
        "matches": len(source.matches),
        "seconds": result.number("seconds"),
        "hands_per_second": result.number("hands_per_second"),
        "error": result.text("error"),
        "cut_short": _cut_short(result),
        "on_failure": result.record("options").text("on_failure"),
        "players": players,
        "costs": {name: rows for name, rows in costs.items() if rows and counts.deals >= LEAST_DEALS},
        "verdict": _verdict(counts, result, evidence),
        "until": _until(result),
        "saved": _saved(counts, players),
        "bankroll": _bankroll(counts, collector),
        "luck_missing": dict(collector.evidence.missing) if collector else {},
        "biggest_pots": [
            {"pot": each.pot, "log": printable(str(each.log.name)), **hand_in_words(each.hand, said)}
            for each in counts.biggest
            for said in [comments[each.log].get(each.hand.number)]
        ],
        "last_words": source.last_words(),
        "comments": [
            {"log": printable(log.path.name), "line": line, "text": printable(text)}
            for log in source.logs
            for line, text in log.comments[:_MOST_COMMENTS]
        ][:_MOST_COMMENTS],
        "warnings": warnings,
        "again": how_to_repeat(source),
        "made": {"riverboat": version("riverboat"), "at": datetime.now(UTC).isoformat(timespec="seconds")},
    }


def play_of(counts: Counts, player: int) -> dict[str, Any]:
    """A player's statistics of play and what they won, by position, round, ending and decision."""
    game, play = counts.game, counts.play
    positions = dict(zip(game.position_names, range(game.num_players), strict=True))
    rounds = [round_name(game, betting_round) for betting_round in range(game.num_rounds)]
    parts: tuple[Iterable[str], ...] = (positions, rounds, Ending, STRONGEST)
    return {
        "statistics": {
            "all": play.counts(player).as_json(),
            "by_position": {
                name: play.counts(player, position).as_json() for name, position in positions.items()
            },
        },
        "won": {
            f"by_{kind}": _won(counts, player, zip(names, play.won_by(kind, player), strict=True))
            for kind, names in zip(KINDS, parts, strict=True)
        },
    }


def _won(counts: Counts, player: int, parts: Iterable[tuple[str, Winnings]]) -> dict[str, Any]:
    """Winnings in each kind of hands: per hand of the kind, and as a part of the whole rate."""
    shown, hands, game = {}, counts.winnings[player].hands, counts.game
    for name, winnings in parts:
        row: dict[str, Any] = {"hands": winnings.hands, "chips": winnings.chips}
        if game.big_blind and winnings.hands:
            rate = winnings.rate(game.big_blind)
            share = Winnings(hands, winnings.chips, winnings.squares).rate(game.big_blind)
            row |= {
                "mbb_per_hand": rate.mean,
                "ci95": rate.ci95 if min(winnings.hands, counts.deals) >= LEAST_DEALS else None,
                "mbb_per_hand_of_all": share.mean,
                "ci95_of_all": share.ci95 if min(hands, counts.deals) >= LEAST_DEALS else None,
            }
        shown[name] = row
    return shown


def rate_of(counts: Counts, player: int) -> dict[str, Any]:
    """A player's result: hands, chips, and the rate with its interval."""
    winnings = counts.winnings[player]
    found = rates(winnings, counts.half_width(player), counts.game)
    if found["mbb_per_hand"] is None or not counts.game.small_bet:
        del found["sb_per_hand"]
    return {"hands": winnings.hands, "chips": winnings.chips, **found}


def _player(counts: Counts, player: int, said: Record, found: MatchEvidence | None) -> dict[str, Any]:
    """Everything about a player: from the logs, and from the result what logs do not say."""
    row: dict[str, Any] = {"name": printable(counts.names[player]), **rate_of(counts, player)}
    ci95 = said.number("ci95")
    if ci95 is not None:  # wider if the match was watched to decide when to stop
        row["ci95"] = ci95
    evidence = said.record("evidence")
    told = {name: evidence.record(name) for name in evidence.names()}
    row["evidence"] = {
        **{
            name: {key: each.number(key) for key in ("mbb_per_hand", "ci95")} | {"kind": each.text("kind")}
            for name, each in told.items()
            if each.number("mbb_per_hand") is not None
        },
        **{name: each for name, each in (found.as_json(player) if found else {}).items() if each},
    }
    times = said.record("decision_seconds")
    if times:
        row["decision_seconds"] = {key: times.number(key) for key in ("median", "p99", "max")}
    if said.record("agent"):
        row["agent"] = _agent(said.record("agent"), row["hands"])
    if said.text("failure"):
        row |= {key: said.text(key) for key in ("failure", "failure_detail")}
        row |= {key: said.whole(key) for key in ("failure_hand", "failures")}
    by_default = said.whole("hands_by_default")
    if by_default:
        row["hands_by_default"] = by_default
    changed = said.record("answers_changed")
    if changed:
        row["answers_changed"] = {name: changed.whole(name) or 0 for name in changed.names()}
        row["changes"] = told_changes(row["answers_changed"])
    return row | play_of(counts, player)


_ANSWERS: Final = ("asked", "requests", "format", "late", "censored", "refused", "budget")


def _agent(said: Record, hands: int) -> dict[str, Any]:
    """The answers and the costs of a language model; None where nobody knows."""
    asked, unknown = said.whole("asked") or 0, said.whole("unknown") or 0
    tokens, illegal, seconds = said.record("tokens"), said.record("illegal"), said.record("seconds")
    known, usd, of = asked - unknown, said.number("usd"), illegal.whole("of")
    told = sum(tokens.whole(name) or 0 for name in ("in", "out"))
    return {
        "model": said.text("model") or "",
        **{name: said.whole(name) or 0 for name in _ANSWERS},
        "illegal": illegal.whole("count") or 0,
        "illegal_percent": 100 * (illegal.whole("count") or 0) / of if of else None,
        "tokens_per_decision": told / known if known > 0 else None,
        "usd_per_1000_hands": 1000 * usd / hands if usd is not None and hands else None,
        "seconds": {key: seconds.number(key) for key in ("median", "p99")},
    }


_MOST_COSTS: Final = 3


def _costs(counts: Counts, player: int) -> list[dict[str, Any]]:
    """What cost a player most: parts of the rate that are below 0 beyond their intervals, the worst first.

    By position, betting round, the strongest decision, and to whom the chips went; not by ending, since who
    folds can only lose.
    """
    won, hands = play_of(counts, player)["won"], counts.winnings[player].hands
    rows = [
        (each["mbb_per_hand_of_all"], each["ci95_of_all"], name, kind)
        for kind in ("by_position", "by_round", "by_decision")
        for name, each in won[kind].items()
        if name != STRONGEST[-1]
        and each.get("ci95_of_all") is not None
        and each["mbb_per_hand_of_all"] + each["ci95_of_all"] < 0
    ]
    found = [
        {"kind": kind, "name": name, "mbb_per_hand_of_all": mean, "ci95_of_all": half}
        for mean, half, name, kind in sorted(rows)[:_MOST_COSTS]
    ]
    if len(counts.names) > 2 and counts.game.big_blind and hands:
        lost = counts.lost_to[player].tolist()
        worst = max(range(len(lost)), key=lost.__getitem__)
        mbb = -1000 * lost[worst] / counts.game.big_blind / hands
        if mbb < 0:
            row = {"kind": "to", "name": printable(counts.names[worst]), "mbb_per_hand_of_all": mbb}
            found.append({**row, "ci95_of_all": None})
    return found


def _result_of(result: Record, name: str) -> Record:
    players = result.records("players")
    return next((player for player in players if player.text("name") == printable(name)), Record())


def _contradictions(counts: Counts, result: Record) -> list[str]:
    """The contradictions between the result and the logs, in lines."""
    said = result.whole("hands")
    if said is not None and said != counts.hands:
        return [f"result.json has {said} hands, the logs have {counts.hands}: this report follows the logs"]
    found = []
    for name, winnings in zip(counts.names, counts.winnings, strict=True):
        chips = _result_of(result, name).number("chips")
        if chips is not None and abs(chips - winnings.chips) > _DIFFERENCE * (1 + winnings.hands):
            found.append(
                f"result.json says that {printable(name)} won {chips:g} chips, the logs {winnings.chips:g}"
            )
    return found


def _verdict(counts: Counts, result: Record, evidence: MatchEvidence | None) -> dict[str, Any]:
    """The verdict on the deals of the logs, by the goal in ``result.json``."""
    learners = result.record("verdict").texts("learners")
    places = [place for place, name in enumerate(counts.names) if name in learners]
    until = result.record("until")
    goal = Goal(until.number("mbb_per_hand")) if until else None
    try:
        verdict = _standings(counts, places).verdict(
            goal, adjusted=None if evidence is None else evidence.adjusted
        )
    except ValueError:  # rules or stacks that differ from the game's, as in logs of other programs
        return {"lines": ["no verdict: a hand has lost or won more than the game allows"]}
    return verdict.as_json() | {"kind": verdict.kind, "lines": verdict.lines()}


def _standings(counts: Counts, learners: Sequence[int]) -> Standings:
    """The standings after the deals; many deals are added by compiled loops."""
    standings = Standings(counts.game, counts.names, learners)
    if counts.game.is_holdem and counts.deals >= FEWEST_HANDS:
        import numpy as np

        standings.add_all(np.stack([np.array(chips) for chips in counts.won], axis=-1) / counts.passes)
    else:
        for deal in zip(*counts.won, strict=True):
            standings.add([chips / counts.passes for chips in deal])
    return standings


def _luck_of(result: Record) -> Luck:
    text = result.record("options").text("luck")
    return next((luck for luck in Luck if luck.value == text), Luck.EQUITY)


def _cut_short(result: Record) -> dict[str, Any] | None:
    """The deals of an unfinished match, and the command that continues it; otherwise None."""
    said = result.record("cut_short")
    return {"deals_planned": said.whole("deals_planned"), "resume": said.text("resume")} if said else None


def _until(result: Record) -> dict[str, Any] | None:
    until = result.record("until")
    if not until:
        return None
    bound = until.number("mbb_per_hand")
    return {
        "goal": "decided" if bound is None else f"± {bound:g} mbb/h",
        "mbb_per_hand": bound,
        "reached": until.flag("reached"),
    }


def estimators_of(players: Sequence[Mapping[str, Any]]) -> list[str]:
    """The estimators of which some player has an interval, besides the chips."""
    return list(dict.fromkeys(name for player in players for name in player["evidence"] if name != "chips"))


def _saved(counts: Counts, players: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How many more hands the same intervals would take without each method.

    For the pairing of a duplicate match it is the widest interval of the players, as in its table of results;
    for estimators those of all players together, all of one kind.
    """
    saved = []
    rates = [rate_of(counts, player) for player in range(len(players))]
    if counts.passes > 1:
        widths = [(rate["plain_ci95"], rate["ci95"]) for rate in rates if rate["plain_ci95"] and rate["ci95"]]
        saved += _row_saved("duplicate", counts.hands, widths and [max(widths)])
    for method in estimators_of(players):
        found = [
            [player["evidence"].get(name, {}).get("ci95") for name in ("chips", method)] for player in players
        ]
        widths = [(plain, better) for plain, better in found if plain and better]
        saved += _row_saved(method, counts.hands, widths)
    return saved


def _row_saved(method: str, hands: int, widths: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    if not widths:
        return []
    times = math.fsum(plain**2 for plain, _ in widths) / math.fsum(better**2 for _, better in widths)
    return [{"method": method, "times": times, "hands": round(hands * times) - hands}]


def _bankroll(counts: Counts, collector: Collector | None) -> dict[str, Any] | None:
    """The players' bankrolls deal by deal, in big blinds, with 95 % bands.

    A band contains the expectation times the number of deals with a probability of 95 %, by the normal
    approximation after that many deals.
    """
    big_blind = counts.game.big_blind
    if counts.deals < 2 or not big_blind:
        return None
    at = kept(counts.deals)
    curves = [_curve(won, at, big_blind) for won in counts.won]
    corrected = collector.won(len(counts.names)) if collector else None
    for curve, won in zip(curves, corrected or (), strict=False):
        curve["luck_corrected"] = _curve(won, at, big_blind)["won"]
    return {"deals": at, "players": curves}


def _curve(won: array[float], at: Sequence[int], big_blind: int) -> dict[str, list[float]]:
    total = squares = 0.0
    curve, half = [], []
    done = 0
    for deals in at:
        part = won[done:deals]
        total += math.fsum(part)
        squares += math.fsum([chips * chips for chips in part])
        done = deals
        spread = Winnings(deals, total, squares).half_width()
        curve.append(total / big_blind)
        half.append(0.0 if spread is None else spread * deals / big_blind)
    return {"won": curve, "half_width": half}
