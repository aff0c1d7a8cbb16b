"""A second opinion on a hand: compares everybody's chips with those of PokerKit, an independent rules engine.

PokerKit is in the extra ``report``.  Its chips are fractions here, so that a pot is split exactly and not by
odd chips.  Unlike the ACPC's rules, it does not let a player raise again after an all-in of less than a full
raise; a hand in which that happens has no second opinion.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, Final

from engine.poker.cards import format_cards
from engine.poker.rules import ActionKind
from server.records.formats.hands import FormatError, PlayedHand, asked_steps, round_board

__all__ = ["agrees_with_pokerkit", "has_pokerkit"]

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
