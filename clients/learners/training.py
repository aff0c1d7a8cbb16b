"""Training: a learner plays hands in this process, against named opponents, and gets better.

To be trained by ``riverboat train`` and the experiments, a learner offers the following:

* its factory (the entry point of the group ``riverboat.bots``) takes `knowledge`, a path or None, and
  `learn`, a bool; if it takes `journal` as well, training switches that off and saves now and then;
* its agent has `save_knowledge()`, which replaces the file with what is known now (`Learner`);
* if it can learn faster than at a table in this process, its agent also has `train(plan)`, its own loop
  (`TrainsItself`).

Either way training is an iterator that stops often and yields what the learner has won in this training so
far (`engine.support.intervals.Winnings`).  Between two stops the learner is in a consistent state: the
caller may save it, or end the training.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

import attrs

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import AgentFactory, OptionError, agent_options, make_agent
from clients.core.registry import load_bot, make_bot, parse_spec
from engine.poker.rules import GameDefinition, HandState
from engine.support.intervals import Winnings

if TYPE_CHECKING:
    from engine.learning import preflop


_STOP_EVERY: Final = 500
_STOP_COMPILED_EVERY: Final = 10_000
WORTH_COMPILING: Final = 100_000
"""The number of hands from which a compiled loop is faster, including loading or even compiling it."""


@attrs.frozen
class TrainingPlan:
    """A training: the game, the opponents, the number of hands and the seed."""

    game: GameDefinition
    opponents: tuple[str, ...]
    """``BOT[:KEY=VALUE,...]`` for each other seat."""
    hands: int
    seed: int
    """The seed of the cards, the learner and its opponents: the same seed gives the same knowledge."""


@runtime_checkable
class Learner(Protocol):
    """An agent that learns."""

    def save_knowledge(self) -> None:
        """Replace the knowledge file, if there is one, with what is known now."""


@runtime_checkable
class TrainsItself(Protocol):
    """A learner with a training loop of its own."""

    def train(self, plan: TrainingPlan) -> Iterator[Winnings]:
        """Learn, yielding what was won so far at least once a second, and after `plan.hands` hands.

        Raises:
            OptionError: it cannot be trained in this game or against these opponents.
        """


def make_learner(spec: str, knowledge: Path | None, *, learn: bool = True) -> Agent:
    """The learner of a ``LEARNER[:KEY=VALUE,...]`` text, for training or to play in this process.

    Args:
        spec: the bot and its options.
        knowledge: its file; None to keep nothing.
        learn: whether it learns; off, it only plays.

    Raises:
        UnknownBot: there is no such bot.
        OptionError: it is not a learner, does not take these options, or cannot use the file.
    """
    name, given = parse_spec(spec)
    factory = load_bot(name)
    takes = {parameter.name: parameter for parameter in agent_options(factory)}
    if "knowledge" not in takes or "learn" not in takes:
        raise OptionError(f"{name} is not a learner: it has no options knowledge and learn")
    fixed: dict[str, Any] = {"knowledge": knowledge, "learn": learn}
    if "journal" in takes:
        fixed["journal"] = False
    for key in fixed:
        if key in given:
            raise OptionError(f"{name}:{key}=... cannot be given here: the command sets it")
    agent = make_agent(name, _with(factory, fixed), given)
    if not isinstance(agent, Learner):
        raise OptionError(f"{name} is not a learner: it has no save_knowledge()")
    return agent


def release(learner: Agent) -> None:
    """Release the learner's file, if it has one; what was not saved is lost."""
    close = getattr(learner, "close_knowledge", None)
    if close is not None:
        close()


def train(learner: Agent, plan: TrainingPlan) -> Iterator[Winnings]:
    """Train by the learner's own loop if it has one, otherwise at a table in this process.

    At the table the learner has seat 0 and its opponents the others in order, each under its bot's name.

    Raises:
        UnknownBot: an opponent is not a bot.
        OptionError: an opponent does not take its options, or the learner cannot be trained like this.
    """
    if isinstance(learner, TrainsItself):
        return iter(learner.train(plan))
    return train_in_arena(learner, plan)


