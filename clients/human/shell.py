"""Sitting down, from the first line to the last: the match, the typing and the ways out, side by side."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Final

import attrs
import trio

from clients.core.program import ProgramError
from clients.core.session import SessionError
from clients.human.agent import Human
from engine.support.interruption import stopped_by_a_signal

_WORDS_FOR_SIGNALS: Final = {signal.SIGINT: "Ctrl-C", signal.SIGHUP: "The terminal has gone"}


@attrs.frozen
class Ending:
    """How it ended."""

    status: int
    """Exit status: 0 the match is over or was left, 1 it broke off, 2 usage."""
    text: str
    """In a sentence."""
    is_played_out: bool = False
    """The dealer closed the table in good order."""


async def sit_down(
    human: Human, play: Callable[[], Awaitable[int]], listen: Callable[[], Awaitable[None]]
) -> Ending:
    """Play and listen at the same time until one of them ends it.

    Args:
        human: the person who plays.
        play: the session: returns at the end of the match.
        listen: hands lines to ``human.hear``, for ever.
    """
    ending = Ending(0, "You leave the table.")

    async def leave_on_quit() -> None:
        await human.has_quit.wait()
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(human.work_out_odds)
        nursery.start_soon(listen)
        nursery.start_soon(leave_on_quit)
        ending = await _play_to_the_end(play)
        nursery.cancel_scope.cancel()
    return ending


async def _play_to_the_end(play: Callable[[], Awaitable[int]]) -> Ending:
    try:
        await play()
    except ProgramError as error:
        text = str(error)
        return Ending(error.status, f"{text[:1].upper()}{text[1:]}.")
    except SessionError as error:
        return Ending(1, f"The match has broken off: {error}.")
    return Ending(0, "The dealer has closed the table.", is_played_out=True)


def run_program(program: str, task: Callable[[], Awaitable[int]], say: Callable[[str], None]) -> int:
    """Run a command's task under trio; every fault becomes one line and an exit status.

    Args:
        program: begins the line on stderr.
        task: returns an exit status; may raise ProgramError.
        say: takes lines about signals.
    """

    def say_why(number: int) -> None:
        reason = _WORDS_FOR_SIGNALS.get(signal.Signals(number), "Asked to end")
        say(f"{reason}: you leave the table.")

    async def until_signal() -> int:
        status = 0
        async with stopped_by_a_signal(say=say_why) as stop:
            try:
                status = await task()
            except ProgramError as error:
                print(f"{program}: {error}", file=sys.stderr, flush=True)
                status = error.status
        return stop.status or status

    try:
        # Before anybody listens for signals Ctrl-C must not break into trio's own work, as starting a task.
        return trio.run(until_signal, restrict_keyboard_interrupt_to_checkpoints=True)
    except KeyboardInterrupt:  # before anybody listened for signals
        return 130
    finally:
        _flush_stdout()


def _flush_stdout() -> None:
    """Flush what is left; a reader that went away is no reason for a traceback at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
