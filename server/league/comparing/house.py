"""The matches of a comparison, in the journal of a tournament, and what follows from them.

::

    DIR/plan.toml                        what was declared
    DIR/tournament.lock                  is locked while a process plays
    DIR/matches/old/version-v-ann-001/   a match of the old version; that of the new one is under new/
    DIR/result.json                      the verdict

Each match against an opponent has a number of its own, and so cards of its own, which both versions have.  A
round is begun when all matches of the one before are over.  Its deals are taken up in the order in which
opponents were drawn, no matter which were played first: so everything follows from the plan, and a comparison
that was cut short comes out as if it had not been.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.evidence.field_test import Decision, FieldTest
from engine.poker.match_key import MatchSeed
from engine.poker.rules import GameDefinition
from engine.support.files.lock import FileIsLocked, FileLock
from server.league.comparing.plan import ARMS, MIRROR, Comparison, declare
from server.league.house import Folder, TournamentFault
from server.league.match import Played
from server.league.plan import Match, Schedule, Scores, TournamentPlan
from server.records.batches import deals_in_batches
from server.records.evidence import Collector
from server.records.logs import MatchLog, find_logs, open_log
from server.support.private_files import FOLDER_MODE

if TYPE_CHECKING:
    from engine.evidence.differences import Corrected, Differences
    from engine.evidence.estimates import Evidence

_MOST_VOID: Final = 0.01
_LOCK: Final = "tournament"


@attrs.frozen(eq=False)
class Pair:
    """The same match of both versions."""

    opponent: int
    number: int
    """Of the match, from 1."""
    logs: tuple[tuple[MatchLog, ...], tuple[MatchLog, ...]]
    """By version, old and new, the passes."""
    corrected: Corrected
    """In mbb."""


@attrs.frozen
class Taken:
    """A deal that the test has taken up."""

    pair: Pair
    deal: int
    """In its match, from 0."""
    difference: float
    """In mbb per hand."""
    counted: float
    """The same, by the opponent's weight and the chance with which it was drawn."""


