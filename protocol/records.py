"""The lines of the match log and of the transaction log (docs/acpc-dealer.md section 6): format and parse.

Nothing here opens a file.  Chips print with up to six decimals; a tiny negative rounding residue prints
as ``-0``, as in the ACPC's own logs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import attrs

from engine.poker import rules
from engine.poker.cards import CARD_TEXTS, InvalidCardError
from engine.poker.match_key import DEALS_PER_CHAIN, MatchKey, earlier_key
from engine.poker.rules.game_file import read_digits, wrap_unsigned
from engine.support.user_input import parse_finite, parse_whole
from protocol import match_state

_MOST_REMEMBERED: Final = 20_000
"""Final bettings a reader remembers: all of heads-up limit hold'em, and a quarter of those in no-limit."""
_STAMPS: Final = re.compile(r"\s*([+-]?[0-9]+)\s+([0-9]+)\.([0-9]{1,6})\s+([0-9]+)\.([0-9]{1,6})")


def format_chips(chips: float) -> str:
    """``-50``, ``0.5``, ``16.666667``, ``-0``."""
    return f"{chips:.6f}".rstrip("0").rstrip(".")


def format_header(
    match_name: str, game: str, hands: int, seed: str, t_response_ms: int, t_hand_ms: int, t_per_hand_ms: int
) -> str:
    """The four lines a log begins with.

    Args:
        match_name: one word.
        game: as the user typed it.
        hands: to be played.
        seed: a number; ``random`` if the cards follow from a key that is still secret.
        t_response_ms: for one decision.
        t_hand_ms: for all decisions of a player in a hand.
        t_per_hand_ms: the same on average over the match.
    """
    return (
        f"# name/game/hands/seed {match_name} {game} {hands} {seed}\n"
        f"#--t_response {t_response_ms}\n#--t_hand {t_hand_ms}\n#--t_per_hand {t_per_hand_ms}\n"
    )


RAKE: Final = "# rake "
"""Begins the line of a log that says what the house takes from each pot."""


def format_rake(rake: rules.Rake) -> str:
    """The line after the header that says what the house takes."""
    return f"{RAKE}{rake}\n"


def read_rake(text: str) -> rules.Rake | None:
    """The rake in a line beginning with `RAKE`; None if it says something else."""
    try:
        return rules.Rake.parse(text[len(RAKE) :].strip())
    except ValueError:
        return None


def format_taken(chips: float) -> str:
    """The line before the score that says what the house has taken."""
    return f"# taken by the house: {format_chips(chips)} chips\n"


def format_hand(
    state: rules.HandState, chips: Sequence[float], names: Sequence[str], cards: str | None = None
) -> str:
    """The ``STATE:`` line of a finished hand.

    Args:
        state: the hand.
        chips: in position order.
        names: in position order.
        cards: everybody's hole cards and the board as text, if they have been formatted already.
    """
    betting = state.betting
    if cards is None:
        ends, reached = betting.game.board_ends, betting.betting_round
        cards = match_state.format_hole_cards_and_board(state.deal.hole_cards, state.board, ends, reached)
    values = "|".join(map(format_chips, chips))
    return f"STATE:{state.hand_number}:{betting.text}:{cards}:{values}:{'|'.join(names)}\n"


def format_score(chips: Sequence[float], names: Sequence[str]) -> str:
    """The ``SCORE:`` line of a match; chips and names in seat order."""
    return f"SCORE:{'|'.join(map(format_chips, chips))}:{'|'.join(names)}\n"


@attrs.frozen
class HandRecord:
    """A ``STATE:`` line, parsed but not interpreted."""

    hand_number: int
    betting: str
    cards: str
    """Hole cards of all positions and the board, as printed."""
    chips: tuple[float, ...]
    """By position, as printed: six decimals."""
    names: tuple[str, ...]
    """By position."""


def parse_hand(line: str) -> HandRecord | None:
    """The record in a log line; None for any other line, such as comments and ``SCORE:``.

    Raises:
        ValueError: the line begins like a record but is not one; it may be incomplete.
    """
    if not line.startswith("STATE:"):
        return None
    parts = line.rstrip("\r\n").split(":")
    if len(parts) != 6:
        raise ValueError(f"expected STATE:hand:betting:cards:values:names, got {line.rstrip()!r}")
    _, hand, betting, cards, values, names = parts
    return HandRecord(parse_whole(hand), betting, cards, _parse_chips(values), tuple(names.split("|")))


