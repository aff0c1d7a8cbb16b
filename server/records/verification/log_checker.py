"""Checks a log: everything in it that follows from something else is computed again.

Cards are checked by the seed, or by the keys as they are revealed, and these by the commitments; betting by
the rules; chips by cards and betting; names by seat and hand number; hand numbers by one another; the score
by the chips.  What a log does not contain cannot be checked: without seed and key, cards are only known to
come from one deck; and betting is only known to be legal and to lead to these chips: a raise that everybody
folds to could have had any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from engine.poker.match_key import MatchKey, MatchSeed
from engine.poker.rules import CardDealer, Deal, GameDefinition, HandState, KeyedDealer, rake_taken
from engine.poker.rules.game_file import read_digits
from protocol.match_state import format_hole_cards_and_board
from protocol.records import COMMITMENT, KEY, HandReader, HandRecord, RevealedKeys, format_chips, parse_score
from server.records.log_lines import LogError, numbered_lines, shown
from server.records.logs import Header, MatchLog, by_seat, open_log, rotation
from server.records.verification.seats import LinesAhead, most_frequent_seats

_TOLERANCE: Final = 1e-6
"""Chips are printed with six decimals."""


@attrs.frozen
class Problem:
    """The first wrong line."""

    path: Path
    line: int | None
    """From 1; None if it is the file as a whole."""
    what: str
    """What was expected, and what is there."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}" if self.line else self.what


@attrs.frozen
class Verification:
    """The result of checking a log."""

    path: Path
    hands: int
    """Hands found true, up to the first problem."""
    problem: Problem | None
    cards: str | None
    """What the cards were dealt again from: ``seed 7``, ``key 1a2b3c4d...``, ``the keys of the hands``; None
    if nothing of that is known.
    """
    is_complete: bool
    """The log ends with the score, or is one that has none."""
    has_games_of_hands: bool = False
    """Each hand says its game, as at a room's table and in a sit-and-go."""

    @property
    def is_valid(self) -> bool:
        """Whether nothing is wrong."""
        return self.problem is None


def verify_log(
    path: Path, game: GameDefinition | str | None = None, cards: MatchSeed | MatchKey | None = None
) -> Verification:
    """Check a log line by line, up to the first wrong one.

    Args:
        path: of the log.
        game: as for `open_log`.
        cards: their seed or key, for a log that does not say it.

    Raises:
        LogError: there is no log to check, or its game cannot be found.
    """
    checker = _LogChecker(open_log(path, game, tolerant=True), cards)
    line: int | None = None
    problem: Problem | None = None
    try:
        for line, text in checker.lines:
            checker.check(line, text)
        checker.check_end()
    except LogError as error:
        problem = Problem(path, error.line, error.what)
    except ValueError as error:
        problem = Problem(path, line, str(error))
    return Verification(path, checker.hands, problem, checker.cards_from, checker.has_score)


@attrs.define
class _Match:
    """One match of a log, as far as it has been read."""

    header: Header | None
    dealer: CardDealer | KeyedDealer | None
    seats: tuple[str, ...]
    """Names by seat."""
    rotates: bool
    totals: list[float]
    """Chips by seat."""
    dealt: int = 0
    """Hands the dealer has gone past."""
    next_hand: int = 0
    hands: int = 0
    gaps: bool = False
    """Some hands of an interrupted match never reached the log."""
    unknown_cards: bool = False
    """Chips of a showdown had to be taken as given."""
    score: bool = False

    def names(self, hand_number: int) -> tuple[str, ...]:
        """The players' names in a hand, by position."""
        if not self.rotates:
            return self.seats
        return tuple([self.seats[seat] for seat in rotation(hand_number, len(self.seats))])

    def disagrees(self, record: HandRecord) -> bool:
        """Whether a hand names other players."""
        return self.names(record.hand_number) != record.names


