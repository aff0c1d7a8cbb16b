"""A hand that was played, in any format.

Formats other than the ACPC's count bets by betting round, give stacks and blinds with each hand, and omit
actions about which nobody had a choice.  `Playing` replays such a hand by our rules, action by action.

PokerKit, an independent rules engine of the extra ``report``, gives a second opinion on a hand's chips.
Its chips are fractions here, so that a pot is split exactly and not by odd chips.  Unlike the ACPC's rules,
it does not let a player raise again after an all-in of less than a full raise; a hand in which that happens
has no second opinion.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, Final

import attrs

from engine.poker.cards import CARD_TEXTS, format_cards
from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    Action,
    ActionKind,
    BettingState,
    Deal,
    GameDefinition,
    HandState,
    RulesError,
    chips_won,
    initial_betting,
    raise_to,
)


class FormatError(ValueError):
    """A hand that cannot be read or written; the message is one line."""


@attrs.frozen
class PlayedHand:
    """One finished hand."""

    number: int
    where: str
    """The file and line it was read from, for messages."""
    state: HandState
    """The state at its end.  Hole cards that are not known are ``()``."""
    chips: tuple[float, ...]
    """The chips won by each position."""
    names: tuple[str, ...]
    """The name of the player in each position."""
    notes: tuple[str, ...] = ()
    """What could not be kept, in lines."""

    @property
    def game(self) -> GameDefinition:
        """The game, with the stacks of this hand."""
        return self.state.betting.game


class Playing:
    """A hand that is replayed by our rules, from lines that others wrote."""

    def __init__(self, game: GameDefinition) -> None:
        self.betting = initial_betting(game)
        self._floor = 0  # what each player had to spend before this betting round
        self._round = 0

    @property
    def round_total(self) -> int:
        """The chips that a player must have put in during this betting round to stay in."""
        return self.betting.max_spent - self._floor

    def fold(self, position: int) -> None:
        """Fold a position; if it could check, the ACPC's rules allow no fold.

        Raises:
            FormatError: it is not to act, or must not fold.
        """
        self._apply(position, FOLD)

    def call(self, position: int) -> None:
        """Let a position check or call.

        Raises:
            FormatError: it is not to act.
        """
        self._apply(position, CALL)

    def raise_in_round(self, position: int, total: int) -> None:
        """Let a position bet or raise to a total of this betting round.

        Raises:
            FormatError: it is not to act, or must not raise to that total.
        """
        self._skip_to(position)
        game, total = self.betting.game, self._floor + total
        if not game.is_limit:
            self._apply(position, raise_to(total))
            return
        fixed = self.betting.legal_actions().max_raise_to
        if fixed is not None and fixed != total:
            raise FormatError(f"expected a raise to {fixed - self._floor} in this limit game, got {total}")
        self._apply(position, LIMIT_RAISE)

    def end(self) -> BettingState:
        """The state at the end of the betting.

        Raises:
            FormatError: somebody is still to act.
        """
        self._skip_to(None)
        if not self.betting.is_finished:
            raise FormatError(
                f"the hand is not over: position {self.betting.position_to_act} is to act "
                f"after {self.betting.text!r}"
            )
        return self.betting

    def _apply(self, position: int, action: Action) -> None:
        self._skip_to(position)
        if self.betting.position_to_act != position:
            raise FormatError(
                f"position {position} acts after {self.betting.text!r}, "
                f"where {_whose_turn(self.betting.position_to_act)}"
            )
        try:
            self._go_to(self.betting.apply(action))
        except RulesError as error:
            raise FormatError(f"by the rules of the ACPC, {error}") from None

    def _skip_to(self, position: int | None) -> None:
        """Play the checks that were not written down because nobody had a choice."""
        while is_formality(self.betting) and self.betting.position_to_act != position:
            self._go_to(self.betting.apply(CALL))

    def _go_to(self, betting: BettingState) -> None:
        if betting.betting_round > self._round:
            self._round, self._floor = betting.betting_round, betting.max_spent
        self.betting = betting


def _whose_turn(position: int | None) -> str:
    return "the hand is over" if position is None else f"position {position} is to act"


def is_formality(betting: BettingState) -> bool:
    """Whether the player to act has nothing to call and nobody to bet against, but is asked by ACPC rules."""
    position = betting.position_to_act
    if position is None or betting.amount_to_call(position) > 0:
        return False
    return not any(betting.can_act(other) for other in range(betting.game.num_players) if other != position)


@attrs.frozen
class AskedStep:
    """An action that somebody had a choice about."""

    before: BettingState
    position: int
    action: Action
    floor: int
    """What each player had to spend before this betting round."""

    @property
    def after(self) -> BettingState:
        """The state after the action."""
        return self.before.apply(self.action)


def asked_steps(betting: BettingState) -> Iterator[AskedStep]:
    """The actions of a hand, without formalities."""
    floor = betting_round = 0
    for before, position, action in betting.steps():
        if before.betting_round > betting_round:
            betting_round, floor = before.betting_round, before.max_spent
        if not (action.kind is ActionKind.CALL and is_formality(before)):
            yield AskedStep(before, position, action, floor)


def round_board(hand: PlayedHand, betting_round: int) -> tuple[int, ...]:
    """The board cards dealt at the beginning of a betting round."""
    ends = hand.game.board_ends
    return hand.state.board[ends[betting_round - 1] if betting_round else 0 : ends[betting_round]]


def finished_hand(
    number: int,
    where: str,
    betting: BettingState,
    hole_cards: Sequence[tuple[int, ...]],
    board: Sequence[int],
    names: Sequence[str],
    notes: Sequence[str] = (),
) -> PlayedHand:
    """A hand from its parts; at a showdown, players whose cards are not known have mucked them.

    Raises:
        FormatError: cards are missing that must be known, or a card occurs twice.
    """
    needed = betting.num_board_cards
    if len(board) < needed:
        raise FormatError(f"expected {needed} board cards, got {len(board)}")
    board = tuple(board[:needed])
    cards = [card for each in (*hole_cards, board) for card in each]
    twice = next((card for card in cards if cards.count(card) > 1), None)
    if twice is not None:
        raise FormatError(f"{CARD_TEXTS[twice]} is there twice")
    state = HandState(betting, number, Deal(tuple(hole_cards), board))
    return PlayedHand(number, where, state, settle(state), tuple(names), tuple(notes))


def settle(state: HandState) -> tuple[float, ...]:
    """The chips won, if players at the showdown whose cards are not known have mucked them.

    Raises:
        FormatError: nobody's cards are known.
    """
    hole_cards, folded = state.deal.hole_cards, state.betting.folded
    if not state.betting.is_showdown:
        return state.chips_won()
    mucked = [p for p, out in enumerate(folded) if not out and not hole_cards[p]]
    if len(mucked) == state.betting.num_in_hand:
        raise FormatError("the cards of nobody at the showdown are known")
    return chips_won(state.betting, hole_cards, state.board, mucked=mucked)


def uncalled_bet(spent: Sequence[int]) -> tuple[int, int] | None:
    """The position whose bet was not fully called, and by how much; None if all bets were called."""
    second, most = sorted(spent)[-2:]
    return (spent.index(most), most - second) if most > second else None


def collected(hand: PlayedHand) -> list[float]:
    """Chips taken from the pot, by position, without a bet that was not called."""
    betting = hand.state.betting
    taken = [
        won + spent + ante
        for won, spent, ante in zip(hand.chips, betting.spent, hand.game.antes_posted, strict=True)
    ]
    uncalled = uncalled_bet(betting.spent)
    if uncalled is not None:
        taken[uncalled[0]] -= uncalled[1]
    return [chips if chips > 1e-6 else 0.0 for chips in taken]


_TOLERANCE: Final = 1e-5


def has_pokerkit() -> bool:
    """Whether PokerKit is installed."""
    return find_spec("pokerkit") is not None


def agrees_with_pokerkit(hand: PlayedHand) -> bool:
    """Whether PokerKit gives the same chips; False if its rules do not allow such a hand.

    Raises:
        FormatError: it gives different chips.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of cards that are not known
        try:
            state = _played(hand)
        except ValueError:
            return False
    if state.status:
        return False
    for position, (ours, theirs) in enumerate(zip(hand.chips, map(float, state.payoffs), strict=True)):
        if abs(ours - theirs) > _TOLERANCE:
            raise FormatError(
                f"{hand.where}: position {position} wins {ours:g} by our rules, {theirs:g} by PokerKit's"
            )
    return True


