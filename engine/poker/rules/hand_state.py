"""One hand, seen in two ways: `HandState` is everything, `HandView` is what one position may know.

The ACPC sources keep the same two apart.  A view is built from copies of the cards its position may
see and of the public betting; nothing in it leads back to the other cards.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import attrs

from engine.poker.rules.action import Action
from engine.poker.rules.betting import BettingState, LegalActions, initial_betting, passing_betting
from engine.poker.rules.dealing import Deal
from engine.poker.rules.game_definition import MAX_PLAYERS, GameDefinition
from engine.poker.rules.showdown import chips_won

_HIDDEN: Final[tuple[tuple[int, ...], ...]] = ((),) * MAX_PLAYERS
"""Cards that a player does not see."""


@attrs.frozen
class HandView:
    """A hand as the player in one position may see it (docs/acpc-dealer.md 2.3)."""

    betting: BettingState
    position: int
    """Whose view this is."""
    hand_number: int
    hole_cards: tuple[tuple[int, ...], ...]
    """By position: our own always, others' only if a showdown has shown them, else empty."""
    board: tuple[int, ...]
    """Board cards that are out."""

    @property
    def game(self) -> GameDefinition:
        """The game."""
        return self.betting.game

    @property
    def own_cards(self) -> tuple[int, ...]:
        """The hole cards of this position."""
        return self.hole_cards[self.position]

    @property
    def betting_round(self) -> int:
        """0 preflop, 1 flop, 2 turn, 3 river."""
        return self.betting.betting_round

    @property
    def is_our_turn(self) -> bool:
        """Whether this position is to act."""
        return self.betting.position_to_act == self.position

    @property
    def is_finished(self) -> bool:
        """The hand is over."""
        return self.betting.position_to_act is None

    @property
    def pot(self) -> int:
        """Chips in the middle: antes, blinds and all rounds."""
        return self.betting.pot

    @property
    def amount_to_call(self) -> int:
        """Chips this position would put in by calling."""
        return self.betting.amount_to_call(self.position)

    def seat_of(self, position: int, ours: int) -> int:
        """The seat of the player in a position, if that of this view has the seat `ours`.

        Right for tables with rotating and with fixed seats, since only the distance counts.
        """
        return (ours + position - self.position) % self.game.num_players

    def legal_actions(self) -> LegalActions:
        """The legal actions of the position to act, ours or another."""
        return self.betting.legal_actions()

    def chips_won(self) -> tuple[float, ...]:
        """Net chips of each position.

        Raises:
            ValueError: the hand is not over.
        """
        return chips_won(self.betting, self.hole_cards, self.board)


@attrs.define(unsafe_hash=True)  # frozen for mypy: see `BettingState`
class HandState:
    """A hand with all its cards: what the dealer knows."""

    betting: Final[BettingState]
    hand_number: Final[int]
    deal: Final[Deal]

    @property
    def position_to_act(self) -> int | None:
        """None when the hand is over."""
        return self.betting.position_to_act

    @property
    def is_finished(self) -> bool:
        """The hand is over."""
        return self.betting.position_to_act is None

    @property
    def board(self) -> tuple[int, ...]:
        """Board cards that are out."""
        return self.deal.board[: self.betting.num_board_cards]

    def legal_actions(self) -> LegalActions:
        """The legal actions of the position to act."""
        return self.betting.legal_actions()

    def apply(self, action: Action) -> HandState:
        """The state after the position to act does `action`.

        Raises:
            IllegalActionError: it may not do that, or the hand is over.
        """
        return HandState(self.betting.apply(action), self.hand_number, self.deal)

    def view(self, position: int) -> HandView:
        """The view of the player in a position: all that they may know now."""
        betting, deal = self.betting, self.deal
        hole_cards = deal.hole_cards
        if betting.position_to_act is None and betting.is_showdown:
            folded = betting.folded
            shown = tuple(
                [() if folded[p] and p != position else cards for p, cards in enumerate(hole_cards)]
            )
        else:
            hidden = _HIDDEN[: len(hole_cards) - 1]
            shown = (*hidden[:position], hole_cards[position], *hidden[position:])
        return HandView(betting, position, self.hand_number, shown, deal.board[: betting.num_board_cards])

    def chips_won(self) -> tuple[float, ...]:
        """Net chips of each position.

        Raises:
            ValueError: the hand is not over.
        """
        return chips_won(self.betting, self.deal.hole_cards, self.board)


def initial_hand(
    game: GameDefinition, hand_number: int, deal: Deal, *, is_passing: bool = False
) -> HandState:
    """A hand that has been dealt: blinds posted, nobody has acted.

    Args:
        game: what is played.
        hand_number: of the hand.
        deal: its cards.
        is_passing: no other hand is played with these stacks (`passing_betting`).
    """
    betting = passing_betting(game) if is_passing else initial_betting(game)
    return HandState(betting, hand_number, deal)


def play_hand(
    game: GameDefinition, hand_number: int, deal: Deal, *, is_passing: bool = False
) -> Generator[HandState, Action, HandState]:
    """Play one hand: yields each state in which somebody is to act, is sent the action, returns the end.

    The dealer drives it over sockets, the arena with agents called directly; the rules are written once.
    A hand in which nobody can act (all in from the blinds) yields nothing.  For `is_passing` see
    `initial_hand`.

    Raises:
        IllegalActionError: an action that was sent is not legal; the hand is then lost, so correct it first
            (`LegalActions.nearest`).
    """
    state = initial_hand(game, hand_number, deal, is_passing=is_passing)
    while state.betting.position_to_act is not None:
        action = yield state
        state = state.apply(action)
    return state
