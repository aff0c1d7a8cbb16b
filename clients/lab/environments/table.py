"""A table at which some seats are played from outside: what all environments stand on.

It is an `Arena` whose hands are played one at a time, and that stops wherever an outside seat is to act.

`OfOneTable` is what environments of one table share: settings, pictures, and copies in mid-hand.  Pickling
and `copy.deepcopy` work: a copy is made anew and plays everything again since its match began; the cards and
the bots of this process follow from the seed, and our actions are kept, two bytes each.  Players in other
processes cannot be copied.
"""

from __future__ import annotations

from array import array
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self, TextIO

import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.arena import Arena, OutsideSeat
from clients.lab.environments.observations import Encoder
from clients.lab.environments.rendering import check_render_mode, render
from clients.lab.seats.remote import (
    Opponent,
    Patience,
    RemoteSeat,
    SeatLost,
    read_opponent,
    waits_for_somebody,
)
from engine.poker.rules import Action, GameDefinition, HandState, HandView, load_game
from engine.support.seeds import derive_seed
from protocol.records import format_header

_MOST_PASSED: Final = 1000
"""Hands in a row in which nobody from outside is asked."""
_ENDLESS: Final = 2**32 - 1
"""Hands in the header of a log: nobody knows how many there will be."""


def read_game(game: str | GameDefinition) -> GameDefinition:
    """What is played: the name of a packaged game, the path of a game file, or a game.

    Raises:
        OSError, GameDefinitionError: there is no such game, or it cannot be played.
    """
    return load_game(game) if isinstance(game, str) else game


