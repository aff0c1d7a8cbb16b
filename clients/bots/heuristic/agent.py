"""The heuristic bot: values actions by rough rules and betting chains, and draws among the profitable ones.

Its parts are those of section 3.2 of the report: evaluation function, action selector, opponent modeller,
hand evaluator, and rules before the flop.  Hand values are effective hand strengths with negative potential
(eq 6, one card ahead), to the power of the number of opponents.

Source: T. Saukonoja and T. A. Pasanen, *A Heuristic Based Approach for a Betting Strategy in Texas Hold'em
Poker* (report C-2008-41).
"""

from __future__ import annotations

from clients.bots.heuristic.config import HeuristicConfig, MethodName, PredictorName
from clients.bots.heuristic.evaluation import DirectEstimation, Evaluation, StrategicMethod
from clients.bots.heuristic.prediction import CountedFolds, FoldPredictor, ModelledFolds, VotedFolds
from clients.bots.heuristic.preflop import preflop_raise, preflop_triple
from clients.bots.heuristic.rough import Question, raises_met
from clients.bots.heuristic.selector import CONTINUED, chances_of, drawn
from clients.bots.heuristic.store import Experience
from clients.bots.opponent_book import DEFAULT_NOISE, OpponentBook
from clients.core.agent import Agent, ProbabilityTriple
from clients.core.options import require_holdem
from engine import compiling
from engine.hands.hand_strength import UNIFORM_WEIGHTS
from engine.players.board_values import board_values
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView

_RAISES: dict[bool, tuple[float, ...]] = {True: (1.0,), False: (0.5, 1.0, 2.0)}
"""The raises considered, in pots, by whether the game is limit (where the size has no effect)."""


class Heuristic(Agent):
    """Plays Texas hold'em by rough expected values and remembered betting chains, limit and no-limit.

    Args:
        method: how actions are evaluated: direct by hands with the same betting, strategic by scenarios.
        aggression: continued aggression: it raises more often if it raised last in the round before.
        randomness: how evenly it draws among profitable actions; 0 takes the best.
        enough: hands of the same kind from which on their outcomes count.
        model: what predicts how likely opponents are to fold: counts, generic, specific, tree, network,
            or vote.
        looseness: scales the share of the starting hands it plays.

    Raises:
        ValueError: an option outside its range.
    """

    def __init__(
        self,
        method: MethodName = "direct",
        aggression: bool = True,
        randomness: float = 0.5,
        enough: int = 30,
        model: PredictorName = "counts",
        looseness: float = 1.0,
    ) -> None:
        self.config = HeuristicConfig(method, aggression, randomness, enough, model, looseness)
        self.experience = Experience()
        evaluation = DirectEstimation if method == "direct" else StrategicMethod
        self.evaluation: Evaluation = evaluation(self.experience, enough)
        self.predictor: FoldPredictor = _predictor(model, self.experience)
        self._finished = -1  # the last hand that has been counted

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernels that decisions take."""
        compiling.models()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Make models for new players.

        Raises:
            ValueError: the game is not Texas hold'em.
        """
        require_holdem("heuristic", game)
        self.predictor.match_started(game, seat, self.names)

    def hand_finished(self, view: HandView) -> None:
        """Remember the hand; its end may be reported twice."""
        if view.hand_number == self._finished:
            return
        self._finished = view.hand_number
        self.predictor.hand_finished(view)
        self.experience.hand_finished(view, self.seat)

    # --- deciding ------------------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action:
        """An action drawn by the probabilities of `chances`."""
        return drawn(self.chances(view), self.rng)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of folding, calling and raising to any size."""
        triple = [0.0, 0.0, 0.0]
        for action, chance in self.chances(view).items():
            triple[TRIPLE_INDEX[action.kind]] += chance
        return ProbabilityTriple(*triple)

    def chances(self, view: HandView) -> dict[Action, float]:
        """The probability of each action in this state."""
        if view.betting_round == 0:
            fold, call, raise_ = preflop_triple(view, self.config.looseness)
            chances = {FOLD: fold, CALL: call}
            if raise_ > 0:
                action = preflop_raise(view.betting)
                chances[action] = chances.get(action, 0.0) + raise_
            return {action: chance for action, chance in chances.items() if chance > 0}
        raising = CONTINUED if self.config.aggression and _has_led(view) else 1.0
        return chances_of(
            self.values(view),
            self.config.randomness,
            can_fold=view.legal_actions().can_fold,
            raising=raising,
        )

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
        return {
            action: self.evaluation.value(
                Question(betting, action, strength, folds, bet_rate, raise_rate, met)
            )
            for action in dict.fromkeys(actions)
        }

    def hand_strength(self, view: HandView) -> float:
        """After the flop: effective hand strength with negative potential, against all opponents.

        Source: Saukonoja and Pasanen, eq 6.
        """
        values = board_values(view.board)
        combo = combo_index(*view.own_cards)
        now = float(values.strengths(UNIFORM_WEIGHTS)[combo])
        effective = now * (1 - float(values.negative_potential[combo]))
        effective += (1 - now) * float(values.positive_potential[combo])
        return float(effective ** (view.betting.num_in_hand - 1))

    def _rates(self, view: HandView) -> tuple[float, float]:
        """The mean bet rate and raise rate of the opponents still in the hand."""
        habits = [
            self.experience.habits_of(self.seat_of(view, position))
            for position, out in enumerate(view.betting.folded)
            if not out and position != view.position
        ]
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
