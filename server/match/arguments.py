"""The arguments of a match: given, or with ``--resume`` taken over from the call that began it.

Each fails in one line.  `clients.core.one_line` has what the players' commands share, which know nothing of
the house.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import attrs
import click
from click.core import ParameterSource

from engine.evidence.confidence_sequence import payoff_bounds
from engine.evidence.verdict import Goal
from engine.poker.match_key import DealKeys, MatchKey, MatchSeed, parse_match_seed
from engine.poker.rules import GameDefinition, GameDefinitionError, format_game, load_game, no_such_game
from engine.support.files.lock import FileIsLocked
from engine.support.user_input import did_you_mean, parse_finite, parse_whole, told_as
from server.match.launching import confinement
from server.match.launching.players import Player, installed_bots, parse_players
from server.match.sharing.staffed_table import Announcer
from server.match.sittings.sitting import PLAN, Sitting, StoredPlan, result_of
from server.records.evidence import Luck
from server.records.logs import RESULT_FILE
from server.records.match_defaults import PRESETS, Times
from server.support.options import GroupedCommand, Named, Parsed, flag
from server.support.seat_tokens import by_seat, checked_token, hidden_tokens
from server.table.config import MatchConfig, OnFailure, TimeLimits, check_names

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
    "host", "ports", "tokens", "token_files", "on_failure", *attrs.fields_dict(Times), "recover", "sandbox",
    "show", "write", "network", "pass_env", "limits", "stateless",
)  # fmt: skip
_OF_A_SITTING: Final = frozenset(
    {"resume", "no_rehearse", "as_json", "announce", "end_with_stdin", "jobs", "tokens", "token_files"}
)
"""Parameters that are given anew for each sitting."""
_SECRET: Final = frozenset({"seed", "seed_file", "out"})
"""Parameters that are kept elsewhere, or nowhere."""
_SITTING: Final = "riverboat.sitting"
_LLM: Final = "llm"
_MODELS_S: Final = 60.0
# Per hand on average: a model that is given less is warned of.


def parse_goal(text: str) -> Goal:
    """The goal of a match: ``decided``, or how precisely results are to be known."""
    value = text.strip()
    if value == "decided":
        return Goal()
    for sign in ("±", "+-"):
        value = value.removeprefix(sign).strip()
    with contextlib.suppress(ValueError):
        within = parse_finite(value)
        if within > 0:
            return Goal(within)
    raise ValueError(f"expected 'decided', or a number of mbb/h above 0, got {text!r}")


PLAYER: Final = Named(lambda: [*sorted(installed_bots()), "wait"])
GOAL: Final = Parsed("goal", parse_goal)
POLICY: Final = Parsed("policy", OnFailure)
LIMITS: Final = Parsed("limits", confinement.parse_limits)
refusing: Final = partial(told_as, click.UsageError, ValueError, OSError)
"""A context in which such an error is the user's mistake."""


class ResumableCommand(GroupedCommand):
    """A command that takes its parameters from an earlier call if ``--resume`` is given."""

    def invoke(self, ctx: click.Context) -> Any:
        """Click's own, with the parameters of the match that is resumed."""
        folder = ctx.params["resume"]
        if folder is not None:
            self._resume(ctx, folder)
        else:
            for name in ("game", "players"):
                if not ctx.params[name]:
                    parameter = next(each for each in self.params if each.name == name)
                    raise click.MissingParameter(ctx=ctx, param=parameter)
            if ctx.params["no_rehearse"]:
                raise click.UsageError("--no-rehearse goes with --resume")
            for name, value in PRESETS[ctx.params["on_failure"]].items():
                if ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
                    ctx.params[name] = value
        return super().invoke(ctx)

    def _resume(self, ctx: click.Context, folder: Path) -> None:
        for parameter in self.params:
            name = parameter.name
            is_given = name and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
            if is_given and name not in _OF_A_SITTING and name != "help":
                raise click.UsageError(
                    f"{parameter.get_error_hint(ctx)} cannot be given with --resume: "
                    "the match is played on as it was begun"
                )
        with refusing():
            sitting = Sitting.resumed(folder)
        ctx.call_on_close(sitting.close)
        result = result_of(folder)
        if result is not None:
            said = f"the match in {folder} is over; its result is in {folder / RESULT_FILE}"
            click.echo(json.dumps(result) if ctx.params["as_json"] else said)
            ctx.exit()
        ctx.meta[_SITTING] = sitting
        self._take_over(ctx, sitting)

    def _take_over(self, ctx: click.Context, sitting: Sitting) -> None:
        plan = sitting.plan
        assert plan is not None  # it is resumed
        for name, value in plan.parameters.items():
            if name in _OF_A_SITTING and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                continue
            parameter = next((each for each in self.params if each.name == name), None)
            if parameter is None:
                raise click.UsageError(
                    f"{sitting.folder} was begun by riverboat {plan.version}, with an option {name!r} "
                    "that this version does not have"
                )
            ctx.params[name] = parameter.type_cast_value(ctx, value)
        _go_to(plan.working_directory, sitting)


