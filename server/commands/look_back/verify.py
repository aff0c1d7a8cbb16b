"""``riverboat verify``: checks whether a log is true."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.poker.match_key import MatchKey, MatchSeed, parse_match_seed
from server.records.logs import LogError, find_logs
from server.records.verification.log_checker import Verification, verify_log
from server.support.options import PATH, Parsed, flag, game_option, option

if TYPE_CHECKING:
    from server.league.checking import CheckedTournament


def _seed(text: str) -> MatchSeed | MatchKey:
    """A seed or a revealed key."""
    if text == "random":
        raise ValueError("expected a seed or a key, not 'random'")
    return parse_match_seed(text)


@click.command("verify")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", type=PATH)
@game_option
@option("--seed S", "What the cards follow from, for logs that do not say it.", Parsed("seed", _seed))
@flag("--json as_json", "Print one JSON object instead.")
@click.pass_context
def verify(
    ctx: click.Context,
    logs: Sequence[Path],
    game: str | None,
    seed: MatchSeed | MatchKey | None,
    as_json: bool,
) -> None:
    """Check that match logs are true: cards, legality, chips, names, numbers, score.

    LOG is a log of any ACPC dealer, gzipped or not, the folder of a match, or that of a tournament, whose
    standings are then derived again.  The cards are dealt again from the seed in the header, or from the key
    at the end of the log, which must match the commitment; in the log of a room's table every hand has a
    key.  The first wrong line is named, with what was expected there.

    Exit status: 0 all are true, 1 one is not.
    """
    checked: list[Verification] = []
    fault: dict[str, Any] | None = None
    tournaments = _tournaments(logs)
    for each in tournaments:
        if not as_json:
            click.echo(str(each))
        if each.problem is not None and fault is None:
            fault = {"log": each.place[0] or str(each.path), "line": each.place[1], "what": each.problem}
    try:
        for path in find_logs([path for path in logs if path not in {each.path for each in tournaments}]):
            verification = _verified(path, game, seed)
            checked.append(verification)
            if not as_json:
                click.echo(_line(verification))
            problem = verification.problem
            if problem is not None and fault is None:
                fault = {"log": str(path), "line": problem.line, "what": problem.what}
    except LogError as error:
        if not as_json:
            raise click.ClickException(str(error)) from None
        fault = fault or {"line": error.line, "what": str(error)}
    if as_json:
        report = _report(checked, fault)
        report["hands"] += sum(each.hands for each in tournaments)
        if tournaments:
            report["tournaments"] = [
                {"folder": str(each.path), "valid": each.problem is None, "matches": each.matches,
                 "logs": each.logs, "hands": each.hands}
                for each in tournaments
            ]  # fmt: skip
        click.echo(json.dumps(report))
    ctx.exit(1 if fault else 0)


def _tournaments(paths: Sequence[Path]) -> list[CheckedTournament]:
    """Those of some paths that are tournaments, checked."""
    if not any(path.is_dir() for path in paths):
        return []
    from server.league.checking import check_tournament, is_tournament  # loads a house

    return [check_tournament(path) for path in paths if is_tournament(path)]


def _verified(path: Path, game: str | None, seed: MatchSeed | MatchKey | None) -> Verification:
    """Check a log, that of a match or of a room's table.

    Raises:
        LogError: it cannot be read.
    """
    from server.room.tables.log import check_room_log, is_room_log

    return check_room_log(path) if is_room_log(path) else verify_log(path, game, seed)


def _line(checked: Verification) -> str:
    if checked.problem is not None:
        return f"{checked.problem}"
    hands = f"{checked.hands} hand{'' if checked.hands == 1 else 's'}"
    cards = (
        f"cards from {checked.cards}" if checked.cards else "cards not checked: neither seed nor key is known"
    )
    if checked.has_games_of_hands:
        return f"{checked.path}: true: {hands}, each with its own game, {cards}"
    end = "score" if checked.is_complete else "no score: the match did not end"
    return f"{checked.path}: true: {hands}, {cards}, {end}"


def _report(checked: Sequence[Verification], fault: dict[str, Any] | None) -> dict[str, Any]:
    report: dict[str, Any] = {"valid": fault is None, "hands": sum(each.hands for each in checked)}
    if fault is not None:
        report["first_problem"] = fault
    report["logs"] = [
        {
            "log": str(each.path),
            "valid": each.is_valid,
            "hands": each.hands,
            "cards": each.cards,
            "complete": each.is_complete,
        }
        for each in checked
    ]
    return report
