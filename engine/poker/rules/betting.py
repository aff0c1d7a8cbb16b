"""The public half of a hand: what everybody has put in, who is to act, what is allowed.

A `BettingState` is a node of the game's betting tree.  It knows no cards, so it can be given to
anybody.  Nodes never change; `apply` returns the child, and children are cached (up to a limit)
so that a limit match walks a tree that already exists instead of computing it again for each hand.

Words and rules are those of docs/acpc-dealer.md section 3: a position *can act* when it has not folded and
has chips left; `spent` counts all chips of the hand, blind included.  Antes, which the ACPC's games do not
have, are in the pot from the start and count in nothing else.

In no-limit games the size of a bet is measured in *pots*: how far a raise goes beyond a call, as a fraction
of the pot after that call.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Final, TypeAlias

import attrs

from engine.poker.rules.action import CALL, COMMITTED, FOLD, LIMIT_RAISE, Action, ActionKind, raise_to
from engine.poker.rules.errors import IllegalActionError
from engine.poker.rules.game_definition import MAX_ACTIONS_PER_ROUND, GameDefinition

_MAX_REMEMBERED: Final = 20_000
"""Nodes a tree remembers, some 20 MB: all of heads-up limit hold'em, which has 6378 decisions, and more."""

Step: TypeAlias = "tuple[BettingState, int, Action]"
"""One action: the state before it, the position that was to act, and what it did."""

_MAX_DIGITS: Final = 40
"""Digits of a raise worth reading; CPython refuses to convert thousands of them."""


@attrs.define(unsafe_hash=True)  # frozen for mypy: see `BettingState`
class LegalActions:
    """The legal actions of the position to act.  Calling (or checking) is always allowed."""

    can_fold: Final[bool]
    """Folding is allowed only when there is something to call."""
    min_raise_to: Final[int | None]
    """Smallest total of a raise; None when no raise is allowed.  In limit games the one total."""
    max_raise_to: Final[int | None]
    """Largest total of a raise; None when no raise is allowed."""
    is_limit: Final[bool]
    why_no_raise: Final[str] = attrs.field(default="", eq=False)
    """Why no raise is allowed, in a sentence to the player who would have made it; empty where one is."""

    def __str__(self) -> str:
        options = ["c", "f"] if self.can_fold else ["c"]
        if self.can_raise:
            options.append("r" if self.is_limit else f"r{self.min_raise_to} to r{self.max_raise_to}")
        return ", ".join(options)

    @property
    def can_raise(self) -> bool:
        """Whether any raise is allowed."""
        return self.min_raise_to is not None

    def __contains__(self, action: Action) -> bool:
        """Whether an action is legal exactly as it is."""
        if action.kind is ActionKind.CALL:
            return action.raise_to is None
        if action.kind is ActionKind.FOLD:
            return self.can_fold and action.raise_to is None
        if self.min_raise_to is None or self.max_raise_to is None:
            return False
        if self.is_limit:
            return action.raise_to is None
        return action.raise_to is not None and self.min_raise_to <= action.raise_to <= self.max_raise_to

    def raising_to(self, total: int | None = None) -> Action:
        """The legal raise nearest to a total, or the smallest without one; a call if no raise is legal."""
        if self.min_raise_to is None or self.max_raise_to is None:
            return CALL
        if self.is_limit:
            return LIMIT_RAISE
        if total is None:
            total = self.min_raise_to
        return raise_to(min(max(total, self.min_raise_to), self.max_raise_to))

    def nearest(self, action: Action) -> Action:
        """The action the ACPC dealer plays for `action` (docs/acpc-dealer.md 5.6): itself when legal, a raise
        moved to the nearest legal size, a call for everything else."""
        if action in self:
            return action
        if action.kind is not ActionKind.RAISE or (action.raise_to is None and not self.is_limit):
            return CALL
        return self.raising_to(action.raise_to)