@attrs.define(eq=False)
class Course:
    """A comparison on its way."""

    plan: Comparison
    most: float
    """The most by which versions can differ in a deal, in mbb."""
    test: FieldTest = attrs.field(init=False)
    folder: Folder = attrs.field(init=False)
    taken: list[Taken] = attrs.field(factory=list)
    void: int = 0
    faults: dict[str, int] = attrs.field(factory=dict)
    """By who failed in which version's matches, and how, the number of matches."""
    _wanted: list[int] = attrs.field(init=False)
    # By opponent, the matches that have been asked for; those of them that were taken in.
    _read: list[int] = attrs.field(init=False)
    _queues: list[deque[tuple[Pair, int] | None]] = attrs.field(init=False)
    _round: list[int] = attrs.field(factory=list)
    # The opponents of this round's deals that have not been taken up.
    _chances: list[float] = attrs.field(factory=list)
    _rounds: int = 0
    _differences: list[Differences] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        plan = self.plan
        weights = [side.weight for side in plan.opponents]
        self.test = FieldTest(plan.bounds, weights, self.most, learns=plan.learns, alpha=plan.alpha)
        self._wanted, self._read = [0] * len(weights), [0] * len(weights)
        self._queues = [deque() for _ in weights]

    @classmethod
    def open(cls, plan: Comparison, path: Path, say: Callable[[str], None], *, resume: bool) -> Course:
        """Begin a comparison in a folder, or go on with the one that is there.

        *Resource handling*: close its `folder`.

        Raises:
            TournamentFault: another one is there, somebody plays it, or nothing bounds what a hand costs.
        """
        from engine.evidence.differences import difference_bound  # loads numpy

        most = difference_bound(plan.game)
        if most is None or not plan.game.big_blind:
            raise TournamentFault(
                f"{plan.game_text} names no stacks or no blinds: nothing bounds what a hand may cost"
            )
        try:
            path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            lock = FileLock(path / _LOCK)
        except FileIsLocked:
            raise TournamentFault(f"a comparison is being played in {path}: name another folder") from None
        except OSError as error:
            raise TournamentFault(f"the folder {path} cannot be written: {error.strerror or error}") from None
        try:
            declare(plan, path, resume=resume)
            course = cls(plan, most * 1000 / plan.game.big_blind)
            whole = plan.tournament(ARMS[1], course._schedule)
            course.folder = Folder(path, whole, MatchSeed(plan.seed), {}, say, lock=lock)
            course.folder.read()
        except BaseException:
            lock.release()
            raise
        return course

    @property
    def is_over(self) -> bool:
        """Whether there is a verdict, or no more deals are to come."""
        planned = self.plan.most_deals
        return (
            self.test.decision is not Decision.UNDECIDED
            or self.test.deals >= planned
            or self.void > _MOST_VOID * planned
        )

    @property
    def decision(self) -> Decision:
        """The verdict."""
        return Decision.UNDECIDED if self.has_too_many_void else self.test.decision

    @property
    def has_too_many_void(self) -> bool:
        """Whether too many deals are void for a verdict."""
        return self.void > _MOST_VOID * (self.void + self.test.deals)

    def of_arm(self, arm: str) -> Folder:
        """The folder, as the tournament of one version."""
        return attrs.evolve(self.folder, plan=self.plan.tournament(arm, self._schedule))

    def match(self, arm: str, opponent: int | None, block: int) -> Match:
        """A match: `block` counts those against one opponent, from 0."""
        places = len(self.plan.opponents) + 1
        place = len(self.plan.opponents) if opponent is None else opponent
        return Match(0, 1 + place + places * block, self.plan.line_up(opponent), arm)

    def _schedule(self, plan: TournamentPlan, names: Sequence[str], scores: Scores) -> Schedule:
        """What is to be played: all matches of the rounds so far; another round, if they are over."""
        played = self.folder.played
        while not self.is_over and all(match in played for match in self._matches()):
            self._take_up()
        return Schedule(tuple(self._matches()), is_all=self.is_over)

    def _matches(self) -> list[Match]:
        found = []
        for block in range(max(self._wanted)):
            opponents = [place for place, wanted in enumerate(self._wanted) if block < wanted]
            found += [self.match(arm, place, block) for place in opponents for arm in ARMS]
            if self.plan.mirror:
                found.append(self.match(MIRROR, None, block))
        return found

    def _take_up(self) -> None:
        """Take up the deals that are there in the order drawn, and ask for the matches of the others."""
        for place, wanted in enumerate(self._wanted):
            while self._read[place] < wanted:
                self._take_in(place, self._read[place])
                self._read[place] += 1
        if not self._round:
            left = self.plan.most_deals - self.test.deals
            size = min(left, self.plan.deals_per_match * len(self._queues))
            self._chances = self.test.chances()
            self._round = self.test.draws(self.plan.seed, self._rounds, size)[::-1]
            self._rounds += 1
        while self._round and not self.is_over:
            place = self._round[-1]
            queue = self._queues[place]
            if not queue:
                break
            deal = queue.popleft()
            if deal is None:
                self.void += 1
                continue
            self._round.pop()
            difference = float(deal[0].corrected.deals[deal[1]])
            chance = self._chances[place]
            counted = difference * self.plan.opponents[place].weight / chance
            self.taken.append(Taken(*deal, difference, counted))
            self.test.add(place, difference, chance)
        if not self.is_over:
            for place in range(len(self._queues)):
                missing = self._round.count(place) - len(self._queues[place])
                self._wanted[place] += max(0, -(-missing // self.plan.deals_per_match))

    def _take_in(self, opponent: int, block: int) -> None:
        """Queue the deals of a match of both versions; those that a failure has spoilt are void."""
        from engine.evidence.differences import Corrected, Differences  # loads numpy

        matches = [self.match(arm, opponent, block) for arm in ARMS]
        both = [self.folder.played[match] for match in matches]
        for match, played in zip(matches, both, strict=True):
            self._note_faults(match, played)
        deals = self.plan.deals_per_match - max(played.settled for played in both)
        if deals:
            logs = [
                tuple([open_log(log, self.plan.game) for log in find_logs([self.folder.place(match)])])
                for match in matches
            ]
            if not self._differences:
                self._differences = [
                    Differences(self.plan.game, self.plan.luck.value) for _ in self.plan.opponents
                ]
            old, new = (self._evidence(opponent, passes, deals) for passes in logs)
            found = self._differences[opponent].add(new, old)
            to_mbb = 1000 / self.plan.game.big_blind
            corrected = Corrected(found.deals * to_mbb, found.hands * to_mbb)
            pair = Pair(opponent, matches[0].number, (logs[0], logs[1]), corrected)
            self._queues[opponent].extend((pair, deal) for deal in range(deals))
        if any(played.settled for played in both):
            self._queues[opponent].append(None)

    def _evidence(self, opponent: int, passes: tuple[MatchLog, ...], deals: int) -> Evidence:
        """The first deals of a match, the version as player 0."""
        import numpy as np

        names = {name: place for place, name in enumerate(self.plan.line_up(opponent))}
        collector = Collector(self.plan.game, self.plan.luck)
        for whole in deals_in_batches(passes, compiled=_is_compiled(self.plan.game)):
            batch = whole.take([place for place, (_, number) in enumerate(whole.keys) if number < deals])
            numbers = np.array([number for _, number in batch.keys], np.int64)
            who = np.array(
                [
                    [names[passes[k % len(passes)].players[seat]] for seat in row.players]
                    for k, row in enumerate(batch.rows)
                ]
            )
            collector.add(batch, who, numbers, len(passes))
        return collector.evidence

    def _note_faults(self, match: Match, played: Played) -> None:
        """Count who failed.

        Raises:
            TournamentFault: somebody does not even begin to play.
        """
        for name, fault in played.faults.items():
            who = (
                match.stage.upper() if name == match.players[0] else f"{name} (against {match.stage.upper()})"
            )
            if not played.hands:
                raise TournamentFault(f"{who} does not play: {fault.kind}: {fault.detail}")
            self.faults[f"{who}: {fault.kind}"] = self.faults.get(f"{who}: {fault.kind}", 0) + 1


def _is_compiled(game: GameDefinition) -> bool:
    """Whether compiled loops read logs: they are loaded once for all matches."""
    from engine.evidence.columns.hands import can_be_read  # loads numpy

    return game.is_holdem and can_be_read(game)


@attrs.frozen
class ArmsRunner:
    """Plays each match with the runner of its version."""

    of: Mapping[str, Any]
    """By version, a `Runner`."""

    @classmethod
    def make(cls, course: Course, runner_of: Callable[[Folder], Any]) -> ArmsRunner:
        """The runners of all versions."""
        arms = (*ARMS, MIRROR) if course.plan.mirror else ARMS
        return cls({arm: runner_of(course.of_arm(arm)) for arm in arms})

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        await self.of[match.stage].play(match, folder)

    async def close(self) -> None:
        """End everything that is still running."""
        for runner in self.of.values():
            await runner.close()
