"""PokerKit, an independent rules engine of the extra ``report``, gives a second opinion on a hand's chips.

It is given what the source says, not our hand.  Its chips are fractions, so that a pot is split exactly and
not by odd chips.  It plays card rooms' rule for all-ins of less than a full raise, and lets a short big blind
make the call cheaper; a hand that its rules do not allow has no second opinion.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, Final

from engine.poker.cards import format_cards
from engine.poker.rules import ActionKind
from engine.poker.rules.game_definition import UNLIMITED_STACK
from server.records.formats.hands import PlayedHand, settle, unraked
from server.records.formats.phh import format_phh, parse_phh
from server.records.formats.said import FormatError, Said

_TOLERANCE: Final = 1e-5


def said_of(hand: PlayedHand) -> Said:
    """What a hand's source says; for the ACPC's format, what PHH says of it.

    Raises:
        FormatError: it cannot be said there.
    """
    if hand.said is not None:
        return hand.said
    (again,) = parse_phh(format_phh(hand), hand.where)
    if isinstance(again, FormatError):
        raise again
    assert again.said is not None  # it is read
    return again.said


def has_pokerkit() -> bool:
    """Whether PokerKit is installed."""
    return find_spec("pokerkit") is not None


def agrees_with_pokerkit(hand: PlayedHand) -> bool:
    """Whether PokerKit gives the same chips; False if its rules do not allow such a hand.

    Raises:
        FormatError: it gives different chips.
    """
    hand = unraked(hand)
    if not hand.game.is_holdem:
        return False
    is_short = hand.game.opening_bet > max(hand.game.blinds)  # where the call is cheaper there
    try:
        said = said_of(hand)
    except FormatError:
        return False
    unit = 1 if hand.said is None else said.unit()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of cards that are not known
        try:
            state = _by_pokerkit(said)
        except ValueError as error:
            if isinstance(error, FormatError) and not is_short:
                raise
            return False
    if state.status:
        return False
    for position, (ours, theirs) in enumerate(zip(hand.chips, state.payoffs, strict=True)):
        if abs(ours - float(theirs * unit)) > _TOLERANCE and abs(ours - float(theirs * unit)) >= _odd(hand):
            if is_short:
                return False
            raise FormatError(
                f"{hand.where}: position {position} wins {ours:g} by our rules, "
                f"{float(theirs * unit):g} by PokerKit's"
            )
    return True


def _odd(hand: PlayedHand) -> int:
    """The chips by which a hand of whole chips may differ from one with fractions."""
    is_whole = all(chips == int(chips) for chips in hand.chips)
    return 1 if is_whole and hand.said is None and hand.chips != settle(hand.state) else 0


def _by_pokerkit(said: Said) -> Any:
    """PokerKit's state at the end of what a source says."""
    state = _dealt(said)
    out, most = 0, len(said.board)
    for act in said.acts:
        while out < (act.board or 0):
            out = _deal_board(state, said, out)
        if act.kind is ActionKind.FOLD:
            state.fold()
        elif act.kind is ActionKind.CALL:
            if act.paid is not None and state.checking_or_calling_amount != act.paid:
                raise FormatError(
                    f"{said.where}: {act.text}: PokerKit calls {state.checking_or_calling_amount}"
                )
            state.check_or_call()
        else:
            total = act.total
            if total is None:
                total = state.bets[act.position] + (act.paid or 0)
            state.complete_bet_or_raise_to(total)
    _show(state, said)
    while out < most and state.status:
        out = _deal_board(state, said, out)
        _show(state, said)
    return state


def _dealt(said: Said) -> Any:
    from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

    players = len(said.seats)
    swapped = slice(None, None, -1) if players == 2 else slice(None)  # it turns two players round
    create: Callable[..., Any] = NoLimitTexasHoldem.create_state
    bets: tuple[Fraction, ...] = (said.least_bet or Fraction(1),)
    if said.sizes is not None:
        create, bets = FixedLimitTexasHoldem.create_state, said.sizes
    most = UNLIMITED_STACK if said.cap is None else said.cap
    state = create(
        (
            Automation.ANTE_POSTING,
            Automation.BET_COLLECTION,
            Automation.BLIND_OR_STRADDLE_POSTING,
            Automation.HAND_KILLING,
            Automation.CHIPS_PUSHING,
            Automation.CHIPS_PULLING,
        ),
        said.is_trimmed,
        tuple(said.antes[swapped]),
        tuple(said.posts[swapped]),
        *bets,
        tuple([min(seat.stack, most) for seat in said.seats]),
        players,
    )
    for seat in said.seats:
        state.deal_hole(format_cards(seat.cards) or "????")
    return state


def _deal_board(state: Any, said: Said, out: int) -> int:
    """Deal the next street; returns how many board cards are out."""
    end = max(3, out + 1)
    state.burn_card("??")
    state.deal_board(format_cards(said.board[out:end]))
    return end


def _show(state: Any, said: Said) -> None:
    """Let everybody at the showdown show their cards; players whose cards are not known muck them."""
    for position in list(state.showdown_indices):
        shows = bool(said.seats[position].cards) and not said.seats[position].mucks
        state.show_or_muck_hole_cards(shows, position)
