"""The tasks of the experiment: long matches of a variant against one opponent, every deal from both seats."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from clients.core.registry import make_bot
from clients.lab.experiments.heuristic.paper import GAME
from clients.lab.experiments.line_up import chips_by_seat
from clients.lab.experiments.resuming import keep
from engine.poker.rules import load_game
from engine.support.intervals import Winnings
from engine.support.seeds import derive_seed

__all__ = ["BLOCKS", "Duel", "Settings", "all_duels", "play"]

BLOCKS: Final = 20
"""The parts of a match whose results are kept separately, for the curve."""


@attrs.frozen
class Settings:
    """The settings of the experiment."""

    variants: tuple[str, ...]
    """``BOT:KEY=VALUE`` of each, by its name in the results."""
    names: tuple[str, ...]
    opponents: tuple[str, ...]
    hands: int = 20_000
    """Hands against each opponent."""
    match_hands: int = 4_000
    """Hands of a match, both passes together; the bots start each pass from nothing."""
    seed: int = 1


@attrs.frozen
class Duel:
    """One match; done in one process."""

    variant: str
    name: str
    opponent: str
    number: int
    deals: int
    settings: Settings
    folder: Path

    def __str__(self) -> str:
        return f"{self.name} against {self.opponent}, match {self.number + 1}"

    def result_file(self) -> Path:
        """The file of its result."""
        against = self.opponent.replace(":", "-").replace("=", "-").replace(",", "-")
        return self.folder / "tasks" / f"{self.name}-{against}-{self.number + 1}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of its file."""
        return {
            "version": version("riverboat"),
            "variant": self.variant,
            "opponent": self.opponent,
            "deals": self.deals,
            "seed": self.settings.seed,
        }


def all_duels(settings: Settings, folder: Path) -> list[Duel]:
    """All matches of the experiment, with the same cards for every pair of players."""
    deals = max(BLOCKS, settings.match_hands // 2)
    matches = max(1, round(settings.hands / (2 * deals)))
    return [
        Duel(variant, name, opponent, number, deals, settings, folder)
        for opponent in settings.opponents
        for variant, name in zip(settings.variants, settings.names, strict=True)
        for number in range(matches)
    ]


def play(duel: Duel) -> dict[str, Any]:
    """Play a match; returns what was won per deal in each block of it, in small bets."""
    game = load_game(GAME)
    assert game.small_bet is not None  # a limit game
    seed = derive_seed(duel.settings.seed, duel.number)
    passes = []
    for seat in (0, 1):
        agents = [make_bot(duel.variant), make_bot(duel.opponent)]
        won = chips_by_seat(game, agents if seat == 0 else agents[::-1], seed, duel.deals)
        passes.append(won[:, seat] / game.small_bet)
    mean = (passes[0] + passes[1]) / 2
    blocks = []
    for block in range(BLOCKS):
        part = mean[block * duel.deals // BLOCKS : (block + 1) * duel.deals // BLOCKS]
        blocks.append(attrs.asdict(Winnings(len(part), float(part.sum()), float((part**2).sum()))))
    result = {"blocks": blocks}
    keep(duel, result)
    return result