@attrs.define(eq=False)  # frozen for mypy, by `Final`: what attrs freezes takes twice as long to build
class BettingState:
    """One node of a betting tree.  Begin at `initial_betting(game)` and walk with `apply`."""

    game: Final[GameDefinition]
    last_step: Final[Step | None] = attrs.field(repr=False)
    """The action that led here; None at the start of the hand."""
    spent: Final[tuple[int, ...]]
    """Chips each position has put in during this hand, blinds and bets; antes are not among them."""
    folded: Final[tuple[bool, ...]]
    max_spent: Final[int]
    """What a position must have spent to stay in."""
    min_raise_to: Final[int]
    """No-limit: smallest total of a full raise (docs/acpc-dealer.md 3.4)."""
    betting_round: Final[int]
    actions_in_round: Final[int]
    raises_in_round: Final[int]
    position_to_act: Final[int | None]
    """None when the hand is over."""
    text: Final[str]
    """The betting as ACPC text, rounds separated by ``/``."""
    _responded: Final[int] = attrs.field(repr=False)
    # Bit p: position p has called or raised since, and including, the round's last raise.
    _tree: Final[list[int]] = attrs.field(repr=False)
    # The number of nodes this tree remembers, shared by all of them.
    _children: Final[dict[Action, BettingState]] = attrs.field(factory=dict, init=False, repr=False)
    _legal: LegalActions | None = attrs.field(default=None, init=False, repr=False)
    # Computed when first asked for.
    num_board_cards: Final[int] = attrs.field(init=False, repr=False)
    """Board cards dealt so far."""

    @num_board_cards.default
    def _cards_out(self) -> int:
        return self.game.board_ends[self.betting_round]

    @property
    def is_finished(self) -> bool:
        """Whether the hand is over."""
        return self.position_to_act is None

    @property
    def is_showdown(self) -> bool:
        """Whether the hand is over with two or more positions still in it."""
        return self.position_to_act is None and self.num_in_hand >= 2

    @property
    def num_in_hand(self) -> int:
        """Positions that have not folded."""
        return self.folded.count(False)

    @property
    def pot(self) -> int:
        """Chips in the middle: antes, blinds and all rounds."""
        return sum(self.spent) + sum(self.game.antes_posted)

    def amount_to_call(self, position: int) -> int:
        """Chips a position would put in by calling: never more than its stack, negative in the one case
        of docs/acpc-dealer.md 8.9 where a short limit raise lowered the bet."""
        return min(self.game.betting_stacks[position], self.max_spent) - self.spent[position]

    def can_act(self, position: int) -> bool:
        """Whether a position has not folded and has chips left."""
        return not self.folded[position] and self.spent[position] < self.game.betting_stacks[position]

    @property
    def bets_in_round(self) -> int:
        """Bets and raises of this round, blinds counted as the first; antes, which all post, are not bets."""
        blinds = self.game.blinds
        return self.raises_in_round + (self.betting_round == 0 and min(blinds) < max(blinds))

    @property
    def is_capped_by_length(self) -> bool:
        """Whether the round is so long that no more raises are accepted (docs/acpc-dealer.md 3.2, 8.15)."""
        return self.actions_in_round + self.game.num_players > MAX_ACTIONS_PER_ROUND

    def raises_left(self) -> int:
        """Raises the game definition still allows in this betting round."""
        return self.game.max_raises[self.betting_round] - self.raises_in_round

    def legal_actions(self) -> LegalActions:
        """What the position to act may do (docs/acpc-dealer.md 3.2).

        Raises:
            IllegalActionError: the hand is over.
        """
        if self._legal is not None:
            return self._legal
        position, game = self.actor(), self.game
        stack = game.betting_stacks[position]
        low: int | None = None
        high: int | None = None
        may_raise = self.raises_left() > 0 and not self.is_capped_by_length and self._num_can_act() > 1
        if may_raise and (game.short_raises_reopen or not self._faces_short_raise(position)):
            if game.is_limit:
                low = high = min(stack, self.max_spent + game.raise_sizes[self.betting_round])
            elif self.min_raise_to <= stack:
                low, high = self.min_raise_to, stack
            elif stack > self.max_spent:
                low = high = stack
        refusal = "" if low is not None else self._why_no_raise(position)
        legal = LegalActions(self.spent[position] != self.max_spent, low, high, game.is_limit, refusal)
        self._legal = legal
        return legal

    def is_legal(self, action: Action) -> bool:
        """Whether the position to act may do exactly this; quick where it has been done before."""
        return action in self._children or action in self.legal_actions()

    def apply(self, action: Action) -> BettingState:
        """The state after the position to act does `action`.

        Raises:
            IllegalActionError: it may not do that, or the hand is over.
        """
        child = self._children.get(action)
        if child is None:
            legal = self.legal_actions()
            if action not in legal:
                raise IllegalActionError(
                    f"{action} by position {self.position_to_act} after {self.text!r} is not legal: "
                    f"expected {legal}"
                )
            child = self._successor(action)
            if self._tree[0] < _MAX_REMEMBERED:
                self._tree[0] += 1
                self._children[action] = child
        return child

    def fold_for_nothing(self) -> BettingState:
        """The state after a fold, also where a check is free, as in hands that others have played.

        This node remembers it, and allows it from now on: the tree must be the hand's own
        (`passing_betting`).
        """
        self._children[FOLD] = child = self._successor(FOLD)
        return child

    def steps(self) -> list[Step]:
        """All actions so far, oldest first."""
        steps = []
        step = self.last_step
        while step is not None:
            steps.append(step)
            step = step[0].last_step
        steps.reverse()
        return steps

    def steps_back(self) -> Iterator[Step]:
        """All actions so far, newest first, for callers that need not go back to the first."""
        step = self.last_step
        while step is not None:
            yield step
            step = step[0].last_step

    def times_acted(self, position: int) -> int:
        """How often a position has acted; faster than by `steps`, since every random number needs it."""
        times = 0
        step = self.last_step
        while step is not None:
            times += step[1] == position
            step = step[0].last_step
        return times

    def spent_before_round(self) -> tuple[int, ...]:
        """Chips each position had put in before this betting round; blinds belong to the first."""
        now = self.betting_round
        if not now:
            return (0,) * self.game.num_players
        return next(
            (before.spent for before, _, _ in self.steps() if before.betting_round == now), self.spent
        )

    def pot_after_call(self) -> int:
        """Chips in the middle once the position to act has called: the unit for the sizes of bets.

        Raises:
            IllegalActionError: the hand is over.
        """
        return self.pot + max(0, self.amount_to_call(self.actor()))

    def total_of_pots(self, share: float) -> float:
        """The total of a raise by a share of the pot (after the call), neither rounded nor made legal.

        Raises:
            IllegalActionError: the hand is over.
        """
        return self.max_spent + share * self.pot_after_call()

    def pots_of_raise(self, total: float) -> float:
        """The share of the pot by which a raise to a total raises; the inverse of `total_of_pots`.

        Raises:
            IllegalActionError: the hand is over.
        """
        return (total - self.max_spent) / max(1, self.pot_after_call())

    def raise_of_pots(self, share: float) -> Action:
        """`raise_or_all_in` by a share of the pot after the call.

        Raises:
            IllegalActionError: the hand is over.
        """
        return self.raise_or_all_in(self.total_of_pots(share))

    def raise_or_all_in(self, total: float) -> Action:
        """The legal raise nearest to a total: the largest if it takes more than `COMMITTED` of the chips
        left; a call if no raise is legal.

        Raises:
            IllegalActionError: the hand is over.
        """
        legal = self.legal_actions()
        position = self.actor()
        spent = self.spent[position]
        if total - spent > COMMITTED * (self.game.betting_stacks[position] - spent):
            return legal.raising_to(legal.max_raise_to)
        return legal.raising_to(round(total))

    def actor(self) -> int:
        """The position to act, where somebody is.

        Raises:
            IllegalActionError: the hand is over.
        """
        if self.position_to_act is None:
            raise IllegalActionError(f"the hand is over after {self.text!r}: nobody is to act")
        return self.position_to_act

    def _why_no_raise(self, position: int) -> str:
        if self.raises_left() <= 0:
            return "No more raises are allowed in this betting round."
        if self.is_capped_by_length:
            return "This betting round has become too long for another raise."
        if self.game.betting_stacks[position] <= self.max_spent:
            return "You have no chips left to raise with."
        if self._num_can_act() > 1:
            return "You have acted, and the all-in since then was less than a full raise."
        return "Nobody is left who could call a raise."

    def _faces_short_raise(self, position: int) -> bool:
        """Whether a position has acted in this round, and has not been raised in full since."""
        facing, full = self.max_spent - self.spent[position], self.min_raise_to - self.max_spent
        if self.game.is_limit:
            full = (self.game.raise_sizes[self.betting_round] + 1) // 2
        if facing >= full:
            return False
        return any(
            actor == position and before.betting_round == self.betting_round
            for before, actor, _ in itertools.islice(self.steps_back(), self.actions_in_round)
        )

    def _num_can_act(self) -> int:
        return sum(map(self.can_act, range(self.game.num_players)))

    def _successor(self, action: Action) -> BettingState:
        game = self.game
        position = self.position_to_act
        assert position is not None  # legal_actions refused a finished hand
        spent, folded = self.spent, self.folded
        max_spent, min_raise_to = self.max_spent, self.min_raise_to
        responded, raises = self._responded, self.raises_in_round
        kind = action.kind
        if kind is ActionKind.FOLD:
            folded = (*folded[:position], True, *folded[position + 1 :])
        else:
            stack = game.betting_stacks[position]
            if kind is ActionKind.CALL:
                chips = min(stack, max_spent)
                responded |= 1 << position
            else:
                if game.is_limit:
                    chips = min(stack, max_spent + game.raise_sizes[self.betting_round])
                else:
                    assert action.raise_to is not None
                    chips = action.raise_to
                    least = 0 if game.short_raises_reopen else chips + min_raise_to - max_spent
                    min_raise_to = max(min_raise_to, chips + (chips - max_spent), least)
                max_spent = chips
                responded = 1 << position
                raises += 1
            spent = (*spent[:position], chips, *spent[position + 1 :])

        text = self.text + str(action)
        betting_round, actions = self.betting_round, self.actions_in_round + 1
        to_act: int | None = None
        stacks = game.betting_stacks
        acting = 0
        for p in range(game.num_players):
            if not folded[p] and spent[p] < stacks[p]:
                acting |= 1 << p
        last_round = game.num_rounds - 1
        if folded.count(False) == 1:
            pass  # everybody else folded: over at once, in this round
        elif acting & ~responded and not _is_alone(acting, spent, folded, max_spent):
            to_act = _next_position(acting, position + 1)
        elif acting.bit_count() > 1:
            if betting_round < last_round:
                betting_round += 1
                actions = raises = responded = 0
                min_raise_to = max_spent + max(1, game.big_blind)
                to_act = _next_position(acting, game.first_positions[betting_round])
                text += "/"
        else:  # nobody is left to bet against: the rest of the board is run out
            text += "/" * (last_round - betting_round)
            betting_round = last_round
        return BettingState(
            game, (self, position, action), spent, folded, max_spent, min_raise_to,
            betting_round, actions, raises, to_act, text, responded, self._tree,
        )  # fmt: skip


