"""What a match leaves behind: its log, its transaction log, the trace on stderr; and replaying from them.

The transaction log of an interrupted match is replayed when the match is resumed (docs/acpc-dealer.md 6.4):
its actions are played again without asking anybody, and hands that are already in the log are not written
twice.  A match that keeps no transaction log is resumed from the finished hands of its log
(`server.table.replay`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from engine.poker.match_key import DEALS_PER_CHAIN, DealKeys, MatchKey
from engine.poker.rules import CardDealer, Deal, HandState, KeyedDealer
from engine.support.user_input import printable, told_as
from protocol import records
from protocol.agents.usage import CENSORED, format_record as format_usage_record, parse_usage
from protocol.policy import FILE_HEADER, format_record
from server.support.console import Console, now_us
from server.support.errors import MatchAborted
from server.support.record_file import Later, Opener, RecordFile, at_once, lines_of, read_lines
from server.table.config import MatchConfig
from server.table.replay import LoggedHands, count_hands
from server.table.seat import Seat

_CENSORS: Final = "# deals with a censored decision do not count\n"
_COMMIT_AT: Final = 3 * DEALS_PER_CHAIN // 4
# In which hand of a chain of keys the log commits to the next one: nobody plays so far ahead.


_MOST_COMMENTS: Final = 1 << 26
# Letters that are kept of clients' comments in one sitting.


def comment_line(hand: int, player: str, betting: str, text: str) -> str:
    """A line of ``comments.jsonl``: what a player said with an action, and after what betting."""
    import json  # only matches whose players comment wait for it

    return json.dumps({"hand": hand, "player": player, "betting": betting, "text": text}) + "\n"


class LogFile:
    """A file of records that ends the match if it cannot be written.

    Args:
        path: of the file.
        what: it is, for people.
        append: to what is there.
        opener: creates it.
        later: does to it what could give cards away.

    Raises:
        MatchAborted: with the line that says that it cannot be opened.
    """

    def __init__(
        self, path: Path, what: str, *, append: bool, opener: Opener | None, later: Later = at_once
    ) -> None:
        self._what = what
        self._later = later
        with told_as(
            MatchAborted, OSError, what=f"ERROR: could not open {what} file {path}\nriverboat: ", hint="\n"
        ):
            self._file = RecordFile(path, append=append, opener=opener)
        self.is_empty: Final = self._file.is_empty
        """Nothing had been written when it was opened."""

    def close(self) -> None:
        """Close it; calling it again does nothing."""
        self._later(self._file.close)

    def write(self, text: str) -> None:
        """Append text, ended by a line end.

        Raises:
            MatchAborted: with lines that say why it cannot be written.
        """
        self._later(partial(self.write_now, text))

    def write_now(self, text: str) -> None:
        """The same for text that gives no cards away."""
        try:
            self._file.write(text)
        except OSError as error:
            what = f"could not write to {self._what} file"
            if self._what == "log":
                what = f"logging failed for game {text.partition(chr(10))[0]}"
            raise MatchAborted(f"ERROR: {what}\nriverboat: {error.strerror}\n") from error


class MatchRecords:
    """The records of one match.

    Anything that cannot be written ends the match: each method that writes may raise `MatchAborted`, with
    lines that say why.

    *Resource handling*: `close` after `open`, however the match ends.
    """

    def __init__(self, config: MatchConfig, console: Console) -> None:
        self.config: Final = config
        self.console: Final = console
        self.log: LogFile | None = None
        """The log, once it is open."""
        self._transactions: LogFile | None = None
        self._policies: LogFile | None = None
        self._usage: LogFile | None = None
        self._comments: LogFile | None = None
        self._comments_left = _MOST_COMMENTS
        self._replay: Iterator[str] = iter(())  # what is left of the transaction log
        self._next_entry: str | None = None  # of it
        self._logged: set[str] = set()  # hands an interrupted match has already logged
        self._again: LoggedHands | None = None  # what is left of the log of an earlier sitting
        self._was_ended = self._has_score = False
        self._has_key = False  # the log reveals what the cards follow from
        self._trace: list[str] = []  # lines for stderr, kept until the table waits for somebody

    @property
    def is_replaying(self) -> bool:
        """Whether the next action was recorded by an interrupted match."""
        return self._again is not None or self._next_entry is not None

    @property
    def was_ended(self) -> bool:
        """Whether all hands of an earlier sitting have been replayed, and the match ended with them."""
        return self._was_ended and self._again is None

    def open(self) -> None:
        """Open the files.

        Raises:
            MatchAborted: with the line that says which file it is.
        """
        self.log = self._open_file(self.config.log_path, "log")
        self._transactions = self._open_file(self.config.transaction_path, "transaction")
        self._policies = self._open_file(self.config.policy_path, "policy")
        if self._policies is not None and self._policies.is_empty:
            self.write_told(FILE_HEADER)

    def _open_file(self, path: Path | None, what: str) -> LogFile | None:
        config = self.config
        if path is None:
            return None
        return LogFile(path, what, append=config.append, opener=config.opener, later=config.later)

    def close(self) -> None:
        """Close the files; calling it again does nothing."""
        for file in (self.log, self._transactions, self._policies, self._usage, self._comments, self._again):
            if file is not None:
                file.close()

    def is_complete(self) -> bool:
        """Whether an earlier sitting reached the last hand.

        Raises:
            MatchAborted: its log cannot be read.
        """
        config = self.config
        if not config.resumes or config.log_path is None:
            return False
        with told_as(MatchAborted, OSError, what=f"ERROR: {config.log_path} cannot be read: ", hint="\n"):
            return count_hands(config.log_path) >= config.hands

    # --- log ---------------------------------------------------------------------------------------------

    def write_header(self) -> None:
        """Begin the log, and say the same on stderr."""
        config, limits = self.config, self.config.limits
        milliseconds = [round(each * 1000) for each in (limits.response, limits.hand, limits.per_hand)]
        match = config.name, config.game_text, config.hands, config.cards.announced
        header = records.format_header(*match, *milliseconds)
        keys = self._deal_keys
        if isinstance(config.cards, MatchKey) and keys is None:
            header += records.format_commitment(config.cards.commitment)
        if config.censors:
            header += _CENSORS
        if config.game.has_rake:
            header += records.format_rake(config.game.rake)
        if keys is not None and not (config.resumes and keys.is_drawn):
            header += records.format_commitment(keys.commitment)
        self.console.err(header)
        self._publish(header[len(self._header_so_far(header)) :])

    @property
    def _deal_keys(self) -> DealKeys | None:
        """The keys of the deals, if each has its own."""
        return self.config.cards if isinstance(self.config.cards, DealKeys) else None

    def _publish(self, text: str) -> None:
        """Write lines into the log that are to be known at once."""
        if self.log is not None:
            self.log.write_now(text)

    def _header_so_far(self, header: str) -> str:
        """The part of the header that an earlier sitting has written.

        Raises:
            MatchAborted: it belongs to another match.
        """
        config = self.config
        if not config.resumes or config.log_path is None:
            return ""
        with open(config.log_path, "rb") as log:
            found = log.read(len(header.encode())).decode("utf-8", "surrogateescape")
        if not header.startswith(found):
            expected = header.partition("\n")[0]
            raise MatchAborted(f"ERROR: {config.log_path} does not begin with {expected!r}: another match\n")
        return found

    def write_key(self) -> None:
        """Reveal the cards' key, now that no more hands will be dealt."""
        cards = self.config.cards
        if isinstance(cards, MatchKey) and not (self._has_key or self._deal_keys):
            self._has_key = True
            self.write(records.format_key(cards.text))

    def write_taken(self, chips: Sequence[float]) -> None:
        """Write what the house has taken, if it takes a rake: the chips missing from the players' total."""
        if self.config.game.has_rake and not self._has_score:
            self.write(records.format_taken(abs(sum(chips))))

    def write_score(self, line: str) -> None:
        """Write the last line of the log."""
        if not self._has_score:
            self._has_score = True
            self.write(line)

    def write(self, text: str) -> None:
        """Write lines into the log."""
        if self.log is not None:
            self.log.write(text)

    def write_hand(self, number: int, line: str) -> None:
        """Write the line of a finished hand and its key, unless the interrupted match already wrote it."""
        keys = self._deal_keys
        if self._again is not None:
            self._again.end(line)
            self._look_at_rest()
        elif keys is not None:
            if number % DEALS_PER_CHAIN == _COMMIT_AT:
                self._commit_to_next_chain(keys, number)
            self.write(records.format_deal_key(number, keys.key(number)) + line)
        elif line not in self._logged:
            self.write(line)

    def _commit_to_next_chain(self, keys: DealKeys, number: int) -> None:
        upcoming = number - number % DEALS_PER_CHAIN + DEALS_PER_CHAIN
        if upcoming < self.config.hands:
            self._publish(records.format_commitment(keys.commitment_from(upcoming), upcoming))

    def deal(self, dealer: CardDealer | KeyedDealer) -> Deal:
        """The cards of the next hand: the dealer's, if no earlier sitting's log tells them."""
        deal = None if self._again is None else self._again.deal()
        if deal is None:
            return dealer.deal()
        dealer.skip(1)
        return deal

    def write_said(self, seat: Seat, hand_number: int) -> None:
        """Record what a seat's client has said in a finished hand: how it plays, what that cost, comments."""
        if seat.policies:
            self.write_told("".join([format_record(seat.number, line) for line in seat.policies.values()]))
        for line in seat.usage.values():
            said = parse_usage(line)
            if said is None:
                continue  # not numbers: nobody could add them up
            self.write_usage(format_usage_record(seat.number, line))
            if said.get("fault") == CENSORED:
                self.note(f"{seat.name} censored: {CENSORED} (hand {hand_number})")
        if seat.comments:
            lines = [comment_line(hand_number, seat.name, *each) for each in seat.comments]
            self.write_comments("".join(lines))

    def note(self, text: str) -> None:
        """Record what happened to a seat, for the readers of the log and for the operator."""
        text = printable(text)
        self.write(f"# {text}\n")
        self.flush_trace()
        self.console.err(f"riverboat: {text}\n")

    def write_told(self, text: str) -> None:
        """Write what clients have said about their strategies, in the form in which the house keeps it."""
        if self._policies is not None:
            self._policies.write(text)

    def write_usage(self, lines: str) -> None:
        """Write what clients' decisions have cost; the file is made for the first of them."""
        if self._usage is None:
            self._usage = self._open_file(self.config.usage_path, "usage")
            assert self._usage is not None  # else nobody would have been asked
        self._usage.write(lines)

    def write_comments(self, lines: str) -> None:
        """Keep comment lines of clients, as far as there is room; the file is made for the first of them."""
        path, self._comments_left = self.config.comments_path, self._comments_left - len(lines)
        if path is None or self._comments_left < 0:
            return
        if self._comments is None:
            config = self.config
            self._comments = LogFile(path, "comments", append=True, opener=config.opener, later=config.later)
        self._comments.write(lines)

    # --- transactions ------------------------------------------------------------------------------------

    def write_transaction(self, entry: records.Transaction) -> None:
        """Record an action before it is applied; does nothing if no transaction log is kept."""
        if self._transactions is not None:
            self._transactions.write(records.format_transaction(entry))

    def begin_replay(self) -> None:
        """Read what an interrupted match has left, if there was one."""
        config = self.config
        if config.resumes and config.log_path is not None:
            with told_as(MatchAborted, OSError, what=f"ERROR: {config.log_path} cannot be read: ", hint="\n"):
                self._again = LoggedHands(config.log_path, config.game)
            self._look_at_rest()
        elif config.append and config.transaction_path is not None:
            self._replay = lines_of(config.transaction_path)
            self._next_entry = next(self._replay, None)
            if config.log_path is not None and self._next_entry is not None:
                self._logged = {line for line in read_lines(config.log_path) if line.startswith("STATE:")}

    def _look_at_rest(self) -> None:
        """After the last hand in an earlier sitting's log, take over whatever else the log says."""
        again = self._again
        if again is not None and again.is_over:
            self._was_ended, self._has_score = again.was_ended, again.has_score
            self._has_key |= again.has_key
            self._again = None
            keys, hands = self._deal_keys, again.hands
            if keys is not None and keys.is_drawn and not again.was_ended and hands < self.config.hands:
                self._publish(records.format_commitment(keys.commitment_from(hands)))
                if hands % DEALS_PER_CHAIN > _COMMIT_AT:  # what was said there was the earlier sitting's
                    self._commit_to_next_chain(keys, hands)

    def replayed(self, state: HandState) -> records.Transaction:
        """The next action that an interrupted match recorded; it is legal in `state`.

        Raises:
            MatchAborted: it cannot be read, or belongs to another match.
        """
        if self._again is not None:
            return records.Transaction(self._again.action(state), state.hand_number, 0, 0)
        line = self._next_entry
        assert line is not None  # the next action has been recorded
        self._next_entry = next(self._replay, None)
        with told_as(MatchAborted, records.TransactionError):
            entry = records.parse_transaction(line, self.config.game.is_limit)
        if entry.hand_number != state.hand_number:
            raise MatchAborted(f"ERROR: handId mismatch in transaction log: {line}")
        if not state.betting.is_legal(entry.action):
            raise MatchAborted(f"ERROR: invalid action in transaction log: {line}")
        return entry

    # --- trace -------------------------------------------------------------------------------------------

    def trace(self, text: str) -> None:
        """Keep lines for the next `flush_trace`."""
        self._trace.append(text)

    def trace_sent(self, seat: int, data: bytes) -> None:
        """The same for a message to a seat."""
        self._trace.append(f"TO {seat + 1} at {records.format_stamp(now_us())} {data.decode('ascii')}")

    def flush_trace(self) -> None:
        """Write the trace to stderr, in one piece."""
        if self._trace:
            self.console.err("".join(self._trace))
            self._trace.clear()