def _played(hand: PlayedHand) -> Any:
    """PokerKit's state at the end of the hand."""
    state = _dealt(hand)
    betting_round = 0
    for step in asked_steps(hand.state.betting):
        while betting_round < step.before.betting_round:
            betting_round += 1
            _deal_board(state, hand, betting_round)
        if step.action.kind is ActionKind.FOLD:
            state.fold()
        elif step.action.kind is ActionKind.CALL:
            state.check_or_call()
        else:
            state.complete_bet_or_raise_to(step.after.spent[step.position] - step.floor)
    if hand.state.betting.is_showdown:
        _show(state, hand)
        while betting_round < hand.state.betting.betting_round:
            betting_round += 1
            _deal_board(state, hand, betting_round)
            _show(state, hand)
    return state


def _dealt(hand: PlayedHand) -> Any:
    from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

    game = hand.game
    swapped = slice(None, None, -1) if game.num_players == 2 else slice(None)  # it turns two players round
    create: Callable[..., Any] = NoLimitTexasHoldem.create_state
    bets: tuple[Fraction, ...] = (Fraction(max(1, game.big_blind)),)
    if game.is_limit:
        create, bets = FixedLimitTexasHoldem.create_state, tuple(map(Fraction, game.raise_sizes[::2]))
    state = create(
        (
            Automation.ANTE_POSTING,
            Automation.BET_COLLECTION,
            Automation.BLIND_OR_STRADDLE_POSTING,
            Automation.HAND_KILLING,
            Automation.CHIPS_PUSHING,
            Automation.CHIPS_PULLING,
        ),
        game.has_equal_antes,
        tuple(map(Fraction, game.antes[swapped])),
        tuple(map(Fraction, game.blinds[swapped])),
        *bets,
        tuple(map(Fraction, game.stacks)),
        game.num_players,
    )
    for cards in hand.state.deal.hole_cards:
        state.deal_hole(format_cards(cards) or "????")
    return state


def _deal_board(state: Any, hand: PlayedHand, betting_round: int) -> None:
    state.burn_card("??")
    state.deal_board(format_cards(round_board(hand, betting_round)))


def _show(state: Any, hand: PlayedHand) -> None:
    """Let everybody at the showdown show their cards; players whose cards are not known muck them."""
    for position in list(state.showdown_indices):
        state.show_or_muck_hole_cards(bool(hand.state.deal.hole_cards[position]), position)