def _is_alone(acting: int, spent: tuple[int, ...], folded: tuple[bool, ...], max_spent: int) -> bool:
    """Whether only one position has chips left, and could only match a big blind that nobody could post."""
    if max(spent) >= max_spent or acting & (acting - 1):
        return False
    in_hand = [chips for chips, out in zip(spent, folded, strict=True) if not out]
    return max(in_hand) <= spent[acting.bit_length() - 1]


def _next_position(acting: int, start: int) -> int:
    """The first position at or after `start`, cyclically, whose bit is set in `acting`."""
    later = acting >> start
    mask, base = (later, start) if later else (acting, 0)
    return base + (mask & -mask).bit_length() - 1


@functools.lru_cache(maxsize=16)
def initial_betting(game: GameDefinition) -> BettingState:
    """The root of a game's betting tree: blinds posted, nobody has acted (docs/acpc-dealer.md 3, 3.1, 3.5).

    If at most one position has chips left after the blinds, that one, if any, is asked; a hand in which
    nobody can act goes straight to its showdown (docs/acpc-dealer.md 8.10).
    """
    return _root(game, remembered=0)


def passing_betting(game: GameDefinition) -> BettingState:
    """`initial_betting` of a game that is played in one hand only: a tree that remembers no children.

    If chips carry over, every hand is a game of its own, and nobody walks its tree again.  Cached children
    and their parents refer to each other: each such hand would leave a reference cycle behind, which only
    Python's collection of all objects finds, while everybody waits.
    """
    return _root(game, remembered=_MAX_REMEMBERED)


