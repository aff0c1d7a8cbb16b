"""A learner for the whole hand: its situations, its action values, and its training.

**State.**  The betting round; the bucket of effective hand strength (``engine.learning.deal_pool``); the
betting; the position after the flop; with more than two players the number of opponents; and the opponents'
style.  The betting is the price of a call (none, one bet, more; in no-limit its share of the pot), the depth
(bets in the pot; in no-limit the stacks behind, in pots), the raises in this round, and who raised last
before it.  The style is how often the opponents stay when there is something to call, in five degrees, and
how often they raise when they may, in four, or that it is not known yet.  It is that of all opponents still
in the hand, taken together.

**Actions.**  Fold, call and raise: to the one size of limit games; by half the pot, by the pot and all in in
no-limit.

**Method.**  Every-visit Monte Carlo control, on-policy, with exploring starts in the middle of hands (Sutton
and Barto, *Reinforcement Learning*, 2nd edition, 5.3 and 5.4).  A value is the mean of the chips won from the
decision on, in pots, over the hands in which the action was taken; the learner takes the action of the
greatest value.  Folding is worth 0 by definition.

We use Monte Carlo rather than expected SARSA because the states are aggregates: buckets leave out most of the
cards, the betting leaves out most of what was bet, and the opponent's cards are hidden, so the process is not
Markov in these states.  A method that bootstraps mistakes the values of later aggregates for those of the
real situation.  A Monte Carlo return does not, and is right whatever lies behind it (an advantage that
chapter 5 names in its summary).  A hand is short, some ten decisions at most, so little is lost by waiting
for its end.

**Exploration.**  In a share of the hands one decision, whose number is drawn before the hand, is made at
random.  Decisions before it are not learnt from; those after it are the learner's own.  So each value is that
of the greedy strategy, not of one that errs now and then, and whether a decision is learnt from does not
depend on the cards.  The share decays with the number of hands learnt from (`exploration`).

**Steps.**  The n-th observation of a value moves it by ``n ** -0.8`` of the way.  This meets the conditions
for convergence (2.5), and forgets observations of a strategy that has changed since sooner than a plain mean.

**Sharing.**  Each hand is learnt from twice: against opponents of its style, and against all opponents.  The
latter value counts as `ANY_WEIGHT` observations of the former.  The value that the hand would have if all
called and nobody bet any more follows from the evaluator alone; it counts as `SHOWDOWN_WEIGHT` observations
of the latter.  So a learner that has seen nothing plays by hand strength, and rare observations have little
weight.

**Opponents.**  Training needs no other players: the learner plays sessions against simple players who all
differ (`population`), and against former selves.

**Learning curve.**  ``riverboat experiment street-learner`` draws it; see
``clients/learners/street/RESULTS.md``.  In limit, heads-up against a bot that bets by hand strength, it wins
-0.17 big blinds per hand untrained, +0.13 after 100,000 hands and +0.23 after 20 million.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs
import numpy as np

from engine.hands.betting_arrays import game_array
from engine.hands.preflop.tables import shipped_tables
from engine.kernels.learning import situations, street as kernels
from engine.kernels.learning.action_values import CellValues, Prior
from engine.kernels.learning.scripted_players import ANY_SIZE, BY_HAND, NUM_TRAITS, ScriptKind, ScriptTrait
from engine.learning.deal_pool import DealPool
from engine.poker.combos import COMBOS_PER_STARTING_HAND
from engine.poker.rules import GameDefinition
from engine.support.arrays import Floats, Floats32, Ints, Ints32
from engine.support.seeds import derive_seed

STEP_DECAY: Final = 0.8
"""The step of an observation is ``count ** -STEP_DECAY``."""
SHOWDOWN_WEIGHT: Final = 10.0
"""The weight of the value at showdown, in observations against all opponents."""
ANY_WEIGHT: Final = 30.0
"""The weight of the value against all opponents, in observations against one style."""
PRIOR: Final = Prior(SHOWDOWN_WEIGHT, ANY_WEIGHT)

SESSION: Final = 300
"""Hands against the same opponents in training."""
CHUNK: Final = 100_000
"""Hands that are played at once in training, which takes some 0.4 s."""
POPULATION: Final = 1000
"""The number of opponents in the population that training draws."""
FORMER_SELF_AFTER: Final = 10
"""After this many chunks the present learner becomes the former self that it plays against."""

LEAST_EXPLORING: Final = 0.1
"""The least share of hands that explore, however long the learner has been learning."""
_HALF_EXPLORED: Final = 2_000_000
# Hands after which half of all hands explore.


def num_styles(num_players: int) -> int:
    """The number of opponents' styles, including "not known"."""
    return situations.MANY_STYLES if num_players == 2 else situations.FEW_STYLES


