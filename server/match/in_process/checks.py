"""Options and players that cannot be combined with ``--in-process``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click
from click.core import ParameterSource

from server.match.launching.players import Player

_FOR_SOCKETS: Final = (
    "host", "ports", "tokens", "token_files", "on_failure", "response_time", "first_response_time",
    "hand_time", "match_time", "start_time", "grace", "recover", "sandbox", "limits", "announce", "stateless",
)  # fmt: skip


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
