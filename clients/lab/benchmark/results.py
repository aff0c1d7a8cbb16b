"""The results of runs: rates with intervals, luck taken out, the difference of a pair, the leaderboard."""

import functools
import json
from collections.abc import Sequence
from typing import Any, Final

import trio

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.benchmark.config import Opponent
from clients.lab.benchmark.runs import RESULT, Run, Runs, logged_chips
from engine.poker.match_key import MatchKey
from engine.support.files.whole import write_whole
from engine.support.intervals import estimate
from server.records.evidence import Luck, evidence_of
from server.records.logs import open_log
from server.records.results import Pass, player_results
from server.support.private_files import FILE_MODE

ANCHORS: Final = ("always-fold", "always-call", "always-all-in")
LEAST_RANKED: Final = 1000
"""Hands of a run on the leaderboard."""
_LEAST: Final = 2
_ESTIMATORS: Final = ("aivat", "equity")
_REMEMBERED: Final = 64
# Runs whose luck is remembered, as of so many hands.


class Scorer:
    """Adds up runs; in threads, one at a time.

    Args:
        runs: of the benchmark.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._limiter = trio.CapacityLimiter(1)
        self._anchors: dict[tuple[str, str], list[dict[str, Any]]] = {}

    async def results(self, run: Run) -> dict[str, Any]:
        """The results of a run; when it is closed, they are final and have the key of the cards."""
        path = run.folder / RESULT
        if path.exists():
            return json.loads(path.read_text("utf-8"))
        outcome, names = run.outcome(), run.match.names
        each = player_results([Pass(outcome, tuple(range(len(names))))], names, run.game)[0]
        told: dict[str, Any] = {
            "run": run.facts.number, "label": run.facts.label, "opponent": run.opponent.as_json(),
            "game": run.facts.game, "hands": outcome.hands, "mbb_per_hand": each.mbb_per_hand,
            "ci95": each.ci95,
            **await trio.to_thread.run_sync(_luck_of, run, outcome.hands, limiter=self._limiter),
            "abandoned": len(run.abandoned), "final": run.is_closed,
        }  # fmt: skip
        pair = self._runs.pair_of(run)
        if pair is not None:
            told["pair"] = await trio.to_thread.run_sync(_difference, run, pair, limiter=self._limiter)
        if run.is_closed:
            told |= {"key": run.cards.text, "ranked": run.facts.is_ranked}
            write_whole(path, json.dumps(told, indent=1), mode=FILE_MODE)
        return told

    async def leaderboard(self, opponent: Opponent, game: str) -> list[dict[str, Any]]:
        """The anchors and the runs that count, best lower end of the interval first."""
        rows = []
        for run in self._runs:
            if run.is_closed and run.opponent is opponent and run.facts.game == game:
                result = await self.results(run)
                if result["ranked"] and result["hands"] >= LEAST_RANKED and not result["abandoned"]:
                    best = next((result[name] for name in _ESTIMATORS if result[name]), result)
                    shown = {name: best[name] for name in ("mbb_per_hand", "ci95")}
                    rows.append({"name": result["label"] or result["run"], "hands": result["hands"], **shown})
        key = opponent.name, game
        if key not in self._anchors:
            found = await trio.to_thread.run_sync(_anchors, opponent, game, limiter=self._limiter)
            self._anchors[key] = found
        return sorted([*rows, *self._anchors[key]], key=lambda row: row["ci95"] - row["mbb_per_hand"])


@functools.lru_cache(_REMEMBERED)
def _luck_of(run: Run, hands: int) -> dict[str, Any]:
    """The estimates with luck taken out, each None where there is none; and why."""
    if hands < _LEAST:
        return {**dict.fromkeys(_ESTIMATORS), "why": f"expected {_LEAST} hands or more"}
    log = open_log(run.log_path, run.game)
    names = run.match.names
    found = evidence_of([[log]], [name for name in names if name in log.players], Luck.AIVAT)
    told: dict[str, Any] = {}
    for name in _ESTIMATORS:
        each = found.of(name, 0)
        if each is None or each.ci95 is None:
            told[name] = None
        else:
            fewer = found.times_fewer_hands(name, 0)
            told[name] = {"mbb_per_hand": each.mean, "ci95": each.ci95, "times_fewer_hands": fewer}
    return {**told, "why": "; ".join(found.missing.values())}


def _difference(run: Run, pair: Run) -> dict[str, Any] | None:
    """How much more a run has won than its pair, in the hands that both have played."""
    ours, theirs = logged_chips(run), logged_chips(pair)
    if min(len(ours), len(theirs)) < _LEAST:
        return None
    differences = [mine - other for mine, other in zip(ours, theirs, strict=False)]
    return {"run": pair.facts.number, "hands": len(differences), **_in_mbb(differences, run.game.big_blind)}


def _anchors(opponent: Opponent, game: str) -> list[dict[str, Any]]:
    """The results of the simplest clients, in as many hands as a run on the leaderboard must have."""
    definition, rows = opponent.games[game], []
    for anchor in ANCHORS:
        others: list[Agent] = [make_bot(opponent.bot) for _ in range(definition.num_players - 1)]
        cards = MatchKey(bytes(32))
        arena = Arena(definition, [make_bot(anchor), *others], 0, dealer=cards.dealer(definition))
        chips = [arena.play(1)[0] for _ in range(LEAST_RANKED)]
        row = {"name": anchor, "anchor": True, "hands": LEAST_RANKED}
        rows.append({**row, **_in_mbb(chips, definition.big_blind)})
    return rows


def _in_mbb(chips: Sequence[float], big_blind: int) -> dict[str, Any]:
    """The rate of the chips of some hands."""
    found = estimate(chips).scaled(1000 / big_blind)
    return {"mbb_per_hand": found.mean, "ci95": found.ci95}
