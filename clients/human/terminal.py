"""The shell at a terminal: moves lines between a person's keyboard and screen and a `Human`.

Line-oriented: what stands on the screen is never drawn again, so that resizing, scrolling and copying are
the terminal's own business, and the same text serves files and pipes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
from typing import Final, TextIO

import trio

from clients.human.agent import Human
from clients.human.keyboard_lines import Key, LineAssembler
from clients.human.style import WIDTH, Style

_CHUNK: Final = 4096
_MAX_HEAP: Final = 1 << 16
"""Bytes of a heap that is taken together."""


class Terminal:
    """A screen and a keyboard, or whatever stands in for them.

    Args:
        keyboard: a file descriptor.
        output: where text goes.
        style: what can be shown there.
    """

    def __init__(self, keyboard: int, output: TextIO, style: Style) -> None:
        self._keyboard = keyboard
        self._output = output
        self._style = style
        self._is_person = os.isatty(keyboard)
        self._measures = output.isatty()

    @property
    def style(self) -> Style:
        """The style, for the window as wide as it is now."""
        if not self._measures:
            return self._style
        return self._style.fitted(shutil.get_terminal_size((WIDTH + 2, 24)).columns)

    def write(self, text: str) -> None:
        """Show text; what cannot be shown any more is dropped, the match goes on."""
        data = text.encode(self._output.encoding or "ascii", "replace")
        # The terminal or the reader of the pipe may have gone; its hang-up or end of input ends us.
        with contextlib.suppress(OSError):
            self._output.buffer.write(data)
            self._output.flush()

    async def listen(self, human: Human) -> None:
        """Hand over the lines that are typed; the end of the input leaves the match.

        A person is heard at any time.  Lines of a file or a program are read when there is a question and
        not before, so that a prepared list of answers plays as many decisions.
        """
        lines = LineAssembler()
        while True:
            if not self._is_person:
                await human.has_question.wait()
            await self._wait_for_typing()
            data, has_ended = self._read_heap() if self._is_person else self._read()
            typed = lines.feed(data)
            for item in [*typed, *lines.finish(), Key.END] if has_ended else typed:
                if not self._is_person:
                    await human.has_question.wait()
                if item is Key.END:
                    human.has_quit.set()
                    human.say("Ctrl-D." if self._is_person else "The input has ended.")
                    return
                if not isinstance(item, Key):  # a terminal makes a signal of Ctrl-C
                    if not self._is_person:
                        self.write(item + "\n")  # nobody has echoed it
                    human.hear(item)
            await trio.lowlevel.checkpoint()

    async def _wait_for_typing(self) -> None:
        try:
            await trio.lowlevel.wait_readable(self._keyboard)
        except OSError as error:
            if error.errno != errno.EPERM:  # what epoll says of files, which are always readable
                raise

    def _read_heap(self) -> tuple[bytes, bool]:
        """All that has been typed or pasted, and whether the input has ended.

        A terminal gives a line at a time.  They are taken together, so that no line of a heap that was
        pasted at once is still there when the next question comes.
        """
        heap, has_ended = self._read()
        while not has_ended and len(heap) < _MAX_HEAP and select.select([self._keyboard], [], [], 0)[0]:
            data, has_ended = self._read()
            heap += data
        return heap, has_ended

    def _read(self) -> tuple[bytes, bool]:
        try:
            data = os.read(self._keyboard, _CHUNK)
        except OSError:
            data = b""  # the terminal has gone
        return data, not data