class HandReader:
    """Reads hand lines of one game by its rules; a betting sequence seen before is not replayed."""

    def __init__(self, game: rules.GameDefinition) -> None:
        self.game: Final = game
        self._most = _MOST_REMEMBERED if game.is_limit else _MOST_REMEMBERED // 4
        self._deck = sum(1 << card for card in game.deck)
        self._bettings: dict[str, rules.BettingState] = {}

    def read(self, text: str) -> tuple[HandRecord, rules.HandState]:
        """A ``STATE:`` line, parsed; and the end of its hand, reached by the rules.

        The deal of the state has the cards that the line shows: no hole cards, ``()``, where it has none or
        ``?`` for them, and the board cards that were dealt.

        Raises:
            ValueError: it is not a hand of this game.
        """
        record = self.record(text)
        return record, self.state(record)

    def record(self, text: str) -> HandRecord:
        """A ``STATE:`` line, parsed, with a name and a value for each of the game's players.

        Raises:
            ValueError: it is not such a line.
        """
        record = parse_hand(text)
        if record is None:
            raise ValueError(f"expected STATE:hand:betting:cards:values:names, got {text.rstrip()!r}")
        expected = self.game.num_players
        for values, what in ((record.names, "names"), (record.chips, "values")):
            if len(values) != expected:
                raise ValueError(f"expected {expected} {what} for the game's players, got {len(values)}")
        return record

    def state(self, record: HandRecord) -> rules.HandState:
        """The end of the hand of a line that has been taken apart.

        Raises:
            ValueError: it is no hand of this game.
        """
        betting = self._bettings.get(record.betting)
        if betting is None:
            betting = rules.parse_betting(self.game, record.betting)
            if not betting.is_finished:
                raise ValueError(f"the hand is not over after {record.betting!r}")
            if len(self._bettings) < self._most:
                self._bettings[record.betting] = betting
        deal = self._deal(record.cards, betting.betting_round)
        return rules.HandState(betting, record.hand_number, deal)

    def _deal(self, text: str, betting_round: int) -> rules.Deal:
        if "?" in text:
            text = text.replace("?", "")
        try:
            hole_cards, board = match_state.parse_hole_cards_and_board(text, self.game, betting_round)
        except InvalidCardError as error:
            raise ValueError(f"cards: {error}") from None
        seen = 0
        for cards in (*hole_cards, board):
            for card in cards:
                if not self._deck >> card & 1:
                    raise ValueError(f"cards: {CARD_TEXTS[card]} is not in the game's deck")
                if seen >> card & 1:
                    raise ValueError(f"cards: {CARD_TEXTS[card]} is there twice")
                seen |= 1 << card
        return rules.Deal(hole_cards, board)


def parse_score(line: str) -> tuple[tuple[float, ...], tuple[str, ...]] | None:
    """Chips and names by seat in a ``SCORE:`` line; None for any other line.

    Raises:
        ValueError: chips that are not finite numbers.
    """
    parts = line.rstrip("\r\n").split(":")
    if parts[0] != "SCORE" or len(parts) != 3:
        return None
    return _parse_chips(parts[1]), tuple(parts[2].split("|"))


def _parse_chips(text: str) -> tuple[float, ...]:
    return tuple(map(parse_finite, text.split("|")))


@attrs.frozen
class Transaction:
    """One line of the transaction log: an action as played, and when it was asked for and answered."""

    action: rules.Action
    hand_number: int
    sent_us: int
    """When the state went out to the acting seat, in microseconds since 1970."""
    received_us: int
    """When its answer was read."""

    @property
    def seconds(self) -> float:
        """How long the seat took."""
        return (self.received_us - self.sent_us) / 1e6


class TransactionError(ValueError):
    """A line of a transaction log that cannot be read; the message is the ACPC dealer's own."""


def format_stamp(time_us: int) -> str:
    """``1795244878.621937`` for a time in microseconds since 1970."""
    return f"{time_us // 1_000_000}.{time_us % 1_000_000:06d}"


def format_transaction(entry: Transaction) -> str:
    """``r200 0 1795244896.520175 1795244896.520224`` and a line end."""
    sent, received = format_stamp(entry.sent_us), format_stamp(entry.received_us)
    return f"{entry.action} {entry.hand_number} {sent} {received}\n"


