"""Types of options that click does not have: the house's, which cannot import `clients.one_line`."""

from __future__ import annotations

from typing import Any, Final

import click

from engine.user_input import parse_finite

MOST_SECONDS: Final = 1e9
"""Longest time that can be asked for: thirty years."""


class FiniteRange(click.FloatRange):
    """A number in a range, neither NaN nor infinite: those pass click's own comparisons."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a text that means none fails in one line."""
        try:
            number = parse_finite(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return super().convert(number, param, ctx)
