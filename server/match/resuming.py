"""``riverboat match --resume DIR``: the command with the words it was given when the match began."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from engine.evidence.verdict import Goal
from engine.poker.match_key import DealKeys
from engine.poker.rules import GameDefinition, format_game
from server.match.launching.confinement import ProcessLimits
from server.match.sittings.sitting import PLAN, RESULT, NoPlan, Sitting, StoredPlan, result_of
from server.support.option_groups import GroupedCommand
from server.table.config import MatchConfig

_OF_A_SITTING: Final = frozenset(
    {"resume", "no_rehearse", "as_json", "announce", "end_with_stdin", "jobs", "tokens", "token_files"}
)
"""Parameters that are given anew for each sitting."""
_SECRET: Final = frozenset({"seed", "seed_file", "out"})
"""Parameters that are kept elsewhere, or nowhere."""
_SITTING: Final = "riverboat.sitting"


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
                    raise click.MissingParameter(ctx=ctx, param=self._parameter(name))
            if ctx.params["no_rehearse"]:
                raise click.UsageError("--no-rehearse goes with --resume")
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
        try:
            sitting = Sitting.resumed(folder)
        except NoPlan as error:
            raise click.UsageError(str(error)) from None
        ctx.call_on_close(sitting.close)
        result = result_of(folder)
        if result is not None:
            said = f"the match in {folder} is over; its result is in {folder / RESULT}"
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

    def _parameter(self, name: str) -> click.Parameter:
        return next(each for each in self.params if each.name == name)


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


def sitting_of(ctx: click.Context, out: Path | None, game: str) -> Sitting:
    """The sitting to resume, else that of a new match.

    Raises:
        FileIsLocked: another match is being played in the folder.
        OSError: the folder cannot be made.
    """
    sitting: Sitting | None = ctx.meta.get(_SITTING)
    if sitting is None:
        sitting = Sitting.first(out, game)
        ctx.call_on_close(sitting.close)
    return sitting


def stored_plan(ctx: click.Context, sitting: Sitting, config: MatchConfig) -> StoredPlan:
    """The plan stored for resuming a match; if it is being resumed, the one that was stored."""
    if sitting.plan is not None:
        return sitting.plan
    parameters = dict(_fit_for_json(ctx))
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


def _fit_for_json(ctx: click.Context) -> Iterator[tuple[str, Any]]:
    for name, value in ctx.params.items():
        if name not in _SECRET and name not in _OF_A_SITTING - {"jobs"}:
            if isinstance(value, Goal | ProcessLimits):
                yield name, value.as_argument()
            elif isinstance(value, tuple):
                yield name, [os.fspath(each) if isinstance(each, Path) else each for each in value]
            else:
                yield name, os.fspath(value) if isinstance(value, Path) else value


def check_game(sitting: Sitting, game: GameDefinition) -> None:
    """Make sure that the game is still the one that was begun.

    Raises:
        click.UsageError: its file has been changed.
    """
    if sitting.plan is not None and sitting.plan.definition != format_game(game):
        raise click.UsageError(
            f"the game has been changed since the match was begun; {sitting.folder / PLAN} has what it was"
        )
