"""Option types that click does not have, for the house, which cannot import `clients.core.one_line`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Any

import click
from click.shell_completion import CompletionItem

from engine.evidence.verdict import Goal
from engine.poker.rules import game_names
from engine.support.user_input import parse_finite
from server.match.launching.limits import ProcessLimits, parse_limits


class GameName(click.types.StringParamType):
    """GAME: a shell completes the names of packaged games, and files."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """What begins as the typed text does."""
        return _beginning(incomplete, game_names())


class PlayerName(click.types.StringParamType):
    """PLAYER: a shell completes the names of installed bots, and files."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """What begins as the typed text does."""
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
    """What a player's process may use."""

    name = "limits"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ProcessLimits:
        """The limits; anything else fails in one line."""
        if isinstance(value, ProcessLimits):
            return value
        try:
            return parse_limits(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
