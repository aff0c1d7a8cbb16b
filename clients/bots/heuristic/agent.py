"""The heuristic bot: values actions by rough rules and betting chains, and draws among the profitable ones.

Its parts are those of section 3.2 of the report: evaluation function, action selector, opponent modeller,
hand evaluator, and rules before the flop.  Hand values are effective hand strengths with negative potential
(eq 6, one card ahead), to the power of the number of opponents.

Source: T. Saukonoja and T. A. Pasanen, *A Heuristic Based Approach for a Betting Strategy in Texas Hold'em
Poker* (report C-2008-41).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, get_args

from clients.bots.heuristic.evaluation import DirectEstimation, Evaluation, Question, StrategicMethod
from clients.bots.heuristic.prediction import CountedFolds, FoldPredictor, ModelledFolds, VotedFolds
from clients.bots.heuristic.preflop import preflop_raise, preflop_triple, table_entry
from clients.bots.heuristic.store import Experience, raises_met
from clients.bots.memory_file import Remembering
from clients.bots.opponent_book import DEFAULT_NOISE, OpponentBook
from clients.core.agent import Mixing, described
from clients.core.options import require_between, require_holdem, require_one_of
from engine import compiling
from engine.hands.hand_strength import UNIFORM_WEIGHTS
from engine.players.board_values import board_values
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView
from engine.support.user_input import how_many

_RAISES: dict[bool, tuple[float, ...]] = {True: (1.0,), False: (0.5, 1.0, 2.0)}
"""The raises considered, in pots, by whether the game is limit (where the size has no effect)."""

CONTINUED: Final = 1.5
"""The factor on the weight of a raise with continued aggression."""

MethodName = Literal["direct", "strategic"]
PredictorName = Literal["counts", "generic", "player", "vote"]


class Heuristic(Mixing, Remembering):
    """Plays Texas hold'em by rough expected values and remembered betting chains, limit and no-limit.

    Args:
        method: how actions are evaluated: direct by hands with the same betting, strategic by scenarios.
        aggression: continued aggression: it raises more often if it raised last in the round before.
        randomness: how evenly it draws among profitable actions; 0 takes the best.
        enough: hands of the same kind from which on their outcomes count.
        model: what predicts how likely opponents are to fold: counts, generic, player or vote.
        looseness: scales the share of the starting hands it plays.
        memory: file that keeps opponents' habits and models between matches, by their names.

    Raises:
        ValueError: an option outside its range, or a memory file that cannot be read, written or locked.
    """

    def __init__(
        self,
        method: MethodName = "direct",
        aggression: bool = True,
        randomness: float = 0.5,
        enough: int = 30,
        model: PredictorName = "counts",
        looseness: float = 1.0,
        memory: Path | None = None,
    ) -> None:
        require_one_of("method", method, get_args(MethodName))
        require_one_of("model", model, get_args(PredictorName))
        require_between("randomness", randomness, 0, 10)
        require_between("looseness", looseness, 0, 5)
        if enough < 1:
            raise ValueError(f"enough: expected 1 or more, got {enough}")
        self._keeps_leading, self._randomness, self._looseness = aggression, randomness, looseness
        self.experience = Experience()
        evaluation = DirectEstimation if method == "direct" else StrategicMethod
        self.evaluation: Evaluation = evaluation(self.experience, enough)
        self.predictor: FoldPredictor = _predictor(model, self.experience)
        self.remember(memory, self.experience, *self.predictor.books)

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernels that decisions take."""
        compiling.models()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Make models for new players.

        Raises:
            ValueError: the game is not Texas hold'em.
        """
        require_holdem("heuristic", game)
        self.experience.sit_down(seat, game.num_players, self.names)
        self.predictor.match_started(game, seat, self.names)

    def hand_finished(self, view: HandView) -> None:
        """Remember the hand; its end may be reported twice."""
        if self.is_news(view):
            self.predictor.hand_finished(view)
            self.experience.hand_finished(view)
            self.save_memory(self.experience.hands)

    # --- deciding ------------------------------------------------------------------------------------------

    def chances(self, view: HandView) -> dict[Action, float]:
        """The probability of each action in this state."""
        if view.betting_round == 0:
            fold, call, raise_ = preflop_triple(view, self._looseness)
            chances = {FOLD: fold, CALL: call}
            if raise_ > 0:
                action = preflop_raise(view.betting)
                chances[action] = chances.get(action, 0.0) + raise_
            return {action: chance for action, chance in chances.items() if chance > 0}
        raising = CONTINUED if self._keeps_leading and _has_led(view) else 1.0
        can_fold = view.legal_actions().can_fold
        return chances_of(self.values(view), self._randomness, can_fold=can_fold, raising=raising)

    def values(self, view: HandView) -> dict[Action, float]:
        """After the flop: the value of each legal action except folding, in chips from here on."""
        betting = view.betting
        strength = self.hand_strength(view)
        actions = [CALL]
        if view.legal_actions().can_raise:
            actions += [betting.raise_of_pots(share) for share in _RAISES[betting.game.is_limit]]
        bet_rate, raise_rate = self._rates(view)
        met = self.experience.strength_met(raises_met(betting, view.position))
        folds: dict[int, float] = {}
        if len(actions) > 1:
            folds = self.predictor.fold_chances(view, betting.apply(actions[1]))
        known = strength, folds, bet_rate, raise_rate, met
        questions = {action: Question(betting, action, *known) for action in actions}
        return {action: self.evaluation.value(question) for action, question in questions.items()}

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The entry of the table before the flop, strength and values after it."""
        if view.betting_round == 0:
            better, raises, factor = table_entry(view, self._looseness)
            row = f"the table's row for {how_many(raises, 'raise')}, its shares times {factor:.2f}"
            return {"before the flop": f"{better:.1%} of all hands are better; {row}"}
        values = [f"{described(action)} {value:+z.2f}" for action, value in self.values(view).items()]
        return {"strength": f"{self.hand_strength(view):.3f}", "values": f"{', '.join(values)} chips, fold 0"}

    def hand_strength(self, view: HandView) -> float:
        """After the flop: effective hand strength with negative potential, against all opponents.

        Source: Saukonoja and Pasanen, eq 6.
        """
        values = board_values(view.board)
        combo = combo_index(*view.own_cards)
        now = float(values.strengths(UNIFORM_WEIGHTS)[combo])
        effective = now * (1 - float(values.plain.negative[combo]))
        effective += (1 - now) * float(values.plain.positive[combo])
        return float(effective ** (view.betting.num_in_hand - 1))

    def _rates(self, view: HandView) -> tuple[float, float]:
        """The mean bet rate and raise rate of the opponents still in the hand."""
        others = [p for p, out in enumerate(view.betting.folded) if not out and p != view.position]
        habits = [self.experience.of(view, position) for position in others]
        number = len(habits)
        return sum(h.bet_rate for h in habits) / number, sum(h.raise_rate for h in habits) / number


