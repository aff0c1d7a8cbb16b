"""Games, bettings and actions as the arrays and integers of ``engine.kernels.poker.betting``."""

from __future__ import annotations

import functools

import numpy as np

from engine.kernels.poker import betting as kernels
from engine.kernels.poker.betting import MAX_PLAYERS, NODE_SIZE, NUM_RULES, General, Node, Rule
from engine.poker.rules import GameDefinition
from engine.poker.rules.action import CALL, FOLD, LIMIT_RAISE, Action, ActionKind, raise_to
from engine.poker.rules.betting import BettingState
from engine.poker.rules.game_definition import MAX_ACTIONS_PER_ROUND
from engine.support.arrays import Ints


@functools.lru_cache(maxsize=16)
def game_array(game: GameDefinition) -> Ints:
    """The rules of a game as an array for kernels.  Shape (NUM_RULES, MAX_PLAYERS), int64.

    Raises:
        ValueError: a game with antes, which kernels do not support.
    """
    if game.has_antes:
        raise ValueError("compiled simulation and learning know no antes: expected a game without")
    rules = np.zeros((NUM_RULES, MAX_PLAYERS), np.int64)
    rules[Rule.STACK, : game.num_players] = game.stacks
    rules[Rule.BLIND, : game.num_players] = game.blinds
    rules[Rule.FIRST_POSITION, : game.num_rounds] = game.first_positions
    rules[Rule.MAX_RAISES, : game.num_rounds] = game.max_raises
    if game.is_limit:
        rules[Rule.RAISE_SIZE, : game.num_rounds] = game.raise_sizes
    general = rules[Rule.GENERAL]
    general[General.IS_LIMIT] = game.is_limit
    general[General.NUM_PLAYERS] = game.num_players
    general[General.NUM_ROUNDS] = game.num_rounds
    general[General.BIG_BLIND] = game.big_blind
    general[General.MAX_ACTIONS] = MAX_ACTIONS_PER_ROUND
    return rules


def betting_arrays(betting: BettingState) -> tuple[Ints, Ints]:
    """A state of the betting as arrays for kernels.

    Returns:
        What each position has spent, shape (MAX_PLAYERS,), and the node, shape (NODE_SIZE,); both int64.
    """
    spent = np.zeros(MAX_PLAYERS, np.int64)
    spent[: len(betting.spent)] = betting.spent
    last_raiser, former_raiser = -1, -1
    responded = 0
    betting_round = betting.betting_round
    for before, position, action in betting.steps_back():
        kind, in_this_round = action.kind, before.betting_round == betting_round
        if in_this_round and last_raiser < 0 and kind is not ActionKind.FOLD:
            responded |= 1 << position
        if kind is ActionKind.RAISE:
            if last_raiser < 0:
                last_raiser = position
            if not in_this_round:
                former_raiser = position
                break
    node = np.zeros(NODE_SIZE, np.int64)
    node[Node.TO_ACT] = -1 if betting.position_to_act is None else betting.position_to_act
    node[Node.ROUND] = betting_round
    node[Node.ACTIONS] = betting.actions_in_round
    node[Node.RAISES] = betting.raises_in_round
    node[Node.MAX_SPENT] = betting.max_spent
    node[Node.MIN_RAISE_TO] = betting.min_raise_to
    node[Node.FOLDED] = sum(1 << position for position, out in enumerate(betting.folded) if out)
    node[Node.RESPONDED] = responded
    node[Node.LAST_RAISER] = last_raiser
    node[Node.FORMER_RAISER] = former_raiser
    return spent, node


def action_from_number(number: int, is_limit: bool) -> Action:
    """The action of a kernel's integer."""
    if number == kernels.FOLD:
        return FOLD
    if number == kernels.CALL:
        return CALL
    return LIMIT_RAISE if is_limit else raise_to(number)


def number_of_action(action: Action, betting: BettingState) -> int:
    """The kernel's integer for an action of the position to act."""
    if action.kind is ActionKind.FOLD:
        return kernels.FOLD
    if action.kind is ActionKind.CALL:
        return kernels.CALL
    if action.raise_to is not None:
        return action.raise_to
    total = betting.legal_actions().max_raise_to
    assert total is not None  # a limit raise that was played was legal
    return total
