"""Runs of a benchmark: one client against one opponent in one game.

The folder of a run is a match folder: ``verify``, ``report``, ``analyse`` and ``convert`` read it.  Its file
`answers` has a line for everything that the client did, written before it is done: a run that was broken off
is played again from it, with the same cards and a player that repeats itself, and so loses nothing.
"""

import json
import math
import secrets
from collections.abc import Generator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from clients.core.agent import Agent
from clients.core.arena import Arena, OutsideSeat
from clients.core.registry import make_bot
from clients.lab.benchmark.config import BenchmarkConfig, Opponent
from engine.poker.match_key import MatchKey, MatchSeed, parse_match_seed
from engine.poker.rules import Action, HandState, HandView
from engine.support.files.whole import write_whole
from engine.support.user_input import fault_text
from protocol.agents.answers import default_action
from protocol.agents.observation import Observation
from protocol.agents.turns import SeatError, TurnBook
from server.records.evidence import POLICY_FILE
from server.records.logs import open_log
from server.support.console import Console
from server.support.private_files import FILE_MODE, FOLDER_MODE, open_private
from server.support.record_file import RecordFile, read_lines
from server.support.seat_tokens import same_token
from server.table.book import FinishedHand, MatchBook
from server.table.config import MatchConfig
from server.table.outcome import MatchOutcome, SeatOutcome
from server.table.records import MatchRecords

CLIENT: Final = "client"
"""The client's name in the log; its seat is 0."""
RESULT: Final = "result.json"
_FACTS: Final = "run.json"
_ANSWERS: Final = "answers"
_LOG: Final = "match.log"
_REMEMBERED: Final = 64
# Finished hands that can still be asked for.


@attrs.frozen
class RunFacts:
    """A run before its first hand; the file of them is for our own user alone."""

    number: str
    opponent: str
    sha256: str
    """Of the opponent; a run ends with the version that it began with."""
    game: str
    label: str
    key_hash: str
    cards: str
    """Their secret key, or seed."""
    pair: str | None
    """The run with the same cards."""
    is_ranked: bool
    """It may stand on the leaderboard: nobody could know its cards."""


class BenchmarkHand:
    """A hand of a run.

    Args:
        number: in the run, from 0.
        position: of the client.
        arena: the table; a stateless player may sit at several.
    """

    def __init__(self, number: int, position: int, arena: Arena) -> None:
        self.number: Final = number
        self.book: Final = TurnBook(trio.Event)
        self.lock: Final = trio.Lock()
        self.arena: Final = arena
        self.lines: Final[list[str]] = []
        self.told: Final[list[str]] = []
        self.final: HandState | None = None
        self.view: HandView | None = None
        """The client's."""
        self.heard_at = trio.current_time()
        self._position = position
        arena.skip(number - arena.next_hand)
        self.turns: Final[Generator[Any, Action | None, None]] = arena.turns(  # type: ignore[assignment]
            1, record=self.lines.append, on_hand=self._end, disclose=self.told.append
        )
        self.book.sits_down()

    def _end(self, state: HandState, chips: tuple[float, ...]) -> None:
        self.final = state

    def look(self) -> None:
        """Show the client what is there: its turn, or the end."""
        state = self.final or self.arena.state
        assert state is not None  # the hand has begun
        self.view = state.view(self._position)
        if self.final is None:
            self.book.ask(self.view, 0)
        else:
            self.book.see(self.view, 0)
            self.book.leave("closed")

    def seen(self) -> Observation:
        """The client's observation."""
        return self.book.observation() if self.final is None else self.book.last_hand or {}

    @property
    def turn(self) -> str:
        """The id of the open turn; empty without one."""
        return str(self.book.observation().get("turn", ""))


