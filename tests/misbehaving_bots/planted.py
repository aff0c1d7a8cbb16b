"""A player with one planted fault: ``python planted.py FAULT GAME_FILE HOST PORT [SECONDS]``.

Without its fault (``none``) it calls, and now and then raises.  It has no I/O of its own but in `main`.
"""

import os
import re
import socket
import sys
import time
from collections.abc import Iterator

if __name__ == "__main__":
    sys.path.append(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))

from tests.support.acpc_player import Game, Hand

STATE = re.compile(r"MATCHSTATE:(\d+):(\d+):([^:]*):.*")


class Planted:
    """Takes bytes, gives bytes to write, and seconds to wait."""

    def __init__(self, fault: str, path: str, seconds: float = 11.0) -> None:
        self.fault = fault
        self.game = Game(path)
        self.seconds = seconds
        self.unread = b""
        self.last = ""
        self.hand = -1
        self.answers = 0

    def receive(self, data: bytes) -> Iterator[bytes | float]:
        """What it does about some bytes.

        Raises:
            RuntimeError: it dies of its fault.
        """
        if self.fault == "crlf" and not data.endswith(b"\r\n"):
            raise RuntimeError(f"not a line: {data!r}")
        self.unread += data
        *lines, self.unread = self.unread.split(b"\n")
        for line in lines:
            if line[:1] not in (b"#", b";") or self.fault == "comments":
                yield from self.read(line.decode().rstrip("\r"))

    def read(self, line: str) -> Iterator[bytes | float]:
        found = STATE.fullmatch(line)
        if found is None:
            raise RuntimeError(f"not a state: {line}")
        position, number, betting = int(found[1]), int(found[2]), found[3]
        if number != self.hand:
            self.hand, self.answers = number, 0
        hand = Hand(self.game, betting)
        self.watch(hand, betting)
        shown, self.last = self.last, line
        if hand.is_over or hand.to_act != position:
            if self.fault == "out-of-turn" and not hand.is_over:
                yield f"{line}:c\r\n".encode()
            return
        if self.fault == "silent" or (self.fault == "heads-up" and self.game.players > 2 and self.answers):
            return
        if self.fault == "late" and number == 1:
            yield self.seconds
        echo = shown if self.fault == "echo" and shown else line
        answer = f"{echo}:{self.decide(hand)}\r\n".encode()
        self.answers += 1
        if self.fault == "two-writes":
            yield answer[:20]
            answer = answer[20:]
        yield answer

    def watch(self, hand: Hand, betting: str) -> None:
        """Break down where the fault is to break down."""
        game, fault = self.game, self.fault
        if fault == "six" and game.players >= 6:
            raise RuntimeError("six players")
        if fault == "walk" and hand.is_over and not self.answers and hand.folded.count(False) == 1:
            raise RuntimeError("nobody asked me")
        size = re.search(r"r(\d+)/*$", betting)
        if fault == "short-all-in" and size:
            before = Hand(game, betting[: size.start()])
            if int(size[1]) < before.least_raise:
                raise RuntimeError("that is no raise")
        live = [p for p in range(game.players) if not hand.folded[p]]
        all_in = {hand.spent[p] for p in live if hand.spent[p] >= game.stacks[p]}
        if fault == "side-pot" and len(live) > 2 and len(all_in) > 1:
            raise RuntimeError("whose pot is that?")

    def decide(self, hand: Hand) -> str:
        sizes = hand.raise_range()
        if sizes is None or self.hand % 3:
            return "c"
        if self.game.is_limit:
            return "r"
        return f"r{sizes[0] - hand.most}" if self.fault == "raise-by" else f"r{sizes[0]}"


def main(fault: str, path: str, host: str, port: str, *seconds: str) -> None:
    player = Planted(fault, path, *map(float, seconds))
    with socket.create_connection((host, int(port))) as table:
        table.sendall(b"VERSION:2.0.0\n")
        while data := table.recv(65536):
            for step in player.receive(data):
                if isinstance(step, bytes):
                    table.sendall(step)
                else:
                    time.sleep(step)
        if fault == "no-exit":
            time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
