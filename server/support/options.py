"""What commands share: types of options, ``--game``, and options that ``--help`` shows apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from engine.poker.rules import game_names
from engine.support.user_input import parse_finite
from server.support.addresses import listening_address

FOR_PROGRAMS: Final = "For programs"
FOR_EXPERTS: Final = "For experts"
PATH: Final = click.Path(path_type=Path)
FILE: Final = click.Path(dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)

_Function = TypeVar("_Function", bound=Callable[..., Any])


def option(usage: str, text: str, kind: Any = None, **more: Any) -> Callable[[_Function], _Function]:
    """An option as its help shows it, with its default unless that is empty.

    Args:
        usage: its names, that of its parameter if it is another, and its value: ``--game -g games GAME``.
            A word in lower case is the parameter, any other the value.
        text: its help.
        kind: its type; by its default if None.
        more: as for `click.option`.
    """
    words = usage.split()
    names = [word for word in words if word[0] == "-" or (word.isidentifier() and word.islower())]
    value = next((word for word in words if word not in names), None)
    shown = {"show_default": more.get("default", "") != ""}
    return click.option(*names, help=text, type=kind, metavar=value, **{**shown, **more})


def flag(names: str, text: str, **more: Any) -> Callable[[_Function], _Function]:
    """An option without a value; see `option`."""
    return click.option(*names.split(), help=text, is_flag=True, **more)


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


class Parsed(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3 only
    """What a function makes of a text; its ValueError is the user's mistake.

    Args:
        name: of the type.
        parse: makes the value.
    """

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value; text that means none fails in one line."""
        try:
            return self._parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Named(click.types.StringParamType):
    """A text for which a shell completes some names, or else files.

    Args:
        names: gives the names.
    """

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Completions of the typed text."""
        found = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


ADDRESS: Final = Parsed("address", listening_address)
"""An address to listen on."""
GAME: Final = Named(game_names)
"""A packaged game's name, or a game file."""


game_option = option(
    "--game GAME",
    "What is played, for logs that do not name a game that can be found: a game file, or the name of a "
    "packaged game.",
)
"""``--game GAME``."""


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
