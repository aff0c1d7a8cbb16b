"""``riverboat new-bot``: a starter bot, in one of five languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs
import click
from click import Choice

from engine.support.files.whole import write_whole
from server.match.launching.players import BOT_FILE, format_bot_file
from server.support.options import flag, option

_SCAFFOLDS: Final = Path(__file__).parent / "scaffolds"
NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")


@attrs.frozen
class Language:
    """How bots of a language are built and run, without a shell, in their folder."""

    mine: str
    """The file that decides."""
    build: str
    """Empty if nothing is built."""
    command: str
    tool: str
    """The program that it needs."""


LANGUAGES: Final = {
    "python": Language("my_bot.py", "", "python my_bot.py", "python"),
    "c": Language("my_bot.c", "cc -std=c99 -O2 -Wall -o my_bot my_bot.c table.c", "./my_bot", "cc"),
    "java": Language(
        "MyBot.java", "javac MyBot.java Game.java Hand.java Table.java", "java -cp . MyBot", "javac"
    ),
    "javascript": Language("my_bot.js", "", "node my_bot.js", "node"),
    "rust": Language("src/main.rs", "rustc --edition 2021 -O -o my_bot src/main.rs", "./my_bot", "rustc"),
}


def scaffold(language: str, name: str) -> dict[str, str]:
    """The files of a new bot: their contents by their paths in its folder."""
    known = LANGUAGES[language]
    build = f"$ {known.build}\n" if known.build else ""
    words = {"@NAME@": name, "@MINE@": known.mine, "@BUILD@": build, "@COMMAND@": known.command}
    files = {}
    folder = _SCAFFOLDS / language
    sources = [(path, path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]
    sources.append((_SCAFFOLDS / "README.md.txt", Path("README.md.txt")))
    for path, place in sources:
        text = path.read_text("utf-8")
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        files[place.as_posix().removesuffix(".txt")] = text
    files[BOT_FILE] = format_bot_file(name, known.build, known.command)
    return files


def write_new(folder: Path, files: Mapping[str, str], *, force: bool) -> None:
    """Write files into a folder.

    Raises:
        click.UsageError: one is there already, and may not be replaced.
    """
    there = [path for path in files if (folder / path).exists()]
    if there and not force:
        raise click.UsageError(f"{folder / there[0]} is there already; --force replaces it")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(folder / path, text)


@click.command("new-bot")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@option("--language -l", "What it is written in.", Choice(sorted(LANGUAGES)), default="python")
@option("--name", "What it is called; default: as its folder.")
@flag("--force", "Replace files that are there.")
def new_bot(folder: Path, language: str, name: str | None, force: bool) -> None:
    """Write a starter bot into DIR, and the bot.toml that says how it is built and run.

    It plays every game that comes with the package and passes `riverboat check-bot`; what it does when it is
    to act is one short function.
    """
    name = name or folder.absolute().name
    if not NAME.fullmatch(name):
        raise click.UsageError(
            f"expected a name of letters, digits, '.', '_' and '-', got {name!r}: --name NAME"
        )
    write_new(folder, scaffold(language, name), force=force)
    known = LANGUAGES[language]
    click.echo(f"{folder / known.mine} decides what {name} does.  Next:")
    click.echo(f"  cd {folder}")
    if known.build:
        click.echo(f"  {known.build}")
    click.echo(f'  riverboat check-bot "{known.command}"')
