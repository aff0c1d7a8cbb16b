"""Why an action may not be done, in words for whoever wrote the player that chose it."""

from __future__ import annotations

import attrs

from engine.poker.rules import Action, ActionKind, LegalActions

__all__ = ["Illegality", "why_illegal"]


@attrs.frozen
class Illegality:
    """Why something that was chosen may not be done."""

    key: str
    """What makes two alike."""
    message: str
    is_nonsense: bool = False
    """It cannot even be sent."""


def why_illegal(action: Action, legal: LegalActions) -> Illegality | None:
    """Why an action may not be done; None where it may.

    >>> from engine.poker.rules import FOLD, initial_betting, load_game, raise_to
    >>> betting = initial_betting(load_game("nolimit-2p"))
    >>> why_illegal(raise_to(150), betting.legal_actions()).message
    'raises to 150, the least is 200'
    >>> why_illegal(FOLD, betting.legal_actions()) is None
    True
    """
    if action in legal:
        return None
    total = action.raise_to
    if action.kind is ActionKind.FOLD and total is None:
        return Illegality("fold", "folds where there is nothing to call")
    if action.kind is not ActionKind.RAISE or (legal.is_limit and total is not None):
        return Illegality("size", f"the size {total}, which only raises in no-limit games have")
    if legal.min_raise_to is None or legal.max_raise_to is None:
        return Illegality("no raise", f"raises ({action}) where no raise is allowed")
    if total is None:
        return Illegality("no size", "raises without saying to what total")
    if total < legal.min_raise_to:
        return Illegality("least", f"raises to {total}, the least is {legal.min_raise_to}")
    return Illegality("most", f"raises to {total}, the most is {legal.max_raise_to}")
