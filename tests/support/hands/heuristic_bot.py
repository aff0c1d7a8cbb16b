"""A player after Saukonoja and Pasanen (2008): expected values by rough heuristics, and chance among the good
actions.  A sparring partner; limit games only.

The evaluation is the report's direct estimation (eq. 5) ::

    E = (P_win * pot_at_showdown - bets) + P_fold * (pot - bets)

with the hand strength of its eq. 6 for P_win, lowered by what the opponent has put in, and the opponent's
folds counted for P_fold.  An action is drawn among those of positive value, the better the likelier, and
the player who bet last bets again a little more often ("continued aggression").
"""

from __future__ import annotations

from clients.agent import Agent
from clients.bots.starting_hands import starting_hand_percentiles
from engine.combos import combo_index
from engine.evaluation.hand_strength import UNIFORM_WEIGHTS
from engine.opponents.board_values import board_values
from engine.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView


class Heuristic(Agent):
    """Estimates what each action earns and draws among the profitable ones."""

    def __init__(self, continued_aggression: float = 1.3) -> None:
        self._continued_aggression = continued_aggression
        self._met, self._folded = 20.0, 6.0  # bets and raises an opponent has met, and folded to

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Looks the starting hands up."""
        self._percentiles = starting_hand_percentiles(2)

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Counts folds to bets."""
        before, *_ = view.betting.steps()[-1]
        if position != view.position and before.amount_to_call(position) > 0:
            self._met += 1
            self._folded += action.kind is ActionKind.FOLD

    def choose_action(self, view: HandView) -> Action:
        """Drawn by expected value."""
        game, betting, legal = view.game, view.betting, view.legal_actions()
        pot, to_call = betting.pot, max(0, betting.amount_to_call(view.position))
        bet = game.raise_sizes[betting.betting_round]
        later = sum(game.raise_sizes[betting.betting_round + 1 :]) * 0.5
        win = self._winning(view)
        values = {CALL: win * (pot + to_call + 2 * later) - (to_call + later)}
        if to_call > 0:
            values[FOLD] = 0.0
        if legal.can_raise:
            folds = self._folded / self._met * (0.5 if betting.raises_in_round else 1.0)
            paid = to_call + bet + later
            called = win * (pot + paid + bet + later) - paid
            raising = (1 - folds) * called + folds * pot
            values[legal.raising_to()] = raising * (self._continued_aggression if self._led(view) else 1.0)
        good = {action: value for action, value in values.items() if value > 0}
        if not good:
            return max(values, key=lambda action: values[action])
        drawn = self.rng.random() * sum(value**3 for value in good.values())
        for action, value in good.items():
            drawn -= value**3
            if drawn <= 0:
                return action
        return action

    def _winning(self, view: HandView) -> float:
        """Eq. 6, to the power of the opponents, less for every bet they have made in this round."""
        low, high = view.own_cards
        if not view.board:
            strength = self._percentiles[52 * low + high]
        else:
            values = board_values(view.board)
            combo = combo_index(low, high)
            now = float(values.strengths(UNIFORM_WEIGHTS)[combo])
            strength = now * (1 - float(values.negative_potential[combo]))
            strength += (1 - now) * float(values.positive_potential[combo])
        strength = strength ** (view.betting.num_in_hand - 1)
        return float(strength ** (1 + 0.5 * view.betting.raises_in_round))

    @staticmethod
    def _led(view: HandView) -> bool:
        """Whether we made the last bet or raise of the hand."""
        raisers = [
            position for _, position, action in view.betting.steps() if action.kind is ActionKind.RAISE
        ]
        return raisers[-1:] == [view.position]