def num_situations(game: GameDefinition) -> int:
    """The number of situations against opponents of one style."""
    return situations.num_situations(int(game.is_limit), game.num_players)


def exploration(hands: int) -> float:
    """The share of hands that explore after a number of hands learnt from."""
    return max(LEAST_EXPLORING, 1.0 / (1.0 + hands / _HALF_EXPLORED))


@attrs.define(eq=False)
class ActionValues:
    """The values learnt in a game.  Rows are cells: ``style * num_situations + situation``."""

    game: GameDefinition
    values: Floats32
    """The values of calling and of each raise, in pots.  Shape (cells, 1 call + 1 or 3 raises)."""
    counts: Ints32
    """The number of observations behind each value; same shape."""
    hands: int = 0
    """The number of hands learnt from."""

    @property
    def by_cell(self) -> CellValues:
        """Values and counts in the form that kernels take; the arrays are shared."""
        return CellValues(self.values, self.counts)

    @classmethod
    def unlearnt(cls, game: GameDefinition) -> ActionValues:
        """The values of a learner that has not seen anything yet.

        Raises:
            ValueError: the game is not Texas hold'em.
        """
        if not game.is_holdem:
            raise ValueError(
                "the learner plays Texas hold'em only: 52 cards, two hole cards, boards of 0, 3, 4 and 5"
            )
        shape = (num_situations(game) * num_styles(game.num_players), 2 if game.is_limit else 4)
        return cls(game, np.zeros(shape, np.float32), np.zeros(shape, np.int32))

    def copy(self) -> ActionValues:
        """A copy with arrays of its own."""
        return ActionValues(self.game, self.values.copy(), self.counts.copy(), self.hands)


# --- opponents -------------------------------------------------------------------------------------------

_ALL_IN: Final = 1e9
_LEAST: Final = 1e-3
_NEVER: Final = 2.0
_ALWAYS: Final = -2.0


def population(num: int, is_limit: bool, rng: np.random.Generator) -> Floats:
    """Simple opponents, all different, by the columns of ``ScriptTrait``.

    ==========================  ======  ===========================================================
    calls everything            10 %    half of them bet and raise their best hands
    acts at random              15 %    including the ACPC's example player
    bets and raises most hands  12 %    or even all hands
    plays by hand strength      37 %    with its own thresholds before and after the flop
    the same, later all in      11 %    no-limit only: bets all it has after the flop; otherwise as above
    a former self               15 %
    ==========================  ======  ===========================================================

    Returns:
        Shape (num, NUM_TRAITS).
    """
    opponents = np.zeros((num, NUM_TRAITS))
    by_hand = np.sort(np.repeat(shipped_tables().raw_odds[:, 0], COMBOS_PER_STARTING_HAND))

    def quantile(share: float) -> float:
        """The strength below which this share of all starting hands lies."""
        return float(by_hand[min(len(by_hand) - 1, int(share * len(by_hand)))])

    sizes = (_LEAST, 0.5, 0.75, 1.0, BY_HAND, ANY_SIZE, _ALL_IN)
    for traits in opponents:
        kind = rng.random()
        traits[ScriptTrait.BET_SIZE : ScriptTrait.BET_SIZE + 2] = rng.choice(sizes, 2)
        traits[ScriptTrait.MOST_RAISES] = rng.choice([1, 2, 3, 100])
        traits[ScriptTrait.NOISE] = rng.choice([0.0, rng.uniform(0.0, 0.15)])
        bet, raise_, call, odds = traits[ScriptTrait.BET_FROM : ScriptTrait.CALL_ODDS + 2].reshape(4, 2)
        if kind < 0.10:
            bet[:] = raise_[:] = _NEVER
            call[:] = _ALWAYS
            if rng.random() < 0.5:
                bet[:] = rng.uniform(0.6, 0.9)
                raise_[:] = rng.uniform(0.75, 0.95)
        elif kind < 0.25:
            traits[ScriptTrait.KIND] = ScriptKind.AT_RANDOM
            weights = (0.06, 0.47, 0.47)
            if rng.random() < 0.7:
                weights = (rng.uniform(0.0, 0.3), rng.uniform(0.1, 1.0), rng.uniform(0.0, 1.0))
            traits[ScriptTrait.FOLD_WEIGHT : ScriptTrait.RAISE_WEIGHT + 1] = weights
            traits[ScriptTrait.BET_SIZE : ScriptTrait.BET_SIZE + 2] = rng.choice([ANY_SIZE, _LEAST, _ALL_IN])
        elif kind < 0.37:
            share = rng.uniform(-0.3, 0.5)
            bet[:] = quantile(share) if share > 0 else _ALWAYS, max(share, 0.0) or _ALWAYS
            raise_[:] = bet + rng.uniform(0.0, 0.2)
            call[:] = rng.choice([_ALWAYS, rng.uniform(0.2, 0.45)])
            traits[ScriptTrait.MOST_RAISES] = rng.choice([3, 100])
        elif kind < 0.85:
            opens = rng.uniform(0.2, 0.95)
            bet[:] = quantile(opens), rng.uniform(0.35, 0.85)
            raise_[:] = quantile(rng.uniform(opens, 1.0)), rng.uniform(bet[1], 1.0)
            if rng.random() < 0.5:  # by the pot odds
                call[:] = rng.uniform(-0.1, 0.1, 2)
                odds[:] = rng.uniform(0.6, 1.4)
            else:
                call[:] = quantile(rng.uniform(0.0, 0.8)), rng.uniform(0.2, 0.7)
                odds[:] = rng.uniform(0.0, 0.4)
            if rng.random() < 0.5:
                traits[ScriptTrait.BLUFF] = rng.uniform(0.0, 0.3)
            if kind > 0.74 and not is_limit:
                bet[1] = raise_[1] = call[1] = _ALWAYS
                traits[ScriptTrait.BET_SIZE + 1] = _ALL_IN
                traits[ScriptTrait.MOST_RAISES] = 100
        else:
            traits[ScriptTrait.KIND] = ScriptKind.FORMER_SELF
            traits[ScriptTrait.NOISE] = rng.uniform(0.0, 0.1)
    return opponents


