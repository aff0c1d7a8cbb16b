"""The players' commands, found through the entry-point group ``riverboat.commands``; nothing imports them.

===================  ===============================================================================
``play``             sit down: bots, people, workers
``ask``              ask and learn: odds, tables, bots' decisions, training
``solve``            equilibria, counter-strategies, exploitability
``lab``              experiments, kernels, the signature
===================  ===============================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from clients.core.one_line import CommandError
from clients.core.registry import installed_bots
from server.support.options import Named

BOT_NAME: Final = Named(installed_bots)
"""The name of a bot, which a shell completes."""


@contextmanager
def refusing(*kinds: type[Exception], what: str = "", hint: str = "") -> Iterator[None]:
    """Have errors of some kinds end the command in one line, as something that cannot be done.

    Args:
        kinds: of errors, whose messages are lines for people.
        what: begins the line: the option or the file at fault.
        hint: ends it.
    """
    try:
        yield
    except kinds as error:
        raise CommandError(f"{what}{error}{hint}") from error
