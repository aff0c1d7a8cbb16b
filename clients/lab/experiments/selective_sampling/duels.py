"""Matches of a sampling bot that records its stated values, each deal played from two seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.bots.sampling.agent import Sampling
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import make_agent, parse_settings
from clients.lab.experiments.harness import Work, matches
from clients.lab.experiments.selective_sampling.settings import SamplingSettings, part_task
from engine.players.trials.trials import Spot
from engine.poker.rules import Action, ActionKind, GameDefinition, HandState, HandView
from engine.support.seeds import derive_seed

SamplingAgent = TypeVar("SamplingAgent", bound=Sampling)

HANDS_OF_A_MATCH: Final = 250
"""The number of deals of a match, each of which is played twice."""


def make_sampling(
    kind: type[SamplingAgent], settings: SamplingSettings, trials: int, **options: str
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
    agent = make_agent(name, kind, {"blueprint": "no", **chosen, **options, "trials": str(trials)})
    assert isinstance(agent, kind)
    return agent


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
        spot, value, raising = self.spot(view), values.get(action, 0.0), max(raises, default=None)
        stated = Stated(spot, action, value, raising, view.betting.spent[view.position])
        self._stated = (*self._stated, stated)
        return action

    def take_stated(self) -> tuple[Stated, ...]:
        """The decisions recorded since the last call."""
        stated, self._stated = self._stated, ()
        return stated


Table = tuple[NotedSampling, *tuple[Agent, ...]]
"""Our bot and its opponents."""


@attrs.frozen(eq=False)
class JudgedDecision:
    """One decision and its result.  Units are small bets, in no-limit games big blinds."""

    stated: Stated
    realised: float
    """Chips won from the decision to the end of the hand."""
    deal: int
    opponent_cards: tuple[int, ...]
    """The hole cards of the opponent; of several, of the one who sits behind."""


def play_duel(
    game: GameDefinition, agents: Sequence[Table], seed: int, deals: int
) -> tuple[NDArray[np.float64], list[JudgedDecision]]:
    """Play the same deals from both seats, at larger tables from the first two.

    Args:
        game: the game.
        agents: our bot and its opponents, who fill the table; new ones for each of the two passes.
        seed: the seed of the deals.
        deals: the number of deals.

    Returns:
        What our bot won per hand on each deal, shape (deals,), and its decisions.
    """
    unit = game.small_bet or game.big_blind
    won = np.zeros(deals)
    decisions: list[JudgedDecision] = []
    for seat, (ours, *others) in enumerate(agents):

        def settle(
            state: HandState, chips: tuple[float, ...], ours: NotedSampling = ours, seat: int = seat
        ) -> None:
            position = (seat - state.hand_number) % game.num_players
            result = chips[position] / unit
            won[state.hand_number] += result / len(agents)
            cards = state.deal.hole_cards[(position + 1) % game.num_players]
            decisions.extend(
                JudgedDecision(stated, result + stated.spent / unit, state.hand_number, cards)
                for stated in ours.take_stated()
            )

        Arena(game, [*others[:seat], ours, *others[seat:]], seed).play(deals, on_hand=settle)
    return won, decisions


def duel(
    part: str,
    label: str,
    do: Callable[..., Mapping[str, Any]],
    place: int,
    settings: SamplingSettings,
    work: Work,
    **fields: Any,
) -> tuple[list[float], dict[str, list[tuple[Any, ...]]]]:
    """Play all matches of a duel, on the same deals for the same place.

    Args:
        part, label, do, fields: as for `part_task`; a match gets its seed and deals besides, and returns
            ``won``, on each deal, and rows by name, each of which begins with the number of its deal.
        place: tells duels apart that have other deals.
        settings: the experiment's settings.
        work: how to do it.

    Returns:
        ``won`` of all matches, and the rows, whose deals are numbered through all matches.
    """
    own_seed = derive_seed(settings.seed, place)
    cut = matches(max(1, settings.duel_hands // 2), HANDS_OF_A_MATCH, own_seed)
    tasks = [
        part_task(part, label, do, seed=seed, deals=deals, settings=settings, **fields) for seed, deals in cut
    ]
    won: list[float] = []
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for found in work.each(tasks):
        before = len(won)
        won += found.pop("won")
        for name, each in found.items():
            rows.setdefault(name, []).extend((before + deal, *values) for deal, *values in each)
    return won, rows
