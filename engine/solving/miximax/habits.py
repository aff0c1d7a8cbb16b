"""What an opponent did and showed, counted by context, and what is to be expected from it.

The counts fade: what was seen long ago counts less than what was seen lately, so that an opponent who changes
is followed.

How far the finer is drawn towards the coarser is learnt as well: of several weights those are used that would
have predicted best what this opponent did so far.  Somebody who does the same everywhere is known after a
few hands; somebody who plays each situation in its own way is taken as such once that has shown.

The habits of a reasonable player come with the program, in two archives in ``engine/data/miximax``, for limit
and for no-limit, beside how hands change from round to round; the file there tells how they were made.

Folded hands are not seen, so hands are counted by the betting they were shown after and never generalised to
those that were not shown.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.solving.miximax import values as kernels
from engine.kernels.solving.miximax.strength import BUCKETS
from engine.kernels.solving.miximax.values import Counted, MiximaxKind, Weights
from engine.poker.combos import NUM_STARTING_HANDS
from engine.poker.rules import Action, BettingState, GameDefinition, load_game
from engine.solving.miximax.strength import Changes, percentile
from engine.solving.miximax.trees import LEVELS, SIZED_LEVELS, ContextTree, betting_tree
from engine.support.arrays import Bools, Floats, Ints
from engine.support.files.archive import Archive, array_of, decode_archive

_NEUTRAL: Final = (6.0, 12.0)
"""What is expected weighs so much while habits are drawn towards no habits at all: actions, shown hands."""


def _choices(coarsest: Sequence[float], finer: Sequence[float]) -> Floats:
    """Weights by level to choose among, shape (choices, LEVELS)."""
    return np.array([[weight] * (LEVELS - 1) + [first] for first in coarsest for weight in finer])


_ACTION_CHOICES: Final = _choices((40.0, 400.0, 8.0), (20.0, 80.0))
_SHOWN_CHOICES: Final = _choices((200.0, 20.0), (20.0, 100.0, 400.0))
"""The first is right for most players; the others are for those who do the same everywhere, or who are unlike
anybody."""
_NOTHING: Final = 1e9
"""The weight of what is expected beside which counts of the last level of sized contexts are nothing."""


def _with_last(choices: Floats, first: float, finer: float) -> Floats:
    """The same where raises have sizes: the last level says nothing, or in one more choice much."""
    usual = np.column_stack((choices, np.full(len(choices), _NOTHING)))
    return np.vstack((usual, [*[finer] * LEVELS, first]))


_CHOICES: Final = {
    LEVELS: (_ACTION_CHOICES, _SHOWN_CHOICES),
    SIZED_LEVELS: (_with_last(_ACTION_CHOICES, 8.0, 80.0), _with_last(_SHOWN_CHOICES, 20.0, 400.0)),
}
"""Of actions and of shown hands, by the levels of contexts."""
_AGAINST_OTHERS: Final = 4.0
"""By so much, a logarithm of chances, the others must have predicted better than the first."""
_SCORES_FADE: Final = 0.998


def _chosen(scores: Floats) -> int:
    best = int(np.argmax(scores))
    return best if scores[best] > scores[0] + _AGAINST_OTHERS else 0


class InvalidHabits(ValueError):
    """Counts from a file that make no sense."""


class Habits:
    """Counts of one opponent.

    Args:
        tree: of the game.
        expectations: what is expected of the opponent before anything has been seen; None: anything.
        fading: what an observation counts after the next in the same context, above 0 and at most 1.
    """

    def __init__(
        self, tree: ContextTree, expectations: Expectations | None = None, fading: float = 1.0
    ) -> None:
        self.tree = tree
        self.expectations = expectations or Expectations(tree)
        self.fading = fading
        self.hands = 0
        """Hands counted."""
        size = len(tree.contexts)
        self.counted = Counted(np.zeros((size, tree.num_actions)), np.zeros((size, BUCKETS)))
        self._choices = _CHOICES[tree.levels]
        self._scores = (np.zeros(len(self._choices[0])), np.zeros(len(self._choices[1])))
        self._elsewhere: dict[str, NDArray[np.generic]] = {}
        # Contexts, and their counts, of other games of the kind: bettings that take more chips, for one.

    @property
    def weights(self) -> Weights:
        """How many observations the coarser counts as, by level: what has predicted best."""
        actions, shown = self._scores
        return Weights(self._choices[0][_chosen(actions)], self._choices[1][_chosen(shown)])

    def observe(
        self, betting: BettingState, position: int, cards: Sequence[int] = (), board: Sequence[int] = ()
    ) -> None:
        """A hand is over.

        Args:
            betting: all of it.
            position: the opponent's.
            cards: the opponent's hole cards, where a showdown has shown them.
            board: what lies at the end.
        """
        self.hands += 1
        for before, actor, action in betting.steps():
            if actor == position:
                self.observe_action(before, action)
        if betting.is_showdown and len(cards) == 2:
            self.observe_showdown(betting, position, percentile(cards, board))

    def observe_action(self, before: BettingState, action: Action) -> None:
        """The opponent, to act in a state, did this; not counted where the tree has no more betting."""
        node = self.tree.node(before)
        if self.tree.arrays.kinds[node] != MiximaxKind.DECISION:
            return
        seen = np.zeros(self.tree.num_actions)
        seen[self.tree.column(before, action)] = 1.0
        rows = self.tree.arrays.contexts[node]
        self._count(rows, self.counted.actions, self.expectations.actions[node], seen, 0)

    def observe_showdown(self, betting: BettingState, position: int, strength: float) -> None:
        """After a betting the opponent showed a hand of some percentile."""
        arrays = self.tree.arrays
        contexts = arrays.contexts if position == 0 else arrays.contexts_of_other
        place = min(max(strength * BUCKETS - 0.5, 0.0), BUCKETS - 1.0)
        low = int(place)
        share = place - low
        seen = np.zeros(BUCKETS)
        seen[low] = 1.0 - share
        seen[min(low + 1, BUCKETS - 1)] += share
        node = self.tree.node(betting)
        expected = self.expectations.hands[position][node]
        self._count(contexts[node], self.counted.shown, expected, seen, 1)

    def _count(self, rows: Ints, counted: Floats, expected: Floats, seen: Floats, kind: int) -> None:
        scores, choices = self._scores[kind], self._choices[kind]
        scores *= _SCORES_FADE
        kernels.add_log_chances(rows, counted, expected, seen, choices, scores)
        for row in rows:
            counted[row] *= self.fading
            counted[row] += seen

    # --- files ---------------------------------------------------------------------------------------------

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """The counts for a file, with the names of the contexts."""
        names = np.array([name.encode() for name in self.tree.contexts])
        actions, shown = self.counted
        acted, showed = actions.any(axis=1), shown.any(axis=1)
        found: dict[str, NDArray[np.generic]] = {
            "hands": np.array(self.hands),
            "action_scores": self._scores[0].copy(),
            "shown_scores": self._scores[1].copy(),
            "action_contexts": names[acted],
            "actions": actions[acted].astype(np.float32),
            "shown_contexts": names[showed],
            "shown": shown[showed].astype(np.float32),
        }
        for name, array in self._elsewhere.items():
            found[name] = np.concatenate((found[name], array))
        return found

    @classmethod
    def from_arrays(
        cls,
        tree: ContextTree,
        arrays: Mapping[str, NDArray[np.generic]],
        expectations: Expectations | None = None,
        fading: float = 1.0,
    ) -> Habits:
        """What `as_arrays` was called on; contexts that this game does not have are kept for the next file.

        Raises:
            InvalidHabits: something is missing, no number, or of another shape.
        """
        habits = cls(tree, expectations, fading)
        try:
            hands = arrays["hands"]
            if hands.shape != () or hands.dtype.kind not in "iu" or hands.item() < 0:
                raise InvalidHabits("hands is no number of hands")
            habits.hands = hands.item()
            for name, counted in (("action", habits.counted.actions), ("shown", habits.counted.shown)):
                contexts = arrays[f"{name}_contexts"]
                counts = "actions" if name == "action" else name
                rows = arrays[counts]
                known = _enter(name, tree, contexts, rows, counted)
                if not known.all():
                    habits._elsewhere |= {f"{name}_contexts": contexts[~known], counts: rows[~known]}
            for name, scores in zip(("action_scores", "shown_scores"), habits._scores, strict=True):
                array = arrays[name]
                if array.shape != scores.shape or array.dtype.kind != "f" or not np.isfinite(array).all():
                    raise InvalidHabits(f"{name}: expected {len(scores)} numbers")
                scores[:] = array
        except KeyError as error:
            raise InvalidHabits(f"{error.args[0]} is missing") from None
        return habits


def _enter(
    name: str, tree: ContextTree, contexts: NDArray[np.generic], rows: NDArray[np.generic], counted: Floats
) -> Bools:
    """Counts what a file says of contexts; returns which of them the tree has."""
    if contexts.ndim != 1 or contexts.dtype.kind != "S" or rows.shape != (len(contexts), counted.shape[1]):
        raise InvalidHabits(f"{name}: contexts and counts do not belong together")
    if rows.dtype.kind != "f" or not np.isfinite(rows).all() or (rows < 0).any():  # type: ignore[operator]
        raise InvalidHabits(f"{name}: expected counts of 0 and more")
    known = np.zeros(len(contexts), np.bool_)
    for place, (context, row) in enumerate(zip(contexts.tolist(), rows.astype(np.float64), strict=True)):
        number = tree.contexts.get(context.decode("ascii", "replace"))
        if number is not None:
            counted[number] = row
            known[place] = True
    return known


class Expectations:
    """What is expected of a player before it has been seen, at every node.

    Args:
        habits: of players like it; None where nothing is known of anybody.
        tree: of the game.
    """

    def __init__(self, tree: ContextTree, habits: Habits | None = None) -> None:
        self.tree = tree
        arrays = tree.arrays
        allowed = (arrays.children >= 0).astype(np.float64)
        self.actions: Floats = allowed / np.maximum(allowed.sum(axis=1, keepdims=True), 1.0)
        """Shape (nodes, actions)."""
        uniform = np.full((len(tree), BUCKETS), 1.0 / BUCKETS)
        self.hands: tuple[Floats, Floats] = (uniform, uniform.copy())
        """Of the player in each position: shape (nodes, BUCKETS)."""
        if habits is not None:
            weights = Weights(*(np.full(tree.levels, weight) for weight in _NEUTRAL))
            kernels.fill_expected_actions(
                arrays, habits.counted, weights, 0, len(tree), self.actions, self.actions
            )
            for position, hands in enumerate(self.hands):
                kernels.fill_expected_hands(
                    arrays, habits.counted, weights, position, 0, len(tree), hands, hands
                )


# --- what comes with the program ----------------------------------------------------------------------------

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
