"""Agent: code that decides.  Sub-class it and override what you need.

An agent knows nothing about sockets or clocks.  The same object can sit at a table over TCP
(`clients.core.session`) and at an in-process one (`clients.core.arena`); it is called with the same views in
the same order, and so does the same things.

The order of calls in a match, for every agent at the table::

    prepare                            before it sits down, on nobody's clock
    match_started                      with the first state that is seen
    (hand_started
       (action_seen | choose_action)*  action_seen for every action, its own included, as it was played
     hand_finished)*

An agent that joins in mid-hand, or comes back to a table, gets calls for the actions it missed as if it had
seen them.  For a hand whose end it did not see, `hand_finished` is not called.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from engine.players.probability_triple import triple_of
from engine.poker.records import ProbabilityTriple as ProbabilityTriple
from engine.poker.rules import Action, ActionKind, BettingState, GameDefinition, HandView
from engine.poker.rules.betting import Step

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


Triples: TypeAlias = "Sequence[Sequence[float]] | NDArray[float64]"
"""Chances of folding, calling and raising by hand: one row for all hands alike, 169 for the starting hands,
or 1326 for the combos, in the order of ``engine.poker.combos``."""

Chances: TypeAlias = "Sequence[float] | NDArray[float64]"
"""A number by hand."""

Found = TypeVar("Found")

_LARGEST_SIZE = 2**31 - 1
_OUTSIDE_HANDS = (1 << 64) - 1
"""Stands for hand and decision if the generator is used before the first decision."""


class Script(NamedTuple):
    """A purely rule-based player's rule, for compiled tables (``engine.learning.preflop``)."""

    rules: str
    """Their name."""
    numbers: Sequence[float] = ()
    """Their numbers."""
    lookup: Sequence[float] = ()
    """Its look-up table of starting hands: the number for the cards a and b is at ``52 * a + b``."""


