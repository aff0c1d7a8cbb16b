"""The commands of the players: ``riverboat bot`` and ``riverboat bots``.

`server.cli` finds them through the entry-point group ``riverboat.commands``.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from textwrap import fill
from typing import Any

import click

from clients.commands import BOT_NAME
from clients.commands.play.seat_options import seat_options
from clients.core import registry
from clients.core.agent import Agent
from clients.core.one_line import CommandError, OneLineCommand, json_option
from clients.core.options import describe_options, make_agent, parse_settings
from engine.support.text import table
from engine.support.user_input import did_you_mean
from protocol import variables
from server.support.options import GAME, flag, option


@click.command()
@click.argument("name", type=BOT_NAME)
@click.argument("host", metavar="HOST")
@click.argument("port", metavar="PORT", required=False)
@option(
    "--seed S", "Same seed, same decisions.  A whole number, or 'random' (the default, reported on stderr); "
    f"the environment variable {variables.SEED} does the same.", envvar=variables.SEED,
)  # fmt: skip
@option("--set settings KEY=VALUE", "An option of the bot; may be repeated.", multiple=True)
@option(
    "--game GAME",
    "What is being played: a game file or the name of a packaged game.  Not needed at a Riverboat "
    f"table, which says so itself; {variables.GAME} is used where a dealer does not.",
    GAME,
)
@seat_options()
@flag("--acpc", "Say nothing to the dealer beyond the ACPC's own protocol.")
def bot(
    name: str,
    host: str,
    port: str | None,
    seed: str | None,
    settings: tuple[str, ...],
    game: str | None,
    acpc: bool,
    **seat: Any,
) -> None:
    """Seat a built-in bot at a table anywhere.

    The table is HOST PORT, or HOST:PORT/TABLE in a room.

    `riverboat bots` lists the names.  The table may be any dealer that speaks the ACPC's protocol.
    """
    from clients.core.program import ProgramError, TableAddress, main, read_seed, table_of_words

    def start() -> tuple[Agent, TableAddress]:
        words = (host,) if port is None else (host, port)
        table = table_of_words(words, game=game, extension=not acpc, **seat)
        own_seed = read_seed(seed or "random")
        agent = _make_agent(name, settings)
        agent.seed = own_seed
        agent.seeded = seed not in (None, "", "random")
        agent.explains = bool(os.environ.get(variables.EXPLAIN))
        if not agent.seeded:
            click.echo(f"{name}: seed {own_seed}", err=True)
        return agent, table

    def _make_agent(name: str, settings: tuple[str, ...]) -> Agent:
        try:
            factory = registry.load_bot(name)
        except registry.UnknownBot as error:
            raise ProgramError(str(error), 2) from error
        except (ImportError, AttributeError) as error:
            raise ProgramError(f"the bot {name!r} cannot be loaded: {error}") from error
        return make_agent(name, factory, parse_settings(settings))

    sys.exit(main(name, start))


@click.command(cls=OneLineCommand)
@click.argument("name", required=False, type=BOT_NAME)
@json_option()
def bots(name: str | None, as_json: bool) -> None:
    """List the bots that can sit down, with strength and speed; or the options of the bot NAME.

    Strength is that in heads-up limit hold'em, in thousandths of a big blind per hand: what a best response
    wins from a bot at least (`riverboat exploitability`), and what the bot wins from `simple`.
    """
    listed = _described(registry.installed_bots())
    if name is not None:
        listed = [bot for bot in listed if bot["name"] == name]
        if not listed:
            raise CommandError(f"there is no bot {name!r}{did_you_mean(name, registry.installed_bots())}")
    if as_json:
        click.echo(json.dumps({"bots": listed}))
        return
    keys = ("games", "best_response_wins", "against_simple", "hands_per_second")
    rows = [["bot", "games", "best response wins", "v simple", "hands/s"]]
    rows += [[bot["name"], *(str(bot.get(key, "")) for key in keys)] for bot in listed]
    head, *lines = table(rows, left={0, 1})
    click.echo(head)
    for bot, line in zip(listed, lines, strict=True):
        options = bot["options"].split() if name else []
        texts = [bot["about"], *([bot["note"]] if "note" in bot else []), *options]
        wrapped = [fill(text, 80, initial_indent="    ", subsequent_indent="    ") for text in texts]
        click.echo("\n".join([line, *wrapped]))
    if name is None:
        click.echo("mbb/h in limit-2p; riverboat bots NAME lists the options of a bot")


def _described(installed: Mapping[str, EntryPoint]) -> list[dict[str, Any]]:
    """The facts about bots; of those that ship also the measurements, from ``facts.toml``."""
    facts = tomllib.loads((Path(__file__).parents[2] / "bots" / "facts.toml").read_text("utf-8"))
    listed = []
    for name, entry in installed.items():
        try:
            factory = entry.load()
            about = (factory.__doc__ or "").strip().partition("\n")[0]
            options = describe_options(factory)
        except Exception as error:  # one broken package must not hide the others
            about, options = f"cannot be loaded: {error}", ""
        row = {"name": name, "about": about, "options": options, "from": entry.value}
        listed.append(row | facts.get(name, {}))
    return listed
