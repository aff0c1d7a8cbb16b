"""What the arguments of ``riverboat match`` mean; each fails in one line, as click's own do."""

from __future__ import annotations

import contextlib
import os
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import click

from engine.evidence.payoff_bounds import payoff_bounds
from engine.evidence.verdict import Goal
from engine.poker.match_key import MatchKey, MatchSeed, parse_match_seed
from engine.poker.rules import GameDefinition, GameDefinitionError, load_game, no_such_game
from engine.support.files.lock import FileIsLocked
from engine.support.user_input import did_you_mean, parse_whole
from server.match.launching.announcement import Announcer
from server.match.launching.players import Player, PlayerError, parse_players
from server.match.launching.sandbox import why_there_are_none
from server.match.resuming import sitting_of
from server.match.sittings.sitting import Sitting
from server.support.seat_tokens import hidden_tokens
from server.table.config import check_names

_MOST_SEED: Final = 200
"""Characters of a seed's line that are read."""


def open_announcer(descriptor: int | None) -> Announcer:
    """Where programs are told about the table."""
    try:
        return Announcer(descriptor)
    except OSError as error:
        raise click.UsageError(f"--announce {descriptor}: {error.strerror}") from None


def check_sandboxes(recover: int) -> None:
    """Refuse sandboxes that cannot be made."""
    fault = why_there_are_none()
    if fault is not None:
        raise click.UsageError(f"--sandbox: {fault}")
    if recover:
        raise click.UsageError(
            "--recover does not go with --sandbox: a player started again would not find its table"
        )


def check_goal(until: Goal | None, definition: GameDefinition, game: str) -> None:
    """Refuse a goal that nothing could ever reach."""
    if until is not None and payoff_bounds(definition) is None:
        raise click.UsageError(
            f"--until: {game} names no stacks: nothing bounds what a hand may cost, so nothing would be known"
        )


def check_jobs(jobs: int, ports: tuple[int, ...]) -> None:
    """Refuse parallel tables that would share ports."""
    if jobs > 1 and any(ports):
        raise click.UsageError(
            "tables that are played at side by side cannot share ports: use one of --jobs, --ports"
        )


def read_game(text: str) -> GameDefinition:
    """The game of a GAME."""
    try:
        return load_game(text, lambda line: click.echo(line, err=True))
    except OSError as error:
        raise click.UsageError(no_such_game(text, error.strerror or str(error))) from None
    except GameDefinitionError as error:
        raise click.UsageError(str(error)) from None


def read_rake(text: str | None, game: GameDefinition) -> GameDefinition:
    """The game with the rake of ``--rake``."""
    try:
        return game if text is None else game.raked(text)
    except ValueError as error:
        raise click.UsageError(f"--rake: {error}") from None


def read_players(texts: tuple[str, ...], game: GameDefinition) -> tuple[Player, ...]:
    """The players of the PLAYERs, as many as the game is for."""
    bots = {entry.name for entry in entry_points(group="riverboat.bots")}
    try:
        players = parse_players(texts, bots)
    except PlayerError as error:
        raise click.UsageError(str(error)) from None
    if len(players) != game.num_players:
        raise click.UsageError(
            f"the game is for {game.num_players} players, got {len(players)}: {' '.join(texts)}"
        )
    for player in players:
        if player.is_unknown_word:
            raise click.UsageError(f"{player.problem()}{did_you_mean(player.text.rpartition('=')[2], bots)}")
    fault = check_names([player.name for player in players])
    if fault is not None:
        raise click.UsageError(fault)
    return players


def read_cards(text: str, file: Path | None = None) -> MatchSeed | MatchKey:
    """Where the cards come from, by ``--seed`` or by a file in its place."""
    if file is not None:
        if text != "random":
            raise click.UsageError("--seed and --seed-file say the same: use one of them")
        try:
            with open(file, encoding="utf-8", errors="replace") as lines:
                text = lines.readline(_MOST_SEED).strip()
        except OSError as error:
            raise click.UsageError(f"--seed-file {file}: {error.strerror}") from None
    try:
        return parse_match_seed(text)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def read_ports(text: str, seats: int) -> tuple[int, ...]:
    """The ports of ``--ports``, as many as were given."""
    with contextlib.suppress(ValueError):
        ports = tuple(parse_whole(item.strip() or "0") for item in text.split(",")) if text else ()
        if all(port < 65536 for port in ports):
            if len(ports) > seats:
                raise click.UsageError(f"the game has {seats} seats, got {len(ports)} ports: {text}")
            return ports
    raise click.UsageError(f"expected ports from 0 to 65535 with commas between them, got {text!r}")


def read_tokens(items: tuple[str, ...], files: tuple[str, ...], seats: int) -> tuple[str | None, ...]:
    """The tokens that seats ask for, by seat."""
    try:
        tokens = hidden_tokens(files, os.environ, seats)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    numbers = [str(number) for number in range(1, seats + 1)]
    for item in items:
        seat, equals, token = item.partition("=")
        if not (equals and seat in numbers and token and not token.split()[1:]):
            raise click.UsageError(
                f"expected --seat-token SEAT=TOKEN with a seat from 1 to {seats}, got {item!r}"
            )
        tokens[int(seat) - 1] = token
    return tuple(tokens)


def open_sitting(ctx: click.Context, out: Path | None, game: str) -> Sitting:
    """The sitting to resume, else that of a new match in a folder of its own."""
    try:
        return sitting_of(ctx, out, game)
    except FileIsLocked:
        raise click.UsageError(f"another match is being played in {out}") from None
    except OSError as error:
        where = f"match folder {out}" if out is not None else "folder of the match under matches/"
        raise click.UsageError(f"the {where} cannot be made: {error.strerror}") from None


def new_page(sitting: Sitting, file: str) -> Path:
    """Where the page of ``--report`` goes; it must not exist yet."""
    from server.records.review.page import require_new_page  # nobody waits for it who wants no page

    return require_new_page(sitting.folder, file)
