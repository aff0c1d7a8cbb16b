"""A hand in sentences, for people who were not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.cards import format_cards
from engine.rules import Action, ActionKind, BettingState, GameDefinition
from engine.rules.hand_names import name_hand
from engine.user_input import printable
from server.report.logs import LoggedHand

__all__ = ["chips_text", "hand_in_words", "round_name"]

_ROUNDS: Final = ("Preflop", "Flop", "Turn", "River")


def round_name(game: GameDefinition, betting_round: int) -> str:
    """``Flop``; in games other than hold'em, ``Round 2``."""
    return _ROUNDS[betting_round] if game.is_holdem else f"Round {betting_round + 1}"


def chips_text(chips: float, *, sign: bool = False) -> str:
    """``40``, ``12.5``, with a sign ``+40``."""
    text = f"{chips:{'+' if sign else ''},.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "+0") else text


def hand_in_words(hand: LoggedHand) -> dict[str, Any]:
    """A hand from its deal to its result: players, betting rounds with their actions, cards shown."""
    betting = hand.state.betting
    game = betting.game
    names = [printable(name) for name in hand.names]
    positions = game.position_names
    ends = (0, *game.board_ends)
    rounds: list[dict[str, Any]] = [
        {
            "name": round_name(game, betting_round),
            "board": format_cards(hand.state.board[ends[betting_round] : ends[betting_round + 1]]),
            "pot": None,
            "actions": [],
        }
        for betting_round in range(betting.betting_round + 1)
    ]
    for position, (ante, blind) in enumerate(zip(game.antes_posted, game.blinds, strict=True)):
        if ante:
            rounds[0]["actions"].append(f"{names[position]} posts an ante of {chips_text(ante)}")
        if blind:
            rounds[0]["actions"].append(f"{names[position]} posts {chips_text(blind)}")
    pot = betting.pot
    for before, position, action in betting.steps():
        each = rounds[before.betting_round]
        if each["pot"] is None:
            each["pot"] = before.pot
        each["actions"].append(f"{names[position]} {_act(before, position, action)}")
    for each in rounds:
        each["pot"] = pot if each["pot"] is None else each["pot"]
    return {
        "hand": hand.number,
        "line": hand.line,
        "players": [
            {
                "name": names[position],
                "position": positions[position],
                "cards": format_cards(hand.state.deal.hole_cards[position]),
                "chips": chips,
            }
            for position, chips in enumerate(hand.chips)
        ],
        "rounds": rounds,
        "showdown": _showdown(hand, names),
    }


def _act(before: BettingState, position: int, action: Action) -> str:
    """``raises to 40``, as what ``before`` says it is."""
    after = before.apply(action)
    paid, total = after.spent[position] - before.spent[position], after.spent[position]
    all_in = " and is all in" if paid > 0 and not after.can_act(position) else ""
    if action.kind is ActionKind.FOLD:
        return "folds"
    if action.kind is ActionKind.CALL:
        return f"calls {chips_text(paid)}{all_in}" if paid > 0 else "checks"
    if before.bets_in_round == 0:
        return f"bets {chips_text(paid)}{all_in}"
    return f"raises to {chips_text(total)}{all_in}"


def _showdown(hand: LoggedHand, names: Sequence[str]) -> list[str]:
    """``Ann shows 5sAd: pair of aces``, for everybody whose cards were to be shown and are known."""
    state = hand.state
    if not state.betting.is_showdown:
        return []
    shown = [
        position
        for position, cards in enumerate(state.deal.hole_cards)
        if cards and not state.betting.folded[position]
    ]
    hands = [(*state.deal.hole_cards[position], *state.board) for position in shown]
    plain = [name_hand(cards) for cards in hands]
    return [
        f"{names[position]} shows {format_cards(state.deal.hole_cards[position])}: "
        + (name_hand(cards, kickers=True) if plain.count(name) > 1 else name)
        for position, cards, name in zip(shown, hands, plain, strict=True)
    ]
