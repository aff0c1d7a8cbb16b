"""Finished hands in columns, read from the texts of their bettings and cards.

::

    hands = HandColumns.of(game, states)  # as the rules have read them
    hands, is_read = read_hands(game, [0, ...], ["r300fc/cc/cc/cc", ...], ["AhKd|2c2d|9s9h/...", ...])
    for row in np.flatnonzero(~is_read):  # which the strict compiled reader cannot read
        hands.put(row, state)             # as the rules have read it, if they could
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np

from engine.kernels.evidence.walked import CALLS, CHECKS, RAISES, Walked
from engine.players.hand_play import play_by_position
from engine.poker.rules import BettingState, GameDefinition, GameDefinitionError, HandState
from engine.support.arrays import Bools, Bytes, Ints

NO_CARD: Final = 255
"""Stands for a card that is not known or was not dealt."""
_MOST_CHIPS: Final = 1 << 40
"""With more chips, arithmetic in 64 bits might not be exact."""


@attrs.frozen(eq=False)
class HandColumns:
    """Finished hands of a game, a row for each."""

    game: GameDefinition
    numbers: Ints
    """The hands' numbers.  Shape (hands,)."""
    walked: Walked
    """What was done in them."""
    holes: Bytes
    """Hole cards, `NO_CARD` if they are not known.  Shape (hands, positions, hole cards)."""
    board: Bytes
    """Board cards, `NO_CARD` if they were not dealt.  Shape (hands, board cards)."""

    def __len__(self) -> int:
        return len(self.holes)

    @property
    def unknown(self) -> Ints:
        """The first position whose hole cards are not known, -1 if all are.  Shape (hands,)."""
        missing = (self.holes == NO_CARD).any(axis=2)
        return np.where(missing.any(axis=1), missing.argmax(axis=1), -1)

    @property
    def in_at_the_end(self) -> Ints:
        """The positions that had not folded, as bits.  Shape (hands,)."""
        return ((1 << self.game.num_players) - 1) & ~self.walked.folded

    @property
    def is_showdown(self) -> Bools:
        """Whether two or more had not folded.  Shape (hands,)."""
        left = self.in_at_the_end
        return (left & (left - 1)) != 0

    def take(self, rows: Ints | slice) -> HandColumns:
        """Some of the hands."""
        walked = Walked(*[column[rows] for column in self.walked])
        return HandColumns(self.game, self.numbers[rows], walked, self.holes[rows], self.board[rows])

    @classmethod
    def joined(cls, parts: Sequence[HandColumns]) -> HandColumns:
        """The hands of one or more parts in one, in the same order."""
        return cls(
            parts[0].game,
            np.concatenate([part.numbers for part in parts]),
            Walked(*map(np.concatenate, zip(*[part.walked for part in parts], strict=True))),
            np.concatenate([part.holes for part in parts]),
            np.concatenate([part.board for part in parts]),
        )

    @classmethod
    def of(cls, game: GameDefinition, hands: Sequence[HandState]) -> HandColumns:
        """Hands that the rules have read.

        Args:
            game: the game played.
            hands: the hands at their ends.
        """
        bettings = {hand.betting.text: hand.betting for hand in hands}
        walked = Walked.blank(len(bettings), game.num_players, game.num_rounds)
        for row, betting in enumerate(bettings.values()):
            _walk(walked, row, betting)
        row_of = {text: row for row, text in enumerate(bettings)}
        rows = np.array([row_of[hand.betting.text] for hand in hands], np.int64)
        hidden, size = (NO_CARD,) * game.num_hole_cards, game.board_ends[-1]
        holes = [
            [cards if len(cards) == len(hidden) else hidden for cards in hand.deal.hole_cards]
            for hand in hands
        ]
        boards = [(*hand.board, *(NO_CARD,) * size)[:size] for hand in hands]
        return cls(
            game,
            np.array([hand.hand_number for hand in hands], np.int64),
            Walked(*[column[rows] for column in walked]),
            np.array(holes, np.uint8).reshape(len(hands), game.num_players, game.num_hole_cards),
            np.array(boards, np.uint8).reshape(len(hands), size),
        )

    def put(self, row: int, hand: HandState) -> None:
        """Fill a row with a hand that the rules have read.

        Args:
            row: the row to replace.
            hand: the hand at its end.
        """
        one = HandColumns.of(self.game, [hand])
        for column, found in zip(self.walked, one.walked, strict=True):
            column[row] = found[0]
        self.holes[row], self.board[row] = one.holes[0], one.board[0]