def _root(game: GameDefinition, remembered: int) -> BettingState:
    acting = sum(1 << p for p in range(game.num_players) if game.blinds[p] < game.betting_stacks[p])
    if acting and _is_alone(acting, game.blinds, (False,) * game.num_players, game.opening_bet):
        acting = 0
    last_round = game.num_rounds - 1
    return BettingState(
        game=game,
        last_step=None,
        spent=game.blinds,
        folded=(False,) * game.num_players,
        max_spent=game.opening_bet,
        min_raise_to=game.opening_bet + game.big_blind or 1,
        betting_round=0 if acting else last_round,
        actions_in_round=0,
        raises_in_round=0,
        position_to_act=_next_position(acting, game.first_positions[0]) if acting else None,
        text="" if acting else "/" * last_round,
        responded=0,
        tree=[remembered],
    )


def parse_betting(game: GameDefinition, text: str) -> BettingState:
    """The state after the betting `text`, ACPC's exact form as it stands in logs.

    Raises:
        IllegalActionError: not the text of a legal sequence of actions.
    """
    state = initial_betting(game)
    while state.text != text and text.startswith(state.text):
        state = state.apply(_action_at(text, state))
    if state.text != text:
        raise IllegalActionError(f"{text!r} is not a legal betting sequence: {_whose_turn(state)}")
    return state


def _whose_turn(state: BettingState) -> str:
    """The player to act, and what they could write, in words."""
    if state.position_to_act is None:
        return f"the hand is over after {state.text!r}"
    who = f"position {state.position_to_act} ({state.game.position_names[state.position_to_act]})"
    return f"{who} is to act after {state.text!r}: expected {state.legal_actions()}"


def _action_at(text: str, state: BettingState) -> Action:
    start, game = len(state.text), state.game
    letter = text[start]
    if letter == "f":
        return FOLD
    if letter == "c":
        return CALL
    if letter == "r":
        if game.is_limit:
            return LIMIT_RAISE
        end = start + 1
        while end < len(text) and text[end] in "0123456789":
            end += 1
        if start + 1 < end <= start + _MAX_DIGITS:
            return raise_to(int(text[start + 1 : end]))
    raise IllegalActionError(f"{text[start:]!r} in {text!r} is not an action: {_whose_turn(state)}")