class Agent:
    """What a player does.  Only `choose_action` must be overridden.

    The table sets the attributes below before it calls anything; `__init__` need not be called by
    sub-classes and is theirs to define: its keyword parameters are the agent's options (``--set
    KEY=VALUE``), converted as they are annotated.
    """

    game: GameDefinition
    """What is being played; set before `match_started`."""
    seat: int
    """Our place at the table for the whole match, from 0; set before `match_started`."""
    names: tuple[str, ...] | None = None
    """The players' names in seat order; None if the dealer does not give them; the ACPC's does not."""
    seed: int = 0
    """Seeds `rng`: same seed, same decisions."""
    seeded: bool = False
    """Whether somebody asked for this seed, to repeat the match; else it was drawn at random."""
    comment: str | None = None
    """A line to send along with the next action, for those who read the wire; the table then clears it."""
    states_usage: bool = False
    """Set it if each decision leaves a `usage`."""
    usage: str | None = None
    """What the last decision has cost, for the house alone (`protocol.agents.usage`); the table clears it."""
    explains: bool = False
    """Whether `reasons` are sent along with each action that has no comment of its own."""
    is_stateless: bool = False
    """Set it if decisions follow from `seed` and the hand alone, and nothing is carried from hand to hand:
    its hands may then be played in any order, and it need not see again what it saw before an interruption.
    """
    plays_by_betting: bool = False
    """Set it if decisions follow from the betting alone, not from cards, chance or what was seen before:
    an in-process table then asks only once about each state of the betting.  It counts only in the class that
    defines the `choose_action` it describes.
    """
    wants_clock: bool = False
    """Set it to get `seconds_to_act` before each decision."""
    is_person: bool = False
    """Whether a person looks on: a room then plays at a pace that can be followed."""
    seconds_to_act: float | None = None
    """How long we may think; None if the dealer does not say."""

    _view: HandView | None = None
    _rng_view: HandView | None = None
    _rng: random.Random | None = None

    # --- hooks ---------------------------------------------------------------------------------------

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile and load everything that decisions need: no clock runs yet, and no cards have been dealt.

        Called once, before the agent joins a table; `game` is what will be played, if that is known.
        """

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """The first state has come.  Called again if the game or seat turns out to be another."""

    def hand_started(self, view: HandView) -> None:
        """Cards have been dealt and blinds posted; nobody has acted."""

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """The player in `position` did `action`; `view` is the hand after it, with any new board cards.

        The state before it is the first item of ``view.betting.last_step``.
        """

    def choose_action(self, view: HandView) -> Action | Awaitable[Action]:
        """Our turn: the action to play, or a coroutine that finds it (``async def`` will do).

        An illegal action is corrected as by the ACPC dealer: a raise is moved to the nearest legal size,
        anything else becomes a call.  A coroutine is cancelled when the dealer continues without us.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to choose an action")

    def hand_finished(self, view: HandView) -> None:
        """The hand is over.  `view` has the cards a showdown has shown; ``view.chips_won()`` the result."""

    # --- what it tells the house ---------------------------------------------------------------------

    def triples(self, view: HandView) -> Triples | None:
        """What we would have done in this state with every hand we could hold; None for no answer.

        A house that takes the luck out of results asks for it right after `choose_action`, and shows it to
        nobody at the table.  It must be what `choose_action` drew from, and must draw nothing from `rng`.
        For hands with cards that are on the board it may say anything.
        """
        return None

    def size_chances(self, view: HandView, total: int) -> Chances | None:
        """How likely a raise is to be to exactly this total, by hand, on any scale.

        For no-limit games, asked after a raise to `total`; None if the size does not depend on the cards.
        It has as many rows as `triples`.
        """
        return None

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The numbers by which we have just decided, by their names and with units, for people.

        Asked right after `choose_action`, by ``riverboat ask`` and ``match --explain``; it must draw nothing
        from `rng`.
        """
        return {}

    def script(self, game: GameDefinition) -> Script | None:
        """Our rules for compiled tables, if we play by rules alone that a script can express."""
        return None

    # --- given to sub-classes ------------------------------------------------------------------------

    @property
    def rng(self) -> random.Random:
        """A generator that is seeded anew for each decision, from (seed, hand, decision in the hand).

        So what an agent does depends neither on how long it has been running nor on what it drew before.
        """
        rng = self._rng
        if rng is None:
            rng = self._rng = random.Random(self.decision_seed)
            self._rng_view = self._view
        elif self._rng_view is not self._view:
            rng.seed(self.decision_seed)
            self._rng_view = self._view
        return rng

    @property
    def decision_seed(self) -> int:
        """The seed of `rng`, for generators of another kind: ``numpy.random.default_rng(...)``."""
        view = self._view
        if view is None:
            return self.seed << 64 | _OUTSIDE_HANDS
        return self.seed << 64 | view.hand_number << 32 | decisions_made(view)

    def seat_of(self, view: HandView, position: int) -> int:
        """The seat of the player in a position, which is theirs for the whole match."""
        return view.seat_of(position, self.seat)


class Mixing(Agent):
    """An agent that draws each action by the chances that it states."""

    def chances(self, view: HandView) -> Mapping[Action, float]:
        """The probability of each action in this state."""
        raise NotImplementedError(f"{type(self).__name__} does not say how likely its actions are")

    def choose_action(self, view: HandView) -> Action:
        """An action drawn by the probabilities of `chances`, with one number of the generator."""
        return drawn(self.chances(view), self.rng)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The probabilities of folding, calling and raising to any size."""
        return triple_of(self.chances(view).items())


def decisions_made(view: HandView) -> int:
    """How often the player whose view it is has acted in this hand."""
    return view.betting.times_acted(view.position)


def described(action: Action) -> str:
    """``fold``, ``call``, ``raise`` or ``raise to 300``."""
    return in_words(str(action))


def in_words(action: str) -> str:
    """The same for an action as text: ``r300``."""
    return ActionKind(action[0]).name.lower() + (f" to {action[1:]}" if action[1:] else "")