class Run:
    """A run: `open_hand`, `act`, `close`.

    Args:
        facts: of it.
        opponent: named there.
        config: of the benchmark.
        console: for the operator.
    """

    def __init__(
        self, facts: RunFacts, opponent: Opponent, config: BenchmarkConfig, console: Console
    ) -> None:
        self.facts = facts
        self.opponent: Final = opponent
        self.game: Final = opponent.games[facts.game]
        self.folder: Final = config.folder / facts.number
        self.cards: Final = parse_match_seed(facts.cards)
        self.hands: Final[dict[int, BenchmarkHand]] = {}
        """The open ones, and the last that are over."""
        self.last: BenchmarkHand | None = None
        """The last that was opened."""
        self.abandoned: Final[set[int]] = set()
        self.heard_at = -math.inf
        """When its client asked for something last; never since it was opened."""
        self.is_closed = (self.folder / RESULT).exists()
        self._config, self._console = config, console
        names = [opponent.name, *[f"{opponent.name}-{n}" for n in range(2, self.game.num_players)]]
        self.match: Final = MatchConfig(
            name=f"benchmark.{facts.number}", game=self.game, game_text=facts.game, hands=config.hands,
            cards=self.cards, names=(CLIENT, *names), log_path=self.log_path,
            policy_path=self.folder / POLICY_FILE, keeps_hands=True, opener=open_private, quiet=True,
        )  # fmt: skip
        self._records = MatchRecords(self.match, Console())
        self._book = MatchBook(self.match, Console(), self._records)
        self._free: list[Arena] = []
        self._next = 0
        self._ahead: dict[int, FinishedHand] = {}  # over before an earlier one
        self._answers: RecordFile | None = None
        self._lock = trio.Lock()
        self._fault = ""

    @property
    def log_path(self) -> Path:
        """The log."""
        return self.folder / _LOG

    @property
    def most_open(self) -> int:
        """Hands that may be open at a time."""
        return self._config.open_hands if self.opponent.is_stateless else 1

    @property
    def open(self) -> list[BenchmarkHand]:
        """The hands that are not over."""
        return [hand for hand in self.hands.values() if hand.final is None]

    @property
    def is_in_use(self) -> bool:
        """Whether a client plays, or may come back at once."""
        return not self.is_closed and trio.current_time() - self.heard_at <= self._config.abandon_s

    def outcome(self) -> MatchOutcome:
        """The outcome of the hands in the log."""
        return self._book.outcome(SeatOutcome(name, []) for name in self.match.names)

    # --- what the client does ------------------------------------------------------------------------------

    async def ready(self) -> None:
        """Go on where it was broken off.

        Raises:
            SeatError: it cannot.
        """
        async with self._lock:
            if self._answers is not None or self.is_closed:
                return
            if self.facts.sha256 != self.opponent.sha256:
                raise SeatError("closed", "The opponent has another version now: begin a new run.")
            self._records.open()
            self._records.write_header()
            path = self.folder / _ANSWERS
            for line in read_lines(path) if path.exists() else ():
                if line.endswith("\n"):
                    await self._do(json.loads(line))
            self._answers = RecordFile(path, append=True, opener=open_private)

    async def open_hand(self) -> BenchmarkHand:
        """Deal the next hand.

        Raises:
            SeatError: the run is closed, or too many are open.
        """
        async with self._lock:
            self._check()
            if len(self.open) >= self.most_open:
                raise SeatError("busy", f"There are {self.most_open} open hands: finish one first.")
            if self._next >= self._config.hands:
                raise SeatError("refused", f"A run has at most {self._config.hands} hands: close it.")
            number = self._next
            await self._write_and_do({"open": number})
            return self.hands[number]

    async def find(self, number: int) -> BenchmarkHand:
        """A hand, once the house has played up to the client's turn.

        Raises:
            SeatError: there is none, it was over long ago, or the house's player failed in dealing it.
        """
        hand = self.hands.get(number)
        if hand is None:
            raise SeatError("no_seat", "There is no such hand (any more).")
        async with hand.lock:
            hand.heard_at = trio.current_time()
        if hand.view is None:
            raise SeatError("closed", self._fault)
        return hand

    async def act(self, hand: BenchmarkHand, message: object) -> dict[str, Any]:
        """Answer a turn of a hand; returns the receipt.

        Raises:
            SeatError: it is no answer, or comes for another turn.
        """
        self._check()
        receipt = hand.book.answer(message)
        if "again" not in receipt and isinstance(message, dict):
            await self._write_and_do({"hand": hand.number, **message}, hand.book.action)
        return receipt

    async def abandon(self, hand: BenchmarkHand) -> None:
        """Finish a hand by checks and folds."""
        if hand.final is None and hand.book.status == "your_turn":
            hand.book.withdraw()
            await self._write_and_do({"default": hand.number})

    async def close(self) -> None:
        """Finish what is open, reveal the key, and end the log."""
        async with self._lock:
            if self.is_closed:
                return  # whoever asks again is told the same
            self._check()
            while self.open:
                await self.abandon(await self.find(self.open[0].number))
            self.is_closed = True
            self._book.finish()
            self.end()

    def end(self) -> None:
        """Close the files."""
        self._records.close()
        if self._answers is not None:
            self._answers.close()

    def _check(self) -> None:
        if self._fault:
            raise SeatError("closed", self._fault)
        if self.is_closed:
            raise SeatError("closed", "The run is closed.")

    # --- what is done --------------------------------------------------------------------------------------

    async def _write_and_do(self, entry: dict[str, Any], action: Action | None = None) -> None:
        """Note what the client does, then do it, whether or not anybody waits for the answer."""
        assert self._answers is not None  # it is ready
        self._answers.write(json.dumps(entry) + "\n")
        with trio.CancelScope(shield=True):
            await self._do(entry, action)

    async def _do(self, entry: dict[str, Any], action: Action | None = None) -> None:
        if "open" in entry:
            number = self._next = int(entry["open"])
            self._next += 1
            position = -number % self.game.num_players
            arena = self._free.pop() if self._free else await trio.to_thread.run_sync(self._new_table)
            hand = self.last = self.hands[number] = BenchmarkHand(number, position, arena)
            async with hand.lock:
                await self._advance(hand, None)
        elif "default" in entry:
            hand = self.hands[entry["default"]]
            self.abandoned.add(hand.number)
            async with hand.lock:
                while hand.final is None and hand.view is not None:
                    hand.book.withdraw()
                    await self._advance(hand, default_action(hand.view))
        else:
            hand = self.hands[entry["hand"]]
            if action is None:  # it is done again
                hand.book.answer({name: each for name, each in entry.items() if name != "hand"})
                action = hand.book.action
            async with hand.lock:
                await self._advance(hand, action)

    async def _advance(self, hand: BenchmarkHand, action: Action | None) -> None:
        """Let the house play until the client's next turn, or the end."""

        def step(given: Action | None) -> Any:
            try:
                return hand.turns.send(given)
            except StopIteration:  # which may not pass through a thread
                return None

        try:
            waiting = await trio.to_thread.run_sync(step, action)
            while waiting is not None and not isinstance(waiting, OutsideSeat):
                waiting = await trio.to_thread.run_sync(step, await waiting)
        except Exception as error:
            self._fault = "The house's player has failed: the run ends here. The operator has been told."
            where = f"{self.facts.number}, hand {hand.number}"
            self._console.err(f"riverboat: {where}: {fault_text(error)}\n")
            raise SeatError("closed", self._fault) from error
        hand.look()
        if hand.final is not None:
            self._put_down(hand)

    def _put_down(self, hand: BenchmarkHand) -> None:
        """Write a hand that is over into the log, once those before it are there."""
        assert hand.final is not None  # it is over
        self._free.append(hand.arena)
        chips, shift = hand.final.chips_won(), self.match.shift(hand.number)
        by_seat = chips[-shift:] + chips[:-shift]
        self._ahead[hand.number] = FinishedHand(hand.lines[0], by_seat, told="".join(hand.told))
        while self._book.hands in self._ahead:
            self._book.take_in(self._ahead.pop(self._book.hands))
        over = [number for number, each in self.hands.items() if each.final is not None]
        for number in over[:-_REMEMBERED]:
            del self.hands[number]

    def _new_table(self) -> Arena:
        game = self.game
        seeds = self.cards.player_seeds(range(game.num_players))
        others = [make_bot(self.opponent.bot) for _ in range(game.num_players - 1)]
        agents: list[Agent] = [OutsideSeat(), *others]
        for agent, seed in zip(agents, seeds, strict=True):
            agent.seed = seed
        dealer = self.cards.dealer(game)
        return Arena(game, agents, 0, names=self.match.names, seed_agents=False, dealer=dealer)


