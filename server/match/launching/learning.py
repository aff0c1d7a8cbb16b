"""Which players of a match learn while they play: an interval over hands means little for them.

Whether an installed bot learns follows from its options.  Its package says so in the entry-point group
``riverboat.learners``: under the bot's name, a function that takes the options as texts and returns whether
the bot changes how it plays.  Only the functions of bots that sit down are loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Final

from server.match.launching.players import Player

_GROUP: Final = "riverboat.learners"


def learning_players(players: Sequence[Player]) -> frozenset[int]:
    """The places of those that learn; nothing is known about programs that are not installed bots.

    A package that is broken makes no player learn: the bot itself will say what is wrong.
    """
    declared = {entry.name: entry for entry in entry_points(group=_GROUP)}
    learning = set()
    for place, player in enumerate(players):
        entry = declared.get(player.bot) if player.is_bot else None
        if entry is not None:
            try:
                learns = entry.load()
            except (ImportError, AttributeError):
                continue
            settings = [setting.partition("=") for setting in player.settings]
            if learns({key.strip(): value.strip() if equals else None for key, equals, value in settings}):
                learning.add(place)
    return frozenset(learning)
