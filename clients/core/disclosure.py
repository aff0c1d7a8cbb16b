"""What an agent tells the house about its strategy: its triples in a ``#policy`` line (`protocol.policy`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clients.core.agent import Agent, Chances, Triples
from engine.poker.rules import Action, ActionKind, GameDefinition, HandView, LegalActions
from protocol.policy import ONE, chances_as_numbers, format_policy, write_numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def can_disclose(agent: Agent) -> bool:
    """Whether an agent has something to tell."""
    return type(agent).triples is not Agent.triples


def policy_line(agent: Agent, view: HandView, action: Action) -> str | None:
    """What an agent that has just chosen an action would have done with every hand; None for no answer.

    Args:
        agent: the one whose turn it was.
        view: in which it has chosen.
        action: what it has chosen.

    Raises:
        ValueError: what it says are not chances of so many hands.
    """
    triples = agent.triples(view)
    if triples is None:
        return None
    _check_rows(len(triples), view.game)
    legal = view.legal_actions()
    chances = None
    if action.kind is ActionKind.RAISE and action.raise_to is not None and not legal.is_limit:
        chances = agent.size_chances(view, action.raise_to)
    return format_policy(view.hand_number, view.betting.text, policy_columns(triples, chances, legal))


def policy_columns(triples: Triples, sizes: Chances | None, legal: LegalActions) -> list[bytes]:
    """What an agent would have done with every hand, as columns of numbers (`protocol.policy`).

    Args:
        triples: of the agent.
        sizes: how likely it was to raise by this much, if it did; None if that tells nothing.
        legal: what it could do.

    Raises:
        ValueError: what it says are not chances of so many hands.
    """
    columns = _columns(triples, legal)
    if sizes is not None:
        columns.append(_scaled(sizes))
    return columns


def _check_rows(rows: int, game: GameDefinition) -> None:
    """Make sure that there is a row for every hand.

    Raises:
        ValueError: there is not.
    """
    hands = math.comb(len(game.deck), game.num_hole_cards)
    expected = (1, 169, hands) if game.is_holdem else (1, hands)
    if rows not in expected:
        words = " or ".join(map(str, expected))
        raise ValueError(f"expected chances for {words} hands of this game, got {rows}")


def _columns(triples: Triples, legal: LegalActions) -> list[bytes]:
    if not isinstance(triples, Sequence):
        return _columns_of_array(triples, legal)
    folds, raises = [], []
    for fold, call, raise_ in triples:
        if not legal.can_fold:
            fold, call = 0.0, call + fold
        if not legal.can_raise:
            call, raise_ = call + raise_, 0.0
        numbers = chances_as_numbers(fold, call, raise_)
        folds.append(numbers[0])
        raises.append(numbers[1])
    return [write_numbers(folds), write_numbers(raises)]


def _columns_of_array(triples: NDArray[np.float64], legal: LegalActions) -> list[bytes]:
    """The same as `chances_as_numbers` row by row; hands without any chance check and call."""
    import numpy as np

    if triples.ndim != 2 or triples.shape[1] != 3 or not np.isfinite(triples).all() or (triples < 0).any():
        raise ValueError(f"expected chances of 0 or more, shape (hands, 3), got shape {triples.shape}")
    fold, call, raise_ = (np.array(column) for column in triples.T)
    if not legal.can_fold:
        fold, call = np.zeros_like(fold), call + fold
    if not legal.can_raise:
        call, raise_ = call + raise_, np.zeros_like(fold)
    call[fold + call + raise_ == 0] = 1.0
    total = fold + call + raise_
    numbers = np.array([_numbers(fold / total), _numbers(raise_ / total)])
    most = ONE - (call > 0)
    for _ in range(3):
        too_many = numbers.sum(axis=0) > most
        greater = (numbers[0] < numbers[1]).astype(np.int64)
        numbers[greater[too_many], np.flatnonzero(too_many)] -= 1
    return [column.astype(">u2").tobytes() for column in numbers]


def _numbers(chances: NDArray[np.float64]) -> NDArray[np.int64]:
    import numpy as np

    numbers: NDArray[np.int64] = np.maximum(np.rint(chances * ONE).astype(np.int64), chances > 0)
    return numbers


def _scaled(chances: Chances) -> bytes:
    greatest = max(chances)
    if not greatest > 0:
        raise ValueError("expected some hand that raises to this total, got none")
    numbers = [
        max(round(float(chance) / float(greatest) * ONE), 1) if chance > 0 else 0 for chance in chances
    ]
    return write_numbers(numbers)
