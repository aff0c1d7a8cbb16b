"""The pre-flop learner: what HCLearner, WHLearner, Name Learner and Poker Learner have in common.

Before the flop it looks up the state and takes the action of the greatest value, or draws one by the values.
After a showdown it changes the values, depending on whether the action was right.  After the flop it moves
all in, so that the hand goes to a showdown.

Source: Nuno Passos, *Poker Learner: Reinforcement Learning Applied to Texas Hold'em Poker* (Porto, 2011),
chapter 4.  ``state``, ``action_values``, ``knowledge`` are its modules.

Gaps and slips in the thesis, and what is done here:

* *The rules of an update* are six; the thesis does not say when to use which: see the table in
  ``action_values``.  A call that was ahead increases the value of raising by two, since a raise would have
  been better still, and so on: this is the only table in which the names of the rules make sense.
* *A tie of hole cards changes nothing*: the text leaves its control variable at zero.  It also compares a
  player with itself, which must not count.
* *Several opponents shown*: by hole cards, each is a comparison and an update of its own ("with any player
  who has also gotten to the showdown").  By the winning hand there is one comparison, with the best of them,
  and splitting the pot counts as winning it (``winner=ties-win``, ``strict`` or ``each``: see
  ``action_values``).
* *Hole cards* follow the five cases of the text; the listing (Fig. 4.4) reverses the second card.
* *The number of players at the showdown* makes no difference (``showdowns=any`` or ``two``: see
  ``action_values``).
* *Without a showdown nothing is learnt*: there are no cards to compare with.  A hand that we folded is judged
  by the cards that others show; this is the only way to learn about folds.
* *Every decision* before the flop is judged, in the order made: if somebody re-raises there is more than one.
* *The choice is judged*, not what the rules made of it: a raise that is not allowed is played as a call.
* *No value falls below zero*, since the values are weights of a draw and are printed as percentages.  There
  is no upper bound.  If all three are zero, they are equal.  Ties between values are broken at random.
* *If nobody has called or raised yet*, the last player and the last action are those of the hand before,
  since no variable may be unknown and the last action has two values (``last-action=carried-over``,
  ``blind-calls`` or ``blind``: see ``action_values``).
* *Moving all in counts as a raise*, even if it is a call after which no raise is allowed: it is as much as
  the player could do.  Without this only the first player at a table of always-all-in would raise, and what
  is learnt there would not help against one of them alone.
* *Position* is early, middle and late for six players as for ten: see ``state.button_positions``.
* *The style* of the last player comes from all hands before this one; a new player is tight passive, which is
  what the program of the thesis makes of four zeros.  Counts start again with every match, since other
  players may then take the seats, and names are not always known.
* *The classifier* of Fig. 4.2 compares a share with 28, and treats a player who never calls as passive:
  ``classifier=as-meant`` (28 per cent; a player who only raises is aggressive) or ``as-printed``.
* *Identity* is the name if the table tells names, otherwise the seat.
* *A raise* is the smallest allowed: the thesis knows the amount to call and no other size.
* *A fold where checking is free* is not allowed here: it becomes a check, and the hand is given up, that is,
  folded to the next bet.  Moving all in with it after the flop would undo the decision.
* *All in after the flop* is the largest raise; in limit games a raise, or a call if no raise is allowed.
* *The way of judging* that a learner chooses for itself is the one with the greater value in the state in
  which the action was chosen; ties are broken at random.  For each comparison that finds the action wrong the
  way's value falls by one (``penalty=each`` or ``once``: see ``action_values``); nothing increases it.  It
  may fall below zero, since only the comparison of the two values matters.
* *Start values* depend only on the agent's seed and the state, not on what was met before.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from clients.core.agent import ProbabilityTriple
from clients.core.options import require_holdem
from clients.learners.preflop import action_values, state
from clients.learners.preflop.knowledge import KnowledgeBase, KnowledgeStore
from clients.learners.store import Knowing
from engine.players.probability_triple import legal_triple
from engine.players.statistics import PlayingStyle
from engine.poker.cards import NUM_CARDS
from engine.poker.rules import CALL as PLAY_CALL, FOLD as PLAY_FOLD, Action, GameDefinition, HandView
from engine.support.user_input import how_many

if TYPE_CHECKING:
    from engine.learning.preflop import Learner


Choice = Literal["greedy", "proportional"]

_ALL_IN: Final = ProbabilityTriple(0, 0, 1)
_GIVEN_UP: Final = ProbabilityTriple(1, 0, 0)


class PreflopLearner(Knowing[KnowledgeStore]):
    """The base class of the four learners; class attributes say how they differ, and which options matter.

    Args:
        knowledge: file that keeps what is learnt; created if it does not exist.
        learn: change values, and the file; off, it plays by what it knows.
        choose: the action of the greatest value, or one drawn by the values; None for the learner's own way.
        classifier: the classifier of playing styles.
        journal: record every hand when it ends; off, only `save_knowledge` writes, as in training.
        last_action: the state's last action while nobody has called or raised; None for the file's reading,
            or `carried-over` without a file.
        winner: the opponents with whom the best five cards are compared.
        penalty: what a way of judging loses when it finds an action wrong.
        showdowns: the showdowns to learn from.

    Raises:
        KnowledgeError: the file cannot be used.
    """

    kind: ClassVar[str]
    """Its name as a bot, and the kind of its knowledge files."""
    judges_by: ClassVar[Literal["hole cards", "winning hand", "both"]]
    """How it tells whether an action was right; both: it learns which way is better."""
    knows_names: ClassVar[bool] = False
    """Whether the last player is known by name instead of by playing style."""

    chooses: ClassVar[Choice] = "greedy"
    """How it chooses an action unless it is told otherwise."""
    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, **more: Any) -> None:
        """Leave out of a learner's signature, which is read for the bot's options, what it would ignore."""
        super().__init_subclass__(**more)
        by = cls.judges_by
        ignored = {"classifier": cls.knows_names, "winner": by == "hole cards", "penalty": by != "both"}
        whole = inspect.signature(PreflopLearner.__init__, eval_str=True)
        taken = {name: each for name, each in list(whole.parameters.items())[1:] if not ignored.get(name)}
        taken["choose"] = taken["choose"].replace(default=cls.chooses, annotation=Choice)
        cls.__signature__ = whole.replace(parameters=list(taken.values()))

    # Many parameters: they are the options of the bots derived from it.
    def __init__(
        self,
        knowledge: Path | None = None,
        learn: bool = True,
        choose: Choice | None = None,
        classifier: state.Classifier = "as-meant",
        journal: bool = True,
        last_action: action_values.LastActionReading | None = None,
        winner: action_values.WinnerReading = "ties-win",
        penalty: action_values.PenaltyReading = "each",
        showdowns: action_values.ShowdownsReading = "any",
    ) -> None:
        self.learns = learn
        self._draws = (choose or self.chooses) == "proportional"
        self._choose = action_values.drawn_action if self._draws else action_values.best_action
        self._triple = action_values.proportional_triple if self._draws else action_values.greedy_triple
        self._classifier: state.Classifier = classifier
        self._winner: action_values.WinnerReading = winner
        self._penalty: action_values.PenaltyReading = penalty
        self._most_shown = 1 if showdowns == "two" else math.inf  # of opponents
        notes: dict[str, str | None] = {} if self.knows_names else {"classifier": classifier}
        notes["last-action"] = last_action
        self._store = KnowledgeStore(knowledge, self.kind, learn=learn, journal=journal, notes=notes)
        self._last_action = self._store.notes["last-action"]
        self._before: tuple[int, int] | None = None  # seat and action of who last called or raised
        self._table: tuple[GameDefinition, int, tuple[str, ...] | None] | None = None
        self._styles = state.StyleTable(2, classifier)
        self._numbers: list[int] = []  # of the names, by seat
        self._positions: tuple[int, ...] = ()
        # Of the hand that is being played:
        self._hand = -1
        self._decisions: list[tuple[int, int]] = []  # (key of the state, action chosen)
        self._new_states: list[int] = []
        self._has_given_up = False
        self._store.close_with(self)

    @property
    def learnt(self) -> KnowledgeBase:
        """The learner's knowledge."""
        return self._store.base

    # --- the match -----------------------------------------------------------------------------------------

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Start the counts of playing styles for the players in the seats.

        Raises:
            OptionError: the game is not Texas hold'em, or not the one the knowledge file was learnt in.
        """
        require_holdem(self.kind, game)
        self._store.match_started(game)
        table = (game, seat, self.names)
        if table == self._table:
            return
        self._table = table
        self._styles = state.StyleTable(game.num_players, self._classifier)
        self._positions = state.button_positions(game)
        self._before = None
        if self.knows_names:
            seats = [f"seat {k}" for k in range(game.num_players)]
            names = [*(self.names or ()), *seats[len(self.names or ()) :]]
            self._numbers = list(map(self._store.base.name_number, names[: game.num_players]))

    # --- playing -------------------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action:
        """Before the flop an action by the values of the state, after it all in."""
        betting = view.betting
        if view.hand_number != self._hand:
            self._hand, self._has_given_up = view.hand_number, False
            self._decisions.clear()
        legal = betting.legal_actions()
        if betting.betting_round:
            if self._has_given_up:
                return PLAY_FOLD if legal.can_fold else PLAY_CALL
            return legal.raising_to(legal.max_raise_to)
        key = self.state(view)
        action = self._choose(self._values(key), self)
        self._decisions.append((key, action))
        if action == action_values.RAISE:
            return legal.raising_to()
        if action == action_values.CALL:
            return PLAY_CALL
        if legal.can_fold:
            return PLAY_FOLD
        self._has_given_up = True
        return PLAY_CALL

    def state(self, view: HandView) -> int:
        """The key of the state in which a decision before the flop is made."""
        seat, last_action = self._last_player(view)
        own, other = view.hole_cards[view.position]
        last_player = self._numbers[seat] if self.knows_names else self._styles.numbers[seat]
        group = state.HAND_GROUP[NUM_CARDS * own + other]
        return state.state_key(group, self._positions[view.position], last_player, last_action)

    def _last_player(self, view: HandView) -> tuple[int, int]:
        """The seat of the state's last player, and the last action."""
        position, last_action = state.last_caller_or_raiser(view.betting)
        if last_action != state.BLIND or self._last_action == "blind":
            return self.seat_of(view, position), last_action
        if self._last_action == "carried-over" and self._before is not None:
            return self._before
        return self.seat_of(view, position), state.CALL

    def _values(self, key: int) -> list[int]:
        base = self._store.base
        if key not in base.states:
            if not self.learns:
                return base.peek(key, self.seed)
            self._new_states.append(key)
        return base.values(key, self.seed)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of folding, calling and raising; asking changes no values."""
        legal = view.legal_actions()
        if view.betting_round:
            has_given_up = self._has_given_up and view.hand_number == self._hand
            triple = _GIVEN_UP if has_given_up else _ALL_IN
        else:
            triple = self._triple(self._store.base.peek(self.state(view), self.seed))
        return legal_triple(triple, legal.can_fold, legal.can_raise)

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The state and the values that it has learnt for it."""
        if view.betting_round:
            return {"after the flop": "all in, or given up"}
        key = self.state(view)
        found = self._store.base.peek(key, self.seed)
        values = [f"{n} {value:+d}" for n, value in zip(("fold", "call", "raise"), found, strict=False)]
        updates = how_many(found[action_values.UPDATES], "update")
        return {"state": str(key), "values": f"{', '.join(values)} points: random ones and {updates}"}

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Judge our actions by the cards shown, and count what everybody did."""
        betting = view.betting
        if not self.knows_names:
            self._styles.observe_hand(betting, self.seat_of(view, 0))
        last = state.last_action_of_others(betting, view.position)
        if last is not None:
            self._before = self.seat_of(view, last[0]), last[1]
        if not self.learns:
            return
        base = self._store.base
        base.hands += 1
        decisions = self._decisions if view.hand_number == self._hand else []
        if decisions and betting.is_showdown:
            position = view.position
            shown = [cards for p, cards in enumerate(view.hole_cards) if cards and p != position]
            if 0 < len(shown) <= self._most_shown:
                self._judge(decisions, view, shown)
        if self._store.keeps_journal:
            touched = {key for key, _ in decisions}
            touched.update(self._new_states)
            self._store.hand_learnt(touched)
        self._new_states.clear()
        self._hand = -1

    def _judge(self, decisions: list[tuple[int, int]], view: HandView, shown: list[tuple[int, ...]]) -> None:
        own, states = view.own_cards, self._store.base.states

        @functools.cache
        def verdicts_by(way: int) -> list[int]:
            if way == action_values.HOLE_CARDS:
                return action_values.hole_cards_verdicts(own, shown)
            return action_values.winning_hand_verdicts(own, shown, view.board, self._winner)

        for key, action in decisions:
            values = states[key]
            way = self._way(values)
            verdicts = verdicts_by(way)
            rules = action_values.RULES[action]
            for verdict in verdicts:
                rule = rules[verdict]
                if rule is not None:
                    action_values.apply_rule(values, rule)
            if self.judges_by == "both":
                values[way] -= self._times_wrong(action, verdicts)

    def _times_wrong(self, action: int, verdicts: list[int]) -> int:
        """The loss of the way of judging that gave these verdicts on an action."""
        right, wrong = (-1, 1) if action == action_values.FOLD else (1, -1)
        times = verdicts.count(wrong)
        return times if self._penalty == "each" else int(times > verdicts.count(right))

    def _way(self, values: list[int]) -> int:
        """The way of judging that is used for an action in a state."""
        if self.judges_by == "hole cards":
            return action_values.HOLE_CARDS
        if self.judges_by == "winning hand":
            return action_values.WINNING_HAND
        by_hole_cards, by_winning_hand = values[action_values.HOLE_CARDS], values[action_values.WINNING_HAND]
        if by_hole_cards == by_winning_hand:
            return self.rng.choice((action_values.HOLE_CARDS, action_values.WINNING_HAND))
        return action_values.HOLE_CARDS if by_hole_cards > by_winning_hand else action_values.WINNING_HAND

    # --- in a compiled loop --------------------------------------------------------------------------------

    def as_arrays(self, game: GameDefinition) -> Learner | None:
        """Its options and knowledge for the compiled loop; None if every hand is to be recorded."""
        if self._store.keeps_journal:
            return None
        import numpy as np

        from engine.learning.preflop import Learner, LearnerLastAction, Way

        last_players = self._numbers if self.knows_names else self._styles.numbers
        num_players = max(len(PlayingStyle), len(self.learnt.names))
        num_states = num_players * len(state.ACTIONS) * len(state.POSITIONS) * state.NUM_GROUPS
        values = np.zeros((num_states, len(Way)), np.int64)
        is_known = np.zeros(len(values), np.bool_)
        for key, row in self.learnt.states.items():
            values[key], is_known[key] = row, True
        ways = {"hole cards": int(Way.HOLE_CARDS), "winning hand": int(Way.WINNING_HAND), "both": -1}
        last = LearnerLastAction
        blind_as = {"blind": int(last.BLIND), "blind-calls": int(last.CALL), "carried-over": -1}
        steps = [[rule or (0, 0, 0) for rule in rules] for rules in action_values.RULES]
        return Learner(
            learns=self.learns, seed=self.seed, judges_by=ways[self.judges_by], draws=self._draws,
            knows_names=self.knows_names, as_meant=self._classifier == "as-meant",
            ties_win=self._winner == "ties-win", each_opponent=self._winner == "each",
            each_comparison=self._penalty == "each", blind_as=blind_as[self._last_action],
            most_shown=int(min(self._most_shown, game.num_players)),
            hand_groups=np.array(list(state.HAND_GROUP), np.int64),
            hole_values=np.array(action_values.HOLE_CARDS_VALUE, np.int64),
            positions=np.array(self._positions, np.int64),
            steps=np.array(steps, np.int64),
            last_players=np.array(last_players, np.int64), counts=np.array(self._styles.counts, np.int64),
            before=np.array((-1, -1) if self._before is None else self._before, np.int64),
            hands=np.array((self._styles.hands, self.learnt.hands), np.int64),
            values=values, is_known=is_known,
        )  # fmt: skip

    def take_in(self, arrays: Learner) -> None:
        """Take over what the compiled loop has learnt, from the arrays of `as_arrays`."""
        if not self.knows_names:
            self._styles.hands = int(arrays.hands[0])
            self._styles.counts = arrays.counts.tolist()
            self._styles.numbers = arrays.last_players.tolist()
        seat, action = arrays.before.tolist()
        self._before = None if seat < 0 else (seat, action)
        self.learnt.hands = int(arrays.hands[1])
        keys = arrays.is_known.nonzero()[0]
        self.learnt.states.update(zip(keys.tolist(), arrays.values[keys].tolist(), strict=True))
