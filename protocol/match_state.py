"""Match-state text: a hand as one position sees it, on the wire; and as everybody saw it, in the log.

::

    MATCHSTATE:position:hand:betting:holes board        to a player
    STATE:hand:betting:all holes board:values:names     in the log (protocol.records)

The grammar is docs/acpc-dealer.md section 2.  Formatting is exact.  Reading is as lenient as the ACPC
programs (docs/acpc-dealer.md 5.7), with a fast path for the exact text, which is what both sides nearly
always send.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

from engine.poker import rules
from engine.poker.cards import RANKS, SUITS, InvalidCardError, format_cards, make_card, parse_cards
from engine.poker.rules.game_file import read_digits, wrap_int32, wrap_unsigned
from protocol.errors import BadMatchState

_NUMBER: Final = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")


class MissingSizeError(rules.InvalidActionError):
    """A no-limit raise without a readable number."""


def read_action(text: str, start: int, is_limit: bool) -> tuple[rules.Action, int]:
    """The action that begins at ``text[start]``, and where it ends; anything after it is ignored.

    Letters may be in either case, ``k`` is a call and ``b`` a raise.  Sizes wrap at 32 bits as they do in
    the ACPC dealer; a size in a limit game is not read.

    Raises:
        MissingSizeError: a no-limit raise without a number.
        InvalidActionError: no action begins with that letter.
    """
    letter = text[start : start + 1].lower()
    if letter in ("c", "k"):
        return rules.CALL, start + 1
    if letter == "f":
        return rules.FOLD, start + 1
    if letter in ("r", "b"):
        if is_limit:
            return rules.LIMIT_RAISE, start + 1
        size = _NUMBER.match(text, start + 1)
        if size is None:
            raise MissingSizeError(f"{text[start:]!r} is a no-limit raise without its size, such as r300")
        return rules.raise_to(wrap_int32(read_digits(size.group(1)))), size.end()
    raise rules.InvalidActionError(f"{text[start:]!r} is not an action: expected f, c or r")


_PREFIX: Final = "MATCHSTATE:"

Cards = tuple[int, ...]


def format_hole_cards_and_board(
    hole_cards: tuple[Cards, ...], board: Cards, board_ends: tuple[int, ...], betting_round: int
) -> str:
    """``8dJd|/As9d6s/3d``: hole cards by position, then the board of each round up to the current one."""
    ends = (0, *board_ends[: betting_round + 1])
    boards = [format_cards(board[start:end]) for start, end in itertools.pairwise(ends)]
    return "|".join(map(format_cards, hole_cards)) + "/".join(boards)


def format_match_state(view: rules.HandView) -> str:
    """The message that shows a view to its player, without line end."""
    betting = view.betting
    ends, reached = betting.game.board_ends, betting.betting_round
    cards = format_hole_cards_and_board(view.hole_cards, view.board, ends, reached)
    return f"MATCHSTATE:{view.position}:{view.hand_number}:{betting.text}:{cards}"


class HandMessages:
    """The messages of one hand, for the player in each position.

    Every card is turned into text once: the hole cards for the whole hand, the board as it is dealt.  What
    all positions are shown of a state is put together once, for the first of them.
    """

    def __init__(self, hand_number: int, deal: rules.Deal) -> None:
        self._deal = deal
        self._hole_texts = [format_cards(cards).encode("ascii") for cards in deal.hole_cards]
        last = len(self._hole_texts) - 1
        self._begin = [b"MATCHSTATE:%d:%d:" % (p, hand_number) for p in range(last + 1)]
        texts = enumerate(self._hole_texts)
        self._own = [b":%s%s%s" % (b"|" * p, text, b"|" * (last - p)) for p, text in texts]
        self._boards: list[bytes] = []  # the whole board as text, by betting round reached
        self._shown: rules.BettingState | None = None  # the last, of which there are:
        self._betting = b""
        self._cards = self._own  # by position, with the board
        self._round = -1  # of these cards; -1 for the end of the hand

    def message(self, state: rules.HandState, position: int) -> bytes:
        """The message for a position, without line end: `format_match_state` of its view."""
        if state.betting is not self._shown:
            self._turn_to(state.betting)
        return self._begin[position] + self._betting + self._cards[position]

    def _turn_to(self, betting: rules.BettingState) -> None:
        """Put together what the positions are shown of a state."""
        self._shown, self._betting = betting, betting.text.encode("ascii")
        is_over = betting.position_to_act is None
        if is_over or betting.betting_round != self._round:
            cards = self._own
            if is_over and betting.num_in_hand > 1:
                holes, folded = self._hole_texts, betting.folded
                shown = [b"" if out else text for out, text in zip(folded, holes, strict=True)]
                cards = [b":" + b"|".join([*shown[:p], holes[p], *shown[p + 1 :]]) for p in range(len(holes))]
            board = self._board(betting)
            self._cards = [each + board for each in cards]
            self._round = -1 if is_over else betting.betting_round

    def all_cards(self, state: rules.HandState) -> str:
        """Everybody's hole cards and the board cards dealt, as the log has them."""
        return (b"|".join(self._hole_texts) + self._board(state.betting)).decode("ascii")

    def _board(self, betting: rules.BettingState) -> bytes:
        boards, ends = self._boards, betting.game.board_ends
        while len(boards) <= betting.betting_round:
            start = ends[len(boards) - 1] if boards else 0
            new = format_cards(self._deal.board[start : ends[len(boards)]]).encode("ascii")
            boards.append(b"%s/%s" % (boards[-1], new) if boards else new)
        return boards[betting.betting_round]


