"""One match over sockets, from open ports to the score (docs/acpc-dealer.md sections 5 and 6).

`MatchServer` drives the hand loop of `engine.poker.rules`: before every action each seat is shown the hand as
it may see it, then the acting seat is read until it has replied (`server.table.reply`).
`server.table.seating` decides who sits in which seat, and what becomes of a player that fails; the files are
in `server.table.records`, and `server.table.stopping` follows the hands and may end the match.
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterator, Sequence
from typing import Final

import trio

from engine.poker.rules import CALL, FOLD, Action, CardDealer, HandState, KeyedDealer, play_hand
from protocol.match_state import HandMessages
from protocol.records import Transaction, format_hand, format_score, format_stamp
from server.support.console import Console, now_us
from server.support.errors import Failure, MatchAborted
from server.table.config import MatchConfig, OnFailure
from server.table.hand import HandOnTable, OtherTables, PlayedHand, Situation
from server.table.outcome import EarlierSittings, MatchOutcome
from server.table.records import MatchRecords
from server.table.replay import Rehearsal, needs_rehearsal
from server.table.reply import TABLES_PLAYING, Asking
from server.table.seat import Seat
from server.table.seating import Seating
from server.table.stopping import Onlooker

_CHECKPOINT_EVERY: Final = 32
# Hands of an earlier sitting, which take a tenth of a millisecond each.
_SECONDS_EVERY: Final = 100
# Hands between the trace's "Seconds cumulatively spent" lines.


class MatchServer:
    """One match: `open`, tell the players the `ports`, `run`.

    Args:
        config: what is played.
        console: where it is reported.
        onlooker: told about every hand, and asked whether to continue; without one all hands are played.
        earlier: what the log does not tell about its hands, if the match is resumed from it.
        others: tables that play some of the hands; without them all are played here.
        records: of the hands; None for those that `config` names.

    *Resource handling*: `run` closes everything when it ends, however it ends; call `close` if it is
    never run.
    """

    def __init__(
        self,
        config: MatchConfig,
        console: Console,
        onlooker: Onlooker | None = None,
        earlier: EarlierSittings | None = None,
        others: OtherTables | None = None,
        records: MatchRecords | None = None,
    ) -> None:
        self._config = config
        self._console = console
        self._onlooker = onlooker
        self._others = others
        self._pauses = False  # the onlooker is to be asked
        self._records = records or MatchRecords(config, console)
        self._seating = Seating(config, console, self._records, lambda: self._situation, self._abort)
        self._seats = self._seating.seats
        self._aborted: MatchAborted | None = None
        self._asking = Asking(config, console, self._records, self._seating)
        self._has_transactions = config.transaction_path is not None
        self._now = trio.current_time
        self._main_scope = trio.CancelScope()  # around everything up to the score
        self._situation: Situation | None = None
        self._hands_done = 0
        self._totals = [0.0] * len(self._seats)
        self._squares = [0.0] * len(self._seats)
        self._hand_chips = tuple(array("d") for _ in self._seats) if config.keeps_hands else ()
        self._seconds = 0.0
        self._plays_since: float | None = None  # on trio's clock, while hands are played
        self._is_finished = False
        self._is_live = not config.resumes  # a hand has been played in this sitting
        self._rehearsal: Rehearsal | None = None
        self.needs_players = True
        """Whether more hands are to come; known once the files are `open`."""
        if earlier is not None:
            self._seconds = earlier.seconds
            for seat, before in zip(self._seats, earlier.seats, strict=True):
                seat.take_over(before)

    @property
    def ports(self) -> tuple[int, ...]:
        """In seat order."""
        return tuple(seat.port for seat in self._seats)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """In seat order."""
        return self._seats

    @property
    def is_over(self) -> bool:
        """Whether no more hands will come: clients may leave."""
        return self._seating.is_over

    def open(self) -> None:
        """Open the files, then the ports (docs/acpc-dealer.md 5.1).

        Raises:
            MatchAborted: with the line that says which file or port it is.
        """
        try:
            self._records.open()
            self.needs_players = not self._records.is_complete()
            self._seating.open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release files, ports and clients."""
        self._seating.close()
        self._records.close()

    def has_joined(self, number: int) -> bool:
        """Whether somebody has taken a seat."""
        return self._seats[number].client is not None

    def give_up(self, number: int, failure: Failure) -> bool:
        """Nobody will come for a seat: see `Seating.give_up`."""
        return self._seating.give_up(number, failure)

    def expect_nobody(self, number: int) -> None:
        """Nobody will come back to a seat: see `Seating.expect_nobody`."""
        self._seating.expect_nobody(number)

    async def run(self) -> MatchOutcome:
        """Seat the players, play the match, say goodbye."""
        self._now = self._asking.now = trio.lowlevel.current_clock().current_time
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._seating.run)
                with self._main_scope:
                    try:
                        self._records.write_header()
                        if self.needs_players:
                            await self._seating.wait_for_players()
                        await self._play()
                    except MatchAborted as error:
                        self._abort(error)
                if self._aborted is not None:
                    self._records.flush_trace()
                    self._console.err(self._aborted.lines)
                    if not self._can_go_on():
                        with contextlib.suppress(MatchAborted):  # it may be the log that cannot be written
                            self._records.write_key()
                self._seating.end()
        finally:
            self.close()
        return self.outcome()

    def outcome(self) -> MatchOutcome:
        """The outcome of the match so far."""
        return MatchOutcome(
            hands=self._hands_done,
            chips_by_seat=tuple(self._totals),
            squares_by_seat=tuple(self._squares),
            hand_chips_by_seat=self._hand_chips,
            seats=tuple(seat.outcome() for seat in self._seats),
            seconds=self._seconds + self._since(),
            error=None if self._aborted is None else self._aborted.lines,
            can_go_on=self._can_go_on(),
        )

    def _can_go_on(self) -> bool:
        """Whether a later sitting may play more hands: not if a player's failure ended the match."""
        if self._is_finished or not self._config.is_resumable:
            return False
        return self._aborted is None or not (self._aborted.seats and self._is_live)

    def _since(self) -> float:
        """Seconds of play since they were last added up."""
        return 0.0 if self._plays_since is None else self._now() - self._plays_since

    @contextlib.contextmanager
    def _adding_up_time(self) -> Iterator[None]:
        """Surrounds the playing of hands, from the first that is not an earlier sitting's."""
        try:
            yield
        finally:
            self._seconds += self._since()
            self._plays_since = None

    def _abort(self, error: MatchAborted) -> None:
        """End the match; callable from any task."""
        if self._aborted is None:
            self._aborted = error
        self._main_scope.cancel()

    async def _play(self) -> None:
        """Play the hands, beginning with those of an interrupted match."""
        config = self._config
        console = self._console
        if not config.quiet:
            self._asking.last_send_us = now_us()  # until a state is sent
            console.err(f"STARTED at {format_stamp(self._asking.last_send_us)}\n")
        records = self._records
        records.begin_replay()
        if config.rehearses and records.is_replaying:
            self._rehearsal = Rehearsal(
                [seat for seat in self._seats if needs_rehearsal(seat, config)], config
            )
        dealer = config.cards.dealer(config.game)
        with TABLES_PLAYING.one_more(), self._adding_up_time():
            for hand_number in range(config.hands):
                if records.was_ended:
                    break
                played = None
                if self._others is not None and not records.is_replaying:
                    played = await self._others.hand(hand_number, self._seats)
                if played is None:
                    await self._play_hand(hand_number, dealer)
                else:
                    dealer.skip(1)
                    self._take_in(hand_number, played)
                if self._pauses and self._hands_done < config.hands and not await self._continues():
                    break
            self._flush_all()
        self._end_rehearsal()
        if self._hands_done < config.hands and not records.was_ended:
            records.write(f"# ended after {self._hands_done} of {config.hands} hands\n")
        if not config.quiet:
            console.err(f"FINISHED at {format_stamp(self._asking.last_send_us)}\n")
        records.write_taken(self._totals)
        records.write_key()
        score = format_score(self._totals, config.names)
        console.out(score)
        console.err(score)
        records.write_score(score)
        self._is_finished = True

    async def _continues(self) -> bool:
        """Ask whether to continue; waiting for the answer is on nobody's clock."""
        assert self._onlooker is not None  # it wanted to be asked
        self._flush_all()
        self._seconds += self._since()
        self._plays_since = None
        return await self._onlooker.continues()

    def _flush_all(self) -> None:
        for seat in self._seats:
            if seat.client is not None:
                self._seating.flush(seat, seat.client)
        self._records.flush_trace()

    async def _play_hand(self, hand_number: int, dealer: CardDealer | KeyedDealer) -> None:
        config, records, seats = self._config, self._records, self._seats
        num_seats = len(seats)
        # The button moves (docs/acpc-dealer.md 5.4).
        shift = 0 if config.fixed_seats else hand_number % num_seats
        by_position = [seats[(position + shift) % num_seats] for position in range(num_seats)]
        positions = tuple((number - shift) % num_seats for number in range(num_seats))
        for seat in seats:
            seat.clock.new_hand()
        is_live = not records.is_replaying
        if is_live:
            self._is_live = True
            if self._plays_since is None:
                self._plays_since = self._now()
            self._end_rehearsal()
        if is_live or hand_number % _CHECKPOINT_EVERY == 0:
            await trio.lowlevel.checkpoint()  # the one place where a fast match lets everybody else run
        deal = dealer.deal()
        loop = play_hand(config.game, hand_number, deal)
        hand = HandOnTable(HandMessages(hand_number, deal), positions)
        try:
            state = next(loop)
            while True:
                to_act = state.betting.position_to_act
                assert to_act is not None  # the hand loop asks only when somebody is to act
                seat = by_position[to_act]
                if is_live or not records.is_replaying:
                    is_live = True
                    self._situation = state, hand
                    answer, sent_us = await self._asking.ask(seats, seat, state, hand)
                    action = answer
                    if action is None or self._has_transactions:
                        action = self._recorded(seat, state, action, sent_us)
                else:
                    action = self._replayed_action(seat, state)
                    if self._rehearsal is not None:
                        await self._rehearse(self._rehearsal, seat, state, hand, action)
                state = loop.send(action)
        except StopIteration as finished:
            final: HandState = finished.value
        self._situation = situation = final, hand
        self._record_hand(situation, by_position)
        audience = seats if is_live else () if self._rehearsal is None else self._rehearsal.seats
        if audience:  # written together with the next hand's first state
            for seat in audience:
                if seat.client is not None:
                    self._seating.show(seat, seat.client, situation)
        if is_live and not config.quiet and hand_number % _SECONDS_EVERY == 0:
            for seat in seats:
                spent = int(seat.clock.in_match)
                records.trace(f"Seconds cumulatively spent in match for seat {seat.number}: {spent}\n")
        self._console.hand_finished(hand_number)

    def _record_hand(self, situation: Situation, by_position: Sequence[Seat]) -> None:
        """Add a finished hand to the score and to the log."""
        final, hand = situation
        chips = final.chips_won()
        by_seat = [0.0] * len(chips)
        for seat, won in zip(by_position, chips, strict=True):
            by_seat[seat.number] = won
        for seat in by_position:
            if seat.policies:
                if not self._records.is_replaying:  # else they have been written
                    self._records.write_policies(seat.number, seat.policies)
                seat.policies = {}
        cards = hand.messages.all_cards(final)
        self._records.write_hand(format_hand(final, chips, [seat.name for seat in by_position], cards))
        self._count(by_seat)

    def _take_in(self, hand_number: int, played: PlayedHand) -> None:
        """The same for a hand that another table has played."""
        if played.notes:
            self._records.write(played.notes)
        if played.told:
            self._records.write_told(played.told)
        self._records.write_hand(played.line)
        self._count(played.chips_by_seat)
        self._console.hand_finished(hand_number)

    def _count(self, by_seat: Sequence[float]) -> None:
        for seat, won in enumerate(by_seat):
            self._totals[seat] += won
            self._squares[seat] += won * won
            if self._hand_chips:
                self._hand_chips[seat].append(won)
        self._hands_done += 1
        if self._onlooker is not None:
            self._pauses = self._onlooker.hand_finished(by_seat)

    def _replayed_action(self, seat: Seat, state: HandState) -> Action:
        """The next action of the transaction log, charged to its seat's clock (docs/acpc-dealer.md 6.4)."""
        entry = self._records.replayed(state)
        if seat.clock.charge(entry.seconds) and self._config.on_failure is OnFailure.ABORT:
            raise MatchAborted(f"ERROR: seat {seat.number + 1} ran out of time in transaction file\n")
        return entry.action

    async def _rehearse(
        self, rehearsal: Rehearsal, seat: Seat, state: HandState, hand: HandOnTable, action: Action
    ) -> None:
        """Show an earlier sitting's hand to the players who may have learned from it.

        A player's answer is compared with what was done; what was done stands.
        """
        self._situation = state, hand
        answer, _ = await self._asking.ask(rehearsal.seats, seat, state, hand)
        if seat in rehearsal.seats:
            rehearsal.has_answered(seat, answer, action)

    def _end_rehearsal(self) -> None:
        """End the rehearsal: from now on answers count."""
        if self._rehearsal is not None:
            for line in self._rehearsal.end():
                self._console.err(f"riverboat: {line}\n")
            self._rehearsal = None

    def _recorded(self, seat: Seat, state: HandState, answer: Action | None, sent_us: int) -> Action:
        """The action to play, now on record: the seat's answer or, if there is none, the default."""
        received_us = now_us()
        action = answer
        if action is None:
            action = FOLD if state.legal_actions().can_fold else CALL
            seat.acted_by_default(state.hand_number)
            seat.policies.pop(state.betting.text, None)
            sent_us = received_us  # nobody's time
        if self._has_transactions:
            self._records.write_transaction(Transaction(action, state.hand_number, sent_us, received_us))
        return action


async def serve_match(
    config: MatchConfig,
    console: Console,
    *,
    task_status: trio.TaskStatus[MatchServer] = trio.TASK_STATUS_IGNORED,
) -> MatchOutcome:
    """Open a table, report it as started, play the match.

    Raises:
        MatchAborted: a file or a port cannot be opened.  What ends a match later is in the outcome.
    """
    server = MatchServer(config, console)
    server.open()
    task_status.started(server)
    return await server.run()
