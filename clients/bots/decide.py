"""A plain function as a bot: ``decide(state) -> action``, and every bot of ours as such a function.

``decide`` gets what a seat sees (`protocol.agents.observation`) and returns what it does::

    def decide(state):
        return {"do": "call"} if state["legal"]["call"] < state["pot"] / 3 else {"do": "fold"}

``async`` functions are awaited; others run in a thread, so that a slow one cannot hold the table.  If the
file has ``hand_over(state)``, it is called after each hand.
"""

from __future__ import annotations

import functools
import inspect
import os
import runpy
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import trio

from clients.core.agent import Agent, begin_decision, checked_action, tell_news, view_at
from clients.core.registry import make_bot
from clients.core.session import SessionError
from engine.poker.rules import Action, BettingState, GameDefinition, HandView, initial_betting
from engine.support.seeds import random_seed
from engine.support.user_input import fault_text
from protocol.agents.answers import BadFormat, Illegal, Reading, answer_of, as_answer
from protocol.agents.observation import observe, view_of

_OVER: Final = "hand_over"


class Decide(Agent):
    """Plays by a function of a Python file.

    Args:
        file: the Python file.
        function: its name there.
        reading: strict, which ends the bot at an illegal answer, or clamp, which plays what the dealer would.

    Raises:
        ValueError: the file cannot be run, or has no such function.
    """

    wants_clock = True

    def __init__(self, file: Path, function: str = "decide", reading: Reading = "strict") -> None:
        found = _run(file)
        if function not in found:
            raise ValueError(f"{file} has no {function}")
        self._file = file
        self._decide: Callable[[Any], Any] = found[function]
        self._hand_over: Callable[[Any], object] | None = found.get(_OVER)
        if inspect.iscoroutinefunction(self._hand_over):
            raise ValueError(
                f"{file}: {_OVER} is async: expected a plain function, since nothing waits for it"
            )
        self._reading: Reading = reading

    async def choose_action(self, view: HandView) -> Action:
        """Asks the function.

        Raises:
            SessionError: it fails, or its answer cannot be played.
        """
        try:
            answer = await _called(self._decide, self._shown(view))
            return answer_of(answer, view, self._reading).action
        except (BadFormat, Illegal) as error:
            raise SessionError(f"{self._file} in hand {view.hand_number}: {error}") from error
        except (Exception, SystemExit) as error:
            raise self._fault(error, view) from error

    def hand_finished(self, view: HandView) -> None:
        """Tells the file about it, if it wants to know."""
        if self._hand_over is not None:
            try:
                self._hand_over(self._shown(view))
            except (Exception, SystemExit) as error:
                raise self._fault(error, view) from error

    def _shown(self, view: HandView) -> Any:
        """The argument of the functions."""
        return observe(view, self.seat, seconds=self.seconds_to_act if view.is_our_turn else None)

    def _fault(self, error: BaseException, view: HandView) -> SessionError:
        frames, file = traceback.extract_tb(error.__traceback__), os.path.abspath(self._file)
        lines = [each.lineno for each in frames if os.path.abspath(each.filename) == file]
        where = f"line {lines[-1]}" if lines else "somewhere"
        return SessionError(f"{self._file}, {where}, in hand {view.hand_number}: {fault_text(error)}")


def _run(file: Path) -> dict[str, Any]:
    try:
        sys.path.append(os.path.dirname(os.path.abspath(file)))  # for what lies beside it
        return runpy.run_path(str(file), run_name=file.stem)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error
    except SyntaxError as error:
        raise ValueError(f"{file}, line {error.lineno}: {error.msg}") from error
    except (Exception, SystemExit) as error:
        raise ValueError(f"{file} cannot be run: {fault_text(error)}") from error


async def _called(function: Callable[[Any], Any], state: Any) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(state)
    return await trio.to_thread.run_sync(function, state, abandon_on_cancel=True)


class AsDecide:
    """A bot of ours as a function from observations to answers.

    Args:
        bot: as in `make_bot`.
        seed: of its draws; None for one at random.

    Raises:
        UnknownBot, OptionError: as `make_bot`.
    """

    def __init__(self, bot: str, seed: int | None = None) -> None:
        self.agent = make_bot(bot)
        self.agent.seeded = seed is not None
        self.agent.seed = random_seed() if seed is None else seed
        self._match: tuple[GameDefinition, int] | None = None
        self._hand = -1
        self._betting: BettingState | None = None

    def __call__(self, state: Mapping[str, Any]) -> Any:
        """The answer to an observation at the bot's turn; a coroutine that finds it, if the bot has to wait.

        Raises:
            BadMatchState, GameDefinitionError: it is no observation.
        """
        view = self._follow(state)
        self.agent.seconds_to_act = state.get("seconds")
        begin_decision(self.agent, view)
        chosen = self.agent.choose_action(view)
        return self._legal(chosen, view) if isinstance(chosen, Action) else self._awaited(chosen, view)

    def hand_over(self, state: Mapping[str, Any]) -> None:
        """Tell the bot how a hand has ended."""
        self.agent.hand_finished(self._follow(state))

    async def _awaited(self, chosen: Awaitable[Action], view: HandView) -> dict[str, Any]:
        return self._legal(await chosen, view)

    def _legal(self, chosen: object, view: HandView) -> dict[str, Any]:
        return as_answer(view.legal_actions().nearest(checked_action(self.agent, chosen)))

    def _follow(self, state: Mapping[str, Any]) -> HandView:
        """Tell the bot what is new in an observation."""
        view, seat, agent = view_of(state), int(state["you"]["seat"]), self.agent
        game = initial_betting(view.game).game
        if self._match != (game, seat):
            if self._match is None:
                agent.prepare(game)
            self._match, self._hand, agent.game, agent.seat = (game, seat), -1, game, seat
            agent.match_started(game, seat)
        known = self._betting if view.hand_number == self._hand else None
        begin = functools.partial(agent.hand_started, view_at(view, initial_betting(game)))
        tell_news(agent, view, known, begin)
        self._hand, self._betting = view.hand_number, view.betting
        return view


def as_decide(bot: str, seed: int | None = None) -> AsDecide:
    """``as_decide("formula:tightness=0.9")``: a bot of ours as `AsDecide`."""
    return AsDecide(bot, seed)
