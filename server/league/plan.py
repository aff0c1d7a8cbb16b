"""What a tournament is, as frozen values; `server.league.plan_file` reads them from a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import attrs

from engine.evidence.verdict import Goal
from engine.poker.rules import GameDefinition
from server.match.launching.confinement import NO_GRANTS, Grants
from server.match.launching.players import Player
from server.records.evidence import Luck
from server.records.match_defaults import Times
from server.table.config import OnFailure
from server.table.rules.sit_and_go import SitAndGo

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]")
_MOST_LETTERS: Final = 80
_HASH_LETTERS: Final = 6


class Rule(StrEnum):
    """The price of a player's failure, in the words of `server.table.config.OnFailure`, and two more."""

    FAIR = "fair"
    PATIENT = "patient"
    ACPC = "acpc"
    """The match ends, and it pays for the rest as if it had folded every hand."""
    RESTART = "restart"
    """It is started again, a number of times; then as with `FAIR`."""
    DISQUALIFY = "disqualify"
    """All its matches are struck from the results; they are played as with `FAIR`."""

    @classmethod
    def _missing_(cls, value: object) -> Rule | None:
        return FORMER_RULES.get(str(value))

    @property
    def policy(self) -> OnFailure:
        """How its matches are played."""
        return OnFailure.FAIR if self in (Rule.RESTART, Rule.DISQUALIFY) else OnFailure(self.value)


FORMER_RULES: Final = {"fold": Rule.FAIR, "forfeit": Rule.ACPC}
"""By the names of earlier versions."""


class RunOff(StrEnum):
    """How the ACPC's run-off counts."""

    BANKROLL = "bankroll"
    """Chips won from those that are left."""
    SERIES = "series"
    """Opponents beaten less opponents lost to, of those that are left."""


@attrs.frozen
class Contestant:
    """A player of a tournament."""

    name: str
    text: str
    """PLAYER, as in ``riverboat match``, without a name of its own."""
    player: Player
    members: tuple[str, ...] = ()
    """People behind it, for the report."""
    version: str = ""
    """Distinguishes it from earlier ones of the same name and command, for the ladder."""
    line: int = attrs.field(default=0, eq=False)
    """The line of the file that names it."""
    grants: Grants = NO_GRANTS


@attrs.frozen
class Event:
    """A game of a tournament."""

    name: str
    """As the user named the game."""
    game: GameDefinition
    hands: int
    """Deals in a match."""
    duplicate: bool = True
    """Each deal is played once from each seat."""
    matches: int | None = 1
    """Matches that each table plays; None for as many as the budget allows."""
    tables: int | None = 0
    """How many tables there are if there are more entrants than seats; None: every choice of entrants; 0: as
    few as let everybody meet everybody."""
    seatings: int | None = 1
    """Circular orders in which a table sits; None: every one."""
    until: Goal | None = None
    """What must be known for a match to end before its last deal."""

    @property
    def seats(self) -> int:
        """Seats at a table."""
        return self.game.num_players

    @property
    def passes(self) -> int:
        """How often each deal is played."""
        return self.seats if self.duplicate else 1


@attrs.frozen(order=True)
class Match:
    """One match, determined by who plays and its number, so that adding a player changes no match."""

    event: int
    """Which of the tournament's games."""
    number: int
    """From 1; matches of the same number have the same cards."""
    players: tuple[str, ...]
    """In seat order, beginning with the alphabetically first."""
    stage: str = ""
    """The stage of the tournament, if the same players may meet in several: ``final``."""

    @property
    def label(self) -> str:
        """The name for people: ``ann v bob, match 3``."""
        stage = f"{self.stage}: " if self.stage else ""
        return f"{stage}{' v '.join(self.players)}, match {self.number}"

    @property
    def id(self) -> str:
        """Its folder below the folder of all matches, with slashes."""
        name = "-v-".join(self.players)
        plain = _UNSAFE.sub("_", name)[:_MOST_LETTERS].lstrip(".")
        if plain != name or name.count("-v-") >= len(self.players):  # otherwise others could have the same
            plain = f"{plain}-{sha256(repr(self.players).encode()).hexdigest()[:_HASH_LETTERS]}"
        folders = [f"game-{self.event + 1}"] if self.event else []
        folders += [self.stage] if self.stage else []
        return "/".join([*folders, f"{plain}-{self.number:03}"])


