"""What those who sit down at a table share: the options of a seat, and how programs end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from click import IntRange

from clients.core.one_line import MOST_SECONDS, CommandError, Decorated
from engine.support.user_input import told_as
from protocol import variables
from server.support.options import FiniteRange, flag, option
from server.support.seat_tokens import token_in

_TOKEN: Final = "riverboat.token"
# In a command's `meta`: the token of its --token-file.


def seat_options(name: str = "Your name, in a room.") -> Callable[[Decorated], Decorated]:
    """The options of a seat at a table somewhere: its token, how to reach it, and who sits down.

    The parameters, `token`, `wait_s`, `room_name`, `chips`, `tls` and `authority`, are those of
    `clients.core.program.table_of_words`.

    Args:
        name: the help of ``--name``.
    """

    def decorate(command: Decorated) -> Decorated:
        for each in (
            option("--ca authority FILE", "With --tls: certificates to trust."),
            flag("--tls", "Speak TLS with the room."),
            option("--chips N", "Chips to bring, in a room.", IntRange(1)),
            option("--name room_name NAME", name),
            option(
                "--token-file FILE",
                "A file with the seat's token, which other users of this machine cannot see there.",
                expose_value=False,
                is_eager=True,
                callback=_read_token_file,
            ),
            option(
                "--token TOKEN",
                f"The seat's token, if it has one; also {variables.TOKEN}.",
                callback=lambda context, parameter, token: token or context.meta.get(_TOKEN),
            ),
            option(
                "--wait wait_s SECONDS",
                "Keep trying to connect for this long.",
                FiniteRange(0, MOST_SECONDS),
                default=0.0,
                show_default=False,
            ),
        ):
            command = each(command)
        return command

    return decorate


def _read_token_file(context: click.Context, parameter: click.Parameter, path: str | None) -> None:
    if path is not None:
        context.meta[_TOKEN] = read_token(Path(path))


def read_token(path: Path) -> str:
    """The token in a file.

    Raises:
        CommandError: it cannot be read, or holds none.
    """
    with told_as(CommandError, ValueError):
        return token_in(str(path))


@contextmanager
def ending(name: str) -> Iterator[None]:
    """Have an error of a program end it with its line and exit status.

    Args:
        name: the program's, which begins the line.
    """
    from clients.core.program import ProgramError

    try:
        yield
    except ProgramError as error:
        click.echo(f"{name}: {error}", err=True)
        sys.exit(error.status)
