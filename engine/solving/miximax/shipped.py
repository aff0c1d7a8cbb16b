"""What comes with the program: the habits of a reasonable player, and how hands change from round to round.

Two archives in ``engine/data/miximax``, for limit and for no-limit; the file beside them tells how they were
made.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any, Final

import numpy as np

from engine.poker.combos import NUM_STARTING_HANDS
from engine.poker.rules import GameDefinition, load_game
from engine.solving.miximax.habits import Habits
from engine.solving.miximax.strength import BUCKETS, Changes
from engine.solving.miximax.trees import ContextTree
from engine.support.files.archive import Archive, array_of, decode_archive

__all__ = [
    "file_name",
    "format_shipped",
    "parse_shipped",
    "reasonable_habits",
    "shipped_changes",
]

SCHEMA_VERSION: Final = 1
_KIND: Final = "riverboat reasonable player"
_FOLDER: Final = "data/miximax"
_SHAPES: Final = {
    "flops": (NUM_STARTING_HANDS, BUCKETS),
    "turns": (BUCKETS, BUCKETS),
    "rivers": (BUCKETS, BUCKETS),
}


def format_shipped(habits: Habits, changes: Changes) -> bytes:
    """The archive of a player's habits and of how hands change."""
    arrays: dict[str, Any] = {f"habits.{name}": array for name, array in habits.as_arrays().items()}
    for name in ("habits.action_scores", "habits.shown_scores"):  # of somebody who is not met, nothing
        arrays[name] = np.zeros_like(arrays[name])
    arrays |= {f"changes.{name}": getattr(changes, name).astype(np.float32) for name in _SHAPES}
    return Archive(_KIND, SCHEMA_VERSION, {}, arrays).encode()


def parse_shipped(data: bytes, tree: ContextTree) -> tuple[Habits, Changes]:
    """The habits, in the contexts of a game, and the changes of an archive made by `format_shipped`.

    Raises:
        ArchiveError: it is truncated, of another version, or makes no sense.
    """
    archive = decode_archive(data, _KIND, SCHEMA_VERSION, "the reasonable player's file")
    with archive.checked():
        habits = {
            name.removeprefix("habits."): array
            for name, array in archive.arrays.items()
            if name.startswith("habits.")
        }
        rows = {}
        for name, shape in _SHAPES.items():
            rows[name] = array_of(archive.arrays, f"changes.{name}", shape, "f", 0).astype(np.float64)
            if not np.allclose(rows[name].sum(axis=1), 1.0, atol=1e-4):
                raise ValueError(f"{name}: rows do not add up to 1")
        return Habits.from_arrays(tree, habits), Changes(**rows)


def file_name(game: GameDefinition) -> str:
    """The name of the archive for a game."""
    return "reasonable.npz" if game.is_limit else "reasonable-no-limit.npz"


@functools.lru_cache(maxsize=4)
def _shipped(game: GameDefinition) -> tuple[Habits, Changes]:
    from engine.solving.miximax.trees import betting_tree

    data = resources.files("engine").joinpath(_FOLDER, file_name(game)).read_bytes()
    return parse_shipped(data, betting_tree(game))


def reasonable_habits(game: GameDefinition) -> Habits:
    """What a player who follows the generic model does; shared, not to be changed.

    It was watched in heads-up limit hold'em, and in no-limit with 100 big blinds; in games with other
    bettings the contexts that both have are known.
    """
    return _shipped(game)[0]


def shipped_changes() -> Changes:
    """How hands of hold'em change buckets from round to round."""
    return _shipped(load_game("limit-2p"))[1]
