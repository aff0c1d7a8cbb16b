"""Reads the messages of a conversation one after another, looking only at what is new in each.

A message repeats everything since the hand began, and nearly always it is the previous one with one more
action, or one whose betting has been seen in an earlier hand.
"""

from __future__ import annotations

from typing import Final

from engine.poker.cards import InvalidCardError, parse_cards
from engine.poker.rules import BettingState, GameDefinition, HandView, RulesError
from protocol.actions import read_action
from protocol.match_state import check_showdown, parse_match_state

_MAX_REMEMBERED: Final = 10_000
"""Betting sequences a reader remembers, some 10 MB: most of heads-up limit hold'em."""


class MatchStateReader:
    """Reads what `protocol.match_state.parse_match_state` reads, in the same way, faster."""

    def __init__(self, game: GameDefinition) -> None:
        self.game: Final = game
        self._nodes: dict[str, BettingState] = {}
        # Of the last message, and only if it was exactly formatted:
        self._head: str | None = None  # up to the betting
        self._cards = ""  # all that follows the betting
        self._view: HandView | None = None

    def read(self, text: str) -> HandView:
        """The view a message shows.

        Raises:
            BadMatchState: as `parse_match_state` does.
        """
        view = self._read_what_is_new(text)
        if view is None:
            view = parse_match_state(text, self.game, self._view.betting if self._view else None)
            parts = text.split(":")
            exact = len(parts) == 5 and parts[3] == view.betting.text
            self._head = ":".join([*parts[:3], ""]) if exact else None
            self._cards = parts[-1]
            self._remember(view.betting)
        elif view.betting.position_to_act is None:
            check_showdown(view, text)
        self._view = view
        return view

    def _read_what_is_new(self, text: str) -> HandView | None:
        """The view, None if the message is not of the same hand or must be read as a whole."""
        head, last = self._head, self._view
        if head is None or last is None or not text.startswith(head):
            return None
        betting_text, _, cards = text[len(head) :].partition(":")
        betting = self._nodes.get(betting_text) or self._walk(last.betting, betting_text)
        if betting is None:
            return None
        board = last.board
        if cards == self._cards:
            if len(board) != betting.num_board_cards:
                return None
        else:
            # New board cards, each round's after a slash, are all that can follow.
            known = len(self._cards)
            if not (cards.startswith(self._cards) and cards[known : known + 1] == "/"):
                return None
            if betting.betting_round != last.betting.betting_round + 1:
                return None
            try:
                board += parse_cards(cards[known + 1 :])
            except InvalidCardError:
                return None
            if len(board) != betting.num_board_cards:
                return None
            self._cards = cards
        return HandView(betting, last.position, last.hand_number, last.hole_cards, board)

    def _walk(self, betting: BettingState, text: str) -> BettingState | None:
        """The node of a betting that continues from another; None if it does not."""
        try:
            while betting.text != text:
                start = len(betting.text)
                if start >= len(text) or not text.startswith(betting.text):
                    return None
                betting = betting.apply(read_action(text, start, self.game.is_limit)[0])
        except RulesError:
            return None
        self._remember(betting)
        return betting

    def _remember(self, betting: BettingState) -> None:
        if len(self._nodes) < _MAX_REMEMBERED:
            self._nodes[betting.text] = betting
