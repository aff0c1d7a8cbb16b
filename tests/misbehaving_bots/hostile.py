"""Programs that nobody wants at a table: ``python hostile.py NAME HOST PORT [ARGUMENT...]``."""

import contextlib
import random
import socket
import struct
import sys
import time
from collections.abc import Callable

VERSION = b"VERSION:2.0.0\n"


def drips(sock: socket.socket, what: str = "answers") -> None:
    """Sends its answers, and before that its version if told `all`, a byte a second."""
    if what != "all":
        sock.sendall(VERSION)
    for byte in VERSION + b"#" * 1000:
        sock.sendall(bytes([byte]))
        time.sleep(1)


def floods(sock: socket.socket, line: str = "junk") -> None:
    """Once shown a state, sends the same line as fast as it can, and reads nothing more."""
    sock.sendall(VERSION)
    sock.recv(1)
    flood = (line.encode() + b"\n") * (60_000 // len(line))
    while True:
        sock.sendall(flood)


def floods_at_the_end(sock: socket.socket) -> None:
    """Calls in every state, and when the dealer has said goodbye sends junk as fast as it can."""
    sock.sendall(VERSION)
    for line in sock.makefile("rb"):
        sock.sendall(line.rstrip(b"\r\n") + b":c\r\n")
    while True:
        sock.sendall(b"goodbye\n" * 10_000)


def leaves(sock: socket.socket, steps: str, how: str = "politely") -> None:
    """Calls, and leaves after a given number of messages; before its version line if that is -1.

    With `reset` it leaves without a proper goodbye.
    """
    if how == "reset":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if int(steps) >= 0:
        sock.sendall(VERSION)
        incoming = sock.makefile("rb")
        for _ in range(int(steps)):
            # Calling in every state, its turn or not: what is no answer is ignored.
            sock.sendall(incoming.readline().rstrip(b"\r\n") + b":c\r\n")
        incoming.close()


def never_reads(sock: socket.socket, seconds: str = "60") -> None:
    """Says its version and never reads a byte; with the smallest buffer, so that others notice soon."""
    sock.sendall(VERSION)
    time.sleep(float(seconds))


def no_line_end(sock: socket.socket, size: str = "1000000") -> None:
    """Sends so many bytes without a line end, when it is first shown a state."""
    sock.sendall(VERSION)
    sock.recv(1)
    for _ in range(int(size) // 10_000):
        sock.sendall(b"x" * 10_000)
    while sock.recv(65536):
        pass


def no_version(sock: socket.socket) -> None:
    """Sends a megabyte without a line end instead of its version."""
    sock.sendall(b"V" * 1_000_000)
    while sock.recv(65536):
        pass


def random_bytes(sock: socket.socket) -> None:
    """Answers every message with random bytes, the same in every run."""
    generator = random.Random(1)
    sock.sendall(VERSION)
    while sock.recv(65536):
        sock.sendall(generator.randbytes(generator.randrange(1, 20_000)))


def silent(sock: socket.socket, how: str = "polite") -> None:
    """Says its version unless told `mute`, then nothing; reads whatever comes."""
    if how != "mute":
        sock.sendall(VERSION)
    while sock.recv(65536):
        pass


def talks_out_of_turn(sock: socket.socket) -> None:
    """Answers every message twice, its turn or not, and guesses what may come; but it does answer."""
    sock.sendall(VERSION)
    for line in sock.makefile("rb"):
        state = line.rstrip(b"\r\n")
        sock.sendall(b"%s:c\r\n%s:c\r\nMATCHSTATE:9:9::|:r\r\n%s\r\n" % (state, state, state))


def main(name: str, host: str, port: str, *words: str) -> None:
    play: Callable[..., None] = globals()[name]
    with socket.socket() as sock, contextlib.suppress(OSError):
        if name == "never_reads":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        sock.connect((host, int(port)))
        play(sock, *words)


if __name__ == "__main__":
    main(*sys.argv[1:])
