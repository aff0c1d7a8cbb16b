"""The options of ``riverboat solve`` that are one number or several: buckets, textures, clusters."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["buckets_option", "clusters_option", "textures_option"]

_TEXTURES: Final = ("1", "2", "4", "8")
"""As many kinds of boards as there can be told apart."""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 5


def buckets_option(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[int, int, int] | None:
    """One number, or three with commas between them."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) not in (1, 3) or not all(map(_is_number, parts)):
        raise click.BadParameter(f"expected a number, or three such as 100,100,30, got {text!r}")
    numbers = [int(part) for part in parts]
    return (numbers[0], numbers[0], numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1], numbers[2])


def textures_option(context: click.Context, parameter: click.Parameter, text: str) -> tuple[int, int, int]:
    """One number for the river, or three with commas between them."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) not in (1, 3) or not all(map(_is_number, parts)) or parts[-1] not in _TEXTURES:
        raise click.BadParameter(f"expected 1, 2, 4 or 8, or three of these such as 1,4,8, got {text!r}")
    numbers = [int(part) for part in parts]
    return (1, 1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1], numbers[2])


def clusters_option(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[int, int] | None:
    """Two numbers with a comma between them."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(map(_is_number, parts)):
        raise click.BadParameter(f"expected two numbers such as 100,100, got {text!r}")
    return int(parts[0]), int(parts[1])
