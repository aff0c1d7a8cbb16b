"""Finished hands in columns, read from the texts of their bettings and cards.

::

    hands, is_read = read_hands(game, ["r300fc/cc/cc/cc", ...], ["AhKd|2c2d|9s9h/...", ...])
    for row in np.flatnonzero(~is_read):  # which the strict reader cannot read
        hands.put(row, state)             # as the rules have read it, if they could
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.players.hand_play import play_by_position
from engine.poker.rules import GameDefinition, GameDefinitionError, HandState

if TYPE_CHECKING:
    from engine.kernels.evidence.hand_texts import Walked

__all__ = ["NO_CARD", "HandColumns", "can_be_columns", "interleaved", "read_hands"]

NO_CARD: Final = 255
"""Stands for a card that is not known or was not dealt."""
_MOST_CHIPS: Final = 1 << 40
"""With more chips, arithmetic in 64 bits might not be exact."""

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@attrs.frozen(eq=False)
class HandColumns:
    """Finished hands of a game, a row for each."""

    game: GameDefinition
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
    def is_showdown(self) -> NDArray[np.bool_]:
        """Whether two or more had not folded.  Shape (hands,)."""
        left = self.in_at_the_end
        found: NDArray[np.bool_] = (left & (left - 1)) != 0
        return found

    def take(self, rows: Ints | slice) -> HandColumns:
        """Some of the hands."""
        walked = [column[rows] for column in self.walked]
        return HandColumns(self.game, type(self.walked)(*walked), self.holes[rows], self.board[rows])

    @classmethod
    def in_turn(cls, parts: Sequence[HandColumns]) -> HandColumns:
        """Parts of equal length in turn: the first hand of each, then the second of each, and so on."""
        one = parts[0]
        walked = [interleaved(columns) for columns in zip(*[part.walked for part in parts], strict=True)]
        holes = interleaved([part.holes for part in parts])
        board = interleaved([part.board for part in parts])
        return cls(one.game, type(one.walked)(*walked), holes, board)

    def put(self, row: int, hand: HandState) -> None:
        """Fill a row with a hand that the rules have read.

        Args:
            row: the row to replace.
            hand: the hand at its end.
        """
        from engine.kernels.evidence.hand_texts import CALLS, CHECKS, RAISES

        betting, walked = hand.betting, self.walked
        for column in walked:
            column[row] = 0
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
        for state, _, _ in reversed(betting.steps()):
            walked.left[row, state.betting_round] = _bits([not out for out in state.folded])
            walked.pots[row, state.betting_round] = sum(state.spent)
        self.holes[row], self.board[row] = NO_CARD, NO_CARD
        for position, cards in enumerate(hand.deal.hole_cards):
            if cards:
                self.holes[row, position] = cards
        self.board[row, : len(hand.board)] = hand.board


def interleaved(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Arrays of the same shape in turn: the first row of each, then the second of each, and so on."""
    if len(columns) == 1:
        return columns[0]
    return np.stack(columns, axis=1).reshape(-1, *columns[0].shape[1:])


def _bits(flags: Sequence[bool]) -> int:
    return sum([1 << position for position, flag in enumerate(flags) if flag])


@functools.lru_cache(maxsize=16)
def can_be_columns(game: GameDefinition) -> bool:
    """Whether hands of a game can be read into columns: kernels do not support some odd games."""
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
    game: GameDefinition, bettings: Sequence[str], cards: Sequence[str]
) -> tuple[HandColumns, NDArray[np.bool_]]:
    """Read hands from their texts.

    Args:
        game: the game played, one that `can_be_columns`.
        bettings: the betting of each whole hand, as ACPC text.
        cards: the hole cards and board of each, as in logs.

    Returns:
        The hands, and which of them could be read.  Fill the rows of the others by `HandColumns.put`, or
        leave them out.
    """
    # Imported here so that small games do without the compiler.
    from engine.kernels.evidence.hand_texts import KINDS, Walked, read_cards, walk_bettings

    hands, players, rounds = len(bettings), game.num_players, game.num_rounds
    by_position, by_round = (hands, players), (hands, rounds)
    walked = Walked(
        spent=np.zeros(by_position, np.int64),
        folded=np.zeros(hands, np.int64),
        final_round=np.zeros(hands, np.int64),
        last_round=np.zeros(hands, np.int64),
        fold_round=np.full(by_position, -1, np.int64),
        decided=np.zeros(hands, np.int64),
        could_three_bet=np.zeros(hands, np.int64),
        three_bet=np.zeros(hands, np.int64),
        actions=np.zeros((hands, KINDS, players, rounds), np.int64),
        left=np.zeros(by_round, np.int64),
        pots=np.zeros(by_round, np.int64),
    )
    holes = np.full((hands, players, game.num_hole_cards), NO_CARD, np.uint8)
    board = np.full((hands, game.board_ends[-1]), NO_CARD, np.uint8)
    is_read = np.zeros(hands, np.bool_)
    first_bet = int(min(game.blinds) < max(game.blinds))
    walk_bettings(_rules_of(game), first_bet, *_joined(bettings), walked, is_read)
    deck = sum([1 << card for card in game.deck])
    ends = np.array(game.board_ends, np.int64)
    read_cards(deck, *_joined(cards), ends, walked.final_round, holes, board, is_read)
    return HandColumns(game, walked, holes, board), is_read


def _joined(texts: Sequence[str]) -> tuple[Bytes, Ints]:
    """Texts one after the other, each with a line end, and their beginnings, with one entry for the end."""
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1, out=starts[1:])
    # One byte for each character: no reader takes characters that are not ASCII.
    text = ("\n".join(texts) + "\n").encode("ascii", "replace")
    return np.frombuffer(bytearray(text), np.uint8), starts
