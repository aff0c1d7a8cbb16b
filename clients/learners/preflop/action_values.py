"""The values of fold, call and raise in a state: how they start, change, and lead to an action.

Source: Poker Learner 4.2.1.4.  Each rule adds to the three values::

    increment fold    fold + 1   call - 1   raise - 1
    decrement fold    fold - 2   call + 1   raise + 1
    increment call    fold - 1   call + 1   raise + 2
    decrement call    fold + 1   call - 2   raise - 4
    increment raise   fold - 1   call - 1   raise + 1
    decrement raise   fold + 1   call + 1   raise - 2
"""

from __future__ import annotations

from typing import Final

from clients.core.agent import Agent, ProbabilityTriple
from engine.support.seeds import derive_seed

__all__ = [
    "CALL",
    "DECREMENT_CALL",
    "DECREMENT_FOLD",
    "DECREMENT_RAISE",
    "FOLD",
    "HOLE_CARDS",
    "INCREMENT_CALL",
    "INCREMENT_FOLD",
    "INCREMENT_RAISE",
    "NUM_VALUES",
    "RAISE",
    "UPDATES",
    "WINNING_HAND",
    "apply_rule",
    "best_action",
    "drawn_action",
    "greedy_triple",
    "proportional_triple",
    "start_values",
]

FOLD, CALL, RAISE, UPDATES, HOLE_CARDS, WINNING_HAND = range(6)
"""The indices of a state's values: the values of the actions, how often they were updated (``nCases``), and
the values of the two ways of judging."""
NUM_VALUES: Final = 6

_START_BELOW: Final = 100
_DRAWN: Final = (FOLD, CALL, RAISE, HOLE_CARDS, WINNING_HAND)

Rule = tuple[int, int, int]
"""What a rule adds to the values of fold, call and raise."""

INCREMENT_FOLD: Final[Rule] = (1, -1, -1)
DECREMENT_FOLD: Final[Rule] = (-2, 1, 1)
INCREMENT_CALL: Final[Rule] = (-1, 1, 2)
DECREMENT_CALL: Final[Rule] = (1, -2, -4)
INCREMENT_RAISE: Final[Rule] = (-1, -1, 1)
DECREMENT_RAISE: Final[Rule] = (1, 1, -2)


def start_values(seed: int, key: int) -> list[int]:
    """The values of a new state, each from 0 to 99; they depend on the seed and the state alone."""
    values = [0] * NUM_VALUES
    own = derive_seed(seed, key)
    for index in _DRAWN:
        values[index] = derive_seed(own, index) % _START_BELOW
    return values


def apply_rule(values: list[int], rule: Rule) -> None:
    """Change the values of a state in place; none falls below zero."""
    fold, call, raise_ = rule
    fold += values[0]
    call += values[1]
    raise_ += values[2]
    values[0] = fold if fold > 0 else 0
    values[1] = call if call > 0 else 0
    values[2] = raise_ if raise_ > 0 else 0
    values[3] += 1


def best_action(values: list[int], agent: Agent) -> int:
    """The action of the greatest value; ties are broken at random with the agent's generator."""
    fold, call, raise_ = values[0], values[1], values[2]
    if raise_ > call and raise_ > fold:
        return RAISE
    if fold > call and fold > raise_:
        return FOLD
    if call > fold and call > raise_:
        return CALL
    best = max(fold, call, raise_)
    return agent.rng.choice([action for action in (FOLD, CALL, RAISE) if values[action] == best])


def drawn_action(values: list[int], agent: Agent) -> int:
    """An action drawn in proportion to the values (Fig. 4.6); uniformly if all are zero."""
    fold, call, raise_ = values[0], values[1], values[2]
    total = fold + call + raise_
    if not total:
        fold = call = 1
        total = 3
    drawn = agent.rng.random() * total
    if drawn < fold:
        return FOLD
    return CALL if drawn < fold + call else RAISE


def greedy_triple(values: list[int]) -> ProbabilityTriple:
    """The probabilities with which `best_action` takes each action."""
    best = max(values[:3])
    chances = [float(value == best) for value in values[:3]]
    total = sum(chances)
    return ProbabilityTriple(*(chance / total for chance in chances))


def proportional_triple(values: list[int]) -> ProbabilityTriple:
    """The probabilities with which `drawn_action` takes each action."""
    total = sum(values[:3])
    if not total:
        return ProbabilityTriple(1 / 3, 1 / 3, 1 / 3)
    return ProbabilityTriple(*(value / total for value in values[:3]))