class _LogChecker:
    """Checks the lines of a log one after another."""

    def __init__(self, log: MatchLog, cards: MatchSeed | MatchKey | None) -> None:
        self.hands = 0
        self.cards_from: str | None = None
        self.lines: Final = LinesAhead(numbered_lines(log.path))
        self._log = log
        self._reader = HandReader(log.game)
        self._given = cards
        self._keys = _keys(log)
        self._deal_keys = RevealedKeys()
        self._header: Header | None = None  # the last one, if no hand has followed it
        self._commitment: str | None = None
        self._match: _Match | None = None
        self._named: set[str] = set()  # in the hands so far
        self._is_extract = not any(map(_deals, log.headers))  # of one match or many, by some other program

    @property
    def has_score(self) -> bool:
        return self._match is not None and self._match.score

    def check(self, line: int, text: str) -> None:
        """Check the next line.

        Raises:
            ValueError: it is wrong.
        """
        if line == self._log.end:
            raise ValueError("the last line is torn off")
        text = text.rstrip("\r\n")
        if text.startswith("STATE:"):
            self._check_hand(text)
        elif text.startswith("SCORE:"):
            self._check_score(text)
        elif text.startswith("#"):
            self._check_comment(line, text)
        elif text.strip():
            raise ValueError(f"expected STATE:, SCORE: or a comment (#), got {shown(text)}")

    def check_end(self) -> None:
        """Check that nothing is missing after the last line.

        Raises:
            ValueError: the score is missing.
        """
        match = self._match
        if match is None or match.header is None or match.score or match.gaps:
            return
        if match.hands == match.header.hands:
            raise ValueError(f"expected SCORE: after the last of {match.hands} hands")

    # --- comments ----------------------------------------------------------------------------------------

    def _check_comment(self, line: int, text: str) -> None:
        header = Header.read(line, text)
        if header is not None:
            if not header.names_game_of(self._log.headers[0]):
                raise ValueError(
                    f"expected the game {shown(self._log.headers[0].game)}, got {shown(header.game)}"
                )
            if _deals(header):
                self._header, self._commitment = header, None
        elif self._log.has_deal_keys:
            ongoing = self._match if self._header is None else None
            self._deal_keys.read(text, 0 if ongoing is None else ongoing.next_hand)
        elif text.startswith(COMMITMENT):
            self._commitment = text[len(COMMITMENT) :].strip()
        elif text.startswith(KEY):
            MatchKey.parse_committed(text[len(KEY) :].strip(), self._commitment)
        elif text.startswith(("#TATE:", "#CORE:")):
            raise ValueError(f"expected {text[1:6].replace('TATE', 'STATE').replace('CORE', 'SCORE')}")

    # --- hands -------------------------------------------------------------------------------------------

    def _check_hand(self, text: str) -> None:
        record, state = self._reader.read(text)
        match = self._match_of(record)
        self._check_number(match, record.hand_number)
        if match.disagrees(record):
            names = match.names(record.hand_number)
            raise ValueError(f"names: expected {shown('|'.join(names))}, got {shown('|'.join(record.names))}")
        self._check_cards(match, state)
        chips = self._check_chips(match, record, state)
        number = record.hand_number
        seats = rotation(number, len(chips)) if match.rotates else tuple(range(len(chips)))
        for seat, won in zip(seats, chips, strict=True):
            match.totals[seat] += won
        match.next_hand = number + 1
        match.hands += 1
        self._named.update(record.names)
        self.hands += 1

    def _match_of(self, record: HandRecord) -> _Match:
        """The match a hand belongs to: the previous one, or a new one."""
        match, header = self._match, self._header
        number = record.hand_number
        if match is not None and header is None:
            begins = self._is_extract and (
                (number <= 1 and number < match.next_hand) or self._is_other_table(record)
            )
        else:
            begins = match is None or number < match.next_hand
        if begins:
            cards = self._cards_of(header)
            if cards is not None:
                self.cards_from = cards.label
            first = number if header is None else 0
            dealer = None if cards is None else cards.dealer(self._log.game)
            totals = [0.0] * self._log.game.num_players
            match = self._match = _Match(header, dealer, (), True, totals, next_hand=first)
            match.seats, match.rotates = most_frequent_seats(record, self.lines.ahead())
            if self._is_extract and match.disagrees(record) and self._are_known(record.names):
                match.seats, match.rotates = by_seat(record.names, number), True
        elif header is not None and match is not None and number > match.next_hand:
            match.gaps = True  # what an interrupted match had played and not yet logged
            match.next_hand = number
        self._header = None
        assert match is not None
        return match

    def _is_other_table(self, record: HandRecord) -> bool:
        """Whether other players sit here, in a log without headers; each is named in another line, too."""
        match = self._match
        return match is not None and match.disagrees(record) and self._are_known(record.names)

    def _are_known(self, names: tuple[str, ...]) -> bool:
        ahead = [text.rstrip("\r\n").rpartition(":")[2].split("|") for text in self.lines.ahead()]
        return len(set(names)) == len(names) and self._named.union(*ahead).issuperset(names)

    def _check_number(self, match: _Match, number: int) -> None:
        if number != match.next_hand and not (self._is_extract and number > match.next_hand):
            raise ValueError(f"expected hand {match.next_hand}, got hand {number}")
        most = match.header.hands if match.header else None
        if most is not None and number >= most:
            raise ValueError(f"expected no hand after the last of {most}, got hand {number}")
        if match.score:
            raise ValueError(f"expected no hand after the score, got hand {number}")

    def _cards_of(self, header: Header | None) -> MatchSeed | MatchKey | None:
        """The seed or key of a match's cards, as far as the log or the user tells it."""
        if self._given is not None:
            return self._given
        if self._commitment is not None:
            return self._keys.get(self._commitment)
        if header is None:
            return None
        seed = header.seed
        if seed == "random":
            return next(iter(self._keys.values()), None) if len(self._keys) == 1 else None
        digits = seed.lstrip("+-")
        if not (digits.isascii() and digits.isdecimal()):
            return None
        return MatchSeed(read_digits(seed) % 2**32)

    def _check_cards(self, match: _Match, state: HandState) -> None:
        deal = self._deal(match, state.hand_number)
        if deal is None:
            return
        pairs = zip(deal.hole_cards, state.deal.hole_cards, strict=True)
        shown = attrs.evolve(deal, hole_cards=tuple([dealt if logged else () for dealt, logged in pairs]))
        check_cards(state, shown, str(self.cards_from))

    def _deal(self, match: _Match, number: int) -> Deal | None:
        """The cards of a hand; None if they are not known.

        Raises:
            _WrongLineError: it should have a key of its own, and has none.
        """
        if match.dealer is not None:
            match.dealer.skip(number - match.dealt)
            match.dealt = number + 1
            return match.dealer.deal()
        if not self._log.has_deal_keys:
            return None
        deal = self._deal_keys.deal(self._log.game, number)
        if deal is None:
            raise ValueError(f"expected the key of hand {number} before it")
        self.cards_from = "the keys of the hands"
        return deal

    def _check_chips(self, match: _Match, record: HandRecord, state: HandState) -> tuple[float, ...]:
        """The chips of each position; exact if the cards are known."""
        betting = state.betting
        try:
            expected = state.chips_won()
        except ValueError:  # cards of the showdown are not in the log
            match.unknown_cards = True
            lost = [
                -float(chips + ante)
                for chips, ante in zip(betting.spent, self._log.game.antes_posted, strict=True)
            ]
            for position, (won, least) in enumerate(zip(record.chips, lost, strict=True)):
                is_out = betting.folded[position]
                if won < least - _TOLERANCE or (is_out and won > least + _TOLERANCE):
                    raise ValueError(
                        f"chips: expected {format_chips(least)}{'' if is_out else ' or more'} "
                        f"for position {position}, got {format_chips(won)}"
                    ) from None
            total = -rake_taken(betting)
            if abs(sum(record.chips) - total) > _TOLERANCE * len(lost):
                raise ValueError(
                    f"chips: expected a sum of {format_chips(total)}, got {format_chips(sum(record.chips))}"
                ) from None
            return record.chips
        check_chips(record, expected)
        return expected

    # --- score -------------------------------------------------------------------------------------------

    def _check_score(self, text: str) -> None:
        score = parse_score(text)
        if score is None:
            raise ValueError(f"expected SCORE:values:names, got {shown(text)}")
        chips, names = score
        match = self._match
        if match is None:
            match = self._match = _Match(self._header, None, names, True, [0.0] * len(names))
        if names != match.seats:
            raise ValueError(f"names: expected {shown('|'.join(match.seats))}, got {shown('|'.join(names))}")
        if len(chips) != len(names):
            raise ValueError(f"expected {len(names)} values, got {len(chips)}")
        tolerance = _TOLERANCE * (match.hands if match.unknown_cards else 1)
        wrong = any(
            abs(won - total) > max(tolerance, 1e-12 * abs(total))
            for won, total in zip(chips, match.totals, strict=True)
        )
        if wrong and not match.gaps:
            texts = ("|".join(map(format_chips, each)) for each in (match.totals, chips))
            raise ValueError("score: expected {}, got {}".format(*texts))
        match.score = True


