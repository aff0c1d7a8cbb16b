"""Strategies and checkpoints as files: ``.npz`` archives of arrays with a JSON header, no pickles.

A *strategy file* holds a strategy: its game, how it was made, and the chances of all actions.  A
*checkpoint*, ``FILE.checkpoint``, holds all that a solver needs to continue.  Both are replaced in one step.
A file that is truncated, damaged, of another game or newer than this program is refused with a message of one
line.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.poker.rules import GameDefinition, GameDefinitionError, format_game, load_game, parse_game
from engine.solving.game_tree import game_tree
from engine.solving.holdem.betting import (
    holdem_betting,
    is_heads_up_limit_holdem,
    is_heads_up_no_limit_holdem,
)
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.kinds import UnknownAbstraction, abstraction_of, noted_sizes, sizes_of
from engine.solving.levels import PARTS, format_levels, parse_levels
from engine.solving.strategies import Strategy
from engine.solving.walk import TooLarge
from engine.support.files import write_whole
from engine.support.files.formats import format_arrays, parse_arrays, parse_json, shown

__all__ = [
    "SCHEMA",
    "SavedStrategy",
    "StrategyFileError",
    "checkpoint_path",
    "read_checkpoint",
    "read_shipped",
    "read_shipped_answers",
    "read_strategy",
    "shipped_strategy",
    "write_checkpoint",
    "write_strategy",
]

SCHEMA: Final = 3
"""The version of both kinds of files; raised whenever their contents change their meaning."""

_DATA: Final = Path(__file__).parents[1] / "data" / "equilibrium"
_SHIPPED: Final = ("limit-2p", "nolimit-2p-100bb")
"""The names of the games for which a strategy may ship in `_DATA`."""
_STRATEGY: Final = "riverboat strategy"
_CHECKPOINT: Final = "riverboat checkpoint"
_HEADER: Final = "header"
_PARTS: Final = "parts"
"""The note that says that chances are kept as in `levels`; older files have a byte for every action."""
_MOST_BYTES: Final = 1 << 28
"""The most bytes a compressed archive may unpack to; larger strategies are not compressed."""
_SLACK: Final = 1e-6
"""How far the sum of the chances of an information set may be from 1: they are kept as float32."""


class StrategyFileError(ValueError):
    """A strategy file or checkpoint cannot be used; the message is one line for people and names the file."""


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


@functools.lru_cache(maxsize=2)
def read_shipped(game: GameDefinition) -> BucketedStrategy | None:
    """The strategy on buckets that ships with this program for a game, read once; None if there is none.

    All callers share the same object, so nobody may change it.

    Raises:
        StrategyFileError: the file is damaged.
    """
    path = shipped_strategy(game)
    strategy = None if path is None else read_strategy(path, game).strategy
    return strategy if isinstance(strategy, BucketedStrategy) else None


@functools.lru_cache(maxsize=2)
def read_shipped_answers(game: GameDefinition) -> tuple[BucketedStrategy, ...]:
    """The answers to common opponents that ship with this program for a game, read once; mostly empty.

    Raises:
        StrategyFileError: one of the files is damaged.
    """
    shipped = shipped_strategy(game)
    paths = [] if shipped is None else sorted(_DATA.glob(f"{shipped.stem}-against-*.npz"))
    found = [read_strategy(path, game).strategy for path in paths]
    return tuple(strategy for strategy in found if isinstance(strategy, BucketedStrategy))


def write_strategy(path: Path, strategy: Strategy | BucketedStrategy, notes: Mapping[str, Any]) -> None:
    """Write a strategy file, replacing an old one in one step.

    Args:
        path: the file.
        strategy: the strategy; the abstraction of a strategy on buckets is written with it.
        notes: how the strategy was made, in terms of JSON.

    Raises:
        StrategyFileError: the file cannot be written; an old one is then untouched.
    """
    if isinstance(strategy, Strategy):
        _write(path, _STRATEGY, strategy.game, {"policy": strategy.policy.astype(np.float32)}, dict(notes))
        return
    abstraction = strategy.abstraction
    policy = format_levels(strategy.betting, strategy.policy)
    noted = {**notes, "abstraction": abstraction.kind, **abstraction.notes, _PARTS: PARTS}
    if strategy.betting.sizes:
        noted["sizes"] = noted_sizes(strategy.betting.sizes)
    _write(path, _STRATEGY, strategy.game, {"policy": policy, **abstraction.arrays()}, noted)


def read_strategy(path: Path, game: GameDefinition | None = None) -> SavedStrategy:
    """The contents of a strategy file.

    Args:
        path: the file.
        game: the game it must be for; None for any.

    Raises:
        StrategyFileError: the file is missing, truncated, damaged, of another kind or game, or newer than
            this program.
    """
    found, arrays, notes = _read(path, _STRATEGY)
    if game is not None and found != game:
        raise StrategyFileError(f"{path} plays another game: {_difference(found, game)}")
    if is_heads_up_limit_holdem(found) or is_heads_up_no_limit_holdem(found):
        return SavedStrategy(_bucketed(path, found, arrays, notes), notes)
    try:
        tree = game_tree(found)
    except TooLarge as error:
        raise StrategyFileError(f"{path}: {error}") from error
    policy = arrays.get("policy")
    if policy is None or policy.shape != (tree.num_slots,) or policy.dtype.kind != "f":
        raise StrategyFileError(f"{path} is damaged: expected {tree.num_slots} chances in 'policy'")
    chances = policy.astype(np.float64)
    for node in tree.decisions:
        slots = node.slots(chances)
        total = slots.sum(axis=0)
        if not (slots >= 0).all() or not (np.abs(total - 1) < _SLACK).all():
            raise StrategyFileError(
                f"{path} is damaged: chances after {node.betting.text!r} do not add up to 1"
            )
        slots /= total
    return SavedStrategy(Strategy(tree, chances), notes)


def _bucketed(
    path: Path, game: GameDefinition, arrays: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]
) -> BucketedStrategy:
    """A strategy of heads-up hold'em on buckets, from the contents of its file."""
    policy = arrays.get("policy")
    try:
        abstraction = abstraction_of(notes, arrays)
        sizes = () if game.is_limit else sizes_of(notes)
        if _PARTS in notes:
            betting = holdem_betting(game, abstraction.num_buckets, sizes)
            return BucketedStrategy(betting, abstraction, parse_levels(betting, policy, notes[_PARTS]))
        if policy is None or policy.dtype != np.uint8:
            raise ValueError("expected chances as bytes in 'policy'")
        return BucketedStrategy.of(game, abstraction, policy.astype(np.float64), sizes)
    except UnknownAbstraction as error:
        raise StrategyFileError(f"{path} {error}") from error
    except ValueError as error:
        raise StrategyFileError(f"{path} is damaged: {error}") from error


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
        StrategyFileError: the file cannot be written; an old one is then untouched.
    """
    _write(path, _CHECKPOINT, game, state, dict(notes))


def read_checkpoint(path: Path, game: GameDefinition, notes: Mapping[str, Any]) -> Mapping[str, NDArray[Any]]:
    """The solver state in a checkpoint, as arrays by name.

    Args:
        path: the checkpoint file itself.
        game: the game that is to be solved.
        notes: the settings that the checkpoint must have been made with.

    Raises:
        StrategyFileError: the file is missing, truncated, damaged, of another game, made with other settings,
            or newer than this program.
    """
    found, arrays, its_notes = _read(path, _CHECKPOINT)
    if found != game:
        raise StrategyFileError(f"{path} is of another game: {_difference(found, game)}")
    for name, value in notes.items():
        if its_notes.get(name) != value:
            raise StrategyFileError(
                f"{path} was made with {name} {shown(its_notes.get(name))}, expected {value}: give the same, "
                "or begin anew with another file"
            )
    return arrays


def _write(
    path: Path,
    kind: str,
    game: GameDefinition,
    arrays: Mapping[str, NDArray[Any]],
    notes: Mapping[str, Any],
) -> None:
    """Write arrays with a header; small strategies are compressed."""
    header = {
        "format": kind,
        "schema": SCHEMA,
        "game": format_game(game),
        "notes": notes,
        "digest": _digest(kind, format_game(game), notes, arrays),
    }
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    try:
        size = sum(array.nbytes for array in arrays.values())
        is_small = kind == _STRATEGY and size + text.nbytes < _MOST_BYTES // 2
        write_whole(path, format_arrays({_HEADER: text, **arrays}, compressed=is_small), durable=True)
    except OSError as error:
        raise StrategyFileError(f"{path} cannot be written: {error.strerror or error}") from error


def _read(path: Path, kind: str) -> tuple[GameDefinition, Mapping[str, NDArray[Any]], Mapping[str, Any]]:
    """The game, the arrays and the notes of a file of a kind, checked against its digest."""
    what = kind.partition(" ")[2]
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise StrategyFileError(f"{os.fspath(path)}: there is no such file") from error
    except OSError as error:
        raise StrategyFileError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        arrays = parse_arrays(data, _MOST_BYTES)
        header = parse_json(bytes(arrays.pop(_HEADER).astype(np.uint8)).decode())
    except (ValueError, KeyError, TypeError) as error:
        reason = "it has no header" if isinstance(error, KeyError) else str(error)
        raise StrategyFileError(f"{path} is not a whole {what}: {reason}") from error
    if not isinstance(header, dict) or header.get("format") != kind:
        named = header.get("format") if isinstance(header, dict) else header
        raise StrategyFileError(
            f"{path} is not a {what}: expected {kind!r} in its header, got {shown(named)}"
        )
    schema = header.get("schema")
    if not isinstance(schema, int) or schema > SCHEMA:
        raise StrategyFileError(
            f"{path} was written by a newer riverboat: schema {shown(schema)}, this one reads up to {SCHEMA}"
        )
    notes = header.get("notes")
    text = header.get("game")
    if not isinstance(notes, dict) or not isinstance(text, str):
        raise StrategyFileError(f"{path} is damaged: its header lacks 'game' or 'notes'")
    if header.get("digest") != _digest(kind, text, notes, arrays):
        raise StrategyFileError(f"{path} is damaged: its contents are not those it was written with")
    try:
        return parse_game(text, str(path)), arrays, notes
    except GameDefinitionError as error:
        raise StrategyFileError(f"{path} is damaged: {error}") from error


def _digest(kind: str, game: str, notes: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """A checksum of all contents of a file."""
    sha = hashlib.sha256(json.dumps([kind, game, notes], sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        sha.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        sha.update(array.tobytes())
    return sha.hexdigest()[:32]


def _difference(found: GameDefinition, expected: GameDefinition) -> str:
    """The first field in which two games differ, worded for a message."""
    for field in attrs.fields(GameDefinition):
        its, other = getattr(found, field.name), getattr(expected, field.name)
        if field.eq and its != other:
            return f"{field.name} is {shown(its)}, expected {shown(other)}"
    return "the same"
