"""What a player sees and may do, as arrays of a fixed size, and actions as numbers.

An observation is one vector of float32, `Layout.size` long, of which every *field* is a part;
`Encoder.fields` shows them as arrays of their own.  It holds what the player in a position knows: own cards,
the board, and the whole public history of the hand.  Positions are those of the rules: 0 is the first blind,
whoever looks. Amounts are in big blinds.

===============  ======================  ==================================================================
field            shape                   holds
===============  ======================  ==================================================================
`hole_cards`     (52,)                   1 for each of our cards, integers as in `engine.poker.cards`
`board`          (52,)                   1 for each board card that is out
`position`       (players,)              1 at our position
`to_act`         (players,)              1 at the position that is to act; zeros when the hand is over
`betting_round`  (rounds,)               1 at the betting round
`folded`         (players,)              1 for each position that has folded
`stacks`         (players,)              what each position can still put in, big blinds; in limit games no
                                         more than there can be raises for
`spent`          (players,)              what each position has put in, blinds included, antes not; big blinds
`amounts`        (4,)                    the pot; what we would put in by calling; the least and the greatest
                                         total of a raise by the position to act, zeros where none is allowed;
                                         big blinds
`history`        (actions, 6)            a row for every action so far, oldest first, the rest zeros: 1; the
                                         betting round; the position; 0 fold, 1 call, 2 raise; what it put in,
                                         big blinds; by what part of the pot a raise went beyond a call
===============  ======================  ==================================================================

Actions are numbers: 0 folds, 1 calls or checks; in limit games 2 raises; in no-limit games 2 and on raise by
a part of the pot, as it is after the call, one number for each of `sizes`, and the last number is all in.
The mask, int8, has a 1 for each action that is legal, and zeros only for a player who is not to act.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import attrs
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.poker import rules
from engine.poker.cards import NUM_CARDS
from engine.poker.rules.action import ActionKind
from engine.poker.rules.game_definition import MAX_ACTIONS_PER_ROUND

DEFAULT_SIZES: Final = (0.5, 1.0)
"""Raises of half the pot and of the pot."""
HISTORY_COLUMNS: Final = 6
_NUM_AMOUNTS: Final = 4
_KINDS: Final = {ActionKind.FOLD: 0.0, ActionKind.CALL: 1.0, ActionKind.RAISE: 2.0}
_MOST_REMEMBERED: Final = 1 << 24
"""Numbers in the remembered vectors of public states: 64 MB."""


@attrs.frozen
class Field:
    """A part of an observation."""

    name: str
    start: int
    shape: tuple[int, ...]
    high: NDArray[np.float32] = attrs.field(eq=False, repr=False)
    """The greatest values there can be, in the field's shape; the least are zeros."""

    @property
    def end(self) -> int:
        """The start of the next field."""
        return self.start + math.prod(self.shape)


def most_spent(game: rules.GameDefinition) -> tuple[int, ...]:
    """The most chips that each position can put in, blinds included, antes not."""
    if not game.is_limit:
        return game.betting_stacks
    raises = [min(count, MAX_ACTIONS_PER_ROUND) for count in game.max_raises]
    most = game.big_blind + sum(count * size for count, size in zip(raises, game.raise_sizes, strict=True))
    return tuple([min(stack, most) for stack in game.betting_stacks])


def _longest_history(game: rules.GameDefinition) -> int:
    """Actions in a hand are no more: a raise is followed by an action of every other player at most."""
    return sum([min(MAX_ACTIONS_PER_ROUND, game.num_players * (count + 1)) for count in game.max_raises])


class Layout:
    """Where the fields of a game's observations stand.

    Args:
        game: what is played.
    """

    def __init__(self, game: rules.GameDefinition) -> None:
        players, rounds = game.num_players, game.num_rounds
        self.unit: Final = max(1, game.big_blind)
        """Chips in a big blind."""
        self.most_spent: Final = most_spent(game)
        most = max(self.most_spent) / self.unit
        pot = (sum(self.most_spent) + sum(game.antes_posted)) / self.unit
        row = [1, max(1, rounds - 1), players - 1, 2, most, most * self.unit]
        highs: dict[str, tuple[tuple[int, ...], Sequence[float] | float]] = {
            "hole_cards": ((NUM_CARDS,), 1), "board": ((NUM_CARDS,), 1), "position": ((players,), 1),
            "to_act": ((players,), 1), "betting_round": ((rounds,), 1), "folded": ((players,), 1),
            "stacks": ((players,), most), "spent": ((players,), most),
            "amounts": ((_NUM_AMOUNTS,), [pot, most, most, most]),
            "history": ((_longest_history(game), HISTORY_COLUMNS), row),
        }  # fmt: skip
        fields: dict[str, Field] = {}
        start = 0
        for name, (shape, high) in highs.items():
            highest = np.broadcast_to(np.asarray(high, np.float32), shape).copy()
            fields[name] = Field(name, start, shape, highest)
            start = fields[name].end
        self.fields: Final[Mapping[str, Field]] = fields
        """By name, in order."""
        self.size: Final = start
        """Numbers in an observation."""
        self.high: Final = np.concatenate([field.high.ravel() for field in fields.values()])
        """The greatest values, shape (size,), float32."""


