"""Strategies and checkpoints as files: archives with their game and notes as meta.

A *strategy file* holds a strategy: its game, how it was made, and the chances of all actions.  A
*checkpoint*, ``FILE.checkpoint``, holds all that a solver needs to continue.  Both are replaced in one step,
and what is truncated, damaged, of another game or newer than this program is refused.

**Chances on buckets** are kept as whole numbers of 63rds, without the chance of calling.  Calling is always
legal, so its chance is what the other actions leave.  The numbers of all buckets for one action are adjacent,
which compresses well: neighbours are similar, and most numbers are 0 or 63.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.poker.rules import CALL, GameDefinition, format_game, load_game, parse_game
from engine.solving.game_tree import game_tree
from engine.solving.holdem.abstraction import Abstraction
from engine.solving.holdem.betting import (
    BettingDecision,
    HoldemBetting,
    holdem_betting,
    is_heads_up_limit_holdem,
    is_heads_up_no_limit_holdem,
)
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.kinds import UnknownAbstraction, abstraction_of, menus_of, noted_menus
from engine.solving.strategies import Strategy
from engine.solving.walk import TooLarge
from engine.support.arrays import Bytes, Floats
from engine.support.files.archive import Archive, ArchiveError, array_of, read_archive, write_archive
from engine.support.files.formats import shown
from engine.support.user_input import told_as

SCHEMA: Final = 3
"""The version of both kinds of files; raised whenever their contents change their meaning."""

_DATA: Final = Path(__file__).parents[1] / "data" / "equilibrium"
_SHIPPED: Final = ("limit-2p", "nolimit-2p-100bb", "nolimit-2p")
"""The names of the games for which a strategy may ship in `_DATA`."""
_STRATEGY: Final = "riverboat strategy"
_CHECKPOINT: Final = "riverboat checkpoint"
PARTS: Final = 63
"""Chances are kept as multiples of 1 / `PARTS`; an action less likely than half of that is never taken."""
_MOST_PARTS: Final = 255
"""The most parts that a byte can count."""
_PARTS: Final = "parts"
"""The note of their number; files of schemas 1 and 2 lack it and have a byte for every action."""
_MOST_BYTES: Final = 1 << 28
"""The most bytes a compressed archive may unpack to; larger strategies are not compressed."""
_SLACK: Final = 1e-6
"""How far the sum of the chances of an information set may be from 1: they are kept as float32."""


@attrs.frozen(eq=False)
class SavedStrategy:
    """The contents of a strategy file."""

    strategy: Strategy | BucketedStrategy
    notes: Mapping[str, Any]
    """How it was made, as read from JSON: ``algorithm``, ``iterations``, ``seed``, ``buckets``."""

    @property
    def game(self) -> GameDefinition:
        """The game it plays."""
        return self.strategy.game


def checkpoint_path(path: Path) -> Path:
    """The path of the checkpoint that belongs to a strategy file."""
    return path.with_name(path.name + ".checkpoint")


def shipped_strategy(game: GameDefinition) -> Path | None:
    """The path of the strategy file that ships with this program for a game; None if there is none."""
    for name in _SHIPPED:
        path = _DATA / f"{name}.npz"
        if load_game(name) == game and path.exists():
            return path
    return None


@functools.lru_cache(maxsize=3)
def read_shipped(game: GameDefinition) -> BucketedStrategy | None:
    """The strategy on buckets that ships with this program for a game, read once; None if there is none.

    All callers share the same object, so nobody may change it.

    Raises:
        ArchiveError: the file is damaged.
    """
    path = shipped_strategy(game)
    strategy = None if path is None else read_strategy(path, game, is_ours=True).strategy
    return strategy if isinstance(strategy, BucketedStrategy) else None


@functools.lru_cache(maxsize=2)
def read_shipped_answers(game: GameDefinition) -> tuple[BucketedStrategy, ...]:
    """The answers to common opponents that ship with this program for a game, read once; mostly empty.

    Raises:
        ArchiveError: one of the files is damaged.
    """
    shipped = shipped_strategy(game)
    paths = [] if shipped is None else sorted(_DATA.glob(f"{shipped.stem}-against-*.npz"))
    found = [read_strategy(path, game, is_ours=True).strategy for path in paths]
    return tuple(strategy for strategy in found if isinstance(strategy, BucketedStrategy))


def write_strategy(path: Path, strategy: Strategy | BucketedStrategy, notes: Mapping[str, Any]) -> None:
    """Write a strategy file, replacing an old one in one step.

    Args:
        path: the file.
        strategy: the strategy; the abstraction of a strategy on buckets is written with it.
        notes: how the strategy was made, in terms of JSON.

    Raises:
        ArchiveError: the file cannot be written; an old one is then untouched.
    """
    noted = dict(notes)
    if isinstance(strategy, Strategy):
        arrays: dict[str, NDArray[Any]] = {"policy": strategy.policy.astype(np.float32)}
    else:
        abstraction = strategy.abstraction
        arrays = {"policy": format_levels(strategy.betting, strategy.policy), **abstraction.arrays()}
        noted |= {"abstraction": abstraction.kind, **abstraction.notes, _PARTS: PARTS}
        if strategy.betting.menus:
            noted["sizes"] = noted_menus(strategy.betting.menus)
    archive = Archive(_STRATEGY, SCHEMA, {"game": format_game(strategy.game), "notes": noted}, arrays)
    is_small = sum(array.nbytes for array in arrays.values()) < _MOST_BYTES // 2
    write_archive(path, archive, compressed=is_small, durable=True)


def read_strategy(path: Path, game: GameDefinition | None = None, *, is_ours: bool = False) -> SavedStrategy:
    """The contents of a strategy file.

    Args:
        path: the file.
        game: the game it must be for; None for any.
        is_ours: whether it came with this program: each chance is then read when it is asked for.

    Raises:
        ArchiveError: the file is missing, truncated, damaged, of another kind or game, or newer than this
            program.
    """
    archive, found, notes = _read(path, _STRATEGY)
    if game is not None and found != game:
        raise ArchiveError(f"{path} plays another game: {_difference(found, game)}")
    with archive.checked():
        if is_heads_up_limit_holdem(found) or is_heads_up_no_limit_holdem(found):
            with told_as(ArchiveError, UnknownAbstraction, what=f"{path} "):
                strategy = _bucketed(found, archive.arrays, notes)
            if not is_ours:
                _ = strategy.policy
            return SavedStrategy(strategy, notes)
        with told_as(ArchiveError, TooLarge, what=f"{path}: "):
            tree = game_tree(found)
        chances = array_of(archive.arrays, "policy", (tree.num_slots,), "f", 0.0).astype(np.float64)
        for node in tree.decisions:
            slots = node.slots(chances)
            total = slots.sum(axis=0)
            if not (np.abs(total - 1) < _SLACK).all():
                raise ValueError(f"chances after {node.betting.text!r} do not add up to 1")
            slots /= total
    return SavedStrategy(Strategy(tree, chances), notes)


def _bucketed(
    game: GameDefinition, arrays: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]
) -> BucketedStrategy:
    """A strategy of heads-up hold'em on buckets, from the contents of its file."""
    abstraction = abstraction_of(notes, arrays)
    menus = () if game.is_limit else menus_of(notes)
    if _PARTS not in notes:
        policy = array_of(arrays, "policy", (-1,), "|u1").astype(np.float64)
        return BucketedStrategy.of(game, abstraction, policy, menus)
    betting = holdem_betting(game, abstraction.num_buckets, menus)
    levels = array_of(arrays, "policy", (betting.num_slots - betting.num_information_sets,), "|u1")
    return bucketed_of_levels(betting, abstraction, levels, notes[_PARTS])


