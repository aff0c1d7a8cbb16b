"""The command lines of benchmarks: help from the module's docstring, and one line about a mistake."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final, NoReturn

from engine.poker.rules import GameDefinitionError, load_game, no_such_game

MOST: Final = 1_000_000_000
"""The greatest number on a command line."""


class BenchmarkParser(argparse.ArgumentParser):
    """Reads the command line of a benchmark.

    Args:
        module: the name of its ``__spec__``, or another name.
        words: its docstring, which is shown unchanged.
    """

    def __init__(self, module: str, words: str | None) -> None:
        super().__init__(
            prog=f"python -m tests.benchmarks.{module}",
            description=words,
            formatter_class=argparse.RawTextHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and exit with status 2."""
        line = " ".join(message.split())
        self.exit(2, f"{self.prog.rpartition('.')[2]}: {line}; see --help\n")


def how_many(text: str) -> int:
    """The whole number of a text, 1 or more."""
    if not (text.isascii() and text.isdecimal() and 0 < len(text) < 20 and 1 <= int(text) <= MOST):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {MOST}, got {text!r}")
    return int(text)


def known_game(text: str) -> str:
    """The name of a game that exists."""
    try:
        load_game(text)
    except GameDefinitionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    except OSError as error:
        raise argparse.ArgumentTypeError(no_such_game(text, error.strerror or "no such file")) from None
    return text


def known_bot(text: str) -> str:
    """The text of an installed bot with its options, as in `riverboat match`."""
    from clients.core.registry import make_bot

    try:
        make_bot(text)
    except (LookupError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def known_player(text: str) -> str:
    """The name of one of ``tests.support.strangers``, or the text of an installed bot."""
    from tests.support.strangers import STRANGERS

    return text if text in STRANGERS else known_bot(text)


def known_file(text: str) -> Path:
    """The path of a file that is there."""
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return path


def known_tree(text: str) -> Path:
    """A folder with the sources of a version."""
    tree = Path(text).resolve()
    if not (tree / "server" / "__main__.py").is_file():
        raise argparse.ArgumentTypeError(f"expected a folder with a tree of Riverboat, got {text!r}")
    return tree
