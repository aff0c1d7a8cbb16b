"""What commands of the house and of the players share: types of options, and groups of them in ``--help``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from engine.poker.rules import game_names
from engine.support.user_input import parse_finite

FOR_PROGRAMS: Final = "For programs"
FOR_EXPERTS: Final = "For experts"


class GroupedCommand(click.Command):
    """A command some of whose options are set apart.

    Args:
        apart: by heading, the names of their parameters.
    """

    def __init__(self, *args: Any, apart: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._apart = apart

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Click's own, in sections."""
        sections: dict[str, list[tuple[str, str]]] = {
            "Options": [],
            **{heading: [] for heading in self._apart},
        }
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            headings = (heading for heading, names in self._apart.items() if parameter.name in names)
            if record is not None:
                sections[next(headings, "Options")].append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


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


class GameName(click.types.StringParamType):
    """GAME: a shell completes the names of packaged games, and files."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Completions of the typed text."""
        return beginning_with(incomplete, game_names())


def beginning_with(typed: str, names: Iterable[str]) -> list[CompletionItem]:
    """Completions of a typed text: names, or files where none begins with it."""
    return [CompletionItem(name) for name in names if name.startswith(typed)] or [
        CompletionItem(typed, type="file")
    ]
