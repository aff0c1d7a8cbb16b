"""What a tournament is, as frozen values; `server.league.plan_file` reads them from a file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import attrs

from engine.evidence.verdict import Goal
from engine.poker.rules import GameDefinition
from server.match.launching.confinement import NO_GRANTS, Grants
from server.match.launching.players import Player
from server.records.evidence import Luck
from server.records.match_defaults import MATCH_DEFAULTS
from server.table.rules.sit_and_go import SitAndGo


class Format(StrEnum):
    """The pairing."""

    ROUND_ROBIN = "round-robin"
    """Everybody plays everybody; ranked by what they won in all."""
    GAUNTLET = "gauntlet"
    """Challengers play everybody else; the others do not play each other."""
    RUN_OFF = "run-off"
    """A round robin, ranked by the ACPC's run-off."""
    SWISS = "swiss"
    """In each round players with equal scores play each other."""
    KNOCK_OUT = "knock-out"
    """The loser is out."""
    SIT_AND_GO = "sit-and-go"
    """Everybody sits down with the same chips, blinds rise, and players with no chips left are out."""


class Rule(StrEnum):
    """The fate of a player that fails."""

    FOLD = "fold"
    """The house checks or folds for it."""
    RESTART = "restart"
    """It is started again, a number of times; then as above."""
    FORFEIT = "forfeit"
    """The match ends, and it pays for the rest as if it had folded every hand."""
    DISQUALIFY = "disqualify"
    """All its matches are struck from the results."""


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


@attrs.frozen
class Limits:
    """Seconds that players have, and how they are run."""

    response_time: float = MATCH_DEFAULTS.response_time
    first_response_time: float = MATCH_DEFAULTS.first_response_time
    hand_time: float = MATCH_DEFAULTS.hand_time
    match_time: float = MATCH_DEFAULTS.match_time
    start_time: float = MATCH_DEFAULTS.start_time
    grace: float = MATCH_DEFAULTS.grace
    sandbox: bool | None = None
    """Programs run in sandboxes; None for where there can be any."""
    process: str | None = None
    """What each process of a player may use, in the syntax of ``--limits``."""
    grants: Grants = NO_GRANTS
    """To everybody."""


@attrs.frozen
class Failures:
    """The fate of players that fail."""

    rule: Rule = Rule.FOLD
    restarts: int = 3
    """How often a player is started again, with `Rule.RESTART`."""


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
    """Match m has the same cards at all tables of an event."""
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
    file: Path = attrs.field(default=Path(), eq=False)
    """That describes it."""

    @property
    def unit(self) -> str:
        """The unit of rates."""
        return "mbb/h" if self.format is not Format.SIT_AND_GO else "buy-ins/1000"

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names."""
        return tuple(each.name for each in self.entrants)

    @property
    def grants(self) -> Grants:
        """What is granted to everybody, and to some."""

        def all_of(name: str) -> tuple[str, ...]:
            own = [f"{each.name}={value}" for each in self.entrants for value in getattr(each.grants, name)]
            return (*getattr(self.limits.grants, name), *own)

        return Grants(*(all_of(field.name) for field in attrs.fields(Grants)))

    def entrant(self, name: str) -> Contestant:
        """The entrant of a name."""
        return next(each for each in self.entrants if each.name == name)