def parse_match_state(text: str, game: rules.GameDefinition) -> rules.HandView:
    """The view a message shows.

    Args:
        text: the message without its line end.
        game: what is being played.

    Raises:
        BadMatchState: not a match state of this game, something follows it, or cards are missing: the
            addressee's own, or those of somebody in the showdown.
    """
    return MatchStateReader(game).read(text)


def read_match_state(text: str, game: rules.GameDefinition) -> tuple[rules.HandView, int]:
    """The view that `text` begins with, read as the ACPC programs do, and where it ends.

    Raises:
        BadMatchState: the text does not begin with a match state of this game.
    """
    if not text.startswith(_PREFIX):
        raise BadMatchState(f"{_shown(text)} does not begin with {_PREFIX}")
    position, at = _read_number(text, len(_PREFIX), "a position", bits=8)
    if position >= game.num_players:
        raise BadMatchState(f"{_shown(text)}: position {position} in a game of {game.num_players} players")
    at = _expect_colon(text, at)
    hand_number, at = _read_number(text, at, "a hand number", bits=32)
    at = _expect_colon(text, at)
    betting, at = _read_betting(text, at, game)
    at = _expect_colon(text, at)
    hole_cards: list[Cards] = []
    for p in range(game.num_players):
        if p and text[at : at + 1] == "|":
            at += 1
        cards, at = _read_cards(text, at, game.num_hole_cards)
        if cards and len(cards) != game.num_hole_cards:
            known = f"{len(cards)} of {game.num_hole_cards} cards"
            raise BadMatchState(f"{_shown(text)}: {known} for position {p}")
        hole_cards.append(cards)
    board: Cards = ()
    for betting_round in range(betting.betting_round + 1):
        if betting_round and text[at : at + 1] == "/":
            at += 1
        expected = game.num_board_cards[betting_round]
        cards, at = _read_cards(text, at, expected)
        if len(cards) != expected:
            wanted = f"expected {expected} board cards in round {betting_round}"
            raise BadMatchState(f"{_shown(text)}: {wanted}, got {len(cards)}")
        board += cards
    return rules.HandView(betting, position, hand_number, tuple(hole_cards), board), at


def same_match_state(view: rules.HandView, other: rules.HandView) -> bool:
    """Whether an echo answers a message (docs/acpc-dealer.md 5.7): all but others' hole cards must agree."""
    return (
        view.position == other.position
        and view.hand_number == other.hand_number
        and view.betting.text == other.betting.text
        and view.own_cards == other.own_cards
        and view.board == other.board
    )


def parse_hole_cards_and_board(
    text: str, game: rules.GameDefinition, betting_round: int
) -> tuple[tuple[Cards, ...], Cards]:
    """What `format_hole_cards_and_board` wrote; hole cards that are not shown are empty.

    Raises:
        InvalidCardError: not cards, or not this game's numbers of them.
    """
    hole_text, *board_texts = text.split("/")
    *others, last = map(parse_cards, hole_text.split("|"))
    # Nothing separates the board cards of round 0 from the last position's hole cards
    # (docs/acpc-dealer.md 8.13); but there are always as many of them, and they come last.
    split = max(len(last) - game.num_board_cards[0], 0)
    hole_cards = (*others, last[:split])
    boards = [last[split:], *map(parse_cards, board_texts)]
    sizes, reached = (0, game.num_hole_cards), game.num_board_cards[: betting_round + 1]
    has_hands = len(hole_cards) == game.num_players and all(len(cards) in sizes for cards in hole_cards)
    if not has_hands or tuple(map(len, boards)) != reached:
        raise InvalidCardError(f"{text!r} does not have this game's numbers of cards")
    return hole_cards, tuple([card for cards in boards for card in cards])


def _read_number(text: str, start: int, what: str, bits: int) -> tuple[int, int]:
    number = _NUMBER.match(text, start)
    if number is None:
        raise BadMatchState(f"{_shown(text)}: expected {what}, got {text[start : start + 10]!r}")
    return wrap_unsigned(read_digits(number.group(1)), bits), number.end()


