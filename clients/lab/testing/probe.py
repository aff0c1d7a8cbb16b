"""The watch over an agent that is checked: it sits in its place and notes what the agent does wrong."""

from __future__ import annotations

import contextlib
import math
import numbers
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from typing import Any, Final

import attrs
import trio

from clients.core.agent import Agent, begin_decision, decisions_made
from clients.core.options import OptionError
from clients.lab.testing.agents import StandIn
from clients.lab.testing.report import Fault, FaultKind
from clients.lab.testing.situation import Situation
from engine.poker.rules import CALL, Action, ActionKind, BettingState, GameDefinition, HandView, LegalActions
from engine.poker.situations import Illegality, why_illegal
from engine.support.seeds import derive_seed
from protocol import format_match_state
from protocol.framing import MAX_LINE

_SHARE_PLAYED_FOR_IT: Final = 4
"""At a terse dealer one turn in this many is played for the agent, and one hand in as many is broken off."""
_COMMENT_FRAME: Final = len(b"# \r\n")
_NOTHING: Final = object()
"""What a hook that failed has returned."""

_OUR_FRAMES: Final = (__file__, contextlib.__file__)
"""Files whose part of a traceback says nothing of the agent."""

_FIELDS: Final[dict[type, tuple[str, ...]]] = {
    kind: tuple(field.name for field in attrs.fields(kind) if not field.name.startswith("_"))
    for kind in (HandView, BettingState, GameDefinition)
}


class Unplayable(Exception):
    """The agent could not begin a match; the message is what it said."""

    def __init__(self, message: str, *, is_refusal: bool) -> None:
        super().__init__(message)
        self.is_refusal = is_refusal
        """It said that it does not play this; else it broke down, which has been noted."""


@attrs.frozen
class Decision:
    """An agent's choice in a state; None where it failed to choose."""

    view: HandView
    action: Action | None


@attrs.define(eq=False)
class Noted:
    """The findings so far."""

    faults: dict[object, Fault] = attrs.Factory(dict)
    """By what makes two faults the same."""
    seconds: list[float] = attrs.Factory(list)
    """What each decision took."""
    hands: int = 0

    def add(self, key: object, fault: Fault) -> None:
        """Note a fault, or that it was seen once more."""
        key = (fault.kind, fault.hook, key)
        seen = self.faults.get(key)
        self.faults[key] = fault if seen is None else attrs.evolve(seen, times=seen.times + 1)

    def has(self, kind: FaultKind) -> bool:
        """Whether a fault of a kind has been noted."""
        return any(fault.kind is kind for fault in self.faults.values())


