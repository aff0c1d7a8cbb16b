"""What an agent tells the house about its strategy: its triples in a ``#policy`` line (`protocol.policy`)."""

from __future__ import annotations

import math

from clients.core.agent import Agent, Chances, Triples
from engine.players.probability_triple import TRIPLE_INDEX, legal_triples
from engine.poker.rules import Action, ActionKind, GameDefinition, HandView, LegalActions
from protocol.policy import ONE, format_policy, write_numbers


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
    import numpy as np

    rows = legal_triples(triples, legal)
    asked = rows[:, [TRIPLE_INDEX[ActionKind.FOLD], TRIPLE_INDEX[ActionKind.RAISE]]].T
    numbers = np.maximum(np.rint(asked * ONE).astype(np.int64), asked > 0)
    most = ONE - (rows[:, TRIPLE_INDEX[ActionKind.CALL]] > 0)  # possible actions stay possible
    for _ in range(3):
        too_many = numbers.sum(axis=0) > most
        greater = (numbers[0] < numbers[1]).astype(np.int64)
        numbers[greater[too_many], np.flatnonzero(too_many)] -= 1
    columns = [column.astype(">u2").tobytes() for column in numbers]
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


def _scaled(chances: Chances) -> bytes:
    greatest = max(chances)
    if not greatest > 0:
        raise ValueError("expected some hand that raises to this total, got none")
    scale = float(greatest)
    return write_numbers([max(round(float(each) / scale * ONE), 1) if each > 0 else 0 for each in chances])