def _expect_colon(text: str, at: int) -> int:
    if text[at : at + 1] != ":":
        raise BadMatchState(f"{_shown(text)}: expected a colon, got {text[at : at + 10]!r}")
    return at + 1


def _read_betting(text: str, at: int, game: rules.GameDefinition) -> tuple[rules.BettingState, int]:
    betting = rules.initial_betting(game)
    while at < len(text) and text[at] != ":":
        if text[at] == "/":
            at += 1
            continue
        try:
            action, at = read_action(text, at, game.is_limit)
            betting = betting.apply(action)
        except rules.RulesError as error:
            raise BadMatchState(f"{_shown(text)}: {error}") from error
    return betting, at


def _read_cards(text: str, at: int, most: int) -> tuple[Cards, int]:
    cards: list[int] = []
    while len(cards) < most and at + 1 < len(text):
        rank, suit = RANKS.find(text[at].upper()), SUITS.find(text[at + 1].lower())
        if rank < 0 or suit < 0:
            break
        cards.append(make_card(rank, suit))
        at += 2
    return tuple(cards), at


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


_MAX_REMEMBERED: Final = 10_000
"""Betting sequences a reader remembers, some 10 MB: most of heads-up limit hold'em."""


class MatchStateReader:
    """Reads what `parse_match_state` reads, message after message; what they have in common it reads once."""

    def __init__(self, game: rules.GameDefinition) -> None:
        self.game: Final = game
        self._last = rules.initial_betting(game)
        self._nodes = {"": self._last}
        self._cards: tuple[str, int, tuple[Cards, ...], Cards] = ("", -2, (), ())
        # Of the last message: their text, the betting round, hole cards and board.

    def read(self, text: str) -> rules.HandView:
        """The view a message shows.

        Raises:
            BadMatchState: as `parse_match_state` does.
        """
        view = self._read_exact(text)
        if view is None:
            view, end = read_match_state(text, self.game)
            if end != len(text):
                raise BadMatchState(f"{_shown(text[end:])} follows the match state {_shown(text[:end])}")
        if not view.own_cards:
            raise BadMatchState(f"{_shown(text)} does not show position {view.position} its own cards")
        betting = self._last = view.betting
        if betting.position_to_act is None and betting.num_in_hand > 1:
            for position, has_folded in enumerate(betting.folded):
                if not (has_folded or view.hole_cards[position]):
                    raise BadMatchState(f"{_shown(text)} does not show the cards of position {position}")
        if betting.text not in self._nodes and len(self._nodes) < _MAX_REMEMBERED:
            self._nodes[betting.text] = betting
        return view

    def _read_exact(self, text: str) -> rules.HandView | None:
        """The view of an exactly formatted message, None if the text is anything else."""
        parts = text.split(":")
        if len(parts) != 5 or parts[0] != "MATCHSTATE" or not (parts[1].isdecimal() and parts[2].isdecimal()):
            return None
        if len(parts[1]) > 3 or len(parts[2]) > 10:
            return None
        betting = self._nodes.get(parts[3]) or self._walked(parts[3])
        if betting is None:
            return None
        try:
            hole_cards, board = self._read_cards(parts[4], betting.betting_round)
        except InvalidCardError:
            return None
        position, hand_number = int(parts[1]), int(parts[2])
        if position >= self.game.num_players or hand_number >= 2**32:
            return None  # larger than the ACPC's integers, which wrap around
        return rules.HandView(betting, position, hand_number, hole_cards, board)

    def _read_cards(self, text: str, betting_round: int) -> tuple[tuple[Cards, ...], Cards]:
        """Parse cards as `parse_hole_cards_and_board` does, and of those known already only what is new."""
        known, reached, hole_cards, board = self._cards
        if text != known or betting_round != reached:
            new = text[len(known) + 1 :]
            is_next = betting_round == reached + 1 and text.startswith(f"{known}/")
            if is_next and len(new) == 2 * self.game.num_board_cards[betting_round]:
                board += parse_cards(new)
            else:
                hole_cards, board = parse_hole_cards_and_board(text, self.game, betting_round)
            self._cards = text, betting_round, hole_cards, board
        return hole_cards, board

    def _walked(self, text: str) -> rules.BettingState | None:
        """The state of an exactly written betting; None if it is none."""
        betting = self._last if text.startswith(self._last.text) else rules.initial_betting(self.game)
        try:
            while betting.text != text:
                start = len(betting.text)
                if start >= len(text) or not text.startswith(betting.text):
                    return None
                betting = betting.apply(read_action(text, start, self.game.is_limit)[0])
        except rules.RulesError:
            return None
        return betting
