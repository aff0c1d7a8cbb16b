"""Bytes that somebody types to lines, sans I/O: at a terminal, through ``nc``, through ``telnet``.

Telnet (RFC 854, 855) is spoken as little as will do.  We ask for nothing, so a plain ``nc`` never sees a
control byte; whatever the other side offers or asks for is declined, but for one thing: it may tell us
the size of its window (RFC 1073).
"""

from __future__ import annotations

from enum import Enum
from typing import Final

MAX_LINE: Final = 1000
"""Bytes kept of a line; what follows is counted, not kept."""
_MAX_SUBNEGOTIATION: Final = 64


class Key(Enum):
    """Keys that are not text."""

    INTERRUPT = "Ctrl-C"
    END = "Ctrl-D"


class LineAssembler:
    """Bytes to lines, in any chunks.  CR LF, CR NUL, LF and CR end a line; backspace takes one back."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._excess = 0
        self._after_cr = False

    def feed(self, data: bytes) -> list[str | Key]:
        """The lines, and keys, that some bytes complete."""
        done: list[str | Key] = []
        for byte in data:
            after_cr, self._after_cr = self._after_cr, byte == 0x0D
            if byte in (0x0A, 0x00) and after_cr:
                continue
            if byte in (0x0A, 0x0D):
                done.append(self._take())
            elif byte in (0x08, 0x7F):
                if self._excess:
                    self._excess -= 1
                else:
                    del self._line[-1:]
            elif byte == 0x03:
                self._take()
                done.append(Key.INTERRUPT)
            elif byte == 0x04:
                done.append(Key.END)
            elif len(self._line) < MAX_LINE:
                self._line.append(byte)
            else:
                self._excess += 1
        return done

    def finish(self) -> list[str | Key]:
        """The line left over at the end of the input, if any."""
        return [self._take()] if self._line else []

    def _take(self) -> str:
        text = self._line.decode("utf-8", "replace") + " " * min(self._excess, 1)
        self._line.clear()
        self._excess = 0
        return text


_IAC, _DONT, _DO, _WONT, _WILL, _SB, _SE = 255, 254, 253, 252, 251, 250, 240
_EC, _EL, _IP, _BREAK, _EOF, _ABORT, _AYT = 247, 248, 244, 243, 236, 238, 246
_NAWS: Final = 31
_COMMAND_BYTES: Final = {_EC: b"\x08", _IP: b"\x03", _BREAK: b"\x03", _ABORT: b"\x03", _EOF: b"\x04"}
"""Telnet's commands that mean a key."""


class TelnetDecoder:
    """Takes telnet's own talk out of a stream, in any chunks.

    Bytes without IAC pass unchanged, so ``nc`` needs no other way in.
    """

    def __init__(self) -> None:
        self._pending = b""
        self._subnegotiation: bytearray | None = None
        self.reply = bytearray()
        """What has to be sent back; the caller empties it."""
        self.columns: int | None = None
        """Those of the other side's window, as telnet has reported last."""

    def feed(self, data: bytes) -> bytes:
        """The bytes that were typed, of some bytes received."""
        data = self._pending + data
        self._pending = b""
        typed = bytearray()
        position = 0
        while position < len(data):
            byte = data[position]
            if byte != _IAC:
                self._put(typed, byte)
                position += 1
                continue
            needed = 3 if len(data) > position + 1 and data[position + 1] in (_DO, _DONT, _WILL, _WONT) else 2
            if len(data) < position + needed:
                self._pending = data[position:]
                break
            self._obey(data[position + 1 : position + needed], typed)
            position += needed
        return bytes(typed)

    def _put(self, typed: bytearray, byte: int) -> None:
        if self._subnegotiation is None:
            typed.append(byte)
        elif len(self._subnegotiation) < _MAX_SUBNEGOTIATION:
            self._subnegotiation.append(byte)

    def _obey(self, command: bytes, typed: bytearray) -> None:
        """One command, without its IAC."""
        verb = command[0]
        if verb == _IAC:  # a doubled one is the byte itself
            self._put(typed, _IAC)
        elif verb == _SB:
            self._subnegotiation = bytearray()
        elif verb == _SE:
            self._end_subnegotiation()
        elif verb == _WILL:
            self.reply += bytes((_IAC, _DO if command[1] == _NAWS else _DONT, command[1]))
        elif verb == _DO:
            # Also the answer to a timing mark, which telnet(1) sends after Ctrl-C and waits for.
            self.reply += bytes((_IAC, _WONT, command[1]))
        elif verb == _AYT:
            self.reply += b"\r\n[yes]\r\n"
        elif verb == _EL:
            typed += b"\x08" * MAX_LINE
        else:  # WONT and DONT agree to what is the case; GA, NOP and their like say nothing
            typed += _COMMAND_BYTES.get(verb, b"")

    def _end_subnegotiation(self) -> None:
        report, self._subnegotiation = self._subnegotiation, None
        if report is not None and len(report) == 5 and report[0] == _NAWS:
            self.columns = report[1] << 8 | report[2]


def telnet_text(text: str, encoding: str) -> bytes:
    """Text as it is sent: CR LF line ends, IAC doubled, what cannot be encoded as ``?``."""
    return text.replace("\n", "\r\n").encode(encoding, "replace").replace(b"\xff", b"\xff\xff")
