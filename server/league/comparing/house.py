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

from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from engine.evidence.field_test import Decision, FieldTest
from engine.poker.match_key import MatchSeed
from server.league.comparing.plan import ARMS, MIRROR, Comparison
from server.league.house import Folder, TournamentFault, locked
from server.league.plan import Match, Schedule, Scores, TournamentPlan
from server.match.sittings.sitting import kept_locked
from server.records.batches import deals_in_batches
from server.records.evidence import Collector
from server.records.logs import MatchLog

if TYPE_CHECKING:
    from engine.evidence.differences import Corrected
    from engine.evidence.estimates import Evidence

_MOST_VOID: Final = 0.01


@attrs.frozen(eq=False)
class Pair:
    """The same match of both versions."""

    opponent: int
    number: int
    """Of the match, from 1."""
    logs: Sequence[tuple[MatchLog, ...]]
    """By version, old and new, the passes."""
    corrected: Corrected


@attrs.frozen
class Taken:
    """A deal that the test has taken up."""

    pair: Pair
    deal: int
    """In its match, from 0."""
    difference: float
    """What the new version won more, in mbb per hand."""
    scale: float
    """The opponent's weight by the chance with which it was drawn."""


class Course:
    """A comparison on its way: one that begins in a folder, or the one that is there.

    Args:
        plan: what is compared.
        path: of its folder.
        say: takes lines for people.
        resume: go on with what is there.

    *Resource handling*: close its `folder`.

    Raises:
        TournamentFault: nothing bounds what a hand costs; another one is there, or somebody plays it.
        OSError: the folder cannot be written.
    """

    def __init__(self, plan: Comparison, path: Path, say: Callable[[str], None], *, resume: bool) -> None:
        from engine.evidence.differences import Differences, difference_bound  # loads numpy

        most = difference_bound(plan.game)
        if most is None:
            what = f"{plan.game_text} names no stacks or no blinds"
            raise TournamentFault(f"{what}: nothing bounds what a hand may cost")
        self.plan, self.most = plan, most
        weights = [side.weight for side in plan.opponents]
        self.test = FieldTest(plan.bounds, weights, self.most, learns=plan.learns, alpha=plan.alpha)
        self.taken: list[Taken] = []
        self.void = 0
        self.faults: Counter[str] = Counter()
        """By who failed in which version's matches, and how, the number of matches."""
        self._wanted = [0] * len(weights)  # by opponent, the matches that have been asked for
        self._read = [0] * len(weights)  # those of them whose deals are in the queues
        self._queues: list[deque[tuple[Pair, int] | None]] = [deque() for _ in weights]  # None: a void deal
        self._differences = [Differences(plan.game, plan.luck.value) for _ in weights]
        self._round: list[int] = []  # the opponents of its deals that were not taken up, the last one first
        self._chances: list[float] = []
        self._rounds = 0
        whole = plan.tournament(ARMS[1], self._schedule)
        with kept_locked(locked(path)) as lock:
            self.folder = Folder(path, whole, MatchSeed(plan.seed), {}, say, lock=lock)
            plan.declare(path, resume=resume)
            self.folder.read()

    @property
    def is_over(self) -> bool:
        """Whether there is a verdict, or no more deals are to come."""
        is_played = self.test.deals >= self.plan.most_deals or self.void > _MOST_VOID * self.plan.most_deals
        return is_played or self.test.decision is not Decision.UNDECIDED

    @property
    def decision(self) -> Decision:
        """The verdict."""
        is_void = self.void > _MOST_VOID * (self.void + self.test.deals)
        return Decision.UNDECIDED if is_void else self.test.decision

    def runner_of(self, arm: str, make: Callable[[Folder], Any]) -> Any:
        """The runner of one version's tournament, made for its folder."""
        return make(attrs.evolve(self.folder, plan=self.plan.tournament(arm, self._schedule)))

    def match(self, arm: str, place: int, block: int) -> Match:
        """A match against an opponent, or the old version; `block` counts those against one, from 0."""
        places = len(self.plan.opponents) + 1
        return Match(0, 1 + place + places * block, self.plan.line_up(place), arm)

    def _schedule(self, plan: TournamentPlan, names: Sequence[str], scores: Scores) -> Schedule:
        """The matches of all rounds so far, and of another round if they are over."""
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
                found.append(self.match(MIRROR, len(self._wanted), block))
        return found

    def _take_up(self) -> None:
        """Take up the deals that are there in the order drawn, and ask for the matches of the others."""
        plan = self.plan
        for place, wanted in enumerate(self._wanted):
            for block in range(self._read[place], wanted):
                self._queue(place, [self.match(arm, place, block) for arm in ARMS])
            self._read[place] = wanted
        if not self._round:
            size = min(plan.most_deals - self.test.deals, plan.deals_per_match * len(self._queues))
            self._chances = self.test.chances()
            self._round = self.test.draws(plan.seed, self._rounds, size)[::-1]
            self._rounds += 1
        while self._round and self._queues[self._round[-1]] and not self.is_over:
            found = self._queues[self._round[-1]].popleft()
            if found is None:
                self.void += 1
                continue
            place, (pair, deal) = self._round.pop(), found
            difference, chance = float(pair.corrected.deals[deal]), self._chances[place]
            self.taken.append(Taken(pair, deal, difference, plan.opponents[place].weight / chance))
            self.test.add(place, difference, chance, pair.number)
        for place, queue in enumerate(self._queues):
            missing = 0 if self.is_over else self._round.count(place) - len(queue)
            self._wanted[place] += max(0, -(-missing // plan.deals_per_match))

    def _queue(self, opponent: int, matches: Sequence[Match]) -> None:
        """Queue the deals of a match of both versions; the one in which somebody failed is void."""
        for match in matches:
            self._note_faults(match)
        lost = max(self.folder.played[match].settled for match in matches)
        deals = self.plan.deals_per_match - lost
        if deals:
            logs = [self.folder.logs(match) for match in matches]
            old, new = [self._evidence(opponent, passes, deals) for passes in logs]
            pair = Pair(opponent, matches[0].number, logs, self._differences[opponent].add(new, old))
            self._queues[opponent].extend((pair, deal) for deal in range(deals))
        if lost:
            self._queues[opponent].append(None)

    def _evidence(self, opponent: int, passes: tuple[MatchLog, ...], deals: int) -> Evidence:
        """The first deals of a match, the version as player 0."""
        import numpy as np

        from engine.evidence.columns.hands import can_be_read

        names = {name: place for place, name in enumerate(self.plan.line_up(opponent))}
        collector = Collector(self.plan.game, self.plan.luck)
        compiled = self.plan.game.is_holdem and can_be_read(self.plan.game)  # loaded once for all matches
        for whole in deals_in_batches(passes, compiled=compiled):
            batch = whole.take([place for place, (_, number) in enumerate(whole.keys) if number < deals])
            who = [[names[name] for name in row.record.names] for row in batch.rows]
            numbers = [number for _, number in batch.keys]
            collector.add(batch, np.array(who), np.array(numbers), len(passes))
        return collector.evidence

    def _note_faults(self, match: Match) -> None:
        """Count who failed in a match.

        Raises:
            TournamentFault: somebody does not even begin to play.
        """
        played = self.folder.played[match]
        for name, fault in played.faults.items():
            version = match.stage.upper()
            who = version if name == match.players[0] else f"{name} (against {version})"
            if not played.hands:
                raise TournamentFault(f"{who} does not play: {fault.kind}: {fault.detail}")
            self.faults[f"{who} {fault.kind}"] += 1


class ArmsRunner:
    """Plays each match with the runner of its version, made by `runner_of`."""

    def __init__(self, course: Course, runner_of: Callable[[Folder], Any]) -> None:
        arms = (*ARMS, MIRROR) if course.plan.mirror else ARMS
        self._of = {arm: course.runner_of(arm, runner_of) for arm in arms}

    async def play(self, match: Match, folder: Path) -> None:
        """See `Runner.play`."""
        await self._of[match.stage].play(match, folder)

    async def close(self) -> None:
        """End everything that is still running."""
        for runner in self._of.values():
            await runner.close()