# --- training --------------------------------------------------------------------------------------------


def train(
    learnt: ActionValues, pool: DealPool, hands: int, seed: int, *, opponents: Floats | None = None
) -> Iterator[Floats]:
    """Play hands against a population and learn from them.

    Args:
        learnt: the values so far, changed in place.
        pool: deals for the number of players of the game.
        hands: how many hands to play.
        seed: the same seed and the same start give the same values.
        opponents: from `population`; a thousand by default.

    Yields:
        The chips won in each of the last CHUNK hands or fewer, while learning from them.

    Raises:
        ValueError: a pool for another number of players.
    """
    game = learnt.game
    if opponents is None:
        opponents = population(POPULATION, game.is_limit, np.random.default_rng([seed, learnt.hands]))
    former = learnt.copy()
    start = derive_seed(seed, learnt.hands)
    for chunk, first in enumerate(range(0, hands, CHUNK)):
        number, own_seed = min(CHUNK, hands - first), derive_seed(start, chunk)
        method = kernels.Method(exploration(learnt.hands), STEP_DECAY, PRIOR)
        won = play(learnt, pool, number, own_seed, opponents, former=former, method=method)
        learnt.hands += len(won)
        if (chunk + 1) % FORMER_SELF_AFTER == 0:
            former = learnt.copy()
        yield won


_NEITHER: Final = kernels.Method(exploring=0.0, decay=kernels.NO_LEARNING, prior=PRIOR)
"""Neither learning nor exploring."""


def play(
    learnt: ActionValues,
    pool: DealPool,
    hands: int,
    seed: int,
    opponents: Floats,
    *,
    former: ActionValues | None = None,
    method: kernels.Method = _NEITHER,
    record: Ints | None = None,
) -> Floats:
    """Play hands, by default without learning or exploring; returns the chips won in each, shape (hands,).

    Args:
        learnt: the learner's values.
        pool: deals for the number of players of the game.
        hands: how many hands to play.
        seed: the seed of the opponents and of the place in the pool to begin at.
        opponents: from `population`.
        former: the values of former selves; by default those of the learner.
        method: how the learner explores and learns.
        record: filled in place with the hands as they were played, shape (hands, RECORD_SIZE).

    Raises:
        ValueError: a pool for another number of players.
    """
    game = learnt.game
    if pool.num_players != game.num_players:
        raise ValueError(f"expected deals for {game.num_players} players, got {pool.num_players}")
    results = np.zeros(hands)
    kernels.play_hands(
        game_array(game),
        pool.played,
        kernels.Opponents(opponents, (learnt if former is None else former).by_cell),
        learnt.by_cell,
        method,
        kernels.Schedule(derive_seed(seed, 0) % len(pool), SESSION, derive_seed(seed, 1)),
        results,
        np.zeros((0, kernels.RECORD_SIZE), np.int64) if record is None else record,
    )
    return results
