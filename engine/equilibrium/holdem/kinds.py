"""The abstractions there are, by what files call them; sizes of raises as files have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from engine.combos import NUM_COMBOS
from engine.equilibrium.holdem.abstraction import Abstraction
from engine.equilibrium.holdem.buckets import Percentiles
from engine.equilibrium.holdem.distributions import BINS, NUM_FLOPS, Distributions
from engine.files.cache import load_cached, store_cached
from engine.files.formats import shown

__all__ = [
    "KINDS",
    "AbstractionKind",
    "UnknownAbstraction",
    "abstraction_of",
    "make_abstraction",
    "noted_sizes",
    "sizes_of",
]

AbstractionKind = Literal["distributions", "percentiles"]
KINDS: Final[Mapping[AbstractionKind, tuple[int, int, int]]] = {
    "distributions": (60, 60, 20),
    "percentiles": (20, 20, 20),
}
"""The abstractions, each with its usual buckets on flop, turn and river."""

_ALL_IN: Final = "all-in"
_SEED: Final = 1
"""For the hands that k-means looks at: one abstraction serves all strategies."""
_SCHEMA: Final = 1


class UnknownAbstraction(ValueError):
    """Hands in buckets of a kind that this program does not know; what follows a file's name in a message."""


def abstraction_of(notes: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Abstraction:
    """The abstraction that a file was written with.

    Args:
        notes: ``abstraction``, its kind, and what `Abstraction.notes` gave.
        arrays: what `Abstraction.arrays` gave, and others.

    Raises:
        UnknownAbstraction: of another kind.
        ValueError: the file is damaged.
    """
    kind = notes.get("abstraction")
    if kind == Percentiles.kind:
        return Percentiles(_buckets(notes)[0])
    if kind == Distributions.kind:
        for name in ("flops", "turns"):
            if name not in arrays:
                raise ValueError(f"expected {name!r}")
        turns = np.ascontiguousarray(arrays["turns"])
        return Distributions(
            np.ascontiguousarray(arrays["flops"]), turns, _buckets(notes)[2], _textures(notes)
        )
    raise UnknownAbstraction(
        f"knows hands by {shown(kind)}, this riverboat by {Percentiles.kind!r} and {Distributions.kind!r}"
    )


def noted_sizes(sizes: Sequence[float]) -> list[float | str]:
    """Parts of the pot as JSON has them, with a word for infinity."""
    return [_ALL_IN if math.isinf(size) else size for size in sizes]


def sizes_of(notes: Mapping[str, Any]) -> tuple[float, ...]:
    """The sizes of raises that a file was written with.

    Raises:
        ValueError: the file is damaged.
    """
    found = notes.get("sizes")
    if not isinstance(found, list) or not found:
        raise ValueError(f"expected parts of the pot as 'sizes', got {shown(found)}")
    sizes = [math.inf if size == _ALL_IN else size for size in found]
    if not all(isinstance(size, (int, float)) and size > 0 for size in sizes):
        raise ValueError(f"expected parts of the pot as 'sizes', got {shown(found)}")
    return tuple(map(float, sizes))


def make_abstraction(
    kind: AbstractionKind,
    buckets: Sequence[int],
    textures: tuple[int, int, int] = (1, 1, 1),
    show: Callable[[int, int], None] = lambda done, of: None,
) -> Abstraction:
    """An abstraction, made once a machine.

    Args:
        kind: of `KINDS`.
        buckets: on flop, turn and river.
        textures: kinds of boards that distributions tell apart on flop, turn and river.
        show: told how much is done, and of how much, where it takes a minute.

    Raises:
        ValueError: too many buckets, or none.
    """
    flop, turn, river = buckets
    if kind == "percentiles":
        if not flop == turn == river:
            raise ValueError(f"expected as many percentiles in each round, got {flop}, {turn} and {river}")
        return Percentiles(flop)
    if not (1 <= flop <= 255 and 1 <= turn <= 255 and 1 <= river <= 255):
        raise ValueError(f"expected 1 to 255 buckets in each round, got {flop}, {turn} and {river}")
    name = f"strength-distributions/{flop}-{turn}"
    shapes = {"flops": ((NUM_FLOPS, NUM_COMBOS), np.uint8), "turns": ((BINS, turn), np.float32)}
    found = load_cached(name, _SCHEMA, shapes)
    if found is not None:
        return Distributions(found["flops"], found["turns"], river, textures)
    flops, turns = Distributions.made(flop, turn, _SEED, lambda done: show(done, NUM_FLOPS))
    store_cached(name, _SCHEMA, {"flops": flops, "turns": turns})
    return Distributions(flops, turns, river, textures)


def _textures(notes: Mapping[str, Any]) -> tuple[int, int, int]:
    """By round; a file of schema 1 has those of the river alone."""
    found = notes.get("textures")
    if isinstance(found, int):
        return 1, 1, found
    flop, turn, river = _three(notes, "textures")
    return flop, turn, river


def _buckets(notes: Mapping[str, Any]) -> Sequence[int]:
    return _three(notes, "buckets")


def _three(notes: Mapping[str, Any], name: str) -> Sequence[int]:
    found = notes.get(name)
    if not isinstance(found, list) or len(found) != 3 or not all(isinstance(number, int) for number in found):
        raise ValueError(f"expected three numbers as {name!r}, got {shown(found)}")
    return found