def train_in_arena(learner: Agent, plan: TrainingPlan) -> Iterator[Winnings]:
    """Train at a table in this process, even if the learner has its own loop.

    Raises:
        UnknownBot: an opponent is not a bot.
        OptionError: an opponent does not take its options.
    """
    table = Table(learner, plan.game, plan.opponents, plan.seed, plan.hands)
    while table.hands < plan.hands:
        table.play(min(table.stop_every, plan.hands - table.hands))
        yield table.winnings


class Table:
    """A table in this process that counts what seat 0 wins.

    Args:
        agent: the agent in seat 0.
        game: the game to play.
        opponents: ``BOT[:KEY=VALUE,...]`` for each other seat.
        seed: the seed of the cards and of all players.
        hands: about how many will be played.  Many hands are played by a compiled loop, if it can play all
            of the players; the results are the same.

    Raises:
        UnknownBot: an opponent is not a bot.
        OptionError: an opponent does not take its options.
    """

    def __init__(
        self, agent: Agent, game: GameDefinition, opponents: Sequence[str], seed: int, hands: int = 0
    ) -> None:
        agents = [agent, *map(make_bot, opponents)]
        names = [type(agent).__name__, *(spec.partition(":")[0] for spec in opponents)]
        self._arena = Arena(game, agents, seed, names=names)
        self._num_players = game.num_players
        self._squares = 0.0
        self._compiled = _compiled(agents, game, seed) if hands >= WORTH_COMPILING else None

    @property
    def stop_every(self) -> int:
        """The number of hands between two stops, which take a fraction of a second."""
        return _STOP_EVERY if self._compiled is None else _STOP_COMPILED_EVERY

    @property
    def hands(self) -> int:
        """Hands played so far."""
        return self._arena.hands_played if self._compiled is None else self._compiled.hands

    @property
    def chips_by_seat(self) -> tuple[float, ...]:
        """Chips won by each seat so far."""
        return self._arena.chips if self._compiled is None else self._compiled.chips

    @property
    def winnings(self) -> Winnings:
        """Seat 0's winnings so far."""
        squares = self._squares if self._compiled is None else self._compiled.squares
        return Winnings(self.hands, self.chips_by_seat[0], squares)

    def play(self, hands: int) -> None:
        """Play some more hands."""
        if self._compiled is None:
            self._arena.play(hands, on_hand=self._count)
        else:
            self._compiled.play(hands)

    def _count(self, state: HandState, chips: tuple[float, ...]) -> None:
        won = chips[-state.hand_number % self._num_players]  # seat 0's
        self._squares += won * won


def _compiled(agents: Sequence[Agent], game: GameDefinition, seed: int) -> preflop.PreflopLearnerTable | None:
    """A table of some seated agents that is played by a compiled loop; None if the loop cannot play them.

    The results are the same, bit for bit; they take a fiftieth of the time.

    Args:
        agents: in seat order, the learner first; nothing has been played.
        game: the game to play.
        seed: the seed of the cards.
    """
    from engine.learning.preflop import KINDS, PreflopLearnerTable, can_be_played  # a second and more

    learner: Any = agents[0]
    others = agents[1:]
    if not hasattr(learner, "as_arrays") or not can_be_played(game):
        return None
    scripts = [agent.script(game) for agent in others]
    known = [script for script in scripts if script is not None and script.rules in KINDS]
    if len(known) < len(others):
        return None
    learner.match_started(game, 0)
    arrays = learner.as_arrays(game)
    if arrays is None:
        return None
    seeds = [agent.seed for agent in others]
    return PreflopLearnerTable(game, seed, known, seeds, arrays, learner.take_in)


def _with(factory: AgentFactory, fixed: Mapping[str, Any]) -> AgentFactory:
    """The factory with some of its options fixed and removed from its signature."""
    make = functools.partial(factory, **fixed)
    signature = inspect.signature(factory, eval_str=True)
    free = [p for name, p in signature.parameters.items() if name not in fixed]
    make.__signature__ = signature.replace(parameters=free)  # type: ignore[attr-defined]
    return make
