"""`check_agent`: plays an agent through all that can happen to it, and reports what it did wrong."""

from __future__ import annotations

import copy
import functools
import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from clients.core.agent import Agent, without_waiting
from clients.core.arena import Arena
from clients.core.guess import name_of
from clients.core.registry import make_bot
from clients.lab.testing.probe import Decision, Noted, Probe, Unplayable
from clients.lab.testing.report import AgentReport, Fault, FaultKind
from clients.lab.testing.situation import Situation, situations, with_hidden_cards_changed
from engine.poker.rules import CardDealer, Deal, GameDefinition, StackedDealer, load_game
from engine.support.seeds import derive_seed
from protocol import format_match_state

_PLAYED_ALONE: Final = 6
"""Hands that are played again by themselves."""

_FEWEST_HANDS: Final = 2
"""At a table, however few hands are asked for."""

Decisions = dict[tuple[int, str], Decision]
"""By hand number and betting."""


def check_agent(
    agent: str | Agent | Callable[[], Agent],
    game: str | Path | GameDefinition,
    *,
    hands: int = 30,
    seed: int = 0,
    limit_s: float | None = None,
    stateless: bool = False,
    tried: Sequence[Situation] | None = None,
) -> AgentReport:
    """Play an agent through random, scripted and extreme hands; the report says what it did wrong.

    Every situation (`situations`) is played twice by agents made and seeded alike, with other numbers from
    the generators of the process (`random`, NumPy's): they must decide alike.  Some hands are then played
    again by themselves, to see whether the hands before them matter, and with other cards in places that the
    agent cannot see, which must not matter.

    An agent whose `choose_action` is a coroutine is run with trio; inside a trio run use `check_agent_async`.

    Args:
        agent: a bot by name with its options (``"formula:model=none"``), a class or function that makes one,
            or an agent, of which copies are played.
        game: a packaged game's name, the path of a game file, or a game.
        hands: in each situation.
        seed: of cards, opponents and the agent.
        limit_s: how long a decision may take, in seconds; a coroutine is then cancelled, as at a table.
        stateless: the agent keeps nothing from one hand to the next.  One that learns or models its opponents
            does, and rightly so: without this it is only a note.
        tried: what to play instead of all `situations` of the game.

    Raises:
        UnknownBot, OptionError: there is no such bot, or it does not take these options.
        OSError, GameDefinitionError: there is no such game.
        TypeError: an agent that cannot be copied.
    """
    checking = functools.partial(
        check_agent_async, agent, game,
        hands=hands, seed=seed, limit_s=limit_s, stateless=stateless, tried=tried,
    )  # fmt: skip
    if not trio.lowlevel.in_trio_run():
        return trio.run(checking)
    instead = "the agent's choose_action waits for something: use `await check_agent_async(...)`"
    return without_waiting(checking(), instead)


async def check_agent_async(
    agent: str | Agent | Callable[[], Agent],
    game: str | Path | GameDefinition,
    *,
    hands: int = 30,
    seed: int = 0,
    limit_s: float | None = None,
    stateless: bool = False,
    tried: Sequence[Situation] | None = None,
) -> AgentReport:
    """The same inside a trio run, for agents whose coroutines wait for something."""
    definition = game if isinstance(game, GameDefinition) else load_game(str(game))
    name, make = _maker(agent)
    if tried is None:
        tried = situations(definition, seed=seed, hands=hands)
    check = _Check(make, definition, limit_s, stateless)
    await check.play_all(_tables(tried, hands, seed))
    findings = check.findings
    seconds = sorted(findings.seconds)
    return AgentReport(
        agent=name, game=name_of(definition) if isinstance(game, GameDefinition) else str(game), seed=seed,
        situations=tuple(situation.name for situation in tried), hands=findings.hands,
        decisions=len(seconds), median_s=_quantile(seconds, 0.5), p99_s=_quantile(seconds, 0.99),
        longest_s=_quantile(seconds, 1.0), faults=tuple(findings.faults.values()), notes=tuple(check.notes),
    )  # fmt: skip


