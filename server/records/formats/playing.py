"""Makes a hand of what a source says: replays the actions by our rules, and compares whatever is said twice.

A hand is read as it is said, or refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

import attrs

from engine.poker import rules
from engine.poker.cards import CARD_TEXTS, InvalidCardError
from engine.poker.rules.hand_rank import hand_category, hand_rank
from engine.support.user_input import told_as
from server.records.formats import hands
from server.records.formats.said import FormatError, Said, SaidAct

_MOST_RAKE: Final = Fraction(1, 10)
"""The largest share of a pot that is taken for a rake where a source does not say it."""
_EXACT: Final = Fraction(1, 10**6)
"""Chips below which amounts are the same; shares of a pot may differ by odd chips."""


def played(said: Said) -> hands.PlayedHand:
    """The hand that a source tells.

    Raises:
        FormatError, GameDefinitionError: it is not a hand of its game, or the source contradicts itself.
    """
    unit = said.unit()
    if unit > 1:
        said.notes.append(f"amounts are counted in units of 1/{unit}")
    betting = rules.passing_betting(said.game(unit))
    for act in said.acts:
        try:
            betting = _play(betting, act, unit)
        except FormatError as error:
            raise FormatError.at(act.text, error) from None
    betting = _skip_to(betting, None)
    if not betting.is_finished:
        turn = betting.position_to_act
        raise FormatError(f"the hand is not over: position {turn} is to act after {betting.text!r}")
    board, hole_cards = tuple(said.board), tuple([seat.cards for seat in said.seats])
    if len(board) != betting.num_board_cards:
        what = "several boards: " if len(board) > betting.num_board_cards == 5 else ""
        raise FormatError(f"{what}expected {betting.num_board_cards} board cards, got {len(board)}")
    cards = [card for each in (*hole_cards, board) for card in each]
    twice = next((card for card in cards if cards.count(card) > 1), None)
    if twice is not None:
        raise FormatError(f"{CARD_TEXTS[twice]} is there twice")
    state = rules.HandState(betting, said.number, rules.Deal(hole_cards, board))
    shown = tuple([() if seat.mucks else seat.cards for seat in said.seats])
    showing = any(cards and not out for cards, out in zip(shown, betting.folded, strict=True))
    if betting.is_showdown and showing:  # whoever has mucked better cards does not win with them
        mucked = attrs.evolve(state, deal=rules.Deal(shown, board))
        state = state if hands.settle(state) == hands.settle(mucked) else mucked
    notes = tuple([f"{said.where}: {note}" for note in said.notes])
    chips, names = hands.settle(state), tuple([seat.name for seat in said.seats])
    hand = hands.PlayedHand(said.number, said.where, state, chips, names, notes, said, said.time, said.match)
    _compare(said, hand, unit)
    return hand


def played_or_fault(where: str, read: Callable[[], Said]) -> hands.PlayedHand | FormatError:
    """The hand that a source tells, or why it is none, with the place."""
    try:
        return played(read())
    except (FormatError, InvalidCardError, rules.GameDefinitionError) as error:
        return FormatError.at(where, error)


def _compare(said: Said, hand: hands.PlayedHand, unit: int) -> None:
    """Compare what a source says about the end with our rules.

    Raises:
        FormatError: they differ.
    """
    betting, names, taken = hand.state.betting, hand.names, hands.collected(hand)
    uncalled = hands.uncalled_bet(betting)
    for position, chips in said.uncalled:
        if uncalled is None or position != uncalled[0] or chips * unit != uncalled[1]:
            due = "none" if uncalled is None else f"{uncalled[1] / unit:g} to {names[uncalled[0]]}"
            raise FormatError(f"{float(chips):g} returned to {names[position]}; by the rules {due}")
    pot = hands.contested_pot(betting)
    if said.pot is not None and said.pot * unit != pot:
        raise FormatError(f"the pot is {float(said.pot):g}, and {pot / unit:g} by the rules")
    rounds = hands.folds(betting)
    for position, seat in enumerate(said.seats):
        if seat.fold not in (None, rounds.get(position)):
            raise FormatError(f"{seat.name} folds in another betting round by the summary")
        cards = hand.state.deal.hole_cards[position]
        if seat.ranks and betting.is_showdown and cards:
            for other in seat.ranks - {hand_category(hand_rank((*cards, *hand.state.board)))}:
                raise FormatError(f"{seat.name} does not show {other.name.lower().replace('_', ' ')}")
    odd = Fraction(len(names)) if unit == 1 else Fraction(unit, 100) * len(names)
    is_odd = any(abs(chips - round(chips)) > _EXACT for chips in taken)
    slack = [odd if is_odd and chips > 0 else _EXACT for chips in taken]
    for position, won in enumerate(said.net):
        if abs(float(won * unit) - hand.chips[position]) >= slack[position]:
            raise FormatError(
                f"{names[position]} wins {float(won):g}, and {hand.chips[position] / unit:g} by the rules"
            )
    if not said.is_told:
        return
    total = sum([seat.collected for seat in said.seats], Fraction(0))
    whole = Fraction(pot, unit)
    if said.rake is not None and abs(total + said.rake - whole) * unit >= odd:
        raise FormatError(
            f"{float(total):g} are collected and {float(said.rake):g} raked of a pot of {pot / unit:g}"
        )
    rake = said.rake if said.rake is not None else max(Fraction(0), min(whole - total, _MOST_RAKE * whole))
    for seat, ours, least in zip(said.seats, taken, slack, strict=True):
        theirs = seat.collected
        if not -least < Fraction(ours) - theirs * unit < rake * unit + least or (theirs > 0) > (ours > 0):
            raise FormatError(
                f"{seat.name} collects {float(theirs):g} in the text, and {ours / unit:g} by the rules"
            )


def _play(before: rules.BettingState, act: SaidAct, unit: int) -> rules.BettingState:
    """Play an action that somebody wrote, and compare it with what else is said about it.

    Raises:
        FormatError: that position is not to act, must not do that, or does something else.
    """
    position = act.position
    before = _skip_to(before, position)
    if before.position_to_act != position:
        turn = before.position_to_act
        whose = "the hand is over" if turn is None else f"position {turn} is to act"
        raise FormatError(f"position {position} acts after {before.text!r}, where {whose}")
    if act.board is not None and act.board != before.num_board_cards:
        raise FormatError(f"expected {before.num_board_cards} board cards before it, got {act.board}")
    floor = max(before.spent_before_round())
    action = _action(before, act, unit, floor)
    with told_as(FormatError, rules.RulesError, what="by the rules of the ACPC, "):
        # Card rooms let players fold where they could check.
        after = before.fold_for_nothing() if action == rules.FOLD else before.apply(action)
    total = after.spent[position]
    for said, ours, what in (
        (act.paid, total - before.spent[position], "puts in"),
        (act.added, total - before.max_spent, "raises by"),
        (act.total, total - floor, "bets"),
    ):
        if said is not None and said * unit != ours:
            raise FormatError(f"{what} {float(said):g}, and {ours / unit:g} by the rules")
    if act.all_in and total < before.game.betting_stacks[position]:
        raise FormatError(f"is not all-in with {total / unit:g}")
    return after


def _action(before: rules.BettingState, act: SaidAct, unit: int, floor: int) -> rules.Action:
    if act.kind is rules.ActionKind.RAISE:
        if before.game.is_limit:
            return rules.LIMIT_RAISE
        if act.total is not None:
            return rules.raise_to(floor + int(act.total * unit))
        return rules.raise_to(before.spent[act.position] + int((act.paid or 0) * unit))
    return rules.FOLD if act.kind is rules.ActionKind.FOLD else rules.CALL


def _skip_to(betting: rules.BettingState, position: int | None) -> rules.BettingState:
    """The state after the checks that were not written down because nobody had a choice."""
    while hands.is_formality(betting) and betting.position_to_act != position:
        betting = betting.apply(rules.CALL)
    return betting
