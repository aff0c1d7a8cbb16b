"""The players' commands, found through the entry-point group ``riverboat.commands``; nothing imports them.

===================  ===============================================================================
``play``             sit down: bots, people, workers
``ask``              ask and learn: odds, tables, bots' decisions, training
``solve``            equilibria, counter-strategies, exploitability
``lab``              experiments, kernels, the signature
===================  ===============================================================================
"""

from __future__ import annotations

import functools
from typing import Final

from clients.core.one_line import CommandError
from clients.core.registry import installed_bots
from engine.support.user_input import told_as
from server.support.options import Named

BOT_NAME: Final = Named(installed_bots)
"""The name of a bot, which a shell completes."""


refusing: Final = functools.partial(told_as, CommandError)
"""Has errors of some kinds end the command in one line, as something that cannot be done."""
