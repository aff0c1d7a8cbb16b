"""The tasks of the experiment: the formula with one constant greater or less, in matches on equal deals."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.agent import Agent
from clients.bots.formula.agent import Formula
from clients.experiments.line_up import LineUp, chips_by_seat, matches
from clients.experiments.resuming import keep
from clients.registry import make_bot
from engine.opponents.models.formula import Constants, Parameters
from engine.rules import load_game
from engine.seeds import derive_seed

__all__ = ["CONSTANTS", "TABLES", "Betting", "Settings", "Variation", "all_variations", "play", "varied"]

_OPPONENTS: Final = ("simple", "hand-strength", "heuristic", "killer")
SIX_SEATS: Final = "six seats"
TABLES: Final = (*_OPPONENTS, SIX_SEATS)
"""Heads-up against each of four, and one formula at six seats with the four and a formula as it is."""

_OF_THE_PARAMETERS: Final = (
    "call_threshold", "raise_threshold", "spread", "very_weak", "very_strong", "trap",
)  # fmt: skip
CONSTANTS: Final = (*_OF_THE_PARAMETERS, *(field.name for field in attrs.fields(Constants)))
"""All numbers of the formula that are varied, by name; `tightness` and its like are a player's own."""

_LONGEST_NAME: Final = 200
"""Of a file, in letters: systems allow 255."""

Betting = Literal["limit", "nolimit"]


@attrs.frozen
class Settings:
    """How much is played."""

    hands: int = 20_000
    """At each table, of each variation."""
    constants: tuple[str, ...] = CONSTANTS
    instead: tuple[str, ...] = ()
    """``NAME=VALUE,...``: variations in which some constants have other values, all at once."""
    by: float = 0.2
    """The part by which a constant is made greater and less."""
    tables: tuple[str, ...] = TABLES
    match_deals: int = 500
    """Deals after which all that was learnt is forgotten."""
    seed: int = 1
    betting: Betting = "limit"

    @property
    def unit(self) -> str:
        """What results are in: small bets, or big blinds."""
        return "sb" if self.betting == "limit" else "bb"


@attrs.frozen
class Variation:
    """The formula with one constant changed, or as it is; played in one process."""

    constant: str
    """Empty: the formula as it is.  ``NAME=VALUE,...``: these instead, and the factor says nothing."""
    factor: float
    settings: Settings
    folder: Path

    def __str__(self) -> str:
        if not self.constant:
            return "as it is"
        return self.constant if "=" in self.constant else f"{self.constant} x {self.factor:g}"

    def report(self) -> Path:
        """Where what was found is kept."""
        name = f"{self.constant or 'base'}-{self.factor:g}"
        if len(name) > _LONGEST_NAME:
            name = f"{self.constant.count('=')}-constants-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        return self.folder / "tasks" / f"{name}.json"

    def played(self) -> dict[str, Any]:
        """What its results depend on, besides the name of its file."""
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
    """The formula as it is, then each constant greater and less, then several changed at once."""
    changed = [
        Variation(constant, factor, settings, folder)
        for constant in settings.constants
        for factor in (1 + settings.by, 1 - settings.by)
    ]
    together = [Variation(values, 1.0, settings, folder) for values in settings.instead]
    return [Variation("", 1.0, settings, folder), *changed, *together]


def varied(constant: str, factor: float) -> Parameters:
    """The formula's parameters, one of its constants times a factor; thresholds stay within 0 and 1.

    Args:
        constant: a name; none, where all stays as it is; or ``NAME=VALUE,...``.
        factor: of the constant that is named.
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
    """Plays a variation at all tables.

    Returns:
        By table, what the varied formula won a hand on each deal, in small bets or big blinds
        (`Settings.unit`), every deal played in each rotation of the seats.
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
    """The agents by seat: the varied formula, and the others behind it in their order."""
    ours = Formula()
    ours.parameters = varied(variation.constant, variation.factor)
    start, seats = is_ours.index(True), len(is_ours)
    agents: list[Agent] = [ours] * seats
    for number, name in enumerate(others, 1):
        agents[(start + number) % seats] = make_bot(name)
    return agents