def write_checkpoint(
    path: Path, game: GameDefinition, state: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]
) -> None:
    """Write a checkpoint, replacing an old one in one step; once written it survives a power cut.

    Args:
        path: the checkpoint file itself.
        game: the game that is being solved.
        state: arrays by name, as from `engine.solving.solver.Solver.state`.
        notes: the settings that a run which continues from here must share.

    Raises:
        ArchiveError: the file cannot be written; an old one is then untouched.
    """
    meta = {"game": format_game(game), "notes": dict(notes)}
    write_archive(path, Archive(_CHECKPOINT, SCHEMA, meta, state), durable=True)


def read_checkpoint(path: Path, game: GameDefinition, notes: Mapping[str, Any]) -> Mapping[str, NDArray[Any]]:
    """The solver state in a checkpoint, as arrays by name.

    Args:
        path: the checkpoint file itself.
        game: the game that is to be solved.
        notes: the settings that the checkpoint must have been made with.

    Raises:
        ArchiveError: the file is missing, truncated, damaged, of another game, made with other settings, or
            newer than this program.
    """
    archive, found, its_notes = _read(path, _CHECKPOINT)
    if found != game:
        raise ArchiveError(f"{path} is of another game: {_difference(found, game)}")
    for name, value in notes.items():
        if its_notes.get(name) != value:
            raise ArchiveError(
                f"{path} was made with {name} {shown(its_notes.get(name))}, expected {value}: give the same, "
                "or begin anew with another file"
            )
    return archive.arrays


