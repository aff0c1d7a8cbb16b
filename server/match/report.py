"""The report of a match: ``result.json``, the JSON line, and the table for people."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs
import click

from engine.evidence.confidence_sequence import sequence_of
from engine.evidence.verdict import FEW, FIXED, LEAST_DEALS
from engine.poker.match_key import MatchKey, MatchSeed
from engine.support.files import write_whole
from engine.support.text import columns_of, counted, rate, table
from server.match.censoring import Uncensored
from server.match.plan import MatchPlan
from server.records.evidence import Luck, MatchEvidence, evidence_of
from server.records.logs import LogError, open_log
from server.records.match_defaults import as_options
from server.records.progress import Tally
from server.records.results import Pass, PlayerResult, hands_saved, player_results
from server.records.usage import HEADS, usage_of
from server.table.outcome import told_changes

_TIMES: Final = ["median ms", "p99", "max"]
_LEAST_COLUMNS: Final = 80
_LEAST_NAME: Final = 8
"""The length to which a name may be cut, in characters."""
_WHOLE_NAME: Final = 16
"""Names up to this length are not cut to make room for a column that could be printed below."""
_GAP: Final = 2
"""Blanks between columns."""


class MatchReport:
    """The report of a match that has been played."""

    def __init__(self, plan: MatchPlan, passes: Sequence[Pass], tally: Tally) -> None:
        self._plan = plan
        self.is_cut_short: Final = any(each.outcome.can_go_on for each in passes)
        """Whether there is more to play."""
        self.results: Final = plan.results(passes, tally)
        """Of the players."""
        self._of_fixed_length: Final = player_results(passes, plan.config.names, plan.config.game)
        self._has_reached_goal = tally.has_reached_goal()
        self._hands = sum(each.outcome.hands for each in passes)
        self._deals = min(each.outcome.hands for each in passes)
        self._is_paired = plan.duplicate and self._deals >= LEAST_DEALS
        self._seconds = sum(each.outcome.seconds for each in passes)
        paths = [plan.pass_config(number).log_path for number in range(plan.num_passes)]
        self._logs = [str(path) for path in paths if path is not None and path.exists()]
        self._error = next((each.outcome.error for each in passes if each.outcome.error), None)
        folders = [plan.pass_folder(number) for number in range(plan.num_passes)]
        self._agents, censored = usage_of(
            [(folder, each.players) for folder, each in zip(folders, passes, strict=True)]
        )
        self._uncensored = Uncensored.of(plan, passes, censored) if plan.config.censors else None
        self._no_evidence = ""
        self._evidence = self._take_luck_out([path for path in paths if path is not None])
        as_played = tally.verdict(None if self._evidence is None else self._evidence.adjusted)
        self._kind = as_played.kind
        self._verdict = as_played if self._uncensored is None else self._uncensored.verdict

    def _take_luck_out(self, logs: Sequence[Path]) -> MatchEvidence | None:
        """Evidence of the logs beside the chips; None if it was not asked for or is not possible."""
        plan = self._plan
        if plan.luck is Luck.OFF or not self._deals:
            return None
        names = plan.config.names
        try:
            passes = [open_log(path, plan.config.game) for path in logs]
            return evidence_of([passes], names, plan.luck, sequence_of(plan.until, plan.learners))
        except LogError as error:
            self._no_evidence = str(error)
            return None

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        plan, config, cards = self._plan, self._plan.config, self._plan.config.cards
        found: dict[str, Any] = {"game": config.game_text, "hands": self._hands, "deals": self._deals}
        if plan.sitting is not None and plan.sitting.dropped:
            found["dropped_hands"] = plan.sitting.dropped  # whose deals were not played in all passes
        if self.is_cut_short and plan.sitting is not None:
            found["cut_short"] = {"deals_planned": config.hands, "resume": plan.sitting.command}
        found["seed"] = cards.number if isinstance(cards, MatchSeed) else None
        if isinstance(cards, MatchKey) and not self._has_several_keys:
            found |= {"key": cards.text} if self._may_tell else {}
            found["commitment"] = cards.commitment
        found["duplicate"] = plan.duplicate
        if plan.until is not None:
            within = plan.until.within
            goal = "decided" if within is None else "within"
            found["until"] = {"goal": goal, "mbb_per_hand": within, "reached": self._has_reached_goal}
        if config.game.has_rake:
            rake = config.game.rake
            cap = rake.cap if math.isfinite(rake.cap) else None
            found["rake"] = {"percent": rake.percent, "cap": cap, "taken": self._taken()}
        return found | {
            "players": list(map(self._player, self.results)),
            "verdict": None if self._verdict is None else self._verdict.as_json(),
            **({} if self._uncensored is None else {"censored": self._uncensored.as_json()}),
            "luck": self._luck(),
            "logs": self._logs,
            "seconds": self._seconds,
            "hands_per_second": self._hands / self._seconds if self._seconds > 0 else None,
        }

    def _taken(self) -> float:
        """The rake that the house has taken, in chips."""
        return abs(math.fsum([result.chips for result in self.results]))

    def _player(self, result: PlayerResult) -> dict[str, Any]:
        """A player's result, with its rate by each estimator."""
        row = result.as_json(self._plan.config.game)
        if self._evidence is not None:
            row["evidence"] = self._evidence.as_json(result.seat)
        else:
            chips = {"mbb_per_hand": result.mbb_per_hand, "ci95": result.ci95, "kind": self._kind}
            row["evidence"] = {"chips": chips}
        if result.seat in self._agents:
            row["agent"] = self._agents[result.seat].as_json()
        if self._uncensored is not None:
            rest = self._uncensored.results[result.seat]
            row["uncensored"] = {"mbb_per_hand": rest.mbb_per_hand, "ci95": rest.ci95}
        if self._may_tell:
            row["player_seeds"] = self._plan.player_seeds(result.seat)
        return row

    def _luck(self) -> dict[str, Any]:
        """How luck was taken out, or why not, and how many hands that was worth."""
        found = self._evidence
        why = {"equity": self._no_evidence} if self._no_evidence else {}
        luck: dict[str, Any] = {"method": self._plan.luck.value, "missing": found.missing if found else why}
        if found is not None:
            luck["times_fewer_hands"] = {
                name: found.times_fewer_hands(name) for name in found.estimates if name != "chips"
            }
            if found.doubts:
                luck["doubts"] = found.doubts
        return luck

    @property
    def _may_tell(self) -> bool:
        """Whether no secret is left: no hand is to come, or everybody may know the cards."""
        is_secret = self.is_cut_short and isinstance(self._plan.config.cards, MatchKey)
        return not (is_secret or self._has_several_keys)

    @property
    def _has_several_keys(self) -> bool:
        """Whether hands of earlier sittings were dealt from other keys, which the logs have hand by hand."""
        return self._plan.is_resumed and self._plan.cards_are_secret

    def write(self, started: str) -> None:
        """Write ``result.json``, whole or not at all.

        Args:
            started: when the match began, in ISO 8601.
        """
        plan = self._plan
        config = plan.config
        result = {
            **self.as_json(),
            "version": version("riverboat"),
            "commands": [player.text for player in plan.players],
            "options": {
                "hands": config.hands,
                "fixed_seats": config.fixed_seats,
                "on_failure": config.on_failure.value,
                "host": config.host,
                **as_options(config.limits),
                "start_time": plan.terms.start_s,
                "jobs": plan.jobs,
                "sandbox": plan.terms.sandbox is not None,
                **{name: values for name, values in attrs.asdict(plan.terms.grants).items() if values},
                "luck": plan.luck.value,
            },
            "error": self._error,
            "started": started,
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_whole(plan.folder / "result.json", json.dumps(result, indent=2) + "\n", mode=0o600)

    def print(self) -> None:
        """Print the table, and what else there is to say."""
        plan = self._plan
        config = plan.config
        sure = "" if self._kind == FEW else " (95 %)"
        heads = ["player", "chips", f"mbb/h{sure}"]
        heads += [f"sb/h{sure}"] if config.game.is_limit else []
        heads += [f"plain ({FIXED})"] if self._is_paired else []
        parts = [[heads, *map(self._won, self.results)]]
        is_adjusted = self._evidence is not None and not self._evidence.why_not
        if is_adjusted:
            parts.append([[f"adjusted{sure}", "hands"], *map(self._adjusted, self.results)])
        parts.append([_TIMES, *map(_times, self.results)])
        if self._uncensored is not None:
            rates = [[rate(each.mbb_per_hand, each.ci95)] for each in self._uncensored.results]
            parts.append([[f"uncensored{sure}"], *rates])
        if self._agents:
            parts.append([[*HEADS], *map(self._costs, self.results)])
        speed = f"{self._seconds:.1f} s"
        if self._seconds > 0:
            speed += f", {self._hands / self._seconds:.0f} hands/s"
        deals = f" ({self._deals} deals, duplicate)" if plan.duplicate else ""
        kept = "keys in the logs" if self._has_several_keys else "key kept"
        label = config.cards.label if self._may_tell else kept
        title = f"{config.game_text}: {self._hands} hands{deals}, {label}, {speed}"
        if self.is_cut_short:
            title += f" (cut short, {config.hands} planned)"
        click.echo(title)
        _print_tables(parts)
        if any("±" in cell for part in parts for row in part for cell in row):
            click.echo(f"±: {self._kind}")
        if config.game.has_rake:
            click.echo(f"rake: {config.game.rake} of each pot, {self._taken():g} chips in all")
        self._print_luck()
        saved = hands_saved(self._of_fixed_length, self._hands) if self._is_paired else None
        if saved is not None:
            does, more = ("saved", "more") if saved >= 0 else ("cost", "fewer")
            what = f"{does} {abs(saved)} hands: without it, that many {more}"
            click.echo(f"the pairing {what} would give the same interval")
        if self._uncensored is not None:
            click.echo(_wrapped(self._uncensored.line()))
        for line in () if self._verdict is None else self._verdict.lines():
            click.echo(_wrapped(line))
        if plan.until is not None:
            end = "was reached" if self._has_reached_goal else "was not reached"
            by = " by the chips" if is_adjusted else ""
            click.echo(f"--until {plan.until} {end}{by}")
        for result in self.results:
            failure = result.failure
            if failure is not None:
                where = "" if failure.hand_number is None else f" in hand {counted(failure.hand_number)}"
                more = f" (first of {result.num_failures} failures)" if result.num_failures > 1 else ""
                click.echo(f"{result.name} {failure.kind.value}{where}: {failure.detail}{more}")
            if result.hands_by_default:
                number = f"{result.hands_by_default} hands ({config.on_failure.value})"
                click.echo(f"{result.name}: the house played for it in {number}")
            for clause in told_changes(result.answers_changed):
                click.echo(f"{result.name}: {clause}")
        for log in self._logs:
            click.echo(f"log: {log}")
        if not self._logs:
            click.echo(f"in {plan.folder}")

    def _print_luck(self) -> None:
        """Print what the corrected figure means, or why there is none."""
        found = self._evidence
        why = self._no_evidence
        if found is not None:
            why = found.why_not
            times = found.times_fewer_hands(found.best)
            what = "the cards and of known players' draws" if found.best == "aivat" else "the cards"
            if found.best != "chips":
                worth = "" if times is None else f"; worth {times:.1f} times the hands"
                click.echo(f"adjusted: mbb/h less the luck of {what}{worth}")
            if "aivat" in found.missing:
                click.echo(f"no AIVAT: {found.missing['aivat']}")
            if found.doubts:
                fault, number = max(found.doubts.items(), key=lambda item: item[1])
                what = f"{sum(found.doubts.values())} decisions of known players, {number} for: {fault}"
                click.echo(f"AIVAT does without {what}")
        if why:
            click.echo(f"luck was not taken out: {why}")

    def _adjusted(self, result: PlayerResult) -> list[str]:
        """The corrected rate, and the factor of hands that would be needed without the correction."""
        found = self._evidence
        corrected = found.of(found.best, result.seat) if found is not None else None
        if found is None or corrected is None:
            return ["-", "-"]
        times = found.times_fewer_hands(found.best, result.seat)
        return [corrected.text(1), "-" if times is None else f"× {times:.1f}"]

    def _costs(self, result: PlayerResult) -> list[str]:
        agent = self._agents.get(result.seat)
        return ["-"] * len(HEADS) if agent is None else agent.cells(self._hands)

    def _won(self, result: PlayerResult) -> list[str]:
        game = self._plan.config.game
        cells = [result.name, f"{result.chips:+z.2f}".rstrip("0").rstrip(".")]
        cells.append(rate(result.mbb_per_hand, result.ci95))
        if game.is_limit:
            small_bets = game.big_blind / game.small_bet / 1000 if game.small_bet else 0.0
            half = None if result.ci95 is None else result.ci95 * small_bets
            cells.append(rate(result.sb_per_hand, half, 4))
        if self._is_paired:
            cells.append("-" if result.plain_ci95 is None else f"± {result.plain_ci95:.1f}")
        return cells


def _times(result: PlayerResult) -> list[str]:
    times = result.decision_seconds
    if times is None:
        return ["-", "-", "-"]
    return [f"{seconds * 1000:.2f}" for seconds in times.values()]


def _print_tables(parts: Sequence[Sequence[Sequence[str]]]) -> None:
    """Print the parts of a table side by side as far as they fit, and the others below.

    Args:
        parts: the rows of each part, heads first; the first column of the first part names the row.
    """
    names = [row[0] for row in parts[0]]
    rows = [list(row) for row in parts[0]]
    for part in parts[1:]:
        wider = [[*row, *more] for row, more in zip(rows, part, strict=True)]
        widths = _widths(wider)
        fits = sum(widths) + _GAP * (len(widths) - 1) <= _columns()
        if fits and widths[0] >= min(_WHOLE_NAME, max(map(columns_of, names))):
            rows = wider
        else:
            _print_table(rows)
            rows = [[name, *more] for name, more in zip(names, part, strict=True)]
    _print_table(rows)


def _wrapped(line: str) -> str:
    """A long line, wrapped; lines after the first are indented."""
    return textwrap.fill(line, _columns(), subsequent_indent="    ", break_long_words=False)


def _columns() -> int:
    """The greatest width of a table, in characters."""
    return max(_LEAST_COLUMNS, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _LEAST_COLUMNS


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """The widths of a table's columns: names may be cut, numbers may not."""
    name, *numbers = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    room = _columns() - sum(numbers) - _GAP * len(numbers)
    return [max(min(name, room), min(name, _LEAST_NAME)), *numbers]


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    heads, *lines = table(rows, widths=_widths(rows), gap=_GAP)
    click.echo(click.style(heads, bold=True))
    for line in lines:
        click.echo(line)