Scores = Mapping[Match, Mapping[str, float]]
"""For matches that are over: each player's total winnings, in mbb."""


@attrs.frozen
class Schedule:
    """The matches of a tournament, as far as known."""

    matches: tuple[Match, ...]
    """In the order in which they are to be begun."""
    is_all: bool = True
    """No further matches follow from the results of these."""
    placing: tuple[tuple[str, ...], ...] = ()
    """Players by place, the best first, if the format gives places; those who share one are together."""
    notes: tuple[str, ...] = ()
    """What the report says about it, in lines: rounds, byes."""


@attrs.frozen(eq=False)
class Format:
    """A way to pair players and to rank them; `server.league.formats` has them all."""

    name: str
    """In a tournament's file."""
    pair: Callable[[TournamentPlan, list[str], Scores], Schedule]
    """What is to be played, by the players who are left and the scores of the matches that are over."""
    rank: Callable[[TournamentPlan, Any], Sequence[int]] | None = None
    """Ranks by the matrix of what each player won from each other; None: by places, or else by winnings."""
    takes: frozenset[str] = frozenset()
    """Settings that do not go with every format: ``challengers``, ``rounds``, ``budget``, ``halving``."""
    is_heads_up: bool = False
    """Only for games of two players."""
    has_one_game: bool = False


@attrs.frozen
class Limits(Times):
    """Seconds that players have, and how they are run."""

    sandbox: bool | None = None
    """Programs run in sandboxes; None for where there can be any."""
    process: str | None = None
    """What each process of a player may use, in the syntax of ``--limits``."""
    grants: Grants = NO_GRANTS
    """To everybody."""


@attrs.frozen
class Failures:
    """The fate of players that fail."""

    rule: Rule = Rule.FAIR
    restarts: int = 3
    """How often a player is started again, with `Rule.RESTART` and `Rule.PATIENT`."""


@attrs.frozen
class Budget:
    """The most that may be spent; None for as much as the format takes."""

    hands: int | None = None
    seconds: float | None = None
    halving: bool = False
    """After each stage the lower half is out, and the hands go to those who are left."""


@attrs.frozen
class TournamentPlan:
    """A tournament."""

    name: str
    format: Format
    seed: str
    """A whole number as text, a key's digits, or ``random``."""
    entrants: tuple[Contestant, ...]
    events: tuple[Event, ...]
    common_seeds: bool = True
    """Match m has the same cards at all tables of an event, if there is a seed."""
    in_process: bool = False
    """Installed bots play without sockets."""
    challengers: tuple[str, ...] = ()
    """Of a gauntlet."""
    rounds: int | None = None
    """Of a Swiss tournament; None for as many as are needed to find the best."""
    run_off: RunOff = RunOff.BANKROLL
    seeded_by_round_robin: bool = False
    """A knock-out's bracket is filled by a round robin."""
    third_place: bool = True
    """The losers of a knock-out's semi-finals play for third place."""
    luck: Luck = Luck.OFF
    """Whether heads-up results are also given with luck taken out, and how."""
    limits: Limits = Limits()
    failures: Failures = Failures()
    budget: Budget = Budget()
    sit_and_go: SitAndGo | None = None
    """The terms of sit-and-gos; None if matches are played, in which everybody plays to the end."""
    file: Path = attrs.field(default=Path(), eq=False)
    """The file that describes it."""

    @property
    def unit(self) -> str:
        """The unit of rates."""
        return "mbb/h" if self.sit_and_go is None else "buy-ins/1000"

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names."""
        return tuple(each.name for each in self.entrants)

    @property
    def grants(self) -> Grants:
        """The grants to all players and to single ones."""

        def all_of(name: str) -> tuple[str, ...]:
            own = [f"{each.name}={value}" for each in self.entrants for value in getattr(each.grants, name)]
            return (*getattr(self.limits.grants, name), *own)

        return Grants(*(all_of(field.name) for field in attrs.fields(Grants)))

    def entrant(self, name: str) -> Contestant:
        """The entrant of a name."""
        return next(each for each in self.entrants if each.name == name)
