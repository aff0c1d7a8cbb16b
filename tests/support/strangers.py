"""Six players for which the bots were not made: each has one habit that a model must discover.

=================  ======================================================================================
`TightFolder`      plays a quarter of the hands, gives up without a good one, raises with the best
`Station`          calls at any price with any hand that beats a fifth of all, raises with the best
`Maniac`           raises seven times in ten with any hand, and gives up only trash
`DiceBettor`       bets and raises by dice; facing a bet it folds only by the price
`Limper`           never raises before the flop and enters every pot; then plays its hand plainly
`FoldsBySize`      folds more hands, the larger a bet is as a share of the pot
=================  ======================================================================================

They play limit and no-limit hold'em, two to ten players; ``python -m tests.support.strangers NAME HOST PORT``
is one of them as a program.  Nothing may be tuned to one of them: changes of the bots are judged by all six,
and by the packaged bots (``tests.benchmarks.bench_reading``).
"""

import sys
from collections.abc import Callable
from typing import Final

from clients import run
from clients.bots.hand_strength import HandStrengthBot
from clients.core.agent import Agent
from engine.poker.rules import CALL, FOLD, Action, GameDefinition, HandView


class Stranger(Agent):
    """Acts by the strength of its hand against random cards, the price, and dice."""

    is_stateless = True

    def __init__(self) -> None:
        self._hand = HandStrengthBot()

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernel of hand strength."""
        self._hand.prepare(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load the percentiles of starting hands."""
        self._hand.match_started(game, seat)

    def choose_action(self, view: HandView) -> Action:
        """The action by the player's habit."""
        return self._decide(view, self._hand.strength(view))

    def _decide(self, view: HandView, strength: float) -> Action:
        raise NotImplementedError


def price(view: HandView) -> float:
    """The probability of winning at which a call breaks even; 0 if checking is free."""
    to_call = view.betting.amount_to_call(view.position)
    return to_call / (view.betting.pot + to_call) if to_call > 0 else 0.0


def raised(view: HandView, share: float) -> Action:
    """A raise of a share of the pot; a call if no raise is legal."""
    return view.legal_actions().raising_to(round(view.betting.total_of_pots(share)))


def given_up(view: HandView) -> Action:
    """A fold, or a check if that is free."""
    return FOLD if view.legal_actions().can_fold else CALL


class TightFolder(Stranger):
    """Plays a quarter of the hands and folds those that have not become good."""

    def _decide(self, view: HandView, strength: float) -> Action:
        least, best = (0.75, 0.93) if view.betting.betting_round == 0 else (0.60, 0.85)
        if strength >= best and view.betting.raises_in_round < 3:
            return raised(view, 0.75)
        return CALL if strength >= least else given_up(view)


class Station(Stranger):
    """Hardly ever folds and hardly ever raises."""

    def _decide(self, view: HandView, strength: float) -> Action:
        if strength >= 0.95 and view.betting.raises_in_round < 2:
            return raised(view, 0.5)
        return CALL if strength >= 0.20 else given_up(view)


class Maniac(Stranger):
    """Raises by dice, and folds only trash."""

    def _decide(self, view: HandView, strength: float) -> Action:
        if self.rng.random() < 0.70:
            return raised(view, self.rng.choice((0.5, 1.0, 1.0, 2.0)))
        return CALL if strength >= 0.15 else given_up(view)


class DiceBettor(Stranger):
    """Bets by dice; folds exactly the hands whose strength is below the price."""

    def _decide(self, view: HandView, strength: float) -> Action:
        if strength < 1.4 * price(view):
            return FOLD
        return raised(view, 0.75) if self.rng.random() < 0.40 else CALL


class Limper(Stranger):
    """Enters every pot without raising; after the flop it plays its hand plainly."""

    def _decide(self, view: HandView, strength: float) -> Action:
        betting = view.betting
        if betting.betting_round == 0:
            return CALL if betting.raises_in_round == 0 or strength >= 0.35 else FOLD
        if strength >= (0.85 if betting.raises_in_round else 0.65) and betting.raises_in_round < 2:
            return raised(view, 0.5)
        return CALL if strength >= 0.45 else given_up(view)


class FoldsBySize(Stranger):
    """Continues with more hands, the less there is to call."""

    def _decide(self, view: HandView, strength: float) -> Action:
        betting = view.betting
        to_call = betting.amount_to_call(view.position)
        share = to_call / max(1, betting.pot - to_call)  # of the pot before the bet
        if strength < min(0.10 + 0.45 * share, 0.92) and to_call > 0:
            return FOLD
        return raised(view, 0.5) if strength >= 0.80 and betting.raises_in_round < 2 else CALL


STRANGERS: Final[dict[str, Callable[[], Agent]]] = {
    "tight-folder": TightFolder,
    "station": Station,
    "maniac": Maniac,
    "dice-bettor": DiceBettor,
    "limper": Limper,
    "folds-by-size": FoldsBySize,
}
"""By name."""

if __name__ == "__main__":
    run(STRANGERS[sys.argv.pop(1)])
