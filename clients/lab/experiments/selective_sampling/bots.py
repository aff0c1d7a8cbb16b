"""Sampling bots with one change: watched, recording their stated values, with other trials or models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import attrs

from clients.bots.opponent_book import OpponentBook
from clients.bots.sampling.agent import Sampling
from clients.core.options import make_agent, parse_settings
from clients.lab.experiments.selective_sampling.formula_trials import FormulaTrials
from clients.lab.experiments.selective_sampling.settings import Settings
from engine.players.action_context import ActionContext
from engine.players.models.frequencies import FrequencyModel
from engine.players.trials.selective_sampling import Estimates, selective_sampling
from engine.players.trials.trials import Spot, Trials, first_actions
from engine.poker.rules import Action, ActionKind, HandView

__all__ = [
    "FoldModelSampling",
    "FormulaSampling",
    "NotedSampling",
    "Stated",
    "WatchedSampling",
    "make_sampling",
]

SamplingAgent = TypeVar("SamplingAgent", bound=Sampling)


def make_sampling(
    kind: type[SamplingAgent], settings: Settings, trials: int, **options: str
) -> SamplingAgent:
    """A sampling bot of some kind, with the experiment's options and a number of trials.

    Args:
        kind: the sub-class of the bot.
        settings: the experiment's settings; `sampling` may have options.
        trials: the number of trials per decision.
        options: more options, which take precedence.

    Raises:
        OptionError: an option that the bot does not take.
    """
    name, _, text = settings.sampling.partition(":")
    chosen = parse_settings(text.split(",")) if text else {}
    agent = make_agent(name, kind, {**chosen, **options, "trials": str(trials)})
    assert isinstance(agent, kind)
    return agent


class WatchedSampling(Sampling):
    """A sampling bot that shows every decision to a function before it is made."""

    watch: Callable[[Spot], None]

    def choose_action(self, view: HandView) -> Action:
        """Show the decision, then choose as usual."""
        self.watch(self.spot(view))
        return self.chosen(view)

    def chosen(self, view: HandView) -> Action:
        """The action of the bot without a time limit."""
        action = super().choose_action(view)
        assert isinstance(action, Action)
        return action


@attrs.frozen(eq=False)
class Stated:
    """A decision and its stated values, in small bets (big blinds in no-limit games)."""

    spot: Spot
    action: Action
    value: float
    """The stated value of the chosen action; 0 for a fold."""
    raising: float | None
    """The stated value of the best raise; None if none is legal."""
    spent: int
    """Chips put in before the decision."""

    @property
    def is_fold(self) -> bool:
        """Whether the action is a fold, after which nothing more is won or lost."""
        return self.action.kind is ActionKind.FOLD


class NotedSampling(Sampling):
    """A sampling bot that records its stated values."""

    _stated: tuple[Stated, ...] = ()

    def choose_action(self, view: HandView) -> Action:
        """Choose as usual, and record the stated values."""
        action = super().choose_action(view)
        assert isinstance(action, Action)
        estimates = self.estimates
        assert estimates is not None
        values = dict(zip(estimates.moves, map(float, estimates.values), strict=True))
        raises = [value for move, value in values.items() if move.kind is ActionKind.RAISE]
        stated = Stated(
            self.spot(view),
            action,
            values.get(action, 0.0),
            max(raises, default=None),
            view.betting.spent[view.position],
        )
        self._stated = (*self._stated, stated)
        return action

    def take_stated(self) -> tuple[Stated, ...]:
        """The decisions recorded since the last call."""
        stated, self._stated = self._stated, ()
        return stated


class FormulaSampling(NotedSampling):
    """A sampling bot whose trials use the whole formula."""

    def _estimates(self, view: HandView) -> Iterator[Estimates[Action]]:
        spot = self.spot(view)
        quick = Trials(spot, self.rng.getrandbits(60), self._tree)
        trials = FormulaTrials(spot, self.book.follow(view).reading, quick)
        return selective_sampling(
            trials.sample,
            first_actions(spot.betting, self.config.shares),
            trials.value,
            max_samples=self.config.max_trials(self.seeded),
            criterion=self.config.criterion,
            known=0.0 if spot.betting.legal_actions().can_fold else None,
        )


class FoldModelSampling(NotedSampling):
    """A sampling bot that expects opponents to fold to a share of bets with any hand, and never to raise."""

    def expect_folds(self, share: float) -> None:
        """Expect this share of folds from now on, from all opponents."""

        def frequencies(context: ActionContext) -> tuple[float, float, float]:
            return (share, 1 - share, 0.0) if context.bets_to_call else (0.0, 1.0, 0.0)

        self.book = OpponentBook(lambda: FrequencyModel(frequencies), self.config.noise)
