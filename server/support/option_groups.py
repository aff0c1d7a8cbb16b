"""Commands that show some of their options apart: at the end of ``--help``, below headings of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

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
