"""The experiment ``sensitivity``: how much each of the formula's constants matters.

The formula plays with one constant greater or smaller, or with several changed at once, and its results are
compared with those of the unchanged formula on the same deals.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs
import click
import numpy as np

from clients.bots.formula.agent import Formula
from clients.core.agent import Agent
from clients.core.one_line import CommandError
from clients.core.registry import make_bot
from clients.lab.experiments import harness
from clients.lab.experiments.command import Options, choices, experiment_command, option, whole
from engine.players.models.formula import Parameters
from engine.poker.rules import load_game
from engine.support.intervals import Estimate, estimate
from engine.support.seeds import derive_seed
from engine.support.user_input import did_you_mean, parse_finite
from server.support.options import FiniteRange

_OPPONENTS: Final = ("simple", "hand-strength", "heuristic", "killer")
_SIX_SEATS: Final = "six seats"
TABLES: Final = (*_OPPONENTS, _SIX_SEATS)
"""Heads-up against each of four bots, and at six seats with the four and an unchanged formula."""
_OF_A_PLAYER: Final = ("tightness", "aggression", "deception")
CONSTANTS: Final = tuple(each.name for each in attrs.fields(Parameters) if each.name not in _OF_A_PLAYER)
"""All numbers of the formula that are varied, by name."""
_LONGEST_NAME: Final = 200
"""The longest name of a file, in characters: systems allow 255."""

_WORDS: Final = {
    "limit": ("limit hold'em", "sb", "Small bets"),
    "nolimit": ("no-limit hold'em", "bb", "Big blinds"),
}
"""By the kind of betting: the game, and the unit of results, short and long."""


def _constant(parameter: click.Parameter, text: str) -> str:
    name = text.strip().replace("-", "_")
    if name not in CONSTANTS:
        near = did_you_mean(name, CONSTANTS) or f"; there are {', '.join(CONSTANTS)}"
        raise CommandError(f"{parameter.opts[0]}: there is no constant {name!r}{near}")
    return name


def _constants(
    context: click.Context, parameter: click.Parameter, text: str | None
) -> tuple[str, ...] | None:
    """The constants of a list, all different and known; None where there is no list."""
    if text is None:
        return None
    return tuple(dict.fromkeys(_constant(parameter, name) for name in text.split(",")))


def _values(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """``NAME=VALUE,...``: constants that there are, with finite values."""
    variations = []
    for text in texts:
        values = {}
        for each in text.split(","):
            name, _, number = each.partition("=")
            try:
                value = parse_finite(number)
            except ValueError as error:
                raise CommandError(f"{parameter.opts[0]}: {each!r}: expected NAME=VALUE, {error}") from None
            values[_constant(parameter, name)] = value
        variations.append(",".join(f"{name}={value!r}" for name, value in values.items()))
    return tuple(dict.fromkeys(variations))


@attrs.frozen
class SensitivitySettings(Options):
    """The variations, and the number of hands."""

    hands: int = whole(20_000, 12, "Hands of each variation at each table.")
    constants: tuple[str, ...] | None = option(
        None,
        "Only these constants of engine/players/models/formula.py.  Default: all, or none with --instead.",
        metavar="NAME,...",
        callback=_constants,
    )
    instead: tuple[str, ...] = option(
        (), "Play the formula with these values, all at once, to see whether constants could go; may be "
        "repeated.", metavar="NAME=VALUE,...", multiple=True, callback=_values, show_default=False,
    )  # fmt: skip
    """``NAME=VALUE,...``: variations in which some constants have other values, all at once."""
    by: float = option(
        0.2, "The share by which each constant is increased and decreased.", type=FiniteRange(0.01, 0.99),
        metavar="PART",
    )  # fmt: skip
    tables: tuple[str, ...] = choices(
        "--table",
        TABLES,
        "Only at these tables: heads-up against a bot, or at six seats with all of them; may be repeated.",
    )
    match_deals: int = whole(500, 1, "Deals after which all players start again.")
    seed: int = 1
    betting: str = option(
        "limit", "Limit games, or no-limit games with 200 big blinds.", type=click.Choice(tuple(_WORDS))
    )

    def variations(self) -> list[tuple[str, float]]:
        """Names of constants, each with its factor; ``NAME=VALUE,...`` where the factor is not used."""
        changed = [(name, factor) for name in self.constants or () for factor in (1 + self.by, 1 - self.by)]
        return [*changed, *((values, 1.0) for values in self.instead)]


@experiment_command(SensitivitySettings, "what each variation won", seeded="cards")
def sensitivity(settings: SensitivitySettings, work: harness.Work) -> Iterator[harness.Findings]:
    """Measure how much each constant of the formula matters: each one greater and smaller, on equal deals.

    The default size takes hours: hands at five tables for each of some forty variations.
    """
    if settings.constants is None:
        settings = attrs.evolve(settings, constants=() if settings.instead else CONSTANTS)
    yield findings(settings, list(work.each(all_variations(settings))))


def all_variations(settings: SensitivitySettings) -> list[harness.Task]:
    """The unchanged formula, then each constant greater and smaller, then several changed at once."""
    tasks = []
    kept = ("hands", "tables", "match_deals", "seed", "betting")
    played = {each: getattr(settings, each) for each in kept}
    for constant, factor in [("", 1.0), *settings.variations()]:
        name = f"{constant or 'base'}-{factor:g}"
        if len(name) > _LONGEST_NAME:
            name = f"{constant.count('=')}-constants-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        label = f"{constant} x {factor:g}" if constant and "=" not in constant else constant
        do = functools.partial(_play, settings, constant, factor)
        tasks.append(harness.Task(label or "as it is", f"{name}.json", played, do))
    return tasks


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
        pairs = (each.partition("=") for each in constant.split(","))
        values = {name: float(value) for name, _, value in pairs}
    else:
        values = {constant: factor * getattr(usual, constant)}
    chances = {each.name for each in attrs.fields(Parameters) if each.validator}
    values |= {name: min(1.0, value) for name, value in values.items() if name in chances}
    return attrs.evolve(usual, **values)


def _play(settings: SensitivitySettings, constant: str, factor: float) -> dict[str, Any]:
    """Play a variation at all tables.

    Returns:
        ``won``: for each table, what the varied formula won per hand on each deal, in small bets or big
        blinds; every deal is played in each rotation of the seats.
    """
    won = {}
    for table in settings.tables:
        others = (*_OPPONENTS, "formula") if table == _SIX_SEATS else (table,)
        game = load_game(f"{settings.betting}-{len(others) + 1}p")
        line_up = harness.LineUp(1, len(others) + 1)
        seated = functools.partial(_seated, varied(constant, factor), others)
        deals = max(1, settings.hands // line_up.seats)
        seed = derive_seed(settings.seed, TABLES.index(table))
        cut = harness.matches(deals, settings.match_deals, seed)
        won[table] = np.concatenate([line_up.play(game, seated, *match) for match in cut]).tolist()
    return {"won": won}


def _seated(parameters: Parameters, others: Sequence[str], is_ours: Sequence[bool]) -> list[Agent]:
    """The agents by seat: the varied formula, and the others after it in their order."""
    ours = Formula(blueprint=False)
    ours.parameters = parameters
    start, seats = is_ours.index(True), len(is_ours)
    agents: list[Agent] = [ours] * seats
    for number, name in enumerate(others, 1):
        agents[(start + number) % seats] = make_bot(name)
    return agents


@attrs.frozen
class _Variation:
    """How much more a variation wins than the unchanged formula: at each table, and in the mean of them."""

    constant: str
    factor: float
    gains: Mapping[str, Estimate]
    together: Estimate

    @property
    def matters(self) -> bool:
        """Whether the difference is significant, at a table or in the mean."""
        estimates = (self.together, *self.gains.values())
        return any(abs(each.mean) > each.ci95 for each in estimates if each.ci95 is not None)

    @property
    def value(self) -> str:
        """The changed value of one constant."""
        if "=" in self.constant:
            return ""
        return f"{getattr(varied(self.constant, self.factor), self.constant):.3g}"


def _together(gains: Sequence[Estimate]) -> Estimate:
    """The mean over some tables, each with its own cards; samples are deals of one table."""
    halves = [gain.ci95 or 0.0 for gain in gains]
    mean = float(np.mean([gain.mean for gain in gains]))
    return Estimate(mean, float(np.sqrt(np.square(halves).sum())) / len(gains), gains[0].samples)


def findings(settings: SensitivitySettings, found: Sequence[Mapping[str, Any]]) -> harness.Findings:
    """Paired differences to the unchanged formula, by table and together.

    Args:
        settings: the experiment's settings, with constants.
        found: the results of the unchanged formula and of all variations.
    """
    base = {table: np.array(won) for table, won in found[0]["won"].items()}
    plain = {table: estimate(won.tolist()) for table, won in base.items()}
    variations = []
    for (constant, factor), result in zip(settings.variations(), found[1:], strict=True):
        won = {table: np.array(result["won"][table]) - less for table, less in base.items()}
        gains = {table: estimate(each.tolist()) for table, each in won.items()}
        variations.append(_Variation(constant, factor, gains, _together(list(gains.values()))))
    names = (*(settings.constants or ()), *settings.instead)
    matter = [name for name in names if any(each.matters for each in variations if each.constant == name)]
    game, unit, units = _WORDS[settings.betting]
    rows = [["as it is", "", *plain.values(), ""]]
    for each in variations:
        name = each.constant.replace(",", ", ")
        rows.append([name, each.value, *each.gains.values(), f"**{each.together}**"])
    report = (
        f"# How much the formula's constants matter\n\nriverboat {harness.VERSION}; each constant "
        f"{100 * settings.by:g} % greater and smaller, {settings.hands:,} hands of {game} at each table, "
        f"every deal in each rotation of the seats; players start again after {settings.match_deals} deals.  "
        f"{units} per hand: what the unchanged formula wins, then how much more each variation wins on the "
        "same deals, with 95 % intervals.\n\n"
        + harness.markdown_table(["constant", "value", *settings.tables, "mean of the tables"], rows)
        + f"\nSignificant at a table or in the mean: {len(matter)} of {len(names)}: "
        f"{', '.join(matter) or 'none'}.\n"
    )
    numbers = {"settings": settings, "unit": unit, "won": plain, "variations": variations, "matter": matter}
    of_one = [each for each in variations if "=" not in each.constant]
    gains_by_size = {
        "greater": [each.together for each in of_one if each.factor > 1],
        "less": [each.together for each in of_one if each.factor <= 1],
    }
    title = "the formula with one constant changed, less the unchanged formula"
    curves = {label: dict(enumerate(each, 1)) for label, each in gains_by_size.items()}
    changed = tuple(dict.fromkeys(each.constant for each in of_one))
    y = f"{unit} a hand (95 %)"
    picture = harness.plot("gains", title, "", y, curves, levels=harness.ZERO, names=changed)
    return harness.Findings(numbers, report, [picture] if of_one else [])