@attrs.frozen
class _TriedTable:
    """A situation, and where in it the agent sits."""

    situation: Situation
    seat: int
    seed: int
    """Seed of the cards and the players."""
    hands: int

    def deal(self, hand_number: int) -> Deal:
        """The cards of a hand."""
        dealer = CardDealer(self.situation.game, self.seed)
        dealer.skip(hand_number)
        return dealer.deal()


def _tables(tried: Sequence[Situation], hands: int, seed: int) -> list[_TriedTable]:
    tables = []
    for number, situation in enumerate(tried):
        seats = range(situation.game.num_players)
        if not situation.every_seat:
            seats = range(number % len(seats), number % len(seats) + 1)
        each = max(_FEWEST_HANDS, -(-hands // len(seats)))
        if situation.deals:
            each = min(each, len(situation.deals))
        tables += [_TriedTable(situation, seat, derive_seed(seed, number), each) for seat in seats]
    return tables


@attrs.define(eq=False)
class _Check:
    """The checking of one agent."""

    make: Callable[[], Agent]
    game: GameDefinition
    limit_s: float | None
    stateless: bool
    findings: Noted = attrs.Factory(Noted)
    notes: list[str] = attrs.Factory(list)
    remembers: bool = False

    async def play_all(self, tables: Sequence[_TriedTable]) -> None:
        """All tables; none but the first where the agent cannot even begin there."""
        played: list[tuple[_TriedTable, Decisions]] = []
        for table in tables:
            try:
                played.append((table, await self.play_twice(table)))
            except Unplayable as unplayable:
                if unplayable.is_refusal:
                    self.note_refusal(table, str(unplayable))
                if not played:
                    return
        plain = [entry for entry in played if not entry[0].situation.is_odd]
        if plain and not self.findings.has(FaultKind.DIFFERS):
            first = [entry for entry in plain if entry[0].situation == plain[0][0].situation]
            for table, decisions in first:
                await self.play_alone(table, decisions, -(-_PLAYED_ALONE // len(first)))

    def note_refusal(self, table: _TriedTable, words: str) -> None:
        """The agent does not play here: a fault, but for other stacks than those of the game."""
        situation = table.situation
        if situation.game == self.game:
            fault = Fault(FaultKind.DECLINES, words, situation.name, table.seat, "match_started")
            self.findings.add(None, fault)
        else:
            self.notes.append(f"does not play {situation.name}: {words}")

    async def play_twice(self, table: _TriedTable) -> Decisions:
        """A table, twice: the agent must decide alike."""
        first, drew = await self.play(table, 1)
        second, _ = await self.play(table, 2)
        if (difference := _difference(first, second)) is not None:
            one, other = difference
            message = f"{one.action} at first, then {other.action}"
            if drew:
                message += f"; it drew from {drew}, which is not its own `rng`"
            self.findings.add(None, _fault(FaultKind.DIFFERS, message, table, one))
        return first

    async def play_alone(self, table: _TriedTable, decisions: Decisions, hands: int) -> None:
        """Some hands by themselves: those before them, and cards it cannot see, should not matter."""
        game = table.situation.game
        for hand in sorted({hand for hand, _ in decisions})[-hands:]:
            alone, _ = await self.play(table, 1, only=hand)
            if not alone:
                continue
            if (difference := _difference(decisions, alone)) is not None:
                self.note_memory(table, hand, *difference)
            deal = table.deal(hand)
            position = next(iter(alone.values())).view.position
            changed = with_hidden_cards_changed(game, deal, position, derive_seed(table.seed, hand))
            blind, _ = await self.play(table, 1, only=hand, deal=changed)
            same_board = {
                key: decision
                for key, decision in blind.items()
                if key in alone and alone[key].view.board == decision.view.board
            }
            if (difference := _difference(alone, same_board)) is not None:
                one, other = difference
                message = f"{one.action}, and {other.action} when others hold other cards"
                self.findings.add(None, _fault(FaultKind.HIDDEN_CARDS, message, table, one))

    def note_memory(self, table: _TriedTable, hand: int, after: Decision, alone: Decision) -> None:
        """It decides a hand otherwise after others than by itself."""
        before = hand - table.situation.first_hand
        message = f"{after.action} after {before} other hands, {alone.action} without them"
        if self.stateless:
            self.findings.add(None, _fault(FaultKind.REMEMBERS, message, table, after))
        elif not self.remembers:
            self.notes.append(
                "keeps state between hands, as learners and those who model their opponents do: "
                f"{message}, in {format_match_state(after.view)} (stateless=True makes this a fault)"
            )
        self.remembers = True

    async def play(
        self, table: _TriedTable, numbers: int, *, only: int | None = None, deal: Deal | None = None
    ) -> tuple[Decisions, str]:
        """What a new agent decides at a table; and what it has drawn from that is everybody's.

        Args:
            table: where.
            numbers: which numbers the generators of the process give.
            only: play just this hand.
            deal: with these cards.

        Raises:
            Unplayable: it does not begin.
        """
        situation, seat = table.situation, table.seat
        with _process_generators(numbers) as drawn_from:
            probe = Probe(self.make(), self.findings, situation, self.limit_s)
            seats = range(situation.game.num_players - 1)
            others = [situation.opponents[number % len(situation.opponents)]() for number in seats]
            first = situation.first_hand if only is None else only
            deals = situation.deals if deal is None else [deal] * (first + 1)
            agents, dealer = [*others[:seat], probe, *others[seat:]], StackedDealer(deals) if deals else None
            arena = Arena(situation.game, agents, table.seed, dealer=dealer)
            arena.skip(first)
            await arena.play_async(table.hands if only is None else 1)
            return probe.decisions, drawn_from()


def _fault(kind: FaultKind, message: str, table: _TriedTable, decision: Decision) -> Fault:
    view, situation = decision.view, table.situation.name
    state = format_match_state(view)
    return Fault(kind, message, situation, table.seat, "choose_action", view.hand_number, state)


def _difference(one: Decisions, other: Decisions) -> tuple[Decision, Decision] | None:
    """The first two decisions in the same state that are not the same."""
    for key, decision in one.items():
        counterpart = other.get(key)
        if counterpart is None or decision.action is None or counterpart.action is None:
            continue
        if decision.action != counterpart.action:
            return decision, counterpart
    return None


# --- what is handed in -------------------------------------------------------------------------------------


def _maker(agent: str | Agent | Callable[[], Agent]) -> tuple[str, Callable[[], Agent]]:
    """An agent's name, and a maker of one that has not played."""
    if isinstance(agent, str):
        return agent, functools.partial(make_bot, agent)
    if isinstance(agent, Agent):
        name = type(agent).__name__
        try:
            unplayed = copy.deepcopy(agent)
        except Exception as error:  # whatever its parts raise
            raise TypeError(
                f"this {name} cannot be copied ({error}): pass its class, or a function that makes one"
            ) from error
        return name, functools.partial(copy.deepcopy, unplayed)
    named = agent.func if isinstance(agent, functools.partial) else agent
    return getattr(named, "__name__", type(named).__name__), agent


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value that so large a share of all does not exceed; 0 where there are none."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


# --- numbers that are everybody's --------------------------------------------------------------------------


@contextmanager
def _process_generators(numbers: int) -> Iterator[Callable[[], str]]:
    """Lets the generators of the process give other numbers for a while; yields what says which were used."""
    shared: list[tuple[str, Callable[[], Any], Callable[[Any], object]]]
    shared = [("random", random.getstate, random.setstate)]
    numpy_random = sys.modules.get("numpy.random")
    states = [random.getstate()]
    if numpy_random is not None:  # not ours to load, but an agent that has may draw from it
        shared.append(("numpy.random", numpy_random.get_state, numpy_random.set_state))
        states.append(numpy_random.get_state())
        numpy_random.seed(numbers)
    random.seed(numbers)
    seeded = [repr(position()) for _, position, _ in shared]

    def drawn_from() -> str:
        used = [name for (name, now, _), then in zip(shared, seeded, strict=True) if repr(now()) != then]
        return " and ".join(used)

    try:
        yield drawn_from
    finally:
        for (_, _, put_back), state in zip(shared, states, strict=True):
            put_back(state)