def check_cards(state: HandState, deal: Deal, source: str) -> None:
    """Compare the cards of a log's hand with those that were dealt.

    Raises:
        ValueError: they differ.
    """
    expected = Deal(deal.hole_cards, deal.board[: len(state.deal.board)])
    if expected != state.deal:
        ends, reached = state.betting.game.board_ends, state.betting.betting_round
        texts = [
            format_hole_cards_and_board(each.hole_cards, each.board, ends, reached)
            for each in (expected, state.deal)
        ]
        raise ValueError(f"cards: expected {texts[0]} from {source}, got {texts[1]}")


def check_chips(record: HandRecord, expected: Sequence[float]) -> None:
    """Compare the chips of a log's hand with those by the rules.

    Raises:
        ValueError: they differ.
    """
    if any(abs(won - should) > _TOLERANCE for won, should in zip(record.chips, expected, strict=True)):
        texts = ["|".join(map(format_chips, chips)) for chips in (expected, record.chips)]
        raise ValueError(f"chips: expected {texts[0]}, got {texts[1]}")


def _deals(header: Header) -> bool:
    """Whether a header is a dealer's: it tells where the cards come from."""
    return header.seed == "random" or header.seed.lstrip("+-").isdecimal()


def _keys(log: MatchLog) -> dict[str, MatchKey]:
    """The keys of a log by their commitments; invalid keys are left out here, and found by their line."""
    keys: dict[str, MatchKey] = {}
    for text in log.keys:
        try:
            key = MatchKey.parse(text)
        except ValueError:
            continue
        keys[key.commitment] = key
    return keys