class OutsideTable:
    """Hands of a game, one at a time.

    Args:
        game: what is played, as text or as a game.
        opponents: by seat; None for the seats that are played from outside.
        names: by seat.
        fixed_seats: seats keep their positions.
        patience: with remote players.
        log: a new file for the hands, as the ACPC's dealer writes them; a match for each time the table is
            opened.

    Raises:
        UnknownBot, ValueError: an opponent that cannot be had.
        FileExistsError: there is a log already.
    """

    def __init__(
        self,
        game: str | GameDefinition,
        opponents: Sequence[Opponent | None],
        names: Sequence[str],
        *,
        fixed_seats: bool,
        patience: Patience,
        log: str | Path | None,
    ) -> None:
        self.game: Final = read_game(game)
        if len(opponents) != self.game.num_players:
            raise ValueError(f"expected {self.game.num_players} players, ours included, got {len(opponents)}")
        self._num_players = self.game.num_players
        self._game_name = game if isinstance(game, str) else None
        self._makers = [None if one is None else read_opponent(one) for one in opponents]
        self._visitors: dict[int, RemoteSeat] = {}  # from outside, who stay from match to match
        self.names: Final = tuple(names)
        self._fixed_seats, self._patience = fixed_seats, patience
        self._log: TextIO | None = None
        if log is not None:
            self._log = Path(log).open("x", encoding="ascii", buffering=1)  # noqa: SIM115  # until we close
        for seat, maker in enumerate(self._makers):
            if maker is not None and waits_for_somebody(opponents[seat]):
                visitor = maker()
                assert isinstance(visitor, RemoteSeat)
                visitor.listen()
                self._visitors[seat] = visitor
        self._arena: Arena | None = None
        self._agents: list[Agent] = []
        self._hand: Generator[Awaitable[Action], Action, None] | None = None
        self._void_hand: HandState | None = None  # the last that was broken off
        self.seed = 0
        """Of the cards; the n-th seed derived from it is the n-th seat's."""
        self.hand_number = 0
        """Of the hand that is played, or was played last."""
        self.last_hand: tuple[HandState, tuple[float, ...]] | None = None
        """The end of the hand that was played last, and the chips it brought, by position."""

    @property
    def is_open(self) -> bool:
        """Hands can be played."""
        return self._arena is not None

    @property
    def chips(self) -> tuple[float, ...]:
        """Chips won by each seat since the table was opened."""
        return self._arena.chips if self._arena is not None else (0.0,) * self.game.num_players

    def why_not_copied(self) -> str:
        """Why a copy cannot play on from the same place; empty where it can."""
        if self._log is not None:
            return "it writes a log"
        others = [agent for agent in self._agents if isinstance(agent, RemoteSeat)]
        return "an opponent plays in another process" if others or self._visitors else ""

    def position_of(self, seat: int) -> int:
        """The position of a seat in the hand that is played."""
        return seat if self._fixed_seats else (seat - self.hand_number) % self._num_players

    def seat_at(self, position: int) -> int:
        """The seat in a position of the hand that is played."""
        return position if self._fixed_seats else (position + self.hand_number) % self._num_players

    @property
    def names_by_position(self) -> tuple[str, ...]:
        """The players in the hand that is played."""
        return tuple(self.names[self.seat_at(position)] for position in range(self._num_players))

    def open(self, seed: int) -> None:
        """Begin a match: the cards of ``riverboat match --seed``, and opponents who know nothing yet.

        Programs are started anew; players who have connected from outside keep their seats.

        Raises:
            SeatLost: somebody does not sit down.
        """
        self._end_match()
        self.seed, self.hand_number, self.last_hand = seed % 2**32, 0, None
        self._agents = [
            OutsideSeat() if maker is None else self._visitors.get(seat) or maker()
            for seat, maker in enumerate(self._makers)
        ]
        remote = [agent for agent in self._agents if isinstance(agent, RemoteSeat)]
        try:
            for seat, agent in enumerate(self._agents):
                agent.seed = derive_seed(self.seed, seat)
                if isinstance(agent, RemoteSeat):
                    agent.open(self.game, self._game_name, seat, self.names, self._patience)
            for agent in remote:
                agent.wait_for_player()
            self._arena = Arena(
                self.game, self._agents, self.seed, names=self.names, fixed_seats=self._fixed_seats
            )
        except BaseException:
            self._end_match()
            raise
        if self._log is not None:
            self._log.write(
                format_header("episodes", self._game_name or "game", _ENDLESS, str(self.seed), 0, 0, 0)
            )

    def deal(self) -> HandState | None:
        """Begin the next hand: the state in which the first outside seat is to act; None where the hand is
        over before one is.

        Raises:
            SeatLost: a remote player cannot go on.  The hand is void, and the match is over.
        """
        arena = self._arena
        if arena is None:
            raise RuntimeError("the table is not open")
        self.hand_number = arena.hands_played
        self._hand = arena.turns(1, record=None if self._log is None else self._log.write, on_hand=self._note)
        return self._next(None)

    def begin_episode(
        self, new_seed: Callable[[], int], passed: Callable[[], object] = lambda: None
    ) -> tuple[HandState, SeatLost | None]:
        """Deal until an outside seat is to act; where there is no match any more, another begins.

        Args:
            new_seed: gives the seed of another match.
            passed: called at the end of each hand in which nobody from outside was asked.

        Returns:
            The state, and the remote player who was lost before it: no episode had begun to be cut short.

        Raises:
            SeatLost: a remote player does not sit down.
            RuntimeError: there were too many hands in which nobody from outside was asked.
        """
        lost: SeatLost | None = None
        hands = 0
        while hands < _MOST_PASSED:
            if not self.is_open:
                self.open(new_seed())
            try:
                state = self.deal()
            except SeatLost as error:
                lost = error
                continue
            if state is not None:
                return state, lost
            hands += 1
            passed()
        raise RuntimeError(f"{hands} hands were over before the learner was asked: nothing to learn here")

    def act(self, action: Action, is_over: Callable[[], bool]) -> HandState | None:
        """Do a legal action for the outside seat that is to act, and go on to the next.

        Args:
            action: what it does.
            is_over: called at the end of each hand; says whether to go no further.

        Returns:
            The state in which an outside seat is to act; None where it is over.

        Raises:
            SeatLost: as for `deal`.
        """
        state = self._next(action)
        while state is None and not is_over():
            state = self.deal()
        return state

    def view_of(self, seat: int) -> HandView:
        """The hand as the player in a seat sees it: now, at its end, or where it was broken off.

        Raises:
            RuntimeError: there was none.
        """
        position = self.position_of(seat)
        if self._arena is not None and self._hand is None and self.last_hand is not None:
            return self.last_hand[0].view(position)
        state = self._void_hand if self._arena is None else self._arena.state
        if state is None:
            raise RuntimeError("no hand has been played")
        return state.view(position)

    def _next(self, action: Action | None) -> HandState | None:
        hand, arena = self._hand, self._arena
        if hand is None or arena is None:
            raise RuntimeError("no hand is being played")
        try:
            asked = hand.send(action)  # type: ignore[arg-type]  # None begins it
        except StopIteration:
            self._hand = None
            return None
        except BaseException:  # nobody knows how far the agents have come
            self._end_match()
            raise
        assert type(asked) is OutsideSeat
        return arena.state

    def _note(self, state: HandState, chips: tuple[float, ...]) -> None:
        self.last_hand = (state, chips)

    def _end_match(self) -> None:
        """Write the score, end the programs, and let go of those whose connection is gone."""
        arena, self._arena = self._arena, None
        if arena is not None and self._hand is not None:
            self._void_hand = arena.state
        self._hand = None
        if arena is not None and arena.hands_played and self._log is not None:
            self._log.write(arena.score_line())
        for seat, agent in enumerate(self._agents):
            if isinstance(agent, RemoteSeat) and seat not in self._visitors:
                agent.close()
        for visitor in self._visitors.values():
            visitor.listen()  # where nobody sits there any more

    def close(self) -> None:
        """End the match, and with it all connections and programs; may be called again."""
        self._end_match()
        for visitor in self._visitors.values():
            visitor.close()
        self._agents = []
        if self._log is not None:
            self._log.close()
            self._log = None


