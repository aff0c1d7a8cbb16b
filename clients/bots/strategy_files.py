"""Reads strategy files for bots; a bad file is a usage error, in one line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clients.core.options import OptionError
from engine import compiling
from engine.support.files.archive import ArchiveError
from engine.support.user_input import told_as

if TYPE_CHECKING:
    from engine.poker.rules import GameDefinition
    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.strategy_file import SavedStrategy


def saved_strategy(path: Path, game: GameDefinition | None = None) -> SavedStrategy:
    """The strategy that a file holds.

    Args:
        path: the file.
        game: the game it must be for; None for any.

    Raises:
        OptionError: the file cannot be read, or is for another game.
    """
    from engine.solving.strategy_file import read_strategy

    with told_as(OptionError, ArchiveError):
        saved = read_strategy(path, game)
    _ready(saved.strategy)
    return saved


def bucketed_strategy(path: Path) -> BucketedStrategy:
    """The strategy of heads-up hold'em that a file holds.

    Raises:
        OptionError: the file cannot be read, or is for another game.
    """
    from engine.solving.holdem.bucketed import BucketedStrategy

    strategy = saved_strategy(path).strategy
    if not isinstance(strategy, BucketedStrategy):
        raise OptionError(f"{path}: expected a strategy of heads-up hold'em")
    return strategy


def shipped_strategy(game: GameDefinition) -> BucketedStrategy | None:
    """The strategy that comes with the program for a game, if there is one.

    Raises:
        OptionError: its file is damaged.
    """
    from engine.solving.strategy_file import read_shipped

    with told_as(OptionError, ArchiveError):
        found = read_shipped(game)
    _ready(found)
    return found


def shipped_answers(game: GameDefinition) -> tuple[BucketedStrategy, ...]:
    """The answers to typical opponents that come with the program for a game; empty for most games.

    Raises:
        OptionError: a file is damaged.
    """
    from engine.solving.strategy_file import read_shipped_answers

    with told_as(OptionError, ArchiveError):
        return read_shipped_answers(game)


def _ready(strategy: object) -> None:
    """Compile what looks hands up in a strategy on buckets, which would otherwise happen in mid-hand."""
    from engine.solving.holdem.bucketed import BucketedStrategy

    if isinstance(strategy, BucketedStrategy):
        compiling.strategy(strategy)
