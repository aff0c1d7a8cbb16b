"""The commands that replay a match."""

from __future__ import annotations

import shlex
from typing import Any

from engine.support.user_input import printable
from server.records.logs import MatchLog
from server.records.match_defaults import MATCH_DEFAULTS
from server.records.review.sources import Record, Source

__all__ = ["how_to_repeat"]

_OPTIONS = {
    "on_failure": "--on-failure",
    "response_time": "--response-time",
    "first_response_time": "--first-response-time",
    "hand_time": "--hand-time",
    "match_time": "--match-time",
    "start_time": "--start-time",
    "grace": "--grace",
    "jobs": "--jobs",
    "luck": "--luck",
}
"""Options of ``riverboat match``, by their keys in ``result.json``."""


def how_to_repeat(source: Source) -> dict[str, Any]:
    """All that is known about replaying a match: command, seed or key, versions, logs."""
    result, logs = source.result, source.logs
    headers = [log.header for log in logs if log.header is not None]
    checksums = source.checksums()
    commands = [_match_command(result)] if result else [_dealer_command(log) for log in logs]
    known = {
        "commands": [command for command in commands if command],
        "checks": [printable(shlex.join(["riverboat", "verify", name])) for name, _ in checksums],
        "seed": _seed(result) or next((printable(header.seed) for header in headers), None),
        "key": result.text("key") or next((printable(key) for log in logs for key in log.keys), None),
        "commitment": result.text("commitment")
        or next((printable(each) for log in logs for each in log.commitments), None),
        "player_seeds": {
            player.text("name") or "": [str(seed) for seed in _wholes(player)]
            for player in result.records("players")
            if _wholes(player)
        },
        "version": result.text("version"),
        "started": result.text("started"),
        "finished": result.text("finished"),
        "logs": [{"log": name, "sha256": checksum} for name, checksum in checksums],
    }
    return {key: value for key, value in known.items() if value not in (None, {}, [])}


def _wholes(player: Record) -> list[int]:
    return [int(seed) for seed in player.numbers("player_seeds")]


def _seed(result: Record) -> str | None:
    seed = result.whole("seed")
    return None if seed is None else str(seed)


def _match_command(result: Record) -> str | None:
    """The command line of ``riverboat match``; options that have their defaults are left out."""
    game, players, seed = result.text("game"), result.texts("commands"), result.text("key") or _seed(result)
    if not (game and players and seed):
        return None
    options = result.record("options")
    words = ["riverboat", "match", game, *players, "--seed", seed]
    hands = options.whole("hands") or result.whole("deals")
    words += ["--hands", str(hands)] if hands else []
    words += ["--duplicate"] if result.flag("duplicate") else []
    until = result.record("until")
    bound = until.number("mbb_per_hand")
    if bound is not None:
        words += ["--until", f"{bound:g}"]
    elif until.text("goal") == "decided":
        words += ["--until", "decided"]
    words += ["--fixed-seats"] if options.flag("fixed_seats") else []
    words += ["--sandbox"] if options.flag("sandbox") else []
    for key, option in _OPTIONS.items():
        number, text = options.number(key), options.text(key)
        value = f"{number:g}" if number is not None else text
        if value is not None and getattr(MATCH_DEFAULTS, key) not in (number, text):
            words += [option, value]
    return printable(shlex.join(words))


def _dealer_command(log: MatchLog) -> str | None:
    """The command line of ``riverboat dealer``; None if the header does not have what it needs."""
    header = log.header
    if header is None or header.hands is None or not header.seed.isdecimal():
        return None
    words = [header.name, header.game, str(header.hands), header.seed, *log.players]
    return printable(shlex.join(["riverboat", "dealer", *words]))