# --- environments of one table ---------------------------------------------------------------------------

_RESET: Final = -1
_NOTHING: Final = -2
"""An action None, of a PettingZoo agent that has finished."""


class OfOneTable:
    """An environment with a `table`, whose ``reset`` and ``step`` tell what they have done."""

    table: OutsideTable
    """Chips by seat, names, the end of the last hand."""
    encoder: Encoder
    """How views become observations, and numbers actions."""
    render_mode: str | None
    _hands: int
    """In an episode."""
    _is_dict: bool
    """Observations have fields."""
    _np_random: Any
    _options: Mapping[str, Any]
    """What it was made with."""
    _calls: array[int]
    """What was done since the match began."""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Keep what an environment is made with."""
        made: Self = super().__new__(cls)
        object.__setattr__(made, "_options", {"args": args, "options": options})
        object.__setattr__(made, "_calls", array("h"))
        return made

    def _set_up(
        self, game: GameDefinition, hands: int, sizes: Sequence[float], observations: str, mode: str | None
    ) -> None:
        """Take the settings, before there is a table.

        Raises:
            ValueError, PlotError: they cannot be had.
        """
        check_render_mode(mode)
        if hands < 1:
            raise ValueError(f"expected 1 or more hands in an episode, got {hands}")
        self.encoder = Encoder(game, sizes)
        self.render_mode, self._hands, self._is_dict = mode, hands, observations == "dict"

    def _rendered(self, view: HandView) -> str | NDArray[np.uint8] | None:
        """The hand as text, or as a picture of shape (height, width, 3), uint8."""
        mode = self.render_mode
        return None if mode is None else render(view, self.table.names_by_position, mode)

    def _has_reset(self, *, begins: bool) -> None:
        """Note that an episode has begun, perhaps with a match."""
        if begins:
            del self._calls[:]
        self._calls.append(_RESET)

    def _has_played(self, number: int | None) -> None:
        """Note an action."""
        self._calls.append(_NOTHING if number is None else number)

    def __getstate__(self) -> dict[str, Any]:
        """All that a copy needs.

        Raises:
            TypeError: players in other processes, or a log, cannot be copied.
        """
        why = self.table.why_not_copied()
        if why:
            raise TypeError(f"this environment cannot be copied: {why}")
        return {
            **self._options, "seed": self.table.seed, "calls": self._calls, "generator": self._np_random
        }  # fmt: skip

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(*state["args"], **state["options"])  # type: ignore[misc]
        object.__setattr__(self, "_options", {key: state[key] for key in ("args", "options")})
        object.__setattr__(self, "_calls", array("h"))
        for place, call in enumerate(state["calls"]):
            if call == _RESET:
                self.reset(seed=None if place else state["seed"])  # type: ignore[attr-defined]
            else:
                self.step(None if call == _NOTHING else call)  # type: ignore[attr-defined]
        self._np_random = state["generator"]