class Node(NamedTuple):
    """The public part of a betting, and the legal actions of the position to act."""

    vector: NDArray[np.float32]
    """An observation as the position to act has it, without any cards and without its position."""
    mask: NDArray[np.int8]
    """Not to be changed."""
    legal: tuple[bool, ...]
    """The same for those who ask about one action."""
    actions: tuple[rules.Action, ...]
    """What each number comes to: itself where it is legal, else what the dealer would play for it."""


class Encoder:
    """Observations, masks and actions of a game.

    Args:
        game: what is played.
        sizes: of raises in no-limit games, parts of the pot as it is after the call; 0 is the least raise.

    Raises:
        ValueError: a size that is negative or not finite.
    """

    def __init__(self, game: rules.GameDefinition, sizes: Sequence[float] = DEFAULT_SIZES) -> None:
        if not all(math.isfinite(size) and size >= 0 for size in sizes):
            raise ValueError(f"expected sizes of raises in pots, 0 or more, got {tuple(sizes)}")
        self.game: Final = game
        self.layout: Final = Layout(game)
        self.sizes: Final = () if game.is_limit else tuple(sizes)
        self.num_actions: Final = 3 if game.is_limit else 3 + len(self.sizes)
        fields = self.layout.fields
        self._parts_of: Final = operator.itemgetter(*[slice(f.start, f.end) for f in fields.values()])
        self._history_shape: Final = fields["history"].shape
        self._board: Final = fields["board"].start
        self._position: Final = fields["position"].start
        self._to_call: Final = fields["amounts"].start + 1
        self._nodes: Final[dict[rules.BettingState, Node]] = {}
        self._most_nodes: Final = _MOST_REMEMBERED // self.layout.size

    # --- observations ------------------------------------------------------------------------------------

    def observe(self, view: rules.HandView) -> NDArray[np.float32]:
        """A player's observation, a new vector of shape (size,)."""
        own = view.hole_cards[view.position]
        return self.observe_cards(self.node(view.betting), view.betting, view.position, own, view.board)

    def observe_cards(
        self,
        node: Node,
        betting: rules.BettingState,
        position: int,
        hole_cards: Sequence[int],
        board: Sequence[int],
    ) -> NDArray[np.float32]:
        """The same for those who have the betting's node, and the cards that the position sees."""
        vector = node.vector.copy()
        for card in hole_cards:
            vector[card] = 1.0
        first = self._board
        for card in board:
            vector[first + card] = 1.0
        vector[self._position + position] = 1.0
        if position != betting.position_to_act:
            vector[self._to_call] = max(0, betting.amount_to_call(position)) / self.layout.unit
        return vector

    def fields(self, vector: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """The fields of an observation by name, views of the vector."""
        hole, board, position, to_act, now, folded, stacks, spent, amounts, rows = self._parts_of(vector)
        return {  # spelt out, since every step of an environment does it
            "hole_cards": hole, "board": board, "position": position, "to_act": to_act, "betting_round": now,
            "folded": folded, "stacks": stacks, "spent": spent, "amounts": amounts,
            "history": rows.reshape(self._history_shape),
        }  # fmt: skip

    # --- actions -----------------------------------------------------------------------------------------

    def mask(self, betting: rules.BettingState) -> NDArray[np.int8]:
        """1 for each action the position to act may do; zeros when the hand is over.  A new array."""
        return self.node(betting).mask.copy()

    def no_mask(self) -> NDArray[np.int8]:
        """The mask of a player who is not to act: zeros."""
        return np.zeros(self.num_actions, np.int8)

    def actions(self, betting: rules.BettingState) -> tuple[rules.Action, ...]:
        """The action of each number for the position to act: always a legal one."""
        return self.node(betting).actions

    def check(self, action: object) -> int:
        """The number of an action: a whole number of any integer type.

        Raises:
            ValueError: it is none, or there is no such action.
        """
        if type(action) is int and 0 <= action < self.num_actions:
            return action
        return int(self.check_all(action, ()))

    def check_all(self, actions: object, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """The same for an array of actions, shape ``shape``, int64.

        Raises:
            ValueError: as there.
        """
        numbers = np.asarray(actions)
        is_one = not shape and numbers.size == 1
        is_whole = numbers.dtype.kind in "iu" and (numbers.shape == shape or is_one)
        if is_whole and ((numbers >= 0) & (numbers < self.num_actions)).all():
            return np.array(numbers.reshape(shape), np.int64, order="C")
        what = f"{shape[0]} actions, whole numbers" if shape else "an action, a whole number"
        raise ValueError(f"expected {what} from 0 to {self.num_actions - 1}, got {repr(actions)[:60]}")

    def node(self, betting: rules.BettingState) -> Node:
        """The part of an observation that is the same for everybody; remembered by betting."""
        node = self._nodes.get(betting)
        if node is None:
            node = self._made(betting)
            if len(self._nodes) >= self._most_nodes:
                self._nodes.clear()
            self._nodes[betting] = node
        return node

    def _made(self, betting: rules.BettingState) -> Node:
        mask = np.zeros(self.num_actions, np.int8)
        actions: tuple[rules.Action, ...] = ()
        if not betting.is_finished:
            wanted = self._wanted(betting)
            legal = betting.legal_actions()
            mask[:] = [action is not None and action in legal for action in wanted]
            actions = tuple([rules.CALL if action is None else legal.nearest(action) for action in wanted])
        return Node(self._vector(betting), mask, tuple(map(bool, mask.tolist())), actions)

    def _wanted(self, betting: rules.BettingState) -> list[rules.Action | None]:
        """The meaning of each number here; None for a size that is no raise of its own."""
        if self.game.is_limit:
            return [rules.FOLD, rules.CALL, rules.LIMIT_RAISE]
        least, most = betting.legal_actions().min_raise_to, betting.legal_actions().max_raise_to
        if least is None or most is None:
            return [rules.FOLD, rules.CALL, *[None] * (self.num_actions - 2)]
        totals = [round(betting.total_of_pots(size)) if size else least for size in self.sizes]
        raises = [rules.raise_to(total) if least <= total < most else None for total in totals]
        return [rules.FOLD, rules.CALL, *raises, rules.raise_to(most)]

    # --- what everybody sees -----------------------------------------------------------------------------

    def _vector(self, betting: rules.BettingState) -> NDArray[np.float32]:
        layout, unit = self.layout, self.layout.unit
        vector = np.zeros(layout.size, np.float32)
        parts = self.fields(vector)
        position = betting.position_to_act
        parts["betting_round"][betting.betting_round] = 1.0
        parts["folded"][:] = betting.folded
        spent = betting.spent
        parts["spent"][:] = [chips / unit for chips in spent]
        parts["stacks"][:] = [
            (most - chips) / unit for most, chips in zip(layout.most_spent, spent, strict=True)
        ]
        amounts = [betting.pot / unit, 0.0, 0.0, 0.0]
        if position is not None:
            parts["to_act"][position] = 1.0
            legal = betting.legal_actions()
            amounts[1] = max(0, betting.amount_to_call(position)) / unit
            amounts[2:] = [(legal.min_raise_to or 0) / unit, (legal.max_raise_to or 0) / unit]
        parts["amounts"][:] = amounts
        self._fill_history(parts["history"], betting)
        return vector

    def _fill_history(self, history: NDArray[np.float32], betting: rules.BettingState) -> None:
        """The rows of all actions; all but the last are taken from the state before, where it is known."""
        steps = betting.steps()
        if not steps:
            return
        known = self._nodes.get(steps[-1][0])
        if known is not None:
            history[: len(steps) - 1] = self.fields(known.vector)["history"][: len(steps) - 1]
        first = len(steps) - 1 if known is not None else 0
        states = [*(before for before, _, _ in steps[1:]), betting]
        unit = self.layout.unit
        for number in range(first, len(steps)):
            before, position, action = steps[number]
            total = states[number].spent[position]
            paid = total - before.spent[position]
            pots = before.pots_of_raise(total) if action.kind is ActionKind.RAISE else 0.0
            history[number] = 1.0, before.betting_round, position, _KINDS[action.kind], paid / unit, pots


# --- as gymnasium and PettingZoo want to know them -------------------------------------------------------


def mask_space(encoder: Encoder) -> spaces.Box:
    """Masks: zeros and ones, int8."""
    return spaces.Box(0, 1, (encoder.num_actions,), np.int8)


def observation_space(encoder: Encoder, *, is_dict: bool) -> spaces.Space[Any]:
    """Observations of a game: the vector, or its fields by name and the mask."""
    layout = encoder.layout
    if not is_dict:
        return spaces.Box(np.zeros(layout.size, np.float32), layout.high, dtype=np.float32)
    fields: dict[str, spaces.Space[Any]] = {
        field.name: spaces.Box(np.zeros(field.shape, np.float32), field.high, dtype=np.float32)
        for field in layout.fields.values()
    }
    return spaces.Dict(fields | {"action_mask": mask_space(encoder)})