def explained(agent: Agent, view: HandView) -> str | None:
    """The reasons of an agent for what it has just chosen, in one line; None if it says none."""
    return "; ".join([f"{name} {text}" for name, text in agent.reasons(view).items()]) or None


def drawn(chances: Mapping[Action, float], rng: random.Random) -> Action:
    """One of some actions, by their chances; takes one number of the generator."""
    left = rng.random()
    for action, chance in chances.items():
        left -= chance
        if left < 0:
            return action
    return max(chances, key=chances.__getitem__)  # they add up to one, except for rounding


def steps_after(first: BettingState, last: BettingState) -> list[Step] | None:
    """The actions between two states, oldest first; None if the last does not follow from the first."""
    if last.last_step is not None and last.last_step[0] is first:  # nearly always
        return [last.last_step]
    steps = last.steps()
    for number, state in enumerate([*(before for before, _, _ in steps), last]):
        if state.text == first.text:
            return steps[number:]
    return None


def view_at(view: HandView, betting: BettingState) -> HandView:
    """The view as it was at an earlier node of its hand."""
    if betting is view.betting:
        return view
    own_only = tuple([cards if p == view.position else () for p, cards in enumerate(view.hole_cards)])
    board = view.board[: betting.num_board_cards]
    return HandView(betting, view.position, view.hand_number, own_only, board)


def tell_news(agent: Agent, view: HandView, known: BettingState | None, begin: Callable[[], object]) -> bool:
    """Tell an agent what has happened in a hand, each action with the view as it was right after it.

    Args:
        agent: the one to tell.
        view: its own, of the hand as it is now.
        known: the state of this hand that it was told of last; None if it knows nothing of it.
        begin: begins the hand; called first if it is new, or does not go on from what is known.

    Returns:
        Whether there was anything to tell.
    """
    steps = None if known is None else steps_after(known, view.betting)
    is_new = steps is None
    if steps is None:
        begin()
        steps = view.betting.steps()
    if type(agent).action_seen is not Agent.action_seen:
        states = [*(before for before, _, _ in steps[1:]), view.betting]
        for (_, position, action), state in zip(steps, states, strict=False):
            agent.action_seen(view_at(view, state), position, action)
    return is_new or bool(steps)


def begin_decision(agent: Agent, view: HandView) -> None:
    """Tell an agent's generator which decision comes next; for tables, right before `choose_action`."""
    agent._view = view  # the table's side of `Agent.rng`


def without_waiting(work: Coroutine[Any, Any, Found], instead: str) -> Found:
    """The result of work with agents that waits for nothing.

    Raises:
        RuntimeError: it waits for something; `instead` says what to do.
    """
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    work.close()
    raise RuntimeError(instead)


def may_be_asked_once(agent: Agent) -> bool:
    """Whether one answer to each state of the betting is final: see `Agent.plays_by_betting`."""
    if "choose_action" in vars(agent):
        return False
    owner = next(kind for kind in type(agent).__mro__ if "choose_action" in vars(kind))
    return bool(vars(owner).get("plays_by_betting"))


def checked_action(agent: Agent, chosen: object) -> Action:
    """The action an agent has chosen, fit for the wire.

    A size that is not an integer is truncated; one beyond 32 bits is brought into that range, since the
    ACPC's dealer would wrap it around and play the smallest raise.

    Raises:
        TypeError: it is not an action.
    """
    if not isinstance(chosen, Action):
        expected = "FOLD, CALL, LIMIT_RAISE or raise_to(TOTAL)"
        raise TypeError(f"{type(agent).__name__}.choose_action returned {chosen!r}, expected {expected}")
    total = chosen.raise_to
    if total is None or (type(total) is int and -_LARGEST_SIZE <= total <= _LARGEST_SIZE):
        return chosen
    return chosen._replace(raise_to=int(min(max(total, -_LARGEST_SIZE), _LARGEST_SIZE)))
