"""The street-learner: a learner for the whole hand, in limit and no-limit games.

``engine.learning.street`` describes the situations that it distinguishes and how it learns.  At a table it
does the same as in training, by the same compiled functions: it observes the situation, takes the action that
has paid best in it, and learns from the hand when it is over.  It trains itself by a compiled loop, ::

    riverboat train street-learner --game limit-2p --hands 20000000 --save street.npz

and against named bots (``--against``) at a table in this process.

It is the learner that the Poker Learner thesis proposes as future work (chapter 6), with a strategy after the
flop and a better description of the situation and of the opponents.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

import attrs

from clients.core.agent import ProbabilityTriple, described
from clients.core.options import require_holdem, require_no_antes
from clients.learners.store import Knowing
from clients.learners.street.knowledge import KIND, StreetKnowledge
from clients.learners.training import TrainingPlan, train_in_arena
from engine import compiling
from engine.learning import decision as decisions
from engine.learning.deal_pool import deal_pool
from engine.learning.street import ActionValues, train
from engine.players.probability_triple import CERTAIN
from engine.poker.combos import combo_index
from engine.poker.rules import FOLD, Action, ActionKind, GameDefinition, HandView
from engine.support.intervals import Winnings

_EXPLORING_HALVES_AFTER: Final = 2_000
"""The number of hands after which the share of exploring hands is halved."""
_FIRST_DECISIONS: Final = 6
"""In an exploring hand, one of this many first decisions is made at random, as in training."""


class StreetLearner(Knowing[StreetKnowledge]):
    """Plays the actions that have paid best in its situation, in all betting rounds, and learns.

    Args:
        knowledge: file that keeps what is learnt; created if it does not exist.
        learn: change values, and the file; off, it plays by what it knows.
        explore: the initial share of hands with one random decision; it falls as the bot learns.
        journal: record every hand when it ends; off, only `save_knowledge` writes, as in training.

    Raises:
        KnowledgeError: the file cannot be used.
        ValueError: a share outside 0..1.
    """

    kind: ClassVar[str] = KIND

    def __init__(
        self, knowledge: Path | None = None, learn: bool = True, explore: float = 0.1, journal: bool = True
    ) -> None:
        if not 0 <= explore <= 1:
            raise ValueError(f"expected a share from 0 to 1, got explore={explore}")
        self.learns = learn
        self._explore = explore if learn else 0.0
        self._store = StreetKnowledge(knowledge, learn=learn, journal=journal)
        self._store.close_with(self)
        self._table: tuple[GameDefinition, int, tuple[str, ...] | None] | None = None
        self._styles = decisions.StyleCounters()
        # Of the hand that is being played:
        self._hand = -1
        self._explores_at = -1
        self._decisions: list[_Decision] = []
        self._in_round: tuple[int, int, decisions.HandInRound] | None = None
        # Hand number, betting round, strength.

    @property
    def learnt(self) -> ActionValues:
        """Its action values; only after `match_started`."""
        return self._store.values

    # --- the match -----------------------------------------------------------------------------------------

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernels that decisions take."""
        if game is not None and game.is_holdem and not game.has_antes:
            compiling.street_decisions(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load the values for the game, and start counting the players' styles.

        Raises:
            OptionError: the game is not Texas hold'em, or not the one the knowledge file was learnt in.
        """
        self._begin(game)
        table = (game, seat, self.names)
        if table != self._table:
            self._table = table
            self._styles = decisions.StyleCounters()
            self._hand = -1
            compiling.street_decisions(game)

    def _begin(self, game: GameDefinition) -> None:
        require_holdem(KIND, game)
        require_no_antes(KIND, game)
        self._store.begin(game)

    # --- playing -------------------------------------------------------------------------------------------

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Count what somebody did."""
        step = view.betting.last_step
        assert step is not None  # the action that is seen
        self._styles.observe(self.seat_of(view, position), step[0], action)
        if position == view.position and self._decisions and self._decisions[-1].done != action:
            self._decisions.pop()  # the dealer acted for us: it was not our decision

    def choose_action(self, view: HandView) -> Action:
        """The action of the greatest value, or now and then a random one."""
        if view.hand_number != self._hand:
            self._hand = view.hand_number
            self._decisions.clear()
            self._explores_at = -1
            if self.rng.random() < self._explore / (1.0 + self.learnt.hands / _EXPLORING_HALVES_AFTER):
                self._explores_at = self.rng.randrange(_FIRST_DECISIONS)
        considered = self.consider(view)
        chosen = considered.best
        if len(self._decisions) == self._explores_at:
            # The value of a fold is known, so there is no need to explore it.
            others = [index for index, action in enumerate(considered.actions) if action != FOLD]
            chosen = self.rng.choice(others)
        decision = _Decision(considered, chosen)
        self._decisions.append(decision)
        return decision.done

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of folding, calling and raising: one is certain, unless it explores."""
        considered = self.consider(view)
        return CERTAIN[considered.actions[considered.best].kind]

    def triples(self, view: HandView) -> Sequence[Sequence[float]]:
        """The probabilities with every hand; one action is certain, unless the decision was random."""
        if self._explores(view):
            others = [action.kind for action in self.consider(view).actions if action != FOLD]
            raising = others.count(ActionKind.RAISE) / len(others)
            return ((0.0, 1.0 - raising, raising),)
        return [CERTAIN[ActionKind.CALL if best is None else best.kind] for best in self._best_of_all(view)]

    def size_chances(self, view: HandView, total: int) -> Sequence[float] | None:
        """1 for each hand that raises to this total, 0 for the others; None if the decision was random."""
        if self._explores(view):
            return None
        return [float(best is not None and best.raise_to == total) for best in self._best_of_all(view)]

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The values that it has learnt for this state."""
        found = self.consider(view)
        options = zip(found.actions, found.values, strict=True)
        values = ", ".join([f"{described(action)} {value:+z.3f}" for action, value in options])
        return {
            "state": f"table rows {', '.join(map(str, found.cells))}, learnt from {self.learnt.hands} hands",
            "values": f"{values} pots{', but it explores' if self._explores(view) else ''}",
        }

    def _explores(self, view: HandView) -> bool:
        """Whether the action it has just chosen was random."""
        return view.hand_number == self._hand and self._explores_at == len(self._decisions) - 1

    def _best_of_all(self, view: HandView) -> list[Action | None]:
        """The best action with each hand; None for hands that share a card with the board."""
        seats = [self.seat_of(view, position) for position in range(view.game.num_players)]
        counters = self._styles.by_position(seats)

        @functools.cache
        def best_of(hand: decisions.HandInRound | None) -> Action | None:
            if hand is None:
                return None
            considered = decisions.consider(self.learnt, view.betting, hand, counters)
            return considered.actions[considered.best]

        hands = list(decisions.all_hands_in_round(view.board, view.betting_round))
        if view.board:
            own = decisions.HandInRound.of(view.own_cards, view.board, view.betting_round)
            hands[combo_index(*view.own_cards)] = own
        return list(map(best_of, hands))

    def consider(self, view: HandView) -> decisions.Considered:
        """Its options in its turn, and their values."""
        known = self._in_round
        if known is None or known[:2] != (view.hand_number, view.betting_round):
            hand = decisions.HandInRound.of(view.own_cards, view.board, view.betting_round)
            known = self._in_round = (view.hand_number, view.betting_round, hand)
        seats = [self.seat_of(view, position) for position in range(view.game.num_players)]
        return decisions.consider(self.learnt, view.betting, known[2], self._styles.by_position(seats))

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Learn from the result of the hand."""
        if not self.learns:
            return
        ours = self._decisions[max(0, self._explores_at) :] if view.hand_number == self._hand else []
        self._decisions.clear()
        self._hand = -1
        learnt = self.learnt
        learnt.hands += 1
        touched: list[tuple[int, int]] = []
        won = view.chips_won()[view.position]
        for decision in ours if math.isfinite(won) else ():
            touched += decisions.learn(learnt, decision.considered, decision.chosen, won)
        if self._store.keeps_journal:
            self._store.hand_learnt(touched)

    def train(self, plan: TrainingPlan) -> Iterator[Winnings]:
        """Learn by a compiled loop from a population of opponents, or at a table against named ones.

        Raises:
            OptionError: the game is not Texas hold'em, or an opponent cannot be had.
            KnowledgeError: the knowledge file was learnt in another game.
        """
        if plan.opponents:
            return train_in_arena(self, plan)
        self._begin(plan.game)
        return self._train_alone(plan)

    def _train_alone(self, plan: TrainingPlan) -> Iterator[Winnings]:
        pool = deal_pool(plan.game.num_players, progress=_PoolNotice())
        winnings = Winnings()
        for won in train(self.learnt, pool, plan.hands, plan.seed):
            winnings += Winnings(len(won), float(won.sum()), float((won * won).sum()))
            yield winnings


class _PoolNotice:
    """Prints one line on stderr when training deals are made: once per user and number of players."""

    def __init__(self) -> None:
        self._said = False

    def __call__(self, share: float) -> None:
        if not self._said:
            print(f"{KIND}: dealing hands to learn from, once; this takes some seconds", file=sys.stderr)
            self._said = True


@attrs.frozen
class _Decision:
    considered: decisions.Considered
    chosen: int

    @property
    def done(self) -> Action:
        return self.considered.actions[self.chosen]