def _walk(walked: Walked, row: int, betting: BettingState) -> None:
    """Fill a row with what was done in a betting."""
    plays = play_by_position(betting)
    walked.spent[row] = betting.spent
    walked.folded[row] = _bits(betting.folded)
    walked.final_round[row] = betting.betting_round
    walked.last_round[row] = next(play.last_round for play in plays if play.fold_round is None)
    walked.fold_round[row] = [-1 if play.fold_round is None else play.fold_round for play in plays]
    walked.decided[row] = _bits([play.decided for play in plays])
    walked.could_three_bet[row] = _bits([play.could_three_bet for play in plays])
    walked.three_bet[row] = _bits([play.three_bet for play in plays])
    walked.actions[row, RAISES] = [play.bets_and_raises for play in plays]
    walked.actions[row, CALLS] = [play.calls for play in plays]
    walked.actions[row, CHECKS] = [play.checks for play in plays]
    reached = -1
    for state, _, _ in betting.steps():
        if state.betting_round > reached:
            reached = state.betting_round
            walked.left[row, reached] = _bits([not out for out in state.folded])
            walked.pots[row, reached] = sum(state.spent)


def _bits(flags: Sequence[bool]) -> int:
    return sum([1 << position for position, flag in enumerate(flags) if flag])


@functools.lru_cache(maxsize=16)
def can_be_read(game: GameDefinition) -> bool:
    """Whether compiled loops can read hands of a game: they do not support some odd games."""
    if game.num_board_cards[0] or max(game.stacks) > _MOST_CHIPS or min(game.raise_sizes, default=1) <= 0:
        return False
    try:
        _rules_of(game)
    except GameDefinitionError:  # an ante that is a whole stack
        return False
    return True


@functools.lru_cache(maxsize=16)
def _rules_of(game: GameDefinition) -> Ints:
    """The betting rules of a game as kernels take them: with antes, for the stacks that are left."""
    from engine.hands.betting_arrays import game_array

    return game_array(attrs.evolve(game, stacks=game.betting_stacks, antes=()))


def read_hands(
    game: GameDefinition, numbers: Sequence[int], bettings: Sequence[str], cards: Sequence[str]
) -> tuple[HandColumns, Bools]:
    """Read hands from their texts.

    Args:
        game: the game played, one that `can_be_read`.
        numbers: the hands' numbers.
        bettings: the betting of each whole hand, as ACPC text.
        cards: the hole cards and board of each, as in logs.

    Returns:
        The hands, and which of them could be read.  Fill the rows of the others by `HandColumns.put`, or
        leave them out.
    """
    # Imported here so that short logs and small games do without the compiler.
    from engine.kernels.evidence.hand_texts import read_cards, walk_bettings

    hands, players = len(bettings), game.num_players
    walked = Walked.blank(hands, players, game.num_rounds)
    holes = np.full((hands, players, game.num_hole_cards), NO_CARD, np.uint8)
    board = np.full((hands, game.board_ends[-1]), NO_CARD, np.uint8)
    is_read = np.zeros(hands, np.bool_)
    first_bet = int(min(game.blinds) < max(game.blinds))
    walk_bettings(_rules_of(game), first_bet, *_joined(bettings), walked, is_read)
    deck = sum([1 << card for card in game.deck])
    ends = np.array(game.board_ends, np.int64)
    read_cards(deck, *_joined(cards), ends, walked.final_round, holes, board, is_read)
    return HandColumns(game, np.array(numbers, np.int64), walked, holes, board), is_read


def _joined(texts: Sequence[str]) -> tuple[Bytes, Ints]:
    """Texts one after the other, each with a line end, and their beginnings, with one entry for the end."""
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=starts[1:])
    # One byte for each character: no reader takes characters that are not ASCII.
    text = ("\n".join(texts) + "\n").encode("ascii", "replace")
    return np.frombuffer(bytearray(text), np.uint8), starts