class Probe(StandIn):
    """Passes on what the table says, watches what comes of it, and plays on whatever the agent does.

    Args:
        agent: the one that is checked.
        findings: where to note what is wrong.
        situation: what is being played.
        limit_s: how long a decision may take; None for ever.
    """

    def __init__(
        self, agent: Agent, findings: Noted, situation: Situation, limit_s: float | None = None
    ) -> None:
        super().__init__(agent)
        self.decisions: dict[tuple[int, str], Decision] = {}
        """By hand number and betting."""
        self._findings = findings
        self._situation = situation
        self._limit_s = limit_s
        self._is_terse = situation.terse_dealer
        self._has_wrong_seat = False

    # --- hooks ---------------------------------------------------------------------------------------------

    def pass_on(self) -> None:
        """Give the agent what the table has given us; less at a terse dealer."""
        super().pass_on()
        if self._is_terse:
            self.agent.names = None
        if self._has_wrong_seat:
            self.agent.seat = (self.seat + 1) % self.game.num_players

    def prepare(self, game: GameDefinition | None) -> None:
        """Passed on.

        Raises:
            Unplayable: the agent cannot begin.
        """
        self.pass_on()
        self._begin("prepare", self.agent.prepare, game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Passed on; at a terse dealer the agent takes another seat for its own until the second hand.

        Raises:
            Unplayable: the agent cannot begin.
        """
        self._has_wrong_seat = self._is_terse
        self._begin_match()

    def _begin_match(self) -> None:
        self.pass_on()
        self._begin("match_started", self.agent.match_started, self.game, self.agent.seat)

    def _begin(self, hook: str, method: Callable[..., object], *arguments: object) -> None:
        with self._watching(hook, None):
            try:
                self._call(hook, None, method, *arguments)
            except OptionError as error:
                raise Unplayable(str(error), is_refusal=True) from error
            except Exception as error:
                self._failed(hook, None, error)
                raise Unplayable(str(error), is_refusal=False) from error

    def hand_started(self, view: HandView) -> None:
        """Passed on."""
        self._findings.hands += 1
        if self._has_wrong_seat and view.hand_number > self._situation.first_hand:
            self._has_wrong_seat = False
            self._begin_match()
        self._pass("hand_started", view, self.agent.hand_started, view)

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Passed on."""
        self._pass("action_seen", view, self.agent.action_seen, view, position, action)

    def hand_finished(self, view: HandView) -> None:
        """Passed on, unless the hand was broken off."""
        if self._is_terse and _chance(view, 0):
            return
        self._pass("hand_finished", view, self.agent.hand_finished, view)

    def choose_action(self, view: HandView) -> Action | Awaitable[Action]:
        """The agent's choice, once checked; a call where it is no action at all."""
        if self._is_terse and _chance(view, 1 + decisions_made(view)):
            return CALL
        self.pass_on()
        begin_decision(self.agent, view)
        found: object = _NOTHING
        with self._timed(view) as seconds:
            found = self.agent.choose_action(view)
        if not isinstance(found, Action) and isinstance(found, Awaitable):
            return self._when_found(view, found)
        return self._looked_at(view, found, *seconds)

    async def _when_found(self, view: HandView, waiting: Awaitable[Action]) -> Action:
        found: object = _NOTHING
        limit = math.inf if self._limit_s is None else self._limit_s
        with self._timed(view) as seconds, trio.move_on_after(limit):
            found = await waiting
        return self._looked_at(view, found, *seconds)

    @contextlib.contextmanager
    def _timed(self, view: HandView) -> Iterator[list[float]]:
        """Watch a choice; yields the list that gets its seconds."""
        seconds: list[float] = []
        with self._watching("choose_action", view):
            start = time.perf_counter()
            try:
                yield seconds
            finally:
                seconds.append(time.perf_counter() - start)

    # --- what is looked at ---------------------------------------------------------------------------------

    def _pass(
        self, hook: str, view: HandView | None, method: Callable[..., object], *arguments: object
    ) -> None:
        with self._watching(hook, view):
            self._call(hook, view, method, *arguments)

    def _call(
        self, hook: str, view: HandView | None, method: Callable[..., object], *arguments: object
    ) -> None:
        result = method(*arguments)
        if isinstance(result, Coroutine):
            result.close()
            self._add(None, FaultKind.NOT_AWAITED, "only choose_action may be a coroutine", hook, view)

    @contextlib.contextmanager
    def _watching(self, hook: str, view: HandView | None) -> Iterator[None]:
        """Note what a hook raises, and what it changes that is not the agent's to change."""
        before = list(self._handed_out(view))
        try:
            yield
        except (Exception, SystemExit) as error:
            if isinstance(error, Unplayable):
                raise
            self._failed(hook, view, error)
        for thing, name, value in before:
            now = getattr(thing, name, None)
            if now is not value:
                whose = "its own " if thing is self.agent else f"{type(thing).__name__}."
                self._add(name, FaultKind.CHANGES, f"sets {whose}{name} to {now!r}", hook, view)
                object.__setattr__(thing, name, value)

    def _handed_out(self, view: HandView | None) -> Iterable[tuple[Any, str, Any]]:
        """All that the agent must leave as it is: whose it is, name and value."""
        agent = self.agent
        for name in ("game", "seat", "names"):
            yield agent, name, getattr(agent, name)
        for thing in (agent.game,) if view is None else (agent.game, view, view.betting):
            for name in _FIELDS[type(thing)]:
                yield thing, name, getattr(thing, name)

    def _failed(self, hook: str, view: HandView | None, error: BaseException) -> None:
        start = frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename in _OUR_FRAMES:
            frames = frames.tb_next
        text = "".join(traceback.format_exception(type(error), error, frames or start))
        place = traceback.extract_tb(start)[-1]
        message = f"{type(error).__name__}: {error}".splitlines()[0]
        key = (type(error), place.filename, place.lineno)
        self._add(key, FaultKind.EXCEPTION, message, hook, view, text)

    def _looked_at(self, view: HandView, found: object, seconds: float) -> Action:
        self._findings.seconds.append(seconds)
        if self._limit_s is not None and seconds > self._limit_s:
            message = f"took {seconds:.3g} s, {self._limit_s:.3g} s are allowed"
            self._add(None, FaultKind.SLOW, message, "choose_action", view)
        self._look_at_comment(view)
        fault = None if found is _NOTHING else why_wrong(found, view.legal_actions())
        if fault is not None:
            self._add(fault.key, FaultKind.ILLEGAL_ACTION, fault.message, "choose_action", view)
        action = found if isinstance(found, Action) and not (fault and fault.is_nonsense) else None
        self.decisions[view.hand_number, view.betting.text] = Decision(view, action)
        return CALL if action is None else action

    def _look_at_comment(self, view: HandView) -> None:
        comment, self.agent.comment = self.agent.comment, None
        if comment is None:
            return
        try:
            length = len(" ".join(comment.split()).encode()) + _COMMENT_FRAME
        except (AttributeError, UnicodeEncodeError) as error:
            message = f"{error.__class__.__name__}: {error}"
        else:
            if length <= MAX_LINE:
                return
            message = f"{length} bytes with its frame, at most {MAX_LINE} are read as one line"
        self._add(None, FaultKind.COMMENT, message, "choose_action", view)

    def _add(
        self, key: object, kind: FaultKind, message: str, hook: str, view: HandView | None, traced: str = ""
    ) -> None:
        hand_number, state, legal = None, "", ""
        if view is not None:
            hand_number, state = view.hand_number, format_match_state(view)
            legal = str(view.legal_actions()) if hook == "choose_action" else ""
        situation = self._situation.name
        fault = Fault(kind, message, situation, self.seat, hook, hand_number, state, legal, traced)
        self._findings.add(key, fault)


def why_wrong(found: object, legal: LegalActions) -> Illegality | None:
    """Why what was chosen is no action, or may not be done; None where it may."""
    if not isinstance(found, Action) or not isinstance(found.kind, ActionKind):
        return Illegality("type", f"returned {found!r}, which is no action", is_nonsense=True)
    total = found.raise_to
    if total is not None and not isinstance(total, numbers.Integral):
        return Illegality("whole", f"the size {total!r} is no whole number", is_nonsense=True)
    return why_illegal(found, legal)


def _chance(view: HandView, number: int) -> bool:
    """One of `_SHARE_PLAYED_FOR_IT`, the same whenever the hand is played."""
    return derive_seed(view.hand_number, number) % _SHARE_PLAYED_FOR_IT == 0