def _go_to(folder: str, sitting: Sitting) -> None:
    """Make a folder the current one; a match folder below it is named relative to it, as before."""
    match_folder = sitting.folder.resolve()
    try:
        os.chdir(folder)
    except OSError as error:
        raise click.UsageError(
            f"the folder {folder}, in which the match was begun, is not there: {error.strerror}"
        ) from None
    here = Path(folder).resolve()
    below = match_folder.is_relative_to(here)
    sitting.folder = match_folder.relative_to(here) if below else match_folder


def open_announcer(descriptor: int | None) -> Announcer:
    """The descriptor on which programs read about the table."""
    with refusing(what=f"--announce {descriptor}: "):
        return Announcer(descriptor)


def launch_options(*names: str) -> Callable[[_Function], _Function]:
    """``--sandbox``, and the options of what a launched player sees beyond what is its own; default: all."""

    def add(command: _Function) -> _Function:
        for name in reversed(names or tuple(_GRANTS)):
            value, text = _GRANTS[name]
            command = click.option(name, multiple=True, metavar=f"[PLAYER=]{value}", help=text)(command)
        return flag("--sandbox", _SANDBOX)(command)

    return add


def check_sandboxes(wanted: bool) -> None:
    """Refuse sandboxes that cannot be made."""
    fault = confinement.why_there_are_none() if wanted else None
    if fault is not None:
        raise click.UsageError(f"--sandbox: {fault}")


def read_sandbox(
    wanted: bool, players: Sequence[Player], house: Sequence[Path], grants: confinement.Grants
) -> confinement.Sandbox | None:
    """The sandbox of ``--sandbox``; what players may miss in it, or that there is none, is said in a line."""
    with refusing():
        grants.check_names([player.name for player in players])
    if not wanted:
        if grants.show or grants.write or grants.network:
            raise click.UsageError("--show, --write and --network go with --sandbox")
        if any(player.is_program for player in players):
            click.echo(f"{confinement.UNCONFINED}: --sandbox shows each its own", err=True)
        return None
    sandbox = confinement.Sandbox.of(players, house, grants)
    with refusing(what="--network: "):
        confinement.check_addresses(grants.network)
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
        return load_game(text)
    except OSError as error:
        raise click.UsageError(no_such_game(text, error.strerror or str(error))) from None
    except GameDefinitionError as error:
        raise click.UsageError(str(error)) from None


def read_rake(text: str | None, game: GameDefinition) -> GameDefinition:
    """The game with the rake of ``--rake``."""
    with refusing(what="--rake: "):
        return game if text is None else game.raked(text)


def read_players(texts: tuple[str, ...], game: GameDefinition) -> tuple[Player, ...]:
    """The players of the PLAYERs, as many as the game is for."""
    bots = installed_bots()
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
        with refusing(what=f"--seed-file {file}: "), open(file, encoding="utf-8", errors="replace") as lines:
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
        for seat, token in by_seat(items, "--seat-token SEAT=TOKEN", seats):
            tokens[seat] = checked_token(token, f"--seat-token {seat + 1}")
    return tuple(tokens)


