"""All kinds of abstractions, by their names in files; and sizes of raises as files have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.poker.cards import NUM_CARDS
from engine.poker.combos import NUM_COMBOS
from engine.solving.holdem.abstraction import Abstraction, Percentiles
from engine.solving.holdem.betting import Menus
from engine.solving.holdem.distributions import (
    BINS,
    BOARD_CLASSES,
    FEATURES,
    MOST_CLUSTERS,
    NUM_FLOPS,
    NUM_TURNS,
    BoardFeatures,
    Clusters,
    Distributions,
    board_features,
    cluster_boards,
)
from engine.support.files.cache import cached
from engine.support.files.formats import shown

AbstractionKind = Literal["distributions", "percentiles"]
KINDS: Final[Mapping[AbstractionKind, tuple[int, int, int]]] = {
    "distributions": (60, 60, 20),
    "percentiles": (20, 20, 20),
}
"""The kinds that can be made, each with its usual numbers of buckets on flop, turn and river."""

_ALL_IN: Final = "all-in"
"""The word for an infinite size in files."""
_SEED: Final = 1
"""The seed of k-means: fixed, since one abstraction serves all strategies."""
_SCHEMA: Final = 1
"""The version of cached abstractions."""


class UnknownAbstraction(ValueError):
    """A file uses a kind of abstraction that this program does not know.

    The message is what follows the file's name in an error for people.
    """


def abstraction_of(notes: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Abstraction:
    """The abstraction that a file was written with.

    Args:
        notes: ``abstraction``, the kind, and all of `Abstraction.notes`.
        arrays: all of `Abstraction.arrays`, and perhaps others.

    Raises:
        UnknownAbstraction: this program does not know the kind.
        KeyError, ValueError: the file is damaged.
    """
    kind = notes.get("abstraction")
    if kind == Percentiles.kind:
        return Percentiles(_three(notes, "buckets")[0])
    if kind == Distributions.kind:
        return _distributions_of(notes, arrays, _board_classes(notes))
    if kind == Clusters.kind:
        base = _distributions_of(notes, arrays, (1, 1, _board_classes(notes)[2]))
        return Clusters(base, arrays["flop_clusters"], arrays["turn_clusters"])
    known = ", ".join(repr(each.kind) for each in (Percentiles, Distributions, Clusters))
    raise UnknownAbstraction(f"knows hands by {shown(kind)}, this riverboat by {known}")


def _distributions_of(
    notes: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], board_classes: tuple[int, int, int]
) -> Distributions:
    """The buckets by distribution of strength that a file was written with."""
    turns = np.ascontiguousarray(arrays["turns"])
    return Distributions(arrays["flops"], turns, _three(notes, "buckets")[2], board_classes)


def noted_menus(menus: Menus) -> list[Any]:
    """Raises in terms of JSON: parts of the pot and a word for all-in; one list if always the same."""
    noted = [[[_ALL_IN if math.isinf(size) else size for size in sizes] for sizes in menu] for menu in menus]
    return noted[0][0] if len(noted) == len(noted[0]) == 1 else noted


def menus_of(notes: Mapping[str, Any]) -> Menus:
    """The raises that a file was written with.

    Raises:
        ValueError: the file is damaged.
    """

    def part(noted: Any) -> float:
        return math.inf if noted == _ALL_IN else noted + 0.0  # no text

    found: Any = notes.get("sizes")
    try:
        listed = found if isinstance(found[0], list) else [[found]]
        return tuple(tuple(tuple(map(part, sizes)) for sizes in menu) for menu in listed)
    except (LookupError, TypeError):
        raise ValueError(f"expected parts of the pot as 'sizes', got {shown(found)}") from None


def make_abstraction(
    kind: AbstractionKind,
    buckets: Sequence[int],
    board_classes: tuple[int, int, int] = (1, 1, 1),
    show: Callable[[int, int], None] = lambda done, of: None,
) -> Abstraction:
    """An abstraction; what takes long to compute is made once per machine and cached.

    Args:
        kind: one of `KINDS`.
        buckets: the numbers of buckets on flop, turn and river.
        board_classes: the numbers of classes of boards that distributions tell apart on flop, turn and river.
            On flop and turn, numbers that are not in `BOARD_CLASSES` mean so many clusters.
        show: called with the work done and all the work, if it takes long.

    Raises:
        ValueError: a number of buckets, classes or clusters is out of range, or they do not go together.
    """
    flop, turn, river = buckets
    if kind == "percentiles":
        if not flop == turn == river:
            raise ValueError(f"expected as many percentiles in each round, got {flop}, {turn} and {river}")
        return Percentiles(flop)
    if not (1 <= flop <= 255 and 1 <= turn <= 255 and 1 <= river <= 255):
        raise ValueError(f"expected 1 to 255 buckets in each round, got {flop}, {turn} and {river}")
    on_flop, on_turn, on_river = board_classes
    are_clusters = on_flop not in BOARD_CLASSES
    if are_clusters == (on_turn in BOARD_CLASSES):
        raise ValueError(
            f"expected {', '.join(map(str, BOARD_CLASSES))} on flop and turn, or clusters on both, got "
            f"{on_flop} and {on_turn}"
        )
    base = _distributions(flop, turn, river, (1, 1, on_river) if are_clusters else board_classes, show)
    return _clustered(base, (on_flop, on_turn), show) if are_clusters else base


def make_opponent(
    base: Abstraction, clusters: tuple[int, int], show: Callable[[int, int], None] = lambda done, of: None
) -> Clusters:
    """The finer abstraction of an opponent that a strategy learns against, made once per machine.

    Args:
        base: the abstraction of the strategy.
        clusters: the numbers of clusters of boards that the opponent tells apart on flop and turn.
        show: as for `make_abstraction`.

    Raises:
        ValueError: a number of clusters is out of range, or the strategy's buckets are percentiles.
    """
    if isinstance(base, Clusters):
        base = base.base
    if not isinstance(base, Distributions):
        raise ValueError(f"expected hands by distributions, got {base.kind}")  # noqa: TRY004
    return _clustered(base, clusters, show)


def _distributions(
    flop: int, turn: int, river: int, board_classes: tuple[int, int, int], show: Callable[[int, int], None]
) -> Distributions:
    """Buckets by distribution of strength, whose arrays are cached."""
    name = f"strength-distributions/{flop}-{turn}"
    shapes = {"flops": ((NUM_FLOPS, NUM_COMBOS), np.uint8), "turns": ((BINS, turn), np.float32)}

    def make() -> dict[str, NDArray[Any]]:
        made = Distributions.made(flop, turn, _SEED, lambda done: show(done, NUM_FLOPS))
        return dict(zip(shapes, made, strict=True))

    found = cached(name, _SCHEMA, shapes, make)
    return Distributions(found["flops"], found["turns"], river, board_classes)


def _clustered(base: Distributions, clusters: tuple[int, int], show: Callable[[int, int], None]) -> Clusters:
    """Buckets by cluster of boards, whose features are cached."""
    flop, turn = clusters
    if not (1 <= flop <= MOST_CLUSTERS and 1 <= turn <= MOST_CLUSTERS):
        raise ValueError(f"expected 1 to {MOST_CLUSTERS} clusters, got {flop} and {turn}")
    name = "board-features"
    shapes = {
        "flops": ((NUM_FLOPS, FEATURES), np.float32),
        "turns": ((NUM_TURNS, FEATURES), np.float32),
        "numbers": ((NUM_FLOPS, NUM_CARDS), np.int64),
    }
    found = cached(
        name, _SCHEMA, shapes, lambda: attrs.asdict(board_features(lambda done: show(done, NUM_FLOPS)))
    )
    return Clusters(base, *cluster_boards(BoardFeatures(**found), flop, turn, _SEED))


def _board_classes(notes: Mapping[str, Any]) -> tuple[int, int, int]:
    """The numbers of classes of boards on flop, turn and river; a file of schema 1 notes only the river's."""
    found = notes.get("textures")
    if isinstance(found, int):
        return 1, 1, found
    flop, turn, river = _three(notes, "textures")
    return flop, turn, river


def _three(notes: Mapping[str, Any], name: str) -> Sequence[int]:
    """A note that must be three whole numbers; ValueError if it is not."""
    found = notes.get(name)
    if not isinstance(found, list) or len(found) != 3 or not all(isinstance(number, int) for number in found):
        raise ValueError(f"expected three numbers as {name!r}, got {shown(found)}")
    return found
