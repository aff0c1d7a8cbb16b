"""Reads FILE.toml, in which a user describes a tournament; see `docs/tournaments.md`.

Any mistake is a `FileMistake`: one line with file, line number, what was expected, and the nearest name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from engine.evidence.verdict import Goal
from engine.poker.match_key import parse_match_seed
from engine.support.user_input import did_you_mean
from server.league.formats.schedule import FORMATS
from server.league.plan import (
    FORMER_RULES,
    Budget,
    Contestant,
    Event,
    Failures,
    Format,
    Limits,
    Rule,
    RunOff,
    TournamentPlan,
)
from server.match.launching.confinement import Grants, check_addresses, parse_limits
from server.match.launching.players import Player, installed_bots, parse_players
from server.records.evidence import Luck
from server.records.match_defaults import PRESETS, Times
from server.support.toml_text import Section, parse_toml
from server.table.config import MOST_SECONDS, check_names
from server.table.rules.sit_and_go import SitAndGo, read_terms

_DEFAULT_HANDS: Final = 200
_LEAST_ENTRANTS: Final = 2
_LEAST_S: Final = {field.name: 0.001 for field in attrs.fields(Times)} | {"start_time": 0.1, "grace": 0.0}
_EVERY: Final = "all"
_BALANCED: Final = "balanced"


def parse_plan(text: str, path: Path) -> TournamentPlan:
    """The tournament that a text describes.

    Args:
        text: of the file.
        path: of the file, for messages.

    Raises:
        FileMistake: with the line of the mistake.
    """
    file = parse_toml(text, path)
    head = file.section("tournament", required=True)
    if "game" in file and "games" in file:
        raise file.mistake("games", "expected one [game] or several [[games]], got both")
    events = file.sections("games") if "games" in file else [file.section("game", required=True)]
    format_ = FORMATS[head.choice("format", [*FORMATS])]
    found = tuple([_event(each, has_budget="budget" in file) for each in events])
    failures = _failures(file.section("failures"))
    plan = TournamentPlan(
        name=head.text("name", path.stem),
        format=format_,
        seed=_seed(head),
        entrants=_entrants(file),
        events=found,
        common_seeds=head.flag("common_seeds", True),
        in_process=head.flag("in_process", False),
        challengers=head.texts("challengers", ()),
        rounds=head.whole("rounds", None, most=1000),
        run_off=RunOff(head.choice("run_off", [each.value for each in RunOff], RunOff.BANKROLL.value)),
        seeded_by_round_robin=head.choice("seeding", ["file", "round-robin"], "file") == "round-robin",
        third_place=head.flag("third_place", True),
        luck=Luck(head.choice("luck", [Luck.OFF.value, Luck.EQUITY.value], Luck.OFF.value)),
        limits=_limits(file.section("limits"), failures.rule),
        failures=failures,
        budget=_budget(file.section("budget")),
        sit_and_go=_sit_and_go(file.section("sit_and_go"), format_, found),
        file=path,
    )
    try:
        plan.limits.grants.check_names(plan.names)
    except ValueError as error:
        raise file.section("limits").mistake(str(error).partition(":")[0], str(error)) from None
    head.close()
    for each in events:
        each.close()
    file.close()
    _check_together(plan, head, events)
    return plan


def _seed(head: Section) -> str:
    text: str = head.whole_or_text("seed", "random")
    with head.refusing("seed", "seed: "):
        parse_match_seed(text)
    return text


def _entrants(file: Section) -> tuple[Contestant, ...]:
    bots = installed_bots()
    entrants: list[Contestant] = []
    lines: dict[str, int] = {}
    for section in file.sections("players"):
        text = section.text("player", expected='a PLAYER as in `riverboat match`, such as "always-call"')
        player = _player(section, text, bots)
        name = section.text("name", player.name)
        fault = check_names([name])
        if fault is not None:
            raise section.mistake("name", fault)
        if set(name) & set("=/"):
            raise section.mistake("name", f"name: expected a name without '=' and '/', got {name!r}")
        if name in lines:
            raise section.mistake(
                "name" if "name" in section else "player",
                f"two players are named {name!r}, the first in line {lines[name]}: give one another name",
            )
        lines[name] = section.line("name")
        members = section.texts("members", ())
        version = section.text("version", "")
        grants = read_grants(section)
        line = section.line("player")
        section.close()
        text = text.removeprefix(f"{player.name}=")
        player = attrs.evolve(player, name=name, text=f"{name}={text}")
        entrants.append(Contestant(name, text, player, members, version, line, grants))
    if len(entrants) < _LEAST_ENTRANTS:
        raise file.mistake(
            "players", f"expected at least {_LEAST_ENTRANTS} tables [[players]], got {len(entrants)}"
        )
    return tuple(entrants)


def _player(section: Section, text: str, bots: set[str]) -> Player:
    with section.refusing("player"):
        (player,) = parse_players([text], bots)
    if player.command is None:
        raise section.mistake("player", "nobody can be waited for in a tournament: name a bot or a program")
    if player.is_unknown_word:
        near = did_you_mean(text.rpartition("=")[2].partition(":")[0], bots)
        raise section.mistake("player", f"{player.problem()}{near}")
    return player


def _event(section: Section, *, has_budget: bool) -> Event:
    name = section.text("game", expected="a game file or the name of a packaged game (`riverboat games`)")
    game = section.game("game", name, Path())
    tables = section.whole_or_word("tables", [_EVERY, _BALANCED], _BALANCED)
    seatings = section.whole_or_word("seatings", [_EVERY, "rotations"], "rotations")
    if game.num_players == 2:
        for key in ("tables", "seatings"):
            if key in section:
                raise section.mistake(key, f"{key} is for games of more than two players; {name} is for two")
    return Event(
        name=name,
        game=game,
        hands=section.whole("hands", _DEFAULT_HANDS),
        duplicate=section.flag("duplicate", True),
        matches=section.whole("matches", None if has_budget else 1, most=100_000),
        tables=None if tables == _EVERY else 0 if tables == _BALANCED else tables,
        seatings=None if seatings == _EVERY else 1 if seatings == "rotations" else seatings,
        until=_goal(section),
    )


def _goal(section: Section) -> Goal | None:
    within = section.number_or_word("until", ["decided"], None, most=1e6)
    return None if within is None else Goal(None if isinstance(within, str) else within)


def _limits(section: Section, rule: Rule) -> Limits:
    usual = {name: value for name, value in PRESETS[rule.policy].items() if name in _LEAST_S}
    defaults = Limits(**usual) if rule is Rule.PATIENT else Limits()  # type: ignore[arg-type]
    seconds = {
        name: section.number(name, getattr(defaults, name), least=least, most=MOST_SECONDS)
        for name, least in _LEAST_S.items()
    }
    sandbox = section.flag("sandbox", False) if "sandbox" in section else None
    limits = Limits(**seconds, sandbox=sandbox, process=_process_limits(section), grants=read_grants(section))
    section.close()
    return limits


def read_grants(section: Section) -> Grants:
    """What a section grants players beyond what is theirs.

    Raises:
        FileMistake: with the line of the mistake.
    """
    grants = Grants(**{field.name: section.texts(field.name, ()) for field in attrs.fields(Grants)})
    with section.refusing("network", "network: "):
        check_addresses(grants.network)
    return grants


def _process_limits(section: Section) -> str | None:
    text: str | None = section.text("process", None)
    with section.refusing("process", "process: "):
        return None if text is None else parse_limits(text).as_argument()


def _failures(section: Section) -> Failures:
    rule = Rule(section.choice("rule", [*[each.value for each in Rule], *FORMER_RULES], "fair"))
    if "restarts" in section and rule not in (Rule.RESTART, Rule.PATIENT):
        words = f'restarts goes with rule = "restart" or "patient", the rule is "{rule.value}"'
        raise section.mistake("restarts", words)
    failures = Failures(rule, section.whole("restarts", 3, most=1000))
    section.close()
    return failures


def _budget(section: Section) -> Budget:
    budget = Budget(
        section.whole("hands", None, most=10**12),
        section.number("seconds", None, least=1.0),
        section.choice("spend", ["evenly", "halving"], "evenly") == "halving",
    )
    if budget.halving and budget.hands is None:
        raise section.mistake("spend", 'spend = "halving" needs hands, to be shared out among its stages')
    section.close()
    return budget


def _check_sit_and_go(event: Event, section: Section) -> None:
    if event.game.is_limit or event.until is not None:
        raise section.mistake("game", f"a sit-and-go is for no-limit games; {event.name} is none")
    if event.duplicate and "duplicate" in section:
        raise section.mistake("duplicate", "a sit-and-go has no second pass: after a hand stacks differ")


def _sit_and_go(section: Section, format_: Format, events: Sequence[Event]) -> SitAndGo | None:
    if "sit_and_go" not in format_.takes:
        return None
    terms = read_terms(section, max([event.seats for event in events], default=2), by_time=False)
    button = section.choice("button", ("dead", "moving"), "dead")
    section.close()
    return attrs.evolve(terms, button_moves=button == "moving")


def _check_together(plan: TournamentPlan, head: Section, events: Sequence[Section]) -> None:
    """Check which settings can be combined."""
    names = set(plan.names)
    for section, event in zip(events, plan.events, strict=True):
        if plan.sit_and_go is not None:
            _check_sit_and_go(event, section)
        elif event.seats > len(names):
            raise section.mistake(
                "game", f"{event.name} is for {event.seats} players, the file has {len(names)}"
            )
        if plan.format.is_heads_up and event.seats != 2:
            raise section.mistake(
                "game",
                f"format {plan.format.name} is for games of two players; {event.name} is for {event.seats}",
            )
    if plan.format.has_one_game and len(events) > 1:
        raise head.mistake("format", f"format {plan.format.name} is for one [game], got {len(events)}")
    for key, value in (("challengers", plan.challengers), ("rounds", plan.rounds)):
        if value and key not in plan.format.takes:
            (taking,) = [each.name for each in FORMATS.values() if key in each.takes]
            raise head.mistake(key, f'{key} goes with format = "{taking}"')
    for name in [each for each in plan.challengers if each not in names]:
        why = f"challengers: there is no player {name!r}{did_you_mean(name, names)}"
        raise head.mistake("challengers", why)
    if plan.budget != Budget() and "budget" not in plan.format.takes:
        raise head.mistake("format", f"format {plan.format.name} takes no [budget]")
    if plan.budget.halving and ("halving" not in plan.format.takes or len(events) > 1):
        raise head.mistake("format", 'spend = "halving" goes with format = "round-robin" and one [game]')
    if plan.in_process:
        for other in [each for each in plan.entrants if not each.player.is_ours]:
            why = f"in_process is for bots of ours, and {other.name} is none: {other.text!r}"
            raise head.mistake("in_process", why)
        for key in ("sandbox", "process"):
            if getattr(plan.limits, key):
                why = f"in_process does not go with {key}: there are no processes"
                raise head.mistake("in_process", why)
