"""What opponents may hold, given their betting: the paper's "is-bettable" filters, one for each action.

Before the flop, a player who voluntarily puts chips in holds a *playable* hand: one of the best hands, in the
share that a sound player would play from that place at that price, scaled by how loosely this player plays.
After the flop, a call passes the hands whose probability of being best is worth the pot odds, and a bet or
raise those that win more than their share of an extra bet: the paper's F, with effective hand strength in
place of the odds.  A second raise in a round passes the better half of these, and so on.  The share that
passes is scaled by how often this player has called, or bet, relative to what was expected.  The filters are
fuzzy, and none excludes a hand for certain.

A check, or seeing the flop for the blind alone, says nothing.

Hands that are shown tell how far a player is to be believed.  The filters count only as far as they have kept
more of the shown hands than of all hands, so the bets of a player who bets with any hand say nothing.

Source: *Hold'em Killer*, "Computing Actual Hand Odds" and "Opponent Modeling".
"""

from __future__ import annotations

import functools
from typing import Final

import attrs
import numpy as np

from clients.bots.memory_file import KnownPlayers
from engine.hands.hand_strength import UNIFORM_WEIGHTS
from engine.hands.pot_odds import BetToPotOdds, immediate_pot_odds
from engine.hands.preflop.first_bet import ONE_CHIP_WITH_BLINDS, call_percentile, first_bet_percentile
from engine.hands.reflective_odds import keep_top, playable_before_flop
from engine.players.board_values import board_values
from engine.players.statistics import Looseness
from engine.poker.combos import NUM_COMBOS, combo_index, combos_without
from engine.poker.rules import ActionKind, HandView
from engine.poker.rules.betting import BettingState
from engine.support.arrays import Floats

SOFTNESS: Final = 0.1
"""The width of a filter's boundary, as a share of all hands."""
_SURPRISE: Final = 0.05
"""The weight that a hand keeps if it does not pass."""
_FEWER: Final = 0.5
"""The share of the hands worth a raise that are worth another raise."""
_PRIOR_HANDS: Final = 20.0
_HALVE_AFTER: Final = 200.0
_USUAL_HONESTY: Final = 0.9
_PRIOR_SHOWN: Final = 5.0
"""The weight of the usual honesty, in actions with hands that were shown later."""


def ideal_flops(players: int) -> float:
    """The share of flops a sound player sees: the paper's 20 % at ten seats, three in four heads-up."""
    return min(0.75, 2 / players)


def ideal_share(before: BettingState, position: int) -> float:
    """The share of hands that a sound player would play before the flop, in their turn.

    If nobody has raised, it is that of the one-chip game with blinds, given the number of players still to
    act; after a raise, it is the raiser's hands that are worth the pot odds.
    """
    players = before.game.num_players
    acted: set[int] = set()
    share: float | None = None
    for earlier, actor, action in before.steps():
        if action.kind is ActionKind.RAISE:
            behind = sum(not out and p != actor and p not in acted for p, out in enumerate(earlier.folded))
            share = _first_bet(behind, players) if share is None else _FEWER * share
            acted = {actor}
        else:
            acted.add(actor)
    if share is None:
        behind = sum(not out and p != position and p not in acted for p, out in enumerate(before.folded))
        return _first_bet(behind, players)
    to_call = before.amount_to_call(position)
    if to_call <= 0:
        return 1.0
    return call_percentile(share, immediate_pot_odds(before.pot, to_call))


def _first_bet(behind: int, players: int) -> float:
    if players == 2:
        return ONE_CHIP_WITH_BLINDS.first_bet("SB")
    return min(0.75, first_bet_percentile(max(1, behind), BetToPotOdds(1 / 1.5)))


@functools.lru_cache(maxsize=256)
def effective_strengths(board: tuple[int, ...]) -> Floats:
    """The effective hand strength of every combo against a random hand: shape (1326,), nan if dead."""
    values = board_values(board)
    now = values.strengths(UNIFORM_WEIGHTS)
    effective: Floats = now + (1 - now) * values.plain.positive
    effective = np.where(values.free > 0, effective, np.nan)
    effective.flags.writeable = False
    return effective


@attrs.define
class Habit:
    """How often a player did something, and how often that was expected; old hands fade."""

    done: float = 0.0
    expected: float = 0.0

    def observe(self, done: bool, expected: float) -> None:
        """Count one occasion."""
        self.done += done
        self.expected += expected
        if self.expected >= _HALVE_AFTER:
            self.done /= 2
            self.expected /= 2

    @property
    def looseness(self) -> float:
        """The ratio of done to expected, shrunk towards 1."""
        return (self.done + _PRIOR_HANDS / 4) / (self.expected + _PRIOR_HANDS / 4)


