"""The tables of the street-learner: what it does before the flop, by starting hand, position and style.

Only the first decisions of a hand are shown: opening, and answering a call or the smallest raise.  Later
decisions depend on too many things for a readable table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from clients.learners.knowledge_file import Knowledge, KnowledgeError
from clients.learners.reports import KnowledgeReport, Query
from clients.learners.street.knowledge import VERSION, fill_values
from engine.hands.preflop.tables import shipped_tables
from engine.learning.deal_pool import bucket_of
from engine.learning.decision import HandInRound, opening_values
from engine.learning.street import ActionValues
from engine.poker.combos import STARTING_HAND_NAMES
from engine.poker.rules import CALL, GameDefinition, GameDefinitionError, initial_betting, parse_game
from engine.poker.rules.betting import BettingState

__all__ = ["report"]

_LOOSENESS: Final = ("tight", "rather tight", "medium", "rather loose", "loose")
_AGGRESSION: Final = ("passive", "rather passive", "aggressive", "very aggressive")
_ACTIONS: Final = {
    True: ("fold", "call", "raise"),
    False: ("fold", "call", "half the pot", "the pot", "all-in"),
}


def report(knowledge: Knowledge, path: Path, query: Query) -> KnowledgeReport:
    """A row for each starting hand and situation, strongest hands first; for one hand, also for each style.

    Raises:
        KnowledgeError: the file is newer or damaged.
    """
    knowledge.check_version(VERSION, path)
    try:
        game = parse_game(str(knowledge.meta.get("game")))
        learnt = ActionValues.unlearnt(game)
        fill_values(learnt, knowledge)
    except (TypeError, ValueError, GameDefinitionError) as error:
        raise KnowledgeError(f"{path} is damaged: {error}") from error
    strengths = shipped_tables().raw_odds[:, 0]
    hands = np.argsort(-strengths, kind="stable").tolist() if query.hand is None else [query.hand]
    styles, actions = _styles(game), _ACTIONS[game.is_limit]
    rows: list[tuple[Any, ...]] = []
    for name, betting in _openings(game):
        for hand in hands:
            strength = float(strengths[hand])
            in_round = HandInRound(bucket_of(0, strength), strength)
            for style, opponents in enumerate(styles if query.hand is not None else styles[:1]):
                considered, seen = opening_values(learnt, betting, in_round, style)
                if seen < max(1, query.min_updates):
                    continue
                values: list[Any] = ["-"] * len(actions)
                for offer, value in zip(considered.offers, considered.values, strict=True):
                    values[offer] = round(value, 2)
                does = actions[considered.offers[considered.best]]
                rows.append((STARTING_HAND_NAMES[hand], name, opponents, does, *values[1:], seen))
    columns = ("hand", "situation", "opponents", "does", *actions[1:], "updates")
    return KnowledgeReport(
        {"hands": learnt.hands, "values": int((learnt.counts > 0).sum())}, columns, tuple(rows)
    )


def _styles(game: GameDefinition) -> list[str]:
    """The styles of opponents in the order of their numbers."""
    if game.num_players == 2:
        return ["any", *(f"{loose}, {pressing}" for loose in _LOOSENESS for pressing in _AGGRESSION)]
    return ["any", *(f"{loose}, {pressing}" for loose in _LOOSENESS[::4] for pressing in _AGGRESSION[::2])]


def _openings(game: GameDefinition) -> list[tuple[str, BettingState]]:
    """The first decision of a hand, and the next player's after a call or the smallest raise."""
    first = initial_betting(game)
    if first.position_to_act is None:
        return []
    after = {"after a call": CALL, "after a raise": first.legal_actions().raising_to()}
    later = [(name, first.apply(action)) for name, action in after.items()]
    return [("first to act", first)] + [
        (name, betting)
        for name, betting in later
        if betting.betting_round == 0 and betting.position_to_act is not None
    ]
