"""The sampling bot: plays out every action on many samples of the hidden cards, and takes the best (Loki).

It reads its opponents as the formula bot does (``clients.bots.opponent_book``).  A decision ends after a
given number of trials, when an action is obvious, or when its time is up, and uses the trials made by then.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Awaitable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, get_args

import trio

from clients.bots.memory_file import Remembering
from clients.bots.opponent_book import DEFAULT_NOISE, DEFAULT_POTENTIAL, OpponentBook, checked_model
from clients.core import options
from clients.core.agent import ProbabilityTriple, described, drawn
from engine import compiling
from engine.players.bet_sizes import BetSizes
from engine.players.probability_triple import legal_triple, mix, triple_of
from engine.players.table_reader import PotentialName
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.selective_sampling import Criterion, Estimates, best_move
from engine.players.trials.strata import averages
from engine.players.trials.trials import Spot, new_tree, simulate
from engine.poker.rules import FOLD, Action, GameDefinition, HandView

_CLOSE: Final = 0.10
"""An action worth at most this much less than the best is mixed in, in small bets (no-limit: big blinds)."""
_BATCH: Final = 100
"""Trials between two looks at the clock."""
_OF_THE_CLOCK: Final = 0.7
"""The share of the dealer's time limit that is used at most."""

DEFAULT_TRIALS: Final = 20_000
DEFAULT_SECONDS: Final = 0.050
SEEDED_TRIALS: Final = 2_000
"""Trials per decision with a seed, when time is not limited so that matches are repeatable."""
MOST_TRIALS: Final = 10**9
"""The most trials that can be asked for; one decision would take hours."""

_Mixture = tuple[tuple[Action, ...], tuple[float, ...]]
ChooseName = Literal["best", "mixed"]
ObviousName = Literal["deviation", "error", "paired", "never"]


