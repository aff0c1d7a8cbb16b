"""A player like the ACPC's example player, written from its specification without any code of ours.

``python acpc_player.py GAME_FILE HOST PORT``: folds, calls and raises with the probabilities of the original
(.06, .47, .47); sizes are uniform over the legal ones, and the generator is not seeded.
"""

import random
import re
import socket
import sys
from collections.abc import Callable


class Game:
    """The game of a game file."""

    def __init__(self, path: str) -> None:
        self.numbers: dict[str, list[int]] = {}
        self.is_limit = True
        with open(path) as file:
            for line in file:
                word = line.strip().lower()
                if word in ("limit", "nolimit"):
                    self.is_limit = word == "limit"
                elif "=" in line:
                    name, _, rest = line.partition("=")
                    self.numbers[name.strip().lower()] = [int(item) for item in rest.split()]
        self.players = self.numbers["numplayers"][0]
        self.rounds = self.numbers["numrounds"][0]
        self.blinds = self.numbers.get("blind") or self.numbers["blinds"]
        antes = self.numbers.get("ante", [0])
        antes = antes * self.players if len(antes) == 1 else antes
        stacks = self.numbers.get("stack", [2**31 - 1] * self.players)
        self.stacks = [stack - ante for stack, ante in zip(stacks, antes, strict=True)]
        self.first = [each - 1 for each in self.numbers.get("firstplayer", [1] * self.rounds)]
        self.most_raises = self.numbers.get("maxraises", [255] * self.rounds)


class Hand:
    """A betting sequence, replayed."""

    def __init__(self, game: Game, betting: str) -> None:
        self.game = game
        self.spent = list(game.blinds)
        self.folded = [False] * game.players
        self.most = max(game.blinds)
        self.least_raise = 2 * self.most or 1
        self.round = 0
        self.raises = self.actions = 0
        self.responded: set[int] = set()
        self.is_over = False
        self.to_act = self._next(game.first[0])
        for letter, size in re.findall(r"([fcr])(\d*)", betting):
            self._apply(letter, int(size or 0))

    def can_act(self, position: int) -> bool:
        return not self.folded[position] and self.spent[position] < self.game.stacks[position]

    def _next(self, start: int) -> int:
        players = self.game.players
        return next(
            ((start + k) % players for k in range(players) if self.can_act((start + k) % players)), -1
        )

    def _apply(self, letter: str, size: int) -> None:
        p, stacks = self.to_act, self.game.stacks
        self.actions += 1
        if letter == "f":
            self.folded[p] = True
        elif letter == "c":
            self.spent[p] = min(stacks[p], self.most)
            self.responded.add(p)
        else:
            if self.game.is_limit:
                size = min(stacks[p], self.most + self.game.numbers["raisesize"][self.round])
            else:
                self.least_raise = max(self.least_raise, 2 * size - self.most)
            self.most = self.spent[p] = size
            self.raises += 1
            self.responded = {p}
        live = [p for p in range(self.game.players) if not self.folded[p]]
        able = [p for p in live if self.can_act(p)]
        if len(live) == 1:
            self.is_over = True
        elif not set(able) <= self.responded:
            self.to_act = self._next((p + 1) % self.game.players)
        elif len(able) < 2 or self.round == self.game.rounds - 1:
            self.is_over = True
        else:
            self.round += 1
            self.raises = self.actions = 0
            self.responded = set()
            self.least_raise = self.most + max(1, *self.game.blinds)
            self.to_act = self._next(self.game.first[self.round])

    def raise_range(self) -> tuple[int, int] | None:
        """The least and the largest total; None if no raise is legal."""
        game, p = self.game, self.to_act
        able = sum(self.can_act(each) for each in range(game.players))
        if self.raises >= game.most_raises[self.round] or self.actions + game.players > 64 or able < 2:
            return None
        if game.is_limit:
            return (0, 0)
        stack = game.stacks[p]
        if self.least_raise <= stack:
            return (self.least_raise, stack)
        return (stack, stack) if stack > self.most else None


def choose(hand: Hand) -> str:
    """The example player's action."""
    sizes = hand.raise_range()
    can_fold = hand.spent[hand.to_act] < hand.most
    weights = {"f": 0.06 * can_fold, "c": 0.47, "r": 0.47 * (sizes is not None)}
    (letter,) = random.choices([*weights], [*weights.values()])
    if letter == "r" and sizes is not None and not hand.game.is_limit:
        return f"r{random.randint(*sizes)}"
    return letter


def play(path: str, host: str, port: int, decide: Callable[[Hand], str] = choose) -> None:
    """Play to the end of the match."""
    game = Game(path)
    with socket.create_connection((host, port)) as table:
        table.sendall(b"VERSION:2.0.0\n")
        for raw in table.makefile("r", newline="\n"):
            line = raw.rstrip("\r\n")
            if line[:1] in ("#", ";"):
                continue
            found = re.fullmatch(r"MATCHSTATE:(\d+):\d+:([^:]*):.*", line)
            if found is None:
                sys.exit("ERROR: could not read state")
            hand = Hand(game, found.group(2))
            if not hand.is_over and hand.to_act == int(found.group(1)):
                table.sendall(f"{line}:{decide(hand)}\r\n".encode())


if __name__ == "__main__":
    play(sys.argv[1], sys.argv[2], int(sys.argv[3]))
