"""Reading finished hands from the texts of their betting and cards, as in logs, thousands at a time.

A kernel reports for each hand whether it could read it.  It is stricter than the readers in plain Python and
gives no reasons; hands that it cannot read are left to those.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.kernels._jit import integer, kernel
from engine.kernels.evidence.walked import CALLS, CHECKS, RAISES, Walked
from engine.kernels.poker.betting import (
    CALL,
    FOLD,
    MAX_PLAYERS,
    NODE_SIZE,
    General,
    Node,
    Rule,
    apply_action,
    begin_betting,
    legal_raise,
    pot_of,
    to_call,
)
from engine.support.arrays import Bools, Bytes, Ints

_MOST_DIGITS: Final = 15
"""The longest number that is read: it fits 64 bits."""
_SLASH: Final = ord("/")
_FOLD: Final = ord("f")
_CALL: Final = ord("c")
_RAISE: Final = ord("r")
_ZERO: Final = ord("0")
_BAR: Final = ord("|")


def _places(signs: str) -> Ints:
    """The place of each ASCII character in a text, shape (128,); -1 for characters that are not in it."""
    places = np.full(128, -1, np.int64)
    for place, sign in enumerate(signs):
        places[ord(sign)] = place
    return places


_RANK_OF: Final = _places("23456789TJQKA")
_SUIT_OF: Final = _places("cdhs")


@kernel()
def walk_bettings(
    rules: Ints, first_bet: int, text: Bytes, starts: Ints, walked: Walked, is_read: Bools
) -> None:
    """Play hands through by the rules.

    rules: the game, as in ``engine.kernels.poker.betting``.
    first_bet: 1 if a blind counts as the first bet before the flop, else 0.
    text: the bettings, each followed by one more character.
    starts: where each betting begins in the text, and one more entry for the end; shape (hands + 1,).
    walked: filled in place.
    is_read: whether the whole betting is a legal hand that is over; shape (hands,), filled in place.
    """
    spent = np.empty(MAX_PLAYERS, np.int64)
    node = np.empty(NODE_SIZE, np.int64)
    for hand in range(starts.shape[0] - 1):
        begin_betting(rules, spent, node)
        part = text[starts[hand] : starts[hand + 1] - 1]
        is_read[hand] = _walk(rules, first_bet, part, hand, spent, node, walked)
        walked.folded[hand] = node[Node.FOLDED]
        walked.final_round[hand] = node[Node.ROUND]
        for position in range(walked.spent.shape[1]):
            walked.spent[hand, position] = spent[position]


@kernel(allocates=False)
def _walk(
    rules: Ints, first_bet: int, text: Bytes, hand: int, spent: Ints, node: Ints, walked: Walked
) -> bool:
    """Play one hand to the end of its text; returns whether it could be read."""
    at = _after_slashes(text, 0, integer(node[Node.ROUND]))
    while node[Node.TO_ACT] >= 0:
        if at < 0 or at >= text.shape[0]:
            return False
        position = integer(node[Node.TO_ACT])
        now = integer(node[Node.ROUND])
        letter = text[at]
        at += 1
        walked.last_round[hand] = now
        if walked.left[hand, now] == 0:
            everybody = (1 << rules[Rule.GENERAL, General.NUM_PLAYERS]) - 1
            walked.left[hand, now] = everybody & ~node[Node.FOLDED]
            walked.pots[hand, now] = pot_of(rules, spent)
        low, high = legal_raise(rules, spent, node)
        if now == 0:
            walked.decided[hand] |= 1 << position
            if node[Node.RAISES] + first_bet == 2 and high > 0:
                walked.could_three_bet[hand] |= 1 << position
                if letter == _RAISE:
                    walked.three_bet[hand] |= 1 << position
        if letter == _CALL:
            action = CALL
            kind = CALLS if to_call(rules, spent, node) > 0 else CHECKS
            walked.actions[hand, kind, position, now] += 1
        elif letter == _FOLD:
            if spent[position] == node[Node.MAX_SPENT]:
                return False
            action = FOLD
            walked.fold_round[hand, position] = now
        elif letter == _RAISE and high > 0:
            action = low
            if not rules[Rule.GENERAL, General.IS_LIMIT]:
                action, at = _number(text, at)
                if not low <= action <= high:
                    return False
            walked.actions[hand, RAISES, position, now] += 1
        else:
            return False
        apply_action(rules, spent, node, action)
        at = _after_slashes(text, at, integer(node[Node.ROUND]) - now)
    return bool(at == text.shape[0])


@kernel(allocates=False)
def _after_slashes(text: Bytes, at: int, number: int) -> int:
    """The place after `number` slashes; -1 if there are fewer."""
    for place in range(at, at + number):
        if place >= text.shape[0] or text[place] != _SLASH:
            return -1
    return at + number


@kernel(allocates=False)
def _number(text: Bytes, at: int) -> tuple[int, int]:
    """The decimal number that begins at a place, or -1, and the place where it ends."""
    end = at
    number = 0
    while end < text.shape[0] and 0 <= integer(text[end]) - _ZERO <= 9:
        number = 10 * number + integer(text[end]) - _ZERO
        end += 1
        if end - at > _MOST_DIGITS:
            return -1, end
    if end == at or text[at] == _ZERO:
        return -1, end
    return number, end


@kernel()
def read_cards(
    deck: int,
    text: Bytes,
    starts: Ints,
    ends: Ints,
    final_round: Ints,
    holes: Bytes,
    board: Bytes,
    is_read: Bools,
) -> None:  # Many parameters: two arrays are read and two are filled, each of its own shape.
    """Read the cards of hands whose betting has been read.

    deck: the cards of the game, as bits.
    text: the cards of each hand, such as ``8dJd|Td4d/As9d6s/3d``, followed by one more character; hole cards
        may be missing.
    starts: where the cards of each hand begin, and one more entry for the end; shape (hands + 1,).
    ends: the number of board cards dealt by the end of each round, 0 in the first; shape (rounds,).
    final_round: the last round of each hand, shape (hands,).
    holes: shape (hands, positions, hole cards), filled in place where they are known.
    board: shape (hands, board cards), filled in place as far as cards were dealt.
    is_read: shape (hands,); set to False for hands whose cards cannot be read.
    """
    for hand in range(starts.shape[0] - 1):
        if is_read[hand]:
            part = text[starts[hand] : starts[hand + 1] - 1]
            is_read[hand] = _read_cards(deck, part, ends[: final_round[hand] + 1], holes[hand], board[hand])


@kernel(allocates=False)
def _read_cards(deck: int, text: Bytes, ends: Ints, holes: Bytes, board: Bytes) -> bool:
    """Read the cards of one hand; returns whether they could be read."""
    at = 0
    left = deck
    for position in range(holes.shape[0]):
        if position > 0:
            if at >= text.shape[0] or text[at] != _BAR:
                return False
            at += 1
        if at < text.shape[0] and text[at] != _BAR and text[at] != _SLASH:
            left = _take_cards(left, text, at, holes[position])
            at += 2 * holes.shape[1]
    for betting_round in range(1, ends.shape[0]):
        if at >= text.shape[0] or text[at] != _SLASH:
            return False
        new = board[ends[betting_round - 1] : ends[betting_round]]
        left = _take_cards(left, text, at + 1, new)
        at += 1 + 2 * new.shape[0]
    return left >= 0 and at == text.shape[0]


@kernel(allocates=False)
def _take_cards(left: int, text: Bytes, at: int, cards: Bytes) -> int:
    """Read as many cards as there is room for.

    Returns the cards left in the deck as bits, or -1 if some card cannot be read or is not in the deck.
    """
    if left < 0 or at + 2 * cards.shape[0] > text.shape[0]:
        return -1
    for place in range(cards.shape[0]):
        rank = _RANK_OF[text[at + 2 * place] & 127]
        suit = _SUIT_OF[text[at + 2 * place + 1] & 127]
        card = 4 * rank + suit
        if rank < 0 or suit < 0 or left >> card & 1 == 0:
            return -1
        left ^= 1 << card
        cards[place] = card
    return left