class Sampling(Remembering):
    """Plays Texas hold'em by simulation, limit and no-limit, two to ten players.

    Args:
        trials: the most trials per decision; none: 20,000, with a seed 2,000.
        seconds: the most time per decision; none: 0.05, with a seed as long as the trials take.
        model: how opponents are modelled: none, generic or player.
        choose: the best action, or a mixture of those that are nearly as good.
        bet_sizes: no-limit raises to try, as shares of the pot: half+pot+all-in, 0.75+all-in.
        obvious: stop early when the best action leads by more than the sum of the deviations (the paper's),
            of the errors, or the error of the paired difference; or never.
        noise: noise factor of the re-weighting, 0 to 1.
        explain: state the values in a comment line before each action.
        potential: hand potential against a random hand (plain) or the opponents' weight tables (weighted).
        memory: file that keeps the models between matches, by the players' names.
        blueprint: heads-up limit: play the strategy that comes with the program until the opponent is seen
            to depart from it.

    Raises:
        ValueError: an option outside its range, or a memory file that cannot be read, written or locked.
    """

    wants_clock = True

    # Many parameters: they are the bot's options, and are read off this signature.
    def __init__(
        self,
        trials: int | None = None,
        seconds: float | None = None,
        model: str = "player",
        choose: ChooseName = "best",
        bet_sizes: str = "half+pot+all-in",
        obvious: ObviousName = "paired",
        noise: float = DEFAULT_NOISE,
        explain: bool = False,
        potential: PotentialName = DEFAULT_POTENTIAL,
        memory: Path | None = None,
        blueprint: bool = True,
    ) -> None:
        if trials is not None:
            options.require_between("trials", trials, 1, MOST_TRIALS)
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds: expected more than 0, got {seconds}")
        options.require_between("noise", noise, 0, 1)
        options.require_one_of("choose", choose, get_args(ChooseName))
        options.require_one_of("obvious", obvious, get_args(ObviousName))
        options.require_one_of("potential", potential, get_args(PotentialName))
        try:
            self.shares = options.parse_bet_sizes(bet_sizes)
            """The raises simulated in no-limit games, as shares of the pot; all in is infinite."""
        except ValueError as error:
            raise ValueError(f"bet-sizes: {error}") from None
        self.criterion = Criterion(obvious)
        """The criterion by which an action is obvious, so that no more trials are played."""
        self._trials, self._seconds = trials, seconds
        self._mixes, self._explains = choose == "mixed", explain
        self._potential = potential
        self.book = OpponentBook(checked_model(model), noise, potential, blueprint)
        self.remember(memory, self.book)
        self.estimates: Estimates[Action] | None = None
        """The values behind the last decision."""
        self._decided: HandView | None = None  # where the estimates are from
        self._tree = new_tree()

    @property
    def max_trials(self) -> int:
        """The most trials per decision."""
        return self._trials or (SEEDED_TRIALS if self.seeded else DEFAULT_TRIALS)

    @property
    def max_seconds(self) -> float:
        """The most seconds per decision; infinite if time is not limited."""
        return self._seconds or (math.inf if self.seeded else DEFAULT_SECONDS)

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernels that reading and deciding take."""
        compiling.simulation(self._potential)
        self.book.prepare(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Make models and bet sizes for new players, and load the averages for this number of players.

        Raises:
            ValueError: the game is not Texas hold'em.
        """
        options.require_holdem("sampling", game)
        options.require_no_antes("sampling", game)
        self.book.match_started(game, seat, self.names)
        averages(game.num_players)

    # --- deciding ------------------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action | Awaitable[Action]:
        """The action of the highest value, or one of those nearly as good.

        If the time is limited and trio is running, a coroutine; otherwise the action itself.
        """
        share = self.book.strategy_share(view)
        if share and self.rng.random() < share:
            self.estimates = self._decided = None
            return drawn(self.book.usual(view), self.rng)
        if not self.seeded and trio.lowlevel.in_trio_run():
            return self._choose_in_pieces(view)
        return self._decide(view, deque(self._simulation(view), maxlen=1).pop())

    async def _choose_in_pieces(self, view: HandView) -> Action:
        for estimates in self._simulation(view):  # noqa: B007  # the last one is wanted
            await trio.lowlevel.checkpoint()
        return self._decide(view, estimates)

    def _simulation(self, view: HandView) -> Iterator[Estimates[Action]]:
        """The values so far, after each batch of trials, until there are enough or the time is up."""
        start = time.perf_counter()
        seconds = self.max_seconds
        if self.seconds_to_act is not None:
            seconds = min(seconds, _OF_THE_CLOCK * self.seconds_to_act)
        found = simulate(
            self.spot(view), self.rng.getrandbits(60), max_trials=self.max_trials, batch=_BATCH,
            criterion=self.criterion, shares=self.shares, tree=self._tree,
        )  # fmt: skip
        for estimates in found:
            yield estimates
            if time.perf_counter() - start >= seconds:
                return

    def spot(self, view: HandView) -> Spot:
        """The decision in the form in which it is simulated."""
        reader = self.book.follow(view)
        reading = reader.reading
        game = view.game
        sizes = None
        if not game.is_limit:
            sizes = [self.book.of_seat(self.seat_of(view, p)).sizes for p in range(game.num_players)]
            sizes[view.position] = BetSizes()
        models = [OwnStrategy() if p == view.position else m for p, m in enumerate(reading.models)]
        first, second = view.own_cards
        players = simulated_players(models, self.book.noise, sizes)
        potentials = reading.potentials_by_position(view.betting) if self._potential == "weighted" else None
        return Spot(view.betting, view.board, (first, second), reading.weights, players, potentials)

    def _decide(self, view: HandView, estimates: Estimates[Action]) -> Action:
        self.estimates, self._decided = estimates, view
        if self._explains:
            self.comment = explained(estimates)
        actions, chances = self._mixture(view, estimates)
        if not self._mixes:
            return actions[chances.index(1.0)]
        return drawn(dict(zip(actions, chances, strict=True)), self.rng)

    def _mixture(self, view: HandView, estimates: Estimates[Action]) -> _Mixture:
        """The actions we may take, including a fold, and their probabilities."""
        actions: tuple[Action, ...] = estimates.moves
        values = [float(value) for value in estimates.values]
        if view.legal_actions().can_fold:
            actions, values = (FOLD, *actions), [0.0, *values]
        best = best_move(values, range(len(values)))  # from fold to the greatest raise
        if not self._mixes:
            return actions, tuple(float(index == best) for index in range(len(actions)))
        weights = [max(0.0, 1 - (values[best] - value) / _CLOSE) for value in values]
        return actions, tuple(weight / sum(weights) for weight in weights)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of folding, calling and raising in this state, from the simulation that has just
        decided it, else from one of its own."""
        estimates = self.estimates if self._decided is view else None
        estimates = estimates or deque(self._simulation(view), maxlen=1).pop()
        self.estimates, self._decided = estimates, view
        triple = triple_of(zip(*self._mixture(view, estimates), strict=True))
        legal = view.legal_actions()
        own, share = legal_triple(triple, legal.can_fold, legal.can_raise), self.book.strategy_share(view)
        return mix([own, triple_of(self.book.usual(view).items())], [1 - share, share]) if share else own

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The values of its own trials, if any, and the share of the strategy that it begins with."""
        if self.estimates is None:
            return self.book.strategy_said(view)
        unit = "small bets" if view.game.is_limit else "big blinds"
        values = f"{explained(self.estimates)}, {unit} and standard errors"
        return {"values": values} | self.book.strategy_said(view)

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Learn, and write the memory file now and then."""
        if self.is_news(view):
            self.book.hand_finished(view)
            self.save_memory(self.book.hands)


def explained(estimates: Estimates[Action]) -> str:
    """The values behind a decision in one line: ``call +0.52 +- 0.03, raise +0.61 +- 0.04; 1000 trials``."""
    rows = zip(estimates.moves, estimates.values, estimates.standard_errors, strict=True)
    texts = [f"{described(move)} {value:+z.3f} +- {error:.3f}" for move, value, error in rows]
    return f"fold 0, {', '.join(texts)}; {estimates.samples} trials"
