"""An in-process table: agents called directly, for training, for simulation and for tests.

It plays the same hands as a dealer's table with the same seed, with the same calls in the same order as
from `clients.core.session` and the same correction of illegal actions; it has no sockets and no clocks, and
plays thousands of times as many hands per hour.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Final, Protocol, TypedDict, Unpack

import attrs

from clients.core.agent import Agent, begin_decision, checked_action, may_be_asked_once, without_waiting
from clients.core.disclosure import policy_line
from engine.poker import rules
from engine.support.seeds import derive_seed
from protocol.policy import format_record
from protocol.records import format_hand, format_score

OnHand = Callable[[rules.HandState, tuple[float, ...]], None]
"""Takes the end of a hand and the chips won, both by position."""


_MOST_REMEMBERED: Final = 20_000
"""Answers of an agent in a position, some 2 MB."""


class Takers(TypedDict, total=False):
    """Functions that take what a table has to tell of its hands."""

    record: Callable[[str], object] | None
    """Takes each hand's line as a dealer's log has it, line end included: ``file.write``, ``list.append``."""
    on_hand: OnHand | None
    """Takes the end of each hand."""
    disclose: Callable[[str], object] | None
    """Takes what agents tell about their strategies, a line for each decision as a house keeps it
    (`protocol.policy`); the agents are asked only if it is given."""


class OutsideSeat(Agent):
    """A seat played by the code that drives `Arena.turns`, which yields it; `Arena.state` has the position
    to act.
    """

    def __await__(self) -> Generator[None, None, rules.Action]:
        raise RuntimeError("an outside seat is played by whoever drives the table")
        yield


class Dealer(Protocol):
    """The source of a table's cards: `CardDealer` from a seed, `StackedDealer` in a given order."""

    def deal(self) -> rules.Deal:
        """The cards of the next hand."""

    def skip(self, hands: int) -> None:
        """Skip some hands."""


@attrs.frozen
class _Seating:
    """The agents that get each call, for one position of the button."""

    seats: tuple[int, ...]
    """By position."""
    agents: tuple[Agent, ...]
    """By position."""
    names: tuple[str, ...]
    """By position."""
    starters: tuple[tuple[int, Agent], ...]
    """Positions and agents that override `hand_started`, in seat order."""
    watchers: tuple[tuple[int, Agent], ...]
    """Those that override `action_seen`."""
    finishers: tuple[tuple[int, Agent], ...]
    """Those that override `hand_finished`."""
    answers: tuple[dict[rules.BettingState, rules.Action] | None, ...]
    """By position: the answers so far of those that `may_be_asked_once`."""


