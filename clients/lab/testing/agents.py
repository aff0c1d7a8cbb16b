"""Players that follow a script, a record, a function or a client, and one that keeps what it is shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import attrs

import protocol
from clients.core.agent import Agent, begin_decision
from engine.poker.rules import CALL, Action, GameDefinition, HandView


class ScriptError(AssertionError):
    """A script says what is not legal: the hand has gone another way than its author thought."""


def _as_tuple(script: Iterable[Action]) -> tuple[Action, ...]:
    return tuple(script)


@attrs.define(eq=False, slots=False)
class Scripted(Agent):
    """Plays given actions, one a turn, and then the same one for ever.

    Args:
        script: what to play, in order.
        then: what to play when the script is at its end, as near to it as is legal.
        every_hand: begin the script again with each hand.
        strict: an action of the script that is not legal is an error; without, the table corrects it as it
            does for everybody.

    Raises:
        ScriptError: see `strict`.
    """

    _script: tuple[Action, ...] = attrs.field(default=(), converter=_as_tuple)
    _then: Action = attrs.field(default=CALL, kw_only=True)
    _every_hand: bool = attrs.field(default=False, kw_only=True)
    _strict: bool = attrs.field(default=True, kw_only=True)
    _turn: int = attrs.field(default=0, init=False)
    _hand: int = attrs.field(default=-1, init=False)

    def choose_action(self, view: HandView) -> Action:
        """The next of the script."""
        if self._every_hand and view.hand_number != self._hand:
            self._hand, self._turn = view.hand_number, 0
        if self._turn >= len(self._script):
            return view.legal_actions().nearest(self._then)
        action = self._script[self._turn]
        self._turn += 1
        if self._strict and action not in view.legal_actions():
            raise ScriptError(
                f"action {self._turn} of the script is {action}, which is not legal in "
                f"{protocol.format_match_state(view)}"
            )
        return action


@attrs.define(eq=False, slots=False)
class Replaying(Agent):
    """Plays the actions of recorded hands, those of all players.

    Args:
        hands: by hand number, all actions of the hand in order:
            ``[action for _, _, action in betting.steps()]``.
    """

    _hands: Sequence[Sequence[Action]]

    def choose_action(self, view: HandView) -> Action:
        """The action that was played here."""
        return self._hands[view.hand_number][len(view.betting.steps())]


@attrs.define(eq=False, slots=False)
class Deciding(Agent):
    """Plays what a function says, called with the view of each of its turns."""

    _decide: Callable[[HandView], Action]

    def choose_action(self, view: HandView) -> Action:
        """The function's answer."""
        return self._decide(view)


class ClientSeat(Agent):
    """Sits at a table for a client at the other end of a connection: what it is told becomes messages.

    It has the dealer's end of the conversation; to be sub-classed.
    """

    _connection: protocol.DealerConnection | None = None
    _notes: Mapping[str, str]
    """What is said to clients who ask for it, by name."""

    def hand_started(self, view: HandView) -> None:
        """The first state of a hand."""
        self._show(view)

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """The state after an action."""
        self._show(view)

    def _show(self, view: HandView) -> None:
        connection = self._connection
        assert connection is not None
        while (event := connection.next_event()) is not protocol.NEED_DATA:  # what has been received already
            self._heed(event)
        self._send(
            connection.send(protocol.TurnToAct(view) if view.is_our_turn else protocol.StateUpdate(view))
        )

    def _heed(self, event: protocol.Event) -> None:
        """Answer greetings, and notice who leaves."""
        if isinstance(event, protocol.ConnectionClosed):
            raise self._gone()
        if isinstance(event, protocol.Greeting):
            assert self._connection is not None
            self._send(self._connection.answer_greeting(event.words, self._notes, self._notes)[1])

    def _send(self, data: bytes) -> None:
        raise NotImplementedError

    def _gone(self) -> Exception:
        """The error for a connection that is closed."""
        raise NotImplementedError


class StandIn(Agent):
    """Sits at a table in another agent's place and passes everything on; to be sub-classed."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.wants_clock, self.seed, self.seeded = agent.wants_clock, agent.seed, agent.seeded

    def pass_on(self) -> None:
        """Give the agent what the table has given us."""
        agent = self.agent
        agent.game, agent.seat, agent.names = self.game, self.seat, self.names
        agent.seed, agent.seeded, agent.seconds_to_act = self.seed, self.seeded, self.seconds_to_act

    def prepare(self, game: GameDefinition | None) -> None:
        """Passed on."""
        self.agent.prepare(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Passed on."""
        self.pass_on()
        self.agent.match_started(game, seat)

    def hand_started(self, view: HandView) -> None:
        """Passed on."""
        self.agent.hand_started(view)

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Passed on."""
        self.agent.action_seen(view, position, action)

    def choose_action(self, view: HandView) -> Action | Awaitable[Action]:
        """The agent's choice, at once or later, after `chosen` has seen it."""
        self.pass_on()
        begin_decision(self.agent, view)
        found = self.agent.choose_action(view)
        if not isinstance(found, Action) and isinstance(found, Awaitable):
            return self._later(view, found)
        return self._taken(view, found)

    def hand_finished(self, view: HandView) -> None:
        """Passed on."""
        self.agent.hand_finished(view)

    def chosen(self, view: HandView, action: Action) -> Action:
        """The agent has chosen; returns what to play."""
        return action

    async def _later(self, view: HandView, waiting: Awaitable[Action]) -> Action:
        return self._taken(view, await waiting)

    def _taken(self, view: HandView, action: Action) -> Action:
        self.comment, self.agent.comment = self.agent.comment, None
        return self.chosen(view, action)


class Recorder(StandIn):
    """Lets an agent play and keeps all that it is shown and does.

    Args:
        agent: the one that plays; without one, one that always calls.
    """

    def __init__(self, agent: Agent | None = None) -> None:
        super().__init__(agent or Scripted())
        self.matches: list[tuple[GameDefinition, int]] = []
        """What `match_started` was called with."""
        self.told: list[tuple[str, ...]] = []
        """``("hand", state)``, ``("action", state, position, action)`` and ``("end", state)``, in order, with
        the state as it stands on the wire."""
        self.decisions: list[tuple[HandView, Action]] = []
        """What it has chosen, and where."""
        self.chips = 0.0
        """Won in the hands that it saw end."""

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Kept and passed on."""
        self.matches.append((game, seat))
        super().match_started(game, seat)

    def hand_started(self, view: HandView) -> None:
        """Kept and passed on."""
        self.told.append(("hand", protocol.format_match_state(view)))
        super().hand_started(view)

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Kept and passed on."""
        self.told.append(("action", protocol.format_match_state(view), str(position), str(action)))
        super().action_seen(view, position, action)

    def hand_finished(self, view: HandView) -> None:
        """Kept and passed on."""
        self.told.append(("end", protocol.format_match_state(view)))
        self.chips += view.chips_won()[view.position]
        super().hand_finished(view)

    def chosen(self, view: HandView, action: Action) -> Action:
        """Kept."""
        self.decisions.append((view, action))
        return action

    @property
    def seen(self) -> list[str]:
        """The states of all hands and actions, in order: what an attentive client has read."""
        return [state for kind, state, *_ in self.told if kind != "end"]
