"""The tasks of the experiment: long matches of two players, every deal from both seats."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np

from clients.core.registry import make_bot
from clients.lab.experiments.line_up import chips_by_seat
from clients.lab.experiments.resuming import keep
from engine.poker.rules import load_game
from engine.support.intervals import Winnings
from engine.support.seeds import derive_seed

__all__ = ["BLOCKS", "GAME", "PLAYERS", "Match", "Settings", "all_matches", "play"]

GAME: Final = "limit-2p"
BLOCKS: Final = 20
"""The parts of a match whose results are kept separately, for the learning curve."""
PLAYERS: Final = (
    "adaptive", "equilibrium", "formula", "heuristic", "killer", "sampling:trials=50", "simple",
    "always-call", "always-raise",
)  # fmt: skip
"""The players if none are named."""


@attrs.frozen
class Settings:
    """The settings of the experiment."""

    players: tuple[str, ...] = PLAYERS
    hands: int = 4_000
    """Hands of each pair of players."""
    match_hands: int = 4_000
    """Hands of a match, both passes together; the players start each pass from nothing."""
    seed: int = 1


@attrs.frozen
class Match:
    """One match of two players; played in one process."""

    players: tuple[str, str]
    number: int
    deals: int
    seed: int
    folder: Path

    def __str__(self) -> str:
        return f"{self.players[0]} against {self.players[1]}, match {self.number + 1}"

    def result_file(self) -> Path:
        """The file of its result."""
        known = hashlib.sha256("\n".join(self.players).encode()).hexdigest()[:12]
        names = "-".join(player.partition(":")[0] for player in self.players)
        return self.folder / "tasks" / f"{names}-{known}-{self.number + 1}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of its file."""
        return {
            "version": version("riverboat"),
            "players": list(self.players),
            "deals": self.deals,
            "seed": self.seed,
        }


def all_matches(settings: Settings, folder: Path) -> list[Match]:
    """The matches of each pair of players, on the same cards for every pair."""
    deals = max(BLOCKS, settings.match_hands // 2)
    number = max(1, round(settings.hands / (2 * deals)))
    return [
        Match(pair, match, deals, settings.seed, folder)
        for pair in combinations(settings.players, 2)
        for match in range(number)
    ]


def play(match: Match) -> dict[str, Any]:
    """Play a match; returns what the first player won per deal in each block of it, in small bets."""
    game = load_game(GAME)
    assert game.small_bet is not None  # a limit game
    seed = derive_seed(match.seed, match.number)
    total = np.zeros(match.deals)
    for seat in (0, 1):
        agents = [make_bot(player) for player in match.players]
        won = chips_by_seat(game, agents if seat == 0 else agents[::-1], seed, match.deals)
        total = total + won[:, seat] / game.small_bet
    mean = total / 2
    blocks = []
    for block in range(BLOCKS):
        part = mean[block * match.deals // BLOCKS : (block + 1) * match.deals // BLOCKS]
        blocks.append(attrs.asdict(Winnings(len(part), float(part.sum()), float((part**2).sum()))))
    result = {"blocks": blocks}
    keep(match, result)
    return result
