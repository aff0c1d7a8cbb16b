"""The killer bot: straight play by reflective hand odds and implied odds, with a book before the flop.

Source: E. Peretz, *Hold'em Killer: How to write a winning poker bot* (2005).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, get_args

import numpy as np

from clients.bots.killer.preflop import by_configs, by_groups, by_one_chip, read_table
from clients.bots.killer.reading import Reading
from clients.bots.killer.straight import Postflop, bluff_chance, decide, hand_odds, hand_strengths
from clients.bots.memory_file import Remembering
from clients.core.agent import ProbabilityTriple
from clients.core.options import require_between, require_holdem, require_one_of
from engine import compiling
from engine.hands.flop_configs import shipped_book
from engine.hands.pot_odds import StraightPlay
from engine.players.action_context import situation_of
from engine.players.board_values import board_values
from engine.players.probability_triple import CERTAIN
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView, Rake
from engine.support.arrays import Floats

_POTS: Final = 0.75
"""The size of no-limit bets and raises after the flop, in pots."""
_PREFLOP_RAISE: Final = 3.0
"""The total of a no-limit raise before the flop, as a multiple of the last one."""

PreflopName = Literal["configs", "groups", "one-chip"]


class Killer(Remembering):
    """Plays Texas hold'em straight, by reflective hand odds and implied odds, limit and no-limit.

    Args:
        preflop: how it plays before the flop: by the book of flop configurations (configs), by Sklansky's
            groups (groups), or by the one-chip game (one-chip).
        bluff: bluff on the river, just often enough to make a call worth nothing.
        rake: the percentage of the pot that the house takes, which the values allow for.
        rake_cap: the most the house takes from a pot, in small bets (big blinds in no-limit).
        memory: file that keeps what is known of opponents between matches, by their names.

    Raises:
        ValueError: an option outside its range, or a memory file that cannot be read, written or locked.
    """

    def __init__(
        self,
        preflop: PreflopName = "configs",
        bluff: bool = True,
        rake: float = 0.0,
        rake_cap: float = 3.0,
        memory: Path | None = None,
    ) -> None:
        require_one_of("preflop", preflop, get_args(PreflopName))
        require_between("rake", rake, 0, 100)
        if not rake_cap >= 0:
            raise ValueError(f"rake-cap: expected 0 or more small bets, got {rake_cap}")
        self._way, self._bluffs = preflop, bluff
        self._rake, self._rake_cap = rake, rake_cap
        self.reading = Reading()
        self.remember(memory, self.reading)

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernels that decisions take, and read the book."""
        compiling.models()
        compiling.worths()
        shipped_book()
        compiling.odds_against_ranges()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Meet the opponents.

        Raises:
            ValueError: the game is not Texas hold'em.
        """
        require_holdem("killer", game)
        self.reading.sit_down(seat, game.num_players, self.names)

    def hand_finished(self, view: HandView) -> None:
        """Count what opponents did; the end of a hand may be reported twice."""
        if self.is_news(view):
            self.reading.hand_finished(view)
            self.save_memory(self.reading.hands)

    # --- deciding ------------------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action:
        """The straight action, or on the river a bluff, which is drawn at random with borderline hands."""
        if view.betting_round == 0:
            return self._preflop(view)[0]
        action, bluff = self._postflop(view)
        if bluff > 0 and self.rng.random() < bluff:
            return self._raise(view)
        return action

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of folding, calling and raising: one action is certain, except for bluffs."""
        if view.betting_round == 0:
            return CERTAIN[self._preflop(view)[0].kind]
        action, bluff = self._postflop(view)
        return ProbabilityTriple(0, 1 - bluff, bluff) if bluff > 0 else CERTAIN[action.kind]

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The numbers of the decision."""
        if view.betting_round == 0:
            return {self._way: self._preflop(view)[1]}
        numbers, _ = self.decision(view)
        odds = f"{numbers.hand_odds:.3f} to win, strength {numbers.strength:.3f}"
        price = f"{numbers.to_call:g} chips to call for a pot of {numbers.pot:g}"
        return {"reflective odds": f"{odds}, potential {numbers.potential:.3f}", "price": price}

    def _preflop(self, view: HandView) -> tuple[Action, str]:
        """The action before the flop, and the numbers that speak for it."""
        betting, legal = view.betting, view.legal_actions()
        raising = CALL
        if legal.can_raise:
            raising = legal.raising_to()
            if not legal.is_limit:
                raising = betting.raise_or_all_in(_PREFLOP_RAISE * betting.max_spent)
        raise_ = 0.0
        if raising is not CALL:
            after = betting.apply(raising)
            raise_ = float(after.spent[view.position] - betting.max_spent)
        if self._way == "one-chip":
            kind, said = by_one_chip(view, self.reading)
        else:
            table = read_table(view, self.reading, max(0.0, raise_))
            if self._way == "groups":
                kind, said = by_groups(view, table)
            else:
                unit = view.game.small_bet or view.game.big_blind
                values = by_configs(table, shipped_book(), Rake(self._rake, self._rake_cap * unit))
                kind = max(values, key=lambda action: values[action])
                said = ", ".join([f"{each.name.lower()} {value:+z.2f}" for each, value in values.items()])
                said += " chips"
        if kind is ActionKind.RAISE:
            return raising, said
        return FOLD if kind is ActionKind.FOLD and legal.can_fold else CALL, said

    def _postflop(self, view: HandView) -> tuple[Action, float]:
        """The straight action after the flop, and the probability of bluffing instead."""
        decision, weights = self.decision(view)
        play = decide(decision)
        if play in (StraightPlay.BET, StraightPlay.RAISE):
            return self._raise(view), 0.0
        if play is StraightPlay.FOLD and view.legal_actions().can_fold:
            return FOLD, 0.0
        is_river = view.betting_round == view.game.num_rounds - 1
        if play is StraightPlay.CHECK and self._bluffs and is_river:
            return CALL, bluff_chance(view, weights, decision)
        return CALL, 0.0

    def _raise(self, view: HandView) -> Action:
        """A bet or raise after the flop; a call if none is legal."""
        legal = view.legal_actions()
        return legal.raising_to() if legal.is_limit else view.betting.raise_of_pots(_POTS)

    def decision(self, view: HandView) -> tuple[Postflop, Floats]:
        """The decision after the flop in numbers, and the opponents' weights, shape (opponents, 1326)."""
        betting = view.betting
        opponents = [p for p, out in enumerate(betting.folded) if not out and p != view.position]
        weights = np.array([self.reading.weights(view, position) for position in opponents])
        combo = combo_index(*view.own_cards)
        public = situation_of(betting)
        players = view.game.num_players
        decision = Postflop(
            hand_odds=min(1.0, max(0.0, hand_odds(view, weights))),
            strength=float(hand_strengths(view.board, weights)[combo]),
            potential=float(board_values(view.board).plain.positive[combo]),
            pot=float(betting.pot),
            to_call=float(max(0, betting.amount_to_call(view.position))),
            bet=public.bet if view.legal_actions().can_raise else 0.0,
            later=public.future_bets,
            loosenesses=tuple(self.reading.of(view, position).times_ideal(players) for position in opponents),
        )
        return decision, weights
