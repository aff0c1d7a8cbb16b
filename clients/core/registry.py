"""Bots by name: what installed packages declare in the entry-point group ``riverboat.bots``.

Only the bot that is asked for gets imported, so that one player's heavy libraries cost the others
nothing.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Final, TypeVar

from clients.core.agent import Agent
from clients.core.options import AgentFactory, make_agent, parse_settings
from engine.support.plugins import declared
from engine.support.user_input import did_you_mean

GROUP: Final = "riverboat.bots"
Opponent = TypeVar("Opponent")


class UnknownBot(LookupError):
    """No installed package declares a bot of that name; the message is one line for people."""


def installed_bots() -> dict[str, EntryPoint]:
    """All bots that can sit down, by name, sorted; nothing of theirs is imported."""
    return declared(GROUP)


def load_bot(name: str) -> AgentFactory:
    """The factory of the bot with a name.

    Raises:
        UnknownBot: there is none.
        ImportError, AttributeError: its package is broken.
    """
    bots = installed_bots()
    if name not in bots:
        near = did_you_mean(name, bots)
        raise UnknownBot(f"there is no bot {name!r}{near or '; there are ' + (', '.join(bots) or 'none')}")
    return bots[name].load()


def parse_spec(spec: str) -> tuple[str, dict[str, str | None]]:
    """Name and options of a ``BOT[:KEY=VALUE,...]`` text.

    Raises:
        OptionError: an option without a key.
    """
    name, colon, settings = spec.partition(":")
    return name, parse_settings(settings.split(",")) if colon else {}


def make_bot(spec: str) -> Agent:
    """The agent of a ``BOT[:KEY=VALUE,...]`` text.

    Raises:
        UnknownBot: there is no such bot.
        OptionError: it does not take these options.
    """
    name, options = parse_spec(spec)
    return make_agent(name, load_bot(name), options)


def fill_table(num_players: int, opponents: tuple[Opponent, ...]) -> tuple[Opponent, ...] | None:
    """The opponents at a table: those named, the last of them as often as seats are left.

    Returns:
        None where there are more than seats.
    """
    seats = num_players - 1
    if len(opponents) > seats:
        return None
    return (*opponents, *[opponents[-1]] * (seats - len(opponents)))