@attrs.define
class Honesty:
    """How far the hands that a player has shown are those that the filters kept; old hands fade."""

    kept: float = attrs.field(default=0.0, metadata={"least": -_HALVE_AFTER})
    """What the filters kept of the hands shown, beyond what they keep of any hand."""
    possible: float = 0.0
    """The most that `kept` could be."""

    def observe(self, passing: Floats, combo: int) -> None:
        """Count a hand that was shown.

        Args:
            passing: the filter of an action made with it: shape (1326,), 0 to 1.
            combo: the hand, 0 to 1325.
        """
        usual = float(passing.mean())
        self.kept += float(passing[combo]) - usual
        self.possible += 1 - usual
        if self.possible >= _HALVE_AFTER:
            self.kept /= 2
            self.possible /= 2

    @property
    def share(self) -> float:
        """1 for a player who bets only good hands, 0 for one who bets anything; it starts as usual."""
        known = (self.kept + _USUAL_HONESTY * _PRIOR_SHOWN) / (self.possible + _PRIOR_SHOWN)
        return min(1.0, max(0.0, known))


@attrs.define
class OpponentRecord:
    """Knowledge of one player."""

    looseness: Looseness = attrs.field(factory=lambda: Looseness(_HALVE_AFTER))
    """How many flops the player sees."""
    calls: Habit = attrs.field(factory=Habit)
    """How often the player does not fold to a bet after the flop."""
    raises: Habit = attrs.field(factory=Habit)
    """How often the player bets or raises after the flop."""
    honesty: Honesty = attrs.field(factory=Honesty)
    """How far bets, raises and calls were made with the hands that they claim."""

    def times_ideal(self, players: int) -> float:
        """How many times the ideal share of hands the player plays."""
        ideal = ideal_flops(players)
        return self.looseness.rate(ideal, _PRIOR_HANDS) / ideal


@attrs.frozen
class _Passing:
    """The shares of the hands on a board with which a sound player stays in, and bets or raises."""

    call: float
    raise_: float


@functools.lru_cache(maxsize=1 << 12)
def _passing(before: BettingState, board: tuple[int, ...]) -> _Passing:
    position = before.actor()
    opponents = before.num_in_hand - 1
    values = effective_strengths(board)
    live = values[~np.isnan(values)] ** opponents
    to_call = before.amount_to_call(position)
    call = 1.0
    if to_call > 0:
        call = float((live > immediate_pot_odds(before.pot, to_call).value).mean())
    raise_ = float((live > 1 / (1 + opponents)).mean()) * _FEWER**before.raises_in_round
    return _Passing(call, min(raise_, call))


class Reading(KnownPlayers[OpponentRecord]):
    """One agent's knowledge of the players at its table; it reports its seat and the end of each hand."""

    part, kind = "filters", OpponentRecord

    def weights(self, view: HandView, position: int) -> Floats:
        """The weight of each combo for the player in a position, by this hand's betting: shape (1326,)."""
        record = self.of(view, position)
        weights = combos_without((*view.own_cards, *view.board)).astype(np.float64)
        for before, actor, action in view.betting.steps():
            if actor == position:
                passing = self._kept(view, before, action.kind, record)
                weights *= 1 - (1 - _SURPRISE) * record.honesty.share * (1 - passing)
        if not weights.any():
            return combos_without((*view.own_cards, *view.board)).astype(np.float64)
        return weights

    def _kept(self, view: HandView, before: BettingState, kind: ActionKind, record: OpponentRecord) -> Floats:
        """The filter of an action: what it keeps of each combo, shape (1326,)."""
        position = before.actor()
        to_call = before.amount_to_call(position)
        if kind is not ActionKind.RAISE and to_call <= 0:
            return np.ones(NUM_COMBOS)
        players = view.game.num_players
        if before.betting_round == 0:
            share, times = ideal_share(before, position), record.times_ideal(players)
            if kind is ActionKind.RAISE and before.raises_in_round > 0:
                share *= _FEWER
            passing = playable_before_flop(share, times, players=players, softness=SOFTNESS)
        else:
            board = view.board[: before.num_board_cards]
            shares = _passing(before, board)
            values = effective_strengths(tuple(sorted(board)))
            if kind is ActionKind.RAISE:
                passing = keep_top(values, shares.raise_, record.raises.looseness, softness=SOFTNESS)
            else:
                passing = keep_top(values, shares.call, record.calls.looseness, softness=SOFTNESS)
        return passing

    def hand_finished(self, view: HandView) -> None:
        """Count what opponents did; the caller must report each hand only once."""
        self.hands += 1
        betting = view.betting
        folds = [step[:2] for step in betting.steps() if step[2].kind is ActionKind.FOLD]
        folded_before_flop = {actor for before, actor in folds if before.betting_round == 0}
        for position in range(view.game.num_players):
            if position != view.position:
                saw_flop = betting.betting_round >= 1 and position not in folded_before_flop
                self.of(view, position).looseness.observe(saw_flop)
        for before, actor, action in betting.steps():
            if actor == view.position:
                continue
            record = self.of(view, actor)
            cards = view.hole_cards[actor]
            says = action.kind is ActionKind.RAISE or before.amount_to_call(actor) > 0
            if says and cards and betting.is_showdown and not betting.folded[actor]:
                passing = self._kept(view, before, action.kind, record)
                record.honesty.observe(passing, combo_index(*cards))
            if before.betting_round == 0:
                continue
            shares = _passing(before, view.board[: before.num_board_cards])
            if before.amount_to_call(actor) > 0:
                record.calls.observe(action.kind is not ActionKind.FOLD, shares.call)
            if before.legal_actions().can_raise:
                record.raises.observe(action.kind is ActionKind.RAISE, shares.raise_)
