"""The hand-strength bot: bets by hand strength, and by nothing else.

It knows its hand by one number, the probability *s* that nobody still in the hand holds a better one if every
opponent's cards are random: the hand strength of Poki 3.3.1, taken to the power of the number of opponents
(3.3.5).  With `plain` the power is left out, which plays many more hands at a full table.  Before the flop
the percentile of the starting hand takes its place.  The same rules hold before and after the flop:

==================  ======================================================================
*s* is              it
==================  ======================================================================
below `call`        folds, or checks if that is free
at least `call`     calls at any price, or checks
at least `bet`      bets if nobody has bet in this round
at least `raise`    raises, at most twice in a round
==================  ======================================================================

In no-limit games it bets and raises half the pot (as it is after the call), and the whole pot if *s* is at
least `raise`.  It ignores what its opponents do and what a call costs: a player who bets a lot, and only with
good hands, is called as often as one who bets a little with every hand.  That is its weakness.  It makes no
random decisions.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final

from clients.bots.percentiles import (
    STARTING_HAND_PLACES,
    all_strengths,
    starting_hand_percentiles,
    strength_of,
)
from clients.core.agent import Agent, ProbabilityTriple, Script
from clients.core.options import require_holdem
from engine import compiling
from engine.players.probability_triple import CERTAIN
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, GameDefinition, HandView

_MOST_RAISES: Final = 2
"""Raises in a betting round, after which a strong hand calls; keeps two such bots from raising for ever."""


class HandStrengthBot(Agent):
    """Bets by hand strength alone; ignores the price of a call and what the others do.

    Args:
        call: the least hand strength to call with.
        bet: the least hand strength to bet with.
        raise_: the least hand strength to raise with.
        plain: ignore the number of opponents, too.

    Raises:
        ValueError: a strength outside 0..1, or smaller than the one before it.
    """

    is_stateless = True

    def __init__(
        self, call: float = 0.25, bet: float = 0.5, raise_: float = 0.75, plain: bool = False
    ) -> None:
        if not 0 <= call <= bet <= raise_ <= 1:
            raise ValueError(f"expected 0 <= call <= bet <= raise <= 1, got {call}, {bet} and {raise_}")
        self._plain = plain
        self._call, self._bet, self._raise = call, bet, raise_
        self._percentiles: tuple[float, ...] = ()

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernel of hand strength."""
        compiling.hand_strength()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load the percentiles of starting hands against one opponent.

        Raises:
            OptionError: the game is not Texas hold'em.
        """
        require_holdem("hand-strength", game)
        self._percentiles = starting_hand_percentiles(2)

    def script(self, game: GameDefinition) -> Script | None:
        """The numbers of the table above, if it is `plain`."""
        numbers = self._call, self._bet, self._raise, _MOST_RAISES
        return Script("hand-strength", numbers, starting_hand_percentiles(2)) if self._plain else None

    def choose_action(self, view: HandView) -> Action:
        """The action by the module's table."""
        return self._action(view, self.strength(view))

    def _action(self, view: HandView, strength: float) -> Action:
        betting = view.betting
        to_call = betting.amount_to_call(view.position)
        if strength >= (self._raise if to_call > 0 else self._bet):
            legal = betting.legal_actions()
            if legal.can_raise and betting.raises_in_round < _MOST_RAISES:
                share = 1.0 if strength >= self._raise else 0.5
                return legal.raising_to(int(betting.total_of_pots(share)))
        return CALL if to_call <= 0 or strength >= self._call else FOLD

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The one action of the table, for certain."""
        return CERTAIN[self.choose_action(view).kind]

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The strength, and what it is measured on."""
        is_facing = view.betting.amount_to_call(view.position) > 0
        word, least = ("raises", self._raise) if is_facing else ("bets", self._bet)
        return {"strength": f"{self.strength(view):.3f}; calls from {self._call:g}, {word} from {least:g}"}

    def triples(self, view: HandView) -> Sequence[ProbabilityTriple]:
        """The same for every hand: 169 triples before the flop, 1326 after it."""
        return [CERTAIN[action.kind] for action in self._actions(view)]

    def size_chances(self, view: HandView, total: int) -> Sequence[float]:
        """1 for each hand that raises to this total, 0 for the others."""
        return [float(action.raise_to == total) for action in self._actions(view)]

    def _actions(self, view: HandView) -> list[Action]:
        """The action with each hand: 169 before the flop, 1326 after it."""
        opponents = self._opponents(view)
        if view.board:
            strengths = list(all_strengths(view.board))
            strengths[combo_index(*view.own_cards)] = self._alone(view)
        else:
            strengths = [self._percentiles[place] for place in STARTING_HAND_PLACES]
        action_of = functools.lru_cache(lambda strength: self._action(view, strength))
        return [action_of(strength**opponents) for strength in strengths]

    def strength(self, view: HandView) -> float:
        """The probability that no opponent still in the hand holds better, if their cards are random."""
        return self._alone(view) ** self._opponents(view)

    def _opponents(self, view: HandView) -> int:
        """How many opponents count: those still in the hand, or one with `plain`."""
        return 1 if self._plain else view.betting.num_in_hand - 1

    def _alone(self, view: HandView) -> float:
        """The same against one opponent; before the flop, the percentile."""
        hole = view.own_cards
        return strength_of(hole, view.board) if view.board else self._percentiles[52 * hole[0] + hole[1]]