def parse_transaction(line: str, is_limit: bool) -> Transaction:
    """The entry in a line of a transaction log; what follows the second stamp is ignored.

    Raises:
        TransactionError: with the line the ACPC dealer prints for it.
    """
    try:
        action, end = match_state.read_action(line, 0, is_limit)
    except match_state.MissingSizeError:
        raise TransactionError(f"ERROR: could not parse transaction action {line}") from None
    except rules.InvalidActionError:
        action, end = None, 1
    stamps = _STAMPS.match(line, end)
    if stamps is None:
        raise TransactionError(f"ERROR: could not parse transaction stamp {line}")
    if action is None:
        raise TransactionError(f"ERROR: invalid action in transaction log: {line}")
    hand, sent, sent_fraction, received, received_fraction = map(read_digits, stamps.groups())
    sent_us, received_us = sent * 1_000_000 + sent_fraction, received * 1_000_000 + received_fraction
    return Transaction(action, wrap_unsigned(hand, 32), sent_us, received_us)


# --- where the cards come from ------------------------------------------------------------------------

COMMITMENT: Final = "# cards: sha256 "
"""Begins the line that commits to the key of the cards, or to the keys of the hands that follow."""
COMMITMENT_FROM: Final = "# cards from hand "
OF_HAND: Final = re.compile(r"# hand (\d{1,19}) (game|cards: sha256|key) (.*)")
"""A comment that belongs to one hand, in a log whose stacks and players differ from hand to hand."""
KEY: Final = "# key "
"""Begins the line that reveals the key of the cards or, with its number, that of the next hand."""


def format_game_of(number: int, game_line: str) -> str:
    """The line before a hand that says what is played in it (`protocol.extension.format_game_line`)."""
    return f"# hand {number} game {game_line}\n"


def format_commitment(commitment: str, hand: int | None = None) -> str:
    """The line that commits to keys: to those from the next hand on, or from a later one on."""
    start = COMMITMENT if hand is None else f"{COMMITMENT_FROM}{hand}: sha256 "
    return f"{start}{commitment}\n"


def format_key(key: str) -> str:
    """The line that reveals the one key of a match when no more hands follow."""
    return f"{KEY}{key}\n"


def format_deal_key(hand: int, key: bytes) -> str:
    """The line before a finished hand that reveals the key of its deal."""
    return f"{KEY}{hand} {key.hex()}\n"


def is_deal_key(text: str) -> bool:
    """Whether a line that begins with `KEY` has the key of one deal."""
    return " " in text[len(KEY) :].strip()


@attrs.define(eq=False)
class RevealedKeys:
    """The keys of deals as a log reveals them, checked by the commitments before them.

    ::

        # cards: sha256 HEX                   the commitment to the keys of the hands that follow
        # cards from hand 4096: sha256 HEX    the same, for those from a later hand on
        # key 17 HEX                          the key of hand 17, in the line before that hand

    `engine.poker.match_key` says what they mean.  A match that has been resumed has a new commitment where it
    goes on.  A log of an earlier version, or of a match with such a key, has the one key of all its hands at
    the end: ``# key HEX``.
    """

    _commitments: dict[int, bytes] = attrs.field(factory=dict, init=False)
    # By the first deal of those that they are for.
    _latest: tuple[int, bytes] | None = attrs.field(default=None, init=False)
    # The deal whose key was revealed last, and that key.

    def read(self, line: str, next_hand: int) -> None:
        """Take a line of the log; lines of other kinds say nothing about keys.

        Args:
            line: with or without its end.
            next_hand: the number of the next hand.

        Raises:
            ValueError: it is damaged, or a key is not the one that was committed to; the message is one line.
        """
        if line.startswith(COMMITMENT):
            self._commitments = {next_hand: MatchKey.parse(line[len(COMMITMENT) :].strip()).secret}
            self._latest = None
        elif line.startswith(COMMITMENT_FROM):
            hand, _, digits = line[len(COMMITMENT_FROM) :].strip().partition(": sha256 ")
            self._commitments[parse_whole(hand)] = MatchKey.parse(digits).secret
        elif line.startswith(KEY) and is_deal_key(line):
            hand, _, digits = line[len(KEY) :].strip().partition(" ")
            self._reveal(parse_whole(hand), MatchKey.parse(digits).secret)

    def _reveal(self, deal: int, key: bytes) -> None:
        first = max((each for each in self._commitments if each <= deal), default=None)
        if first is None:
            raise ValueError(f"the key of hand {deal} has not been committed to")
        at, known = first - 1, self._commitments[first]
        if self._latest is not None and first <= self._latest[0] < deal:
            at, known = self._latest
        if deal - at > DEALS_PER_CHAIN or earlier_key(key, deal - at) != known:
            raise ValueError(f"the key of hand {deal} is not the one that was committed to")
        self._latest = deal, key

    def deal(self, game: rules.GameDefinition, number: int) -> rules.Deal | None:
        """The cards of the hand whose key was revealed last; None for another hand."""
        if self._latest is None or self._latest[0] != number:
            return None
        return MatchKey(self._latest[1]).dealer(game).deal()
