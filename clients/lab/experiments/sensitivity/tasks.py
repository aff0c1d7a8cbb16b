"""The tasks of the experiment: the formula with one constant greater or smaller, on equal deals."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.bots.formula.agent import Formula
from clients.core.agent import Agent
from clients.core.registry import make_bot
from clients.lab.experiments.line_up import LineUp, chips_by_seat, matches
from clients.lab.experiments.resuming import keep
from engine.players.models.formula import Constants, Parameters
from engine.poker.rules import load_game
from engine.support.seeds import derive_seed

__all__ = ["CONSTANTS", "TABLES", "Betting", "Settings", "Variation", "all_variations", "play", "varied"]

_OPPONENTS: Final = ("simple", "hand-strength", "heuristic", "killer")
SIX_SEATS: Final = "six seats"
TABLES: Final = (*_OPPONENTS, SIX_SEATS)
"""Heads-up against each of four bots, and at six seats with the four and an unchanged formula."""

_OF_THE_PARAMETERS: Final = (
    "call_threshold", "raise_threshold", "spread", "very_weak", "very_strong", "trap",
)  # fmt: skip
CONSTANTS: Final = (*_OF_THE_PARAMETERS, *(field.name for field in attrs.fields(Constants)))
"""All numbers of the formula that are varied, by name; `tightness` and the like belong to a player."""

_LONGEST_NAME: Final = 200
"""The longest name of a file, in characters: systems allow 255."""

Betting = Literal["limit", "nolimit"]


@attrs.frozen
class Settings:
    """The settings of the experiment."""

    hands: int = 20_000
    """Hands of each variation at each table."""
    constants: tuple[str, ...] = CONSTANTS
    instead: tuple[str, ...] = ()
    """``NAME=VALUE,...``: variations in which some constants have other values, all at once."""
    by: float = 0.2
    """The share by which a constant is increased and decreased."""
    tables: tuple[str, ...] = TABLES
    match_deals: int = 500
    """Deals after which all players forget what they have learnt."""
    seed: int = 1
    betting: Betting = "limit"

    @property
    def unit(self) -> str:
        """The unit of results: small bets, or big blinds."""
        return "sb" if self.betting == "limit" else "bb"


@attrs.frozen
class Variation:
    """The formula with one constant changed, or unchanged; played in one process."""

    constant: str
    """Empty for the unchanged formula; ``NAME=VALUE,...`` for other values, where the factor is not used."""
    factor: float
    settings: Settings
    folder: Path

    def __str__(self) -> str:
        if not self.constant:
            return "as it is"
        return self.constant if "=" in self.constant else f"{self.constant} x {self.factor:g}"

    def result_file(self) -> Path:
        """The file of its result."""
        name = f"{self.constant or 'base'}-{self.factor:g}"
        if len(name) > _LONGEST_NAME:
            name = f"{self.constant.count('=')}-constants-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        return self.folder / "tasks" / f"{name}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of its file."""
        settings = self.settings
        return {
            "version": version("riverboat"),
            "hands": settings.hands,
            "tables": list(settings.tables),
            "match_deals": settings.match_deals,
            "seed": settings.seed,
            "betting": settings.betting,
        }


def all_variations(settings: Settings, folder: Path) -> list[Variation]:
    """The unchanged formula, then each constant greater and smaller, then several changed at once."""
    changed = [
        Variation(constant, factor, settings, folder)
        for constant in settings.constants
        for factor in (1 + settings.by, 1 - settings.by)
    ]
    together = [Variation(values, 1.0, settings, folder) for values in settings.instead]
    return [Variation("", 1.0, settings, folder), *changed, *together]


def varied(constant: str, factor: float) -> Parameters:
    """The formula's parameters, with one of its constants times a factor; thresholds stay within 0 and 1.

    Args:
        constant: a constant's name; empty to change nothing; or ``NAME=VALUE,...``.
        factor: the factor on the constant that is named.
    """
    usual = Parameters()
    if not constant:
        return usual
    if "=" in constant:
        values = {
            name: float(value) for name, _, value in (each.partition("=") for each in constant.split(","))
        }
    else:
        holder = usual if constant in _OF_THE_PARAMETERS else usual.constants
        values = {constant: factor * getattr(holder, constant)}
    own = {name: min(1.0, value) for name, value in values.items() if name in _OF_THE_PARAMETERS}
    others = {name: value for name, value in values.items() if name not in own}
    return attrs.evolve(usual, constants=attrs.evolve(usual.constants, **others), **own)


def play(variation: Variation) -> dict[str, Any]:
    """Play a variation at all tables.

    Returns:
        For each table, what the varied formula won per hand on each deal, in small bets or big blinds
        (`Settings.unit`); every deal is played in each rotation of the seats.
    """
    settings = variation.settings
    won = {
        table: _won_at(table, derive_seed(settings.seed, TABLES.index(table)), variation).tolist()
        for table in settings.tables
    }
    result = {"won": won}
    keep(variation, result)
    return result


def _won_at(table: str, seed: int, variation: Variation) -> NDArray[np.float64]:
    others = (*_OPPONENTS, "formula") if table == SIX_SEATS else (table,)
    settings, seats = variation.settings, len(others) + 1
    game, line_up = load_game(f"{settings.betting}-{seats}p"), LineUp(1, seats)
    passes = line_up.passes()
    deals = max(1, settings.hands // len(passes))
    won = []
    for match_seed, number in matches(deals, settings.match_deals, seed):
        chips = [
            chips_by_seat(game, _seated(is_ours, others, variation), match_seed, number) for is_ours in passes
        ]
        won.append(line_up.mean_of_first(chips) / (game.small_bet or game.big_blind))
    return np.concatenate(won)


def _seated(is_ours: tuple[bool, ...], others: tuple[str, ...], variation: Variation) -> list[Agent]:
    """The agents by seat: the varied formula, and the others after it in their order."""
    ours = Formula()
    ours.parameters = varied(variation.constant, variation.factor)
    start, seats = is_ours.index(True), len(is_ours)
    agents: list[Agent] = [ours] * seats
    for number, name in enumerate(others, 1):
        agents[(start + number) % seats] = make_bot(name)
    return agents