def _predictor(model: PredictorName, experience: Experience) -> FoldPredictor:
    if model == "counts":
        return CountedFolds(experience)
    if model == "vote":
        return VotedFolds()
    return ModelledFolds(OpponentBook(model, DEFAULT_NOISE))


def _has_led(view: HandView) -> bool:
    """Whether we made the last bet or raise of the betting round before this one."""
    for before, position, action in view.betting.steps_back():
        if before.betting_round == view.betting_round - 1 and action.kind is ActionKind.RAISE:
            return position == view.position
    return False


def chances_of(
    values: Mapping[Action, float], randomness: float, *, can_fold: bool, raising: float = 1.0
) -> dict[Action, float]:
    """The probability of each action; they add up to 1.

    The action of the highest value in one hand need not be the best in the whole match: a player who always
    takes it gives away their cards (sections 2.2 and 3).  The weight of an action of positive value is that
    value to the power of 1 / `randomness`, for raises times `raising`.  If no value is positive, it checks if
    that is free, and folds otherwise.

    Args:
        values: the value of each legal action other than folding, in chips; folding is worth 0.
        randomness: 0 for the best alone; at .5 an action worth half as much is taken a quarter as often.
        can_fold: whether there is something to call.
        raising: factor on the weight of raises, 1 or more.
    """
    good = [action for action, value in values.items() if value > 0]
    factors = {action: raising if action.kind is ActionKind.RAISE else 1.0 for action in good}
    if not factors:
        return {FOLD if can_fold else CALL: 1.0}
    best = max(values[action] for action in factors)
    if randomness <= 0:
        first = max(factors, key=lambda action: values[action])
        return {first: 1.0}
    power = 1 / randomness
    weights = {action: factor * (values[action] / best) ** power for action, factor in factors.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}