class Runs:
    """All runs of a benchmark, those of earlier sittings included.

    Args:
        config: of it.
        console: for the operator.
    """

    def __init__(self, config: BenchmarkConfig, console: Console) -> None:
        self._config, self._console = config, console
        self._by_number: dict[str, Run] = {}
        config.folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        for path in sorted(config.folder.glob(f"r-*/{_FACTS}"), key=lambda path: int(path.parent.name[2:])):
            facts = RunFacts(**json.loads(path.read_text("utf-8")))
            opponent = config.opponents.get(facts.opponent)
            if opponent is None or facts.game not in opponent.games:
                console.err(f"riverboat: {facts.number}: its opponent is not offered any more\n")
            else:
                self._by_number[facts.number] = Run(facts, opponent, config, console)

    def __iter__(self) -> Generator[Run]:
        yield from self._by_number.values()

    def create(
        self,
        opponent: str | None = None,
        game: str | None = None,
        label: str = "",
        seed: int | None = None,
        pair: Run | None = None,
    ) -> tuple[Run, str]:
        """A new run, and its key.

        Args:
            opponent: None for the first.
            game: None for its usual one.
            label: for the leaderboard.
            seed: of cards that everybody may know.
            pair: the run that has the same cards.

        Raises:
            SeatError: there is no such opponent or game, or there are too many runs.
        """
        config = self._config
        if sum(run.is_in_use for run in self) >= config.runs:
            raise SeatError("busy", "There are too many open runs: close one.")
        if pair is not None:
            opponent, game = opponent or pair.facts.opponent, game or pair.facts.game
        playing, game = config.offered(opponent, game)
        cards: MatchKey | MatchSeed = MatchKey.random() if seed is None else MatchSeed(seed)
        if pair is not None:
            if (playing.name, game) != (pair.facts.opponent, pair.facts.game) or seed is not None:
                raise SeatError("refused", "A pair has the same opponent, game and cards.")
            cards = pair.cards
            if not pair.is_closed:  # whoever sees these hands knows cards of that run
                pair.facts = attrs.evolve(pair.facts, is_ranked=False)
                self._write(pair)
        number = f"r-{1 + max([int(each[2:]) for each in self._by_number], default=0)}"
        key = f"{number}.{secrets.token_hex(20)}"
        key_hash, partner = sha256(key.encode()).hexdigest(), None if pair is None else pair.facts.number
        facts = RunFacts(
            number, playing.name, playing.sha256, game, label, key_hash, cards.text, partner,
            is_ranked=seed is None and pair is None,
        )  # fmt: skip
        run = self._by_number[number] = Run(facts, playing, config, self._console)
        run.heard_at = trio.current_time()
        run.folder.mkdir(mode=FOLDER_MODE)
        self._write(run)
        return run, key

    def _write(self, run: Run) -> None:
        write_whole(run.folder / _FACTS, json.dumps(attrs.asdict(run.facts), indent=1), mode=FILE_MODE)

    async def find(self, key: str, number: str | None = None) -> Run:
        """The run of a key, ready to go on.

        Args:
            key: as `create` returned it.
            number: of the run that is meant; None if the key says it.

        Raises:
            SeatError: there is no such run, or it is not its key.
        """
        run = self._by_number.get(key.partition(".")[0] if number is None else number)
        if run is None:
            raise SeatError("unauthorized" if number is None else "no_seat", "Unknown key or run.")
        if not same_token(sha256(key.encode()).hexdigest().encode(), run.facts.key_hash.encode()):
            raise SeatError("unauthorized", "The key is missing or wrong.")
        run.heard_at = trio.current_time()
        await run.ready()
        return run

    def pair_of(self, run: Run) -> Run | None:
        """The run with the same cards, if there is one."""
        return None if run.facts.pair is None else self._by_number.get(run.facts.pair)

    async def sweep(self) -> None:
        """Finish hands for which nobody asks any more, and put such runs away, until cancelled."""
        patience = self._config.abandon_s
        while True:
            await trio.sleep(patience / 10)
            for run in list(self):
                for hand in run.open:
                    if trio.current_time() - hand.heard_at > patience:
                        await run.abandon(hand)
                if run.heard_at > -math.inf and not (run.is_in_use or run.is_closed or run.open):
                    run.end()  # it goes on from its file, as after the service has ended
                    self._by_number[run.facts.number] = Run(
                        run.facts, run.opponent, self._config, self._console
                    )

    def end(self) -> None:
        """Close the files of all runs."""
        for run in self:
            run.end()


def logged_chips(run: Run) -> list[float]:
    """The chips that the client has won in each hand of the log."""
    if not run.log_path.exists():
        return []
    log = open_log(run.log_path, run.game)
    client = log.players.index(CLIENT) if CLIENT in log.players else -1
    return [hand.chips[hand.players.index(client)] for hand in log.hands()]