def open_sitting(ctx: click.Context, out: Path | None, game: str) -> Sitting:
    """The sitting to resume, else that of a new match in a folder of its own."""
    resumed: Sitting | None = ctx.meta.get(_SITTING)
    if resumed is not None:
        return resumed
    try:
        sitting = Sitting.first(out, game)
    except FileIsLocked:
        raise click.UsageError(f"another match is being played in {out}") from None
    except OSError as error:
        where = f"match folder {out}" if out is not None else "folder of the match under matches/"
        raise click.UsageError(f"the {where} cannot be made: {error.strerror}") from None
    ctx.call_on_close(sitting.close)
    return sitting


def new_page(sitting: Sitting, file: str, *, is_live: bool) -> Path:
    """The path of the page of ``--report``; it must not exist yet, unless an earlier sitting showed it."""
    from server.records.review.page import require_new_page  # nobody waits for it who wants no page

    return require_new_page(sitting.folder, file, force=is_live and sitting.is_resumed)


def check_in_process(ctx: click.Context, players: Sequence[Player]) -> None:
    """Make sure that a match can be played without sockets.

    Raises:
        click.UsageError: a player is not an installed bot, or an option means nothing without sockets.
    """
    for player in players:
        if not player.is_ours:
            raise click.UsageError(f"--in-process is for bots of ours: {player.text!r} is none")
        if asks_a_model(player) and not any(each.startswith("replay=") for each in player.settings):
            raise click.UsageError(
                f"--in-process is not for {player.name}, which asks a model, unless it has replay=FILE"
            )
    for parameter in ctx.command.params:
        name = parameter.name
        if name in _FOR_SOCKETS and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"{parameter.get_error_hint(ctx)} does not go with --in-process: "
                "there are no sockets and no clocks"
            )


def asks_a_model(player: Player) -> bool:
    """Whether a player is the bot that asks a language model."""
    return player.is_bot and player.bot == _LLM


def check_pace(players: Sequence[Player], limits: TimeLimits) -> None:
    """Say in a line that a model may need more time than programs usually get."""
    slow = [player.name for player in players if asks_a_model(player)]
    if slow and limits.per_hand < _MODELS_S:
        click.echo(
            f"riverboat match: {', '.join(slow)} may need more than {limits.response:g} s a decision and "
            f"{limits.per_hand:g} s a hand: see --on-failure patient, or --response-time and --match-time",
            err=True,
        )


def check_censor(censor: bool, until: Goal | None, luck: Luck) -> None:
    """Refuse to leave deals out of what is counted as it goes."""
    if censor and until is not None:
        raise click.UsageError("--censor does not go with --until, which counts every deal at once")
    if censor and luck is not Luck.OFF:
        raise click.UsageError("--censor goes with --luck off: only chips can be counted without some deals")


def stored_plan(ctx: click.Context, sitting: Sitting, config: MatchConfig) -> StoredPlan:
    """The plan stored for resuming a match; if it is being resumed, the one that was stored."""
    if sitting.plan is not None:
        return sitting.plan
    left_out = _SECRET | _OF_A_SITTING - {"jobs"}
    parameters = {name: _fit_for_json(value) for name, value in ctx.params.items() if name not in left_out}
    cards = config.cards
    if not (isinstance(cards, DealKeys) and cards.is_drawn):
        parameters["seed"] = cards.text
    return StoredPlan(
        working_directory=os.getcwd(),
        folder=str(sitting.folder),
        definition=format_game(config.game),
        parameters=parameters,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _fit_for_json(value: Any) -> Any:
    if isinstance(value, Goal | confinement.ProcessLimits):
        return value.as_argument()
    if isinstance(value, tuple):
        return list(map(_fit_for_json, value))
    return os.fspath(value) if isinstance(value, Path) else value


def check_game(sitting: Sitting, game: GameDefinition) -> None:
    """Make sure that the game is still the one that was begun.

    Raises:
        click.UsageError: its file has been changed.
    """
    if sitting.plan is not None and sitting.plan.definition != format_game(game):
        raise click.UsageError(
            f"the game has been changed since the match was begun; {sitting.folder / PLAN} has what it was"
        )