class Arena:
    """A table with an agent in each seat.

    Args:
        game: what is played.
        agents: in seat order, each an object of its own.
        seed: for the cards; seat k's agent is seeded with the k-th seed derived from it.
        names: the players' names, by seat; default ``p0``, ``p1`` ...
        fixed_seats: seats keep their positions instead of moving around the table (the dealer's ``-f``).
        seed_agents: set it to False if the agents bring their own seeds.
        dealer: deals the cards, instead of one that deals by `seed`.

    Raises:
        ValueError: not one agent for each seat.
    """

    def __init__(
        self,
        game: rules.GameDefinition,
        agents: Sequence[Agent],
        seed: int,
        *,
        names: Sequence[str] | None = None,
        fixed_seats: bool = False,
        seed_agents: bool = True,
        dealer: Dealer | None = None,
    ) -> None:
        num_players = game.num_players
        if len(agents) != num_players or len({id(agent) for agent in agents}) != num_players:
            raise ValueError(f"expected {num_players} different agents, one a seat, got {len(agents)}")
        # An equal game, but the very object whose betting is cached: so it need not be compared every hand.
        self.game = rules.initial_betting(game).game
        self.names = tuple(names) if names is not None else tuple(f"p{k}" for k in range(num_players))
        if len(self.names) != num_players:
            raise ValueError(f"expected {num_players} names, got {len(self.names)}")
        self._agents = tuple(agents)
        self._dealer = dealer or rules.CardDealer(game, seed)
        self._chips = [0.0] * num_players
        self.hands_played = 0
        """How many hands have been played."""
        self.next_hand = 0
        """The number of the hand that is played next."""
        self._has_started = False
        self.state: rules.HandState | None = None
        """The current hand, all cards included: for the code that runs the table, not for agents."""
        shifts = range(1) if fixed_seats else range(num_players)
        self._seatings = tuple(self._seating(shift) for shift in shifts)
        for seat, agent in enumerate(agents):
            agent.game, agent.seat, agent.names, agent.seeded = game, seat, self.names, True
            if seed_agents:
                agent.seed = derive_seed(seed, seat)
            agent.prepare(game)

    @property
    def chips(self) -> tuple[float, ...]:
        """Chips won by each seat in all hands so far."""
        return tuple(self._chips)

    def skip(self, hands: int) -> None:
        """Skip some hands: the next has the number, positions and cards it would have if they were played."""
        self._dealer.skip(hands)
        self.next_hand += hands

    def score_line(self) -> str:
        """The last line of a dealer's log of these hands."""
        return format_score(self._chips, self.names)

    def play(self, hands: int, **takers: Unpack[Takers]) -> tuple[float, ...]:
        """Play some more hands; returns the chips each seat won in them.

        Args:
            hands: how many.
            takers: ``record``, ``on_hand`` and ``disclose``, each of which may be missing (see `Takers`).

        Raises:
            RuntimeError: an agent's coroutine waits for something; use `play_async`.
        """
        instead = "an agent's choose_action waits for something: use `await arena.play_async(...)`"
        return without_waiting(self.play_async(hands, **takers), instead)

    async def play_async(self, hands: int, **takers: Unpack[Takers]) -> tuple[float, ...]:
        """The same for agents whose coroutines wait for something."""
        before = self.chips
        match = self.turns(hands, **takers)
        try:
            waiting = next(match)
            while True:
                waiting = match.send(await waiting)
        except StopIteration:
            return tuple(now - then for now, then in zip(self._chips, before, strict=True))

    def _seating(self, shift: int) -> _Seating:
        """The seating `shift` hands into the match (docs/acpc-dealer.md 5.4)."""
        num_players = self.game.num_players
        seats = tuple((position + shift) % num_players for position in range(num_players))
        in_seat_order = [((seat - shift) % num_players, agent) for seat, agent in enumerate(self._agents)]

        def overriding(hook: str) -> tuple[tuple[int, Agent], ...]:
            # Calling an empty method of every agent for every action would cost more than the rules.
            base = getattr(Agent, hook)
            return tuple(entry for entry in in_seat_order if getattr(type(entry[1]), hook) is not base)

        agents = tuple(self._agents[seat] for seat in seats)
        names = tuple(self.names[seat] for seat in seats)
        starters, watchers, finishers = map(overriding, ("hand_started", "action_seen", "hand_finished"))
        return _Seating(
            seats, agents, names, starters, watchers, finishers,
            tuple({} if may_be_asked_once(agent) else None for agent in agents),
        )  # fmt: skip

    def turns(
        self,
        hands: int,
        *,
        record: Callable[[str], object] | None = None,
        on_hand: OnHand | None = None,
        disclose: Callable[[str], object] | None = None,
    ) -> Generator[Awaitable[rules.Action], rules.Action, None]:
        """`play` for callers that do the waiting: yields what an agent's `choose_action` would have awaited,
        and is sent the resulting action.

        An agent's exception passes through unchanged, and the hand is lost.
        """
        if not self._has_started:
            self._has_started = True
            for seat, agent in enumerate(self._agents):
                agent.match_started(self.game, seat)
        seatings, chips_by_seat = self._seatings, self._chips
        for hand_number in range(self.next_hand, self.next_hand + hands):
            seating = seatings[hand_number % len(seatings)]
            state = yield from self._hand(seating, hand_number, disclose)
            chips = state.chips_won()
            for seat, won in zip(seating.seats, chips, strict=True):
                chips_by_seat[seat] += won
            self.hands_played += 1
            self.next_hand += 1
            if record is not None:
                record(format_hand(state, chips, seating.names))
            for position, agent in seating.finishers:
                agent.hand_finished(state.view(position))
            if on_hand is not None:
                on_hand(state, chips)

    def _hand(
        self, seating: _Seating, hand_number: int, disclose: Callable[[str], object] | None
    ) -> Generator[Awaitable[rules.Action], rules.Action, rules.HandState]:
        deal = self._dealer.deal()
        if seating.starters:
            start = rules.initial_hand(self.game, hand_number, deal)
            for position, agent in seating.starters:
                agent.hand_started(start.view(position))
        agents, watchers = seating.agents, seating.watchers
        answers = seating.answers if disclose is None else (None,) * len(agents)
        hand = rules.play_hand(self.game, hand_number, deal)
        action: rules.Action | None = None
        while True:
            try:
                state = next(hand) if action is None else hand.send(action)
            except StopIteration as end:
                final: rules.HandState = end.value
                if action is not None:  # somebody is not all in from the blinds
                    _tell(watchers, final)
                return final
            if action is not None and watchers:
                _tell(watchers, state)
            betting = state.betting
            to_act = betting.position_to_act
            assert to_act is not None  # the hand loop asks only when somebody is to act
            self.state = state
            known = answers[to_act]
            action = known.get(betting) if known is not None else None
            if action is None:
                agent = agents[to_act]
                is_chosen = True  # rather than corrected
                answer: rules.Action | Awaitable[rules.Action]
                if type(agent) is OutsideSeat:
                    answer = yield agent
                else:
                    view = state.view(to_act)
                    begin_decision(agent, view)
                    answer = agent.choose_action(view)
                action = rules.CALL
                if answer is not rules.CALL:
                    if type(answer) is not rules.Action and isinstance(answer, Awaitable):
                        answer = yield answer
                    action = checked_action(agent, answer)
                    if not betting.is_legal(action):
                        action, is_chosen = betting.legal_actions().nearest(action), False
                if known is not None and len(known) < _MOST_REMEMBERED:
                    known[betting] = action
                if disclose is not None and is_chosen:
                    line = policy_line(agent, state.view(to_act), action)
                    if line is not None:
                        disclose(format_record(seating.seats[to_act], line.encode()))


def _tell(watchers: tuple[tuple[int, Agent], ...], state: rules.HandState) -> None:
    """Call `action_seen` of the agents that override it."""
    step = state.betting.last_step
    assert step is not None  # somebody has just acted
    _, actor, action = step
    for position, agent in watchers:
        agent.action_seen(state.view(position), actor, action)
