"""The command group of the `riverboat` program.

A command's module is imported when the command is run: a bot must not wait for the house's imports, nor
the house for a bot's.  Player commands come from the entry-point group ``riverboat.commands``, which
anybody's package may add to.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import re
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint, version
from pathlib import Path
from typing import Any, Final

import click
from click import Choice
from click.shell_completion import CompletionItem, get_completion_class

from engine.poker.rules import ALIASES, load_game, packaged_games
from engine.poker.rules.game_file import game_path, no_such_game
from engine.support.plugins import declared
from engine.support.text import table
from engine.support.user_input import did_you_mean
from server.support.errors import only, os_error_in_words
from server.support.options import GAME, flag, option

_HOUSE: Final = {
    "analyse": "server.commands.look_back.report:analyse",
    "compare": "server.commands.league.compare:compare",
    "convert": "server.commands.look_back.convert:convert",
    "doctor": "server.commands.operate.doctor:doctor",
    "course": "server.commands.league.course:course",
    "league": "server.commands.league.league:league",
    "ledger": "server.commands.operate.room:ledger",
    "match": "server.commands.play.match:match",
    "new-bot": "server.league.course.new_bot:new_bot",
    "replay": "server.commands.look_back.replay:replay",
    "report": "server.commands.look_back.report:report",
    "room": "server.commands.operate.room:room",
    "serve": "server.commands.operate.serve:serve",
    "tournament": "server.commands.league.tournament:tournament",
    "verify": "server.commands.look_back.verify:verify",
}
"""Where the house's commands are."""
_GROUPS: Final = {
    "Play": ("play", "bot", "bots", "games", "telnet", "mcp", "dealer"),
    "Match and league": ("match", "compare", "tournament", "league", "course", "new-bot", "check-bot"),
    "Look back": ("report", "analyse", "review", "replay", "verify", "convert"),
    "Ask and learn": ("odds", "preflop", "weights", "ask", "train", "knowledge", "experiment"),
    "Solve": ("solve", "strategy", "counter", "exploitability"),
    "Operate": ("serve", "serve-benchmark", "room", "ledger", "kernels", "doctor"),
}
"""The headings of ``riverboat --help``, and the commands below each; those of other packages come last."""
_COMMANDS: Final = "riverboat.commands"
_OURS: Final = Path(__file__).parents[2]
_SHELLS: Final = ("bash", "fish", "zsh")
_DEALER: Final = "Deal one match exactly as the ACPC's dealer does, with its options."


