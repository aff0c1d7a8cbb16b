"""The arguments of the house's commands: option types, and what they mean; each fails in one line.

`clients.core.one_line` has those of the players, which know nothing of the house.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from engine.evidence.payoff_bounds import payoff_bounds
from engine.evidence.verdict import Goal
from engine.poker.match_key import MatchKey, MatchSeed, parse_match_seed
from engine.poker.rules import GameDefinition, GameDefinitionError, game_names, load_game, no_such_game
from engine.support.files.lock import FileIsLocked
from engine.support.user_input import did_you_mean, parse_finite, parse_whole
from server.match.launching.confinement import (
    UNCONFINED,
    Grants,
    ProcessLimits,
    Sandbox,
    check_addresses,
    parse_limits,
    why_there_are_none,
)
from server.match.launching.players import Player, parse_players
from server.match.resuming import sitting_of
from server.match.sharing.staffed_table import Announcer
from server.match.sittings.sitting import Sitting
from server.support.seat_tokens import hidden_tokens
from server.table.config import check_names

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SANDBOX: Final = (
    "Launch programs where each sees its own folder and its table, and nothing else; installed bots run as "
    "they are.  Needs bwrap."
)
_GRANTS: Final = {
    "--show": ("PATH", "With --sandbox: also show this, to be read."),
    "--write": ("PATH", "With --sandbox: and this, to be written to; {name} in it is the player's name."),
    "--network": ("HOST:PORT", "With --sandbox: let through what connects to this host, by its name."),
    "--pass-env": ("NAME", "Pass on this variable, although it looks like a secret or there is a sandbox."),
}
_MOST_SEED: Final = 200
"""Characters of a seed's line that are read."""
_FOR_SOCKETS: Final = (
    "host", "ports", "tokens", "token_files", "on_failure", "response_time", "first_response_time",
    "hand_time", "match_time", "start_time", "grace", "recover", "sandbox", "show", "write", "network",
    "pass_env", "limits", "stateless",
)  # fmt: skip


class GameName(click.types.StringParamType):
    """GAME: a shell completes the names of packaged games, and files."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Completions of the typed text."""
        return _beginning(incomplete, game_names())


class PlayerName(click.types.StringParamType):
    """PLAYER: a shell completes the names of installed bots, and files."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Completions of the typed text."""
        bots = (entry.name for entry in entry_points(group="riverboat.bots"))
        return _beginning(incomplete, [*sorted(bots), "wait"])


def _beginning(typed: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(typed)] or [
        CompletionItem(typed, type="file")
    ]


class FiniteRange(click.FloatRange):
    """A number in a range, neither NaN nor infinite: those pass click's own comparisons."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; other text fails in one line."""
        try:
            number = parse_finite(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return super().convert(number, param, ctx)


class ListeningAddress(click.types.StringParamType):
    """An address to listen on: it must not be empty, since to the system that means every address."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The address; an empty one fails in one line."""
        if not str(value).strip():
            self.fail("expected an address, got nothing; 0.0.0.0 listens on all", param, ctx)
        return super().convert(value, param, ctx)


class MatchGoal(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3 only
    """The goal of a match: ``decided``, or how precisely results are to be known."""

    name = "goal"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Goal:
        """The goal; anything else fails in one line."""
        if isinstance(value, Goal):
            return value
        text = str(value).strip()
        if text == "decided":
            return Goal()
        for sign in ("±", "+-"):
            text = text.removeprefix(sign).strip()
        try:
            within = parse_finite(text)
        except ValueError:
            within = 0.0
        if within <= 0:
            self.fail(f"expected 'decided', or a number of mbb/h above 0, got {value!r}", param, ctx)
        return Goal(within)


class ProcessLimitsType(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3 only
    """The limits of a player's process."""

    name = "limits"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ProcessLimits:
        """The limits; anything else fails in one line."""
        if isinstance(value, ProcessLimits):
            return value
        try:
            return parse_limits(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


@contextlib.contextmanager
def refusing(prefix: str = "") -> Iterator[None]:
    """A context in which a ValueError or OSError is the user's mistake.

    Args:
        prefix: begins the line that says so.
    """
    try:
        yield
    except (ValueError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise click.UsageError(f"{prefix}{why}") from None


def open_announcer(descriptor: int | None) -> Announcer:
    """The descriptor on which programs read about the table."""
    with refusing(f"--announce {descriptor}: "):
        return Announcer(descriptor)


def launch_options(*names: str) -> Callable[[_Function], _Function]:
    """``--sandbox``, and the options of what a launched player sees beyond what is its own; default: all."""

    def add(command: _Function) -> _Function:
        for name in reversed(names or tuple(_GRANTS)):
            value, text = _GRANTS[name]
            command = click.option(name, multiple=True, metavar=f"[PLAYER=]{value}", help=text)(command)
        return click.option("--sandbox", is_flag=True, help=_SANDBOX)(command)

    return add


def check_sandboxes(wanted: bool) -> None:
    """Refuse sandboxes that cannot be made."""
    fault = why_there_are_none() if wanted else None
    if fault is not None:
        raise click.UsageError(f"--sandbox: {fault}")


def read_sandbox(
    wanted: bool, players: Sequence[Player], house: Sequence[Path], grants: Grants
) -> Sandbox | None:
    """The sandbox of ``--sandbox``; what players may miss in it, or that there is none, is said in a line."""
    if not wanted:
        if grants.show or grants.write or grants.network:
            raise click.UsageError("--show, --write and --network go with --sandbox")
        if any(player.is_program for player in players):
            click.echo(f"{UNCONFINED}: --sandbox shows each its own", err=True)
        return None
    sandbox = Sandbox.of(players, house, grants)
    with refusing("--network: "):
        check_addresses(grants.network)
    for player in players:
        for line in sandbox.remarks(player):
            click.echo(line, err=True)
    return sandbox


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
    with refusing("--rake: "):
        return game if text is None else game.raked(text)


def read_players(texts: tuple[str, ...], game: GameDefinition) -> tuple[Player, ...]:
    """The players of the PLAYERs, as many as the game is for."""
    bots = {entry.name for entry in entry_points(group="riverboat.bots")}
    with refusing():
        players = parse_players(texts, bots)
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
    """The source of the cards, by ``--seed`` or by a file in its place."""
    if file is not None:
        if text != "random":
            raise click.UsageError("--seed and --seed-file say the same: use one of them")
        with refusing(f"--seed-file {file}: "), open(file, encoding="utf-8", errors="replace") as lines:
            text = lines.readline(_MOST_SEED).strip()
    with refusing():
        return parse_match_seed(text)


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
    with refusing():
        tokens = hidden_tokens(files, os.environ, seats)
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
    """The path of the page of ``--report``; it must not exist yet."""
    from server.records.review.page import require_new_page  # nobody waits for it who wants no page

    return require_new_page(sitting.folder, file)


def check_in_process(ctx: click.Context, players: Sequence[Player]) -> None:
    """Make sure that a match can be played without sockets.

    Raises:
        click.UsageError: a player is not an installed bot, or an option means nothing without sockets.
    """
    for player in players:
        if not player.is_bot:
            raise click.UsageError(f"--in-process is for installed bots: {player.text!r} is none")
    for parameter in ctx.command.params:
        name = parameter.name
        if name in _FOR_SOCKETS and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{parameter.get_error_hint(ctx)} does not go with --in-process: "
                "there are no sockets and no clocks"
            )
