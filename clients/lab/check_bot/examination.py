"""All games that the bot plays, and faults that show only across them.

A bot cannot be asked which games it plays.  It declines a game by ending with exit status 2.
If it gives no answer in any game of a kind (`Game.kind`), such as limit with three players and more, it is
assumed not to play that kind, which is reported but not a fault; the same holds if a bot that is not told
what is played falls silent.  A game that the user names is one that it plays.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs
import trio

from clients.lab.check_bot import scripts
from clients.lab.check_bot.client import Launch, Pace
from clients.lab.check_bot.conversation import Limits
from clients.lab.check_bot.findings import TITLES, Examined, seats_check, told
from clients.lab.check_bot.sitting import Sitting, SittingEnd
from engine.poker.rules import ALIASES, GameDefinition, format_game
from engine.poker.situations import with_stacks
from engine.support.files.whole import write_whole
from engine.support.seeds import derive_seed
from server.records.progress import clock_time

_SEED_HANDS: Final = 25
_SIDE_POT_HANDS: Final = 10
_MOST_IN_VAIN: Final = 2
"""Games of a kind that are tried while the bot has not answered in any; only one if it does not ask what is
played and just says nothing."""
_LEAST_GROWTH: Final = 128 * 2**20
_MEGABYTE: Final = 2**20
_TELL_S: Final = 10.0


@attrs.frozen
class Game:
    """A game to try the bot in."""

    name: str
    """As users name it."""
    definition: GameDefinition
    text: str
    """Name or path that the bot is told."""

    @property
    def kind(self) -> str:
        """The kind of game, by the skills needed to play it."""
        game = self.definition
        if not game.is_holdem:
            return "poker with other cards than Texas hold'em"
        betting = "limit" if game.is_limit else "no-limit"
        return f"{betting} hold'em of {'two' if game.num_players == 2 else 'three and more'}"

    @property
    def is_among_the_acpcs(self) -> bool:
        """Whether its stacks and blinds are those that a program assumes if it is told nothing."""
        return self.definition.is_limit or self.name in ALIASES or self.name in ALIASES.values()


@attrs.define(eq=False)
class Examination:
    """What to examine.

    Args:
        launch: starts the bot.
        games: to try.
        are_named: the user says that it plays these.
        knows_games: the bot is told on its command line what is played.
        limits: of time.
        hands: random ones, in all games together.
        seed: of everything.
        most_memory: allowed to the bot, in bytes.
        folder: for game files of our own.
        say: takes lines for people.
    """

    launch: Launch
    games: Sequence[Game]
    are_named: bool
    knows_games: bool
    limits: Limits
    hands: int
    seed: int
    most_memory: int
    folder: Path
    say: Callable[[str], None]
    _findings: Examined = attrs.field(factory=Examined, init=False)
    _pace: Pace = attrs.field(factory=Pace, init=False)
    _played: list[Game] = attrs.field(factory=list, init=False)
    _is_hopeless: bool = attrs.field(default=False, init=False)
    _was_silent: bool = attrs.field(default=False, init=False)
    _sat_down: Sitting | None = attrs.field(default=None, init=False)

    async def run(self) -> Examined:
        """Try the bot in everything; returns what was found."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_telling)
            await self._examine()
            nursery.cancel_scope.cancel()
        return self._findings

    async def _keep_telling(self) -> None:
        """Report progress now and then to a person who waits."""
        began = trio.current_time()
        while True:
            await trio.sleep(_TELL_S)
            sitting, pace = self._sat_down, self._pace
            if sitting is not None:
                decisions = len(pace.seconds) + len(pace.first)
                self.say(
                    f"{sitting.where}, {sitting.check}: {decisions:,} decisions in "
                    f"{clock_time(trio.current_time() - began)}, median "
                    f"{_shown(statistics.median_high([*pace.seconds, *pace.first])) if decisions else '-'}"
                )

    async def _examine(self) -> None:
        self._expect()
        in_vain: list[Examined] = []
        for kind, games in _by_kind(self.games):
            tried = await self._try_kind(kind, games)
            in_vain += tried
            if self._is_hopeless or (not self._played and len(in_vain) > _MOST_IN_VAIN):
                break
        if not self._played:
            for trial in in_vain[:1]:
                self._findings.absorb(trial)
            if not in_vain:
                self._findings.fault("answers", self.games[0].name, told("answers", "none"))
        elif not self._is_hopeless:
            await self._try_what_is_tried_once()
        self._judge()

    def _expect(self) -> None:
        """Name the checks that this examination will make."""
        skipped = set()
        if all(game.definition.is_limit for game in self.games):
            skipped.add("short-all-in")
        if self._ring_game(self.games) is None:
            skipped.add("side-pots")
        for check in TITLES:
            if check not in skipped:
                self._findings.expect(check)

    # --- games ---------------------------------------------------------------------------------------------

    async def _try_kind(self, kind: str, games: Sequence[Game]) -> list[Examined]:
        """Try the games of a kind; returns the findings of games in which the bot gave no answer."""
        in_vain: list[Examined] = []
        reasons: list[str] = []
        has_played = False
        for game in games:
            check = seats_check(game.definition.num_players)
            if self._findings.has_failed(check):
                self._findings.note(f"{game.name} was not tried: see {check}")
                continue
            if not (self._may_know(game) or self.are_named or not self._played):
                self._findings.note(
                    f"{game.name} was not tried: the bot does not ask what is played (see --game, {{game}})"
                )
                continue
            trial = Examined()
            ending, sitting = await self._try_game(game, trial)
            if ending is SittingEnd.DECLINED:
                self._findings.note(f"{game.name}: the bot does not play it: {sitting.why}")
            elif ending is SittingEnd.PLAYED or self.are_named:
                has_played = True
                self._played += [game] if ending is SittingEnd.PLAYED else []
                self._findings.absorb(trial)
            else:
                in_vain.append(trial)
                reasons.append(f"{game.name}: {sitting.why}")
            if ending is SittingEnd.NOT_STARTED and not self._played:
                self._is_hopeless = True
                return in_vain
            self._was_silent = self._was_silent or sitting.was_silent
            most = 1 if sitting.was_silent and not self._pace.asks_for_game else _MOST_IN_VAIN
            if len(in_vain) >= most and not has_played:
                break
        if has_played:
            for trial in in_vain:
                self._findings.absorb(trial)
            return []
        if reasons and self._played:
            self._findings.note(
                f"{kind}: taken for something that the bot does not play, since it has not answered there "
                f"once ({reasons[0]}); --game {games[0].name} says that it does"
            )
        return in_vain

    def _may_know(self, game: Game) -> bool:
        return self.knows_games or self._pace.asks_for_game or game.is_among_the_acpcs

    async def _try_game(self, game: Game, trial: Examined) -> tuple[SittingEnd, Sitting]:
        """Try everything in one game."""
        in_order = [each for _, games in _by_kind(self.games) for each in games]
        self.say(f"{game.name} ({in_order.index(game) + 1} of {len(in_order)}) ...")
        definition = game.definition
        is_first_of_kind = all(played.kind != game.kind for played in self._played)
        tried = [scripts.plain(definition), *scripts.poker(definition)]
        if is_first_of_kind:
            tried += scripts.network(self.limits.slow if not self._played else 0.1)
        each = -(-self.hands // len(self.games))
        ends = [each * part // 3 for part in range(4)]  # in thirds, so that its memory can be compared
        tried += [scripts.random_hands(end - begin) for begin, end in itertools.pairwise(ends)]
        sitting = self._sitting(game, trial)
        ending = await sitting.run(tried)
        self._compare_memory(game, trial, sitting.memory)
        return ending, sitting

    def _sitting(self, game: Game, findings: Examined, where: str = "") -> Sitting:
        place = self.games.index(game) if game in self.games else 1000
        self._sat_down = Sitting(
            game.definition, game.text, where or game.name, findings, self.launch, self._limits(), self._pace,
            seed=derive_seed(self.seed, place), known=self._findings, knows_games=self.knows_games,
            is_named=self.are_named,
        )  # fmt: skip
        return self._sat_down

    def _limits(self) -> Limits:
        """The time limits: shorter for a bot that has started before, or that was silent."""
        limits = self.limits
        if not self._pace.first:
            return attrs.evolve(limits, first_response=limits.response) if self._was_silent else limits
        longest = max(limits.response, 3 * max(self._pace.first))
        return attrs.evolve(limits, first_response=min(limits.first_response, longest))

    # --- once ----------------------------------------------------------------------------------------------

    async def _try_what_is_tried_once(self) -> None:
        game = self._played[0]
        self.say("sitting down in the middle of a hand, and being left in one ...")
        middle = self._sitting(game, self._findings)
        await middle.run(scripts.reconnection(game.definition), scripts.stop_in_a_hand, "broken-off")
        if (ring := self._ring_game(self._played)) is not None:
            self.say("side pots ...")
            await self._try_side_pots(ring)
        self.say("the same seed twice ...")
        await self._compare_seeds(game)

    @staticmethod
    def _ring_game(games: Sequence[Game]) -> Game | None:
        """A no-limit game of three and more in which stacks can differ."""
        ring = [game for game in games if not game.definition.is_limit and game.definition.num_players > 2]
        return next((game for game in ring if game.definition.is_holdem), ring[0] if ring else None)

    async def _try_side_pots(self, game: Game) -> None:
        uneven = with_stacks(game.definition, scripts.uneven_stacks(game.definition))
        path = self.folder / f"{game.name}-uneven.game"
        write_whole(path, format_game(uneven))
        other = Game(game.name, uneven, str(path))
        sitting = self._sitting(other, self._findings, where=f"{game.name} with uneven stacks")
        pace = self._pace
        hands = min(_SIDE_POT_HANDS, self.hands)
        await sitting.run(
            [scripts.side_pots(lambda: pace.asks_for_game or self.knows_games, hands)], closing="side-pots"
        )

    async def _compare_seeds(self, game: Game) -> None:
        """Compare two matches with the same cards, the same opponents and the same seed for the bot."""
        self._findings.tried("same-seed", game.name)
        answers = []
        for _ in range(2):
            sitting = self._sitting(game, Examined())
            ending = await sitting.run([scripts.random_hands(min(_SEED_HANDS, self.hands))])
            if ending is not SittingEnd.PLAYED:
                return
            answers.append(sitting.answers)
        for (state, one), (other_state, other) in zip(*answers, strict=False):
            if (state, one) == (other_state, other):
                continue
            difference = told(
                "same-seed", "differs", state=state, one=one.lstrip(":"), other=other.lstrip(":")
            )
            if self._pace.greets:
                self._findings.fault("same-seed", game.name, difference + told("same-seed", "own"))
            else:
                self._findings.say("same-seed", f"no: {difference}{told('same-seed', 'foreign')}")
            return

    # --- at the end ----------------------------------------------------------------------------------------

    def _compare_memory(self, game: Game, trial: Examined, memory: Sequence[int]) -> None:
        """Check its memory after each third of the random hands, and in all."""
        if not memory or not memory[-1]:
            return
        trial.tried("memory", game.name)
        used, most = memory[-1] / _MEGABYTE, self.most_memory
        if memory[-1] > most:
            trial.fault("memory", game.name, told("memory", "most", used=used, most=most / _MEGABYTE))
        if len(memory) > 2 and memory[-1] - memory[-3] > max(_LEAST_GROWTH, memory[-3] // 2):
            before = memory[-3] / _MEGABYTE
            trial.fault("memory", game.name, told("memory", "grows", before=before, used=used))
        trial.say("memory", f"{used:,.0f} MB at most")

    def _judge(self) -> None:
        """Judge what follows from everything together."""
        pace, findings = self._pace, self._findings
        if self._played:
            findings.forget_untried("short-all-in", "side-pots", "memory")
        decisions = sorted([*pace.seconds, *pace.first])
        if decisions:
            median, longest = _shown(statistics.median_high(decisions)), _shown(decisions[-1])
            most = f"99 % {_shown(decisions[int(0.99 * (len(decisions) - 1))])}, longest {longest}"
            findings.say("time", f"{len(decisions):,} decisions: median {median}, {most}")
        if pace.waits_for_acknowledgements:
            late = told("one-write", "pieces", ms=1000 * statistics.median_high(pace.late_gaps))
            findings.fault("one-write", self._played[0].name, late)


def _by_kind(games: Sequence[Game]) -> list[tuple[str, list[Game]]]:
    """The games by kind, kinds in the order in which they come first."""
    kinds = list(dict.fromkeys(game.kind for game in games))
    return [(kind, [game for game in games if game.kind == kind]) for kind in kinds]


def _shown(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds >= 1 else f"{1000 * seconds:.2g} ms"