class _Commands(click.Group):
    """Finds commands by name when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_HOUSE, "dealer", *declared(_COMMANDS)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _HOUSE:
            return _load(EntryPoint(cmd_name, _HOUSE[cmd_name], ""))
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        entry = declared(_COMMANDS).get(cmd_name)
        return None if entry is None else _load(entry)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Click's own, with the nearest names for an unknown one."""
        name = args[0]
        known = self.list_commands(ctx)
        if not name.startswith("-") and name not in known:
            ctx.fail(f"there is no command {name!r}{did_you_mean(name, known)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        summaries = dict(self._summaries(ctx))
        width = max(map(len, summaries))
        ours = {name for names in _GROUPS.values() for name in names}
        for heading, names in {**_GROUPS, "Others": tuple(summaries.keys() - ours)}.items():
            rows = [(name.ljust(width), summaries[name]) for name in names if name in summaries]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def _summaries(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Each command to be shown, with its first sentence."""
        entries = {name: EntryPoint(name, value, "") for name, value in _HOUSE.items()} | declared(_COMMANDS)
        for name in self.list_commands(ctx):
            if name == "dealer":
                yield name, _DEALER
                continue
            told = _told_by_source(entries[name]) if name in entries else None
            if told is not None:
                if told:  # a hidden one has none
                    yield name, told
                continue
            try:
                command = self.get_command(ctx, name)
            except click.ClickException as error:
                yield name, f"({error.message})"
                continue
            if command is not None and not command.hidden:
                yield name, command.get_short_help_str(limit=200)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names and summaries of commands; only the name of one that cannot be loaded."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=text)
            for name, text in self._summaries(ctx)
            if name.startswith(incomplete)
        ]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Click's own; an interruption ends the program as in `invoke`."""
        with _ending_in_one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Click's own, but status 130 where click says "Aborted!" and 1, and one line for a full disk."""
        with _ending_in_one_line():
            return super().invoke(ctx)


@contextlib.contextmanager
def _ending_in_one_line() -> Iterator[None]:
    """A context in which Ctrl-C (also while modules load) and system errors end a command in one line."""
    try:
        yield
    except (KeyboardInterrupt, OSError, BaseExceptionGroup) as error:
        fault = only(error, KeyboardInterrupt, OSError)
        if isinstance(fault, KeyboardInterrupt):
            raise click.exceptions.Exit(130) from None
        if not isinstance(fault, OSError) or fault.errno == errno.EPIPE:
            raise  # a bug; or nobody reads us any more, which click takes as the end
        raise click.ClickException(os_error_in_words(fault)) from error


def _told_by_source(entry: EntryPoint) -> str | None:
    """The first sentence of a command of ours, from its source, none if it is hidden.

    To import all commands takes most of a second.
    """
    module, _, name = entry.value.partition(":")
    path = _OURS.joinpath(*module.split(".")).with_suffix(".py")
    if not path.is_file():
        return None
    text = path.read_text("utf-8")
    ours = re.compile(rf'^def {name}\((?:[^\n]*|.*?^)\) -> None:\n    """(.*?)"""', re.S | re.M)
    found = ours.search(text)
    if found is None:
        return None
    if "hidden=True" in text[text.rfind("@click.command(", 0, found.start()) :].partition("\n")[0]:
        return ""
    return click.Command(name, help=found[1]).get_short_help_str(limit=200)


def _load(entry: EntryPoint) -> click.Command:
    module, _, name = entry.value.partition(":")
    try:
        command = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise click.ClickException(
            f"the command {entry.name!r} of {entry.value} cannot be loaded: {error}"
        ) from error
    if not isinstance(command, click.Command):
        raise click.ClickException(f"the command {entry.name!r}: {entry.value} is not a click command")
    return command


def _print_completion(context: click.Context, parameter: click.Parameter, shell: str | None) -> None:
    """Print what a shell has to run to complete our commands."""
    if shell is None or context.resilient_parsing:
        return
    script = get_completion_class(shell)
    assert script is not None  # click has one for each of `_SHELLS`
    click.echo(script(context.command, {}, "riverboat", "_RIVERBOAT_COMPLETE").source())
    context.exit()


def _print_version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    click.echo(f"riverboat, version {version('riverboat')}")
    if context.params["verbose"]:
        from engine.compiling import inventory

        click.echo(f"kernels: {inventory()}")
    context.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@flag("--verbose", "With --version: where the compiled kernels come from.", is_eager=True)
@flag("--version", "Show the version and exit.", expose_value=False, callback=_print_version)
@option(
    "--completion",
    'Print what makes a shell complete commands, bots and games: eval "$(riverboat --completion bash)".',
    Choice(_SHELLS),
    is_eager=True,
    expose_value=False,
    callback=_print_completion,
)
def riverboat(verbose: bool) -> None:
    """A poker room for programs and people.

    Three things to try:

    \b
      riverboat play --against simple                      you against a bot
      riverboat match limit-2p formula simple --hands 200  two bots: who is better
      riverboat new-bot my-bot                             a bot of your own

    `riverboat COMMAND --help` describes a command.
    """


@riverboat.command()
@click.argument("name", required=False, type=GAME)
@flag("--json as_json", "Print one JSON object instead.")
def games(name: str | None, as_json: bool) -> None:
    """List the games that come with the package; or print the file of the game NAME.

    Wherever a command takes GAME, the path of an ACPC game file will do, too: change a printed one.
    """
    if name is not None:
        try:
            click.echo(game_path(name).read_text("ascii"), nl=False)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise click.UsageError(no_such_game(name, str(reason))) from None
        return
    aliases = {name: alias for alias, name in ALIASES.items()}
    rows = [(name, aliases.get(name), load_game(name)) for name in packaged_games()]
    if as_json:
        listed = [
            {
                "name": name,
                "alias": alias,
                "players": game.num_players,
                "limit": game.is_limit,
                "blinds": game.blinds,
                "antes": game.antes,
                "stacks": None if game.is_limit else game.stacks,
                "bets": game.raise_sizes if game.is_limit else None,
            }
            for name, alias, game in rows
        ]
        click.echo(json.dumps({"games": listed}))
        return
    lines = [["game", "players", "blinds", "bets", "stacks"]]
    for name, alias, game in rows:
        antes = f" antes {_spelt(game.antes)}" if game.has_antes else ""
        bets = _spelt(game.raise_sizes) if game.is_limit else "no limit"
        stacks = "" if game.is_limit else f"{_spelt(game.stacks)} ({max(game.stacks) / game.big_blind:g} bb)"
        lines.append([alias or name, str(game.num_players), _spelt(game.blinds) + antes, bets, stacks])
    click.echo("\n".join(table(lines, left={0, 2, 3, 4})))
    click.echo("riverboat games NAME prints the file of a game")


def _spelt(numbers: Sequence[int]) -> str:
    """``5/10``; equal numbers once, and no zeros behind."""
    if len(set(numbers)) == 1:
        return str(numbers[0])
    return "/".join(map(str, numbers))