def _read(path: Path, kind: str) -> tuple[Archive, GameDefinition, Mapping[str, Any]]:
    """An archive of a kind, its game and its notes."""
    archive = read_archive(path, kind, SCHEMA, _MOST_BYTES)
    with archive.checked():
        game, notes = archive.meta["game"], archive.meta["notes"]
        if not isinstance(game, str) or not isinstance(notes, dict):
            raise TypeError("expected 'game', a text, and 'notes', an object")
        return archive, parse_game(game, str(path)), notes


def _difference(found: GameDefinition, expected: GameDefinition) -> str:
    """The first field in which two games differ, worded for a message."""
    for field in attrs.fields(GameDefinition):
        its, other = getattr(found, field.name), getattr(expected, field.name)
        if field.eq and its != other:
            return f"{field.name} is {shown(its)}, expected {shown(other)}"
    return "the same"


# --- chances on buckets -------------------------------------------------------------------------------------


def format_levels(betting: HoldemBetting, policy: Floats) -> Bytes:
    """The chances of a policy as numbers of parts, shape (slots less information sets,).

    They are ordered by decision, then by action without calling, then by bucket.  Cumulative chances are
    rounded, so that the parts of an information set add up to `PARTS`.

    Args:
        betting: the betting of the game.
        policy: chances by slot.
    """
    found = []
    for decision, chances in betting.by_decision(policy):
        sums = np.rint(chances.cumsum(axis=1) * PARTS)
        levels = np.diff(sums, axis=1, prepend=0.0)
        found.append(np.delete(levels, decision.actions.index(CALL), axis=1).T.ravel())
    return np.concatenate(found).astype(np.uint8)


def bucketed_of_levels(
    betting: HoldemBetting, abstraction: Abstraction, levels: Bytes, parts: object
) -> BucketedStrategy:
    """The strategy that `format_levels` was told; the chances at a decision are made when they are asked for.

    Args:
        betting: the betting of the game.
        abstraction: its buckets.
        levels: numbers of parts.
        parts: the number of parts that make up a chance of 1.

    Raises:
        ValueError: the numbers, when they are asked for, or the number of parts cannot be what
            `format_levels` used.
    """
    if not isinstance(parts, int) or not 1 <= parts <= _MOST_PARTS:
        raise ValueError(f"expected 1 to {_MOST_PARTS} 'parts', got {shown(parts)}")
    policy = np.empty(betting.num_slots)

    @functools.cache
    def rows(decision: BettingDecision) -> Floats:
        chances = betting.rows(decision, policy)
        buckets, actions = chances.shape
        start = decision.first_slot - decision.first_set
        columns = levels[start : start + buckets * (actions - 1)].reshape(actions - 1, buckets)
        left = parts - columns.sum(axis=0, dtype=np.int16)
        if left.min() < 0:
            raise ValueError(f"expected chances that add up to {parts} parts at most")
        chances[:] = np.insert(columns, decision.actions.index(CALL), left, axis=0).T / parts
        return chances

    return BucketedStrategy(betting, abstraction, policy, rows)
