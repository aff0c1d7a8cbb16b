"""Writes hands in the text format of PokerStars' hand histories.

In that format a bet is an amount, a raise an amount and a total of the betting round; the seats are numbered,
and the last one is the button.  No time is known, so the beginning of 1970 replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from engine.poker.cards import CARD_TEXTS
from engine.poker.rules import ActionKind
from engine.poker.rules.hand_names import name_hand
from protocol.records import format_chips
from server.records.formats.hands import (
    AskedStep,
    PlayedHand,
    asked_steps,
    collected,
    round_board,
    uncalled_bet,
)
from server.records.formats.phh import check_usual

__all__ = ["format_stars"]

_ROUNDS: Final = ("before Flop", "on the Flop", "on the Turn", "on the River")
_TIME: Final = "1970/01/01 0:00:00 ET"


def format_stars(hand: PlayedHand) -> str:
    """A hand as PokerStars' text.

    Raises:
        FormatError: the format cannot express it.
    """
    check_usual(hand.game)
    return "".join(f"{line}\n" for line in _lines(hand))


def _lines(hand: PlayedHand) -> Iterator[str]:
    game, deal, betting = hand.game, hand.state.deal, hand.state.betting
    names, players = hand.names, game.num_players
    kind = "Limit" if game.is_limit else "No Limit"
    stakes = (game.raise_sizes[0], game.raise_sizes[2]) if game.is_limit else _blinds(game.blinds)
    yield f"PokerStars Hand #{hand.number}:  Hold'em {kind} ({stakes[0]}/{stakes[1]}) - {_TIME}"
    yield f"Table 'Riverboat' {players}-max Seat #{players} is the button"
    for seat, (name, stack) in enumerate(zip(names, game.stacks, strict=True), 1):
        yield f"Seat {seat}: {name} ({stack} in chips)"
    for name, ante, stack in zip(names, game.antes_posted, game.stacks, strict=True):
        if ante:
            yield f"{name}: posts the ante {ante}{_all_in(ante, stack)}"
    for position in sorted(range(players), key=lambda position: (game.blinds[position], position)):
        blind = game.blinds[position]
        if blind:
            size = "big" if blind == game.big_blind else "small"
            rest = _all_in(blind, game.betting_stacks[position])
            yield f"{names[position]}: posts {size} blind {blind}{rest}"
    yield "*** HOLE CARDS ***"
    for name, cards in zip(names, deal.hole_cards, strict=True):
        if cards:
            yield f"Dealt to {name} {_cards(cards)}"
    betting_round = 0
    for step in asked_steps(betting):
        while betting_round < step.before.betting_round:
            betting_round += 1
            yield _street(hand, betting_round)
        yield f"{names[step.position]}: {_action(step)}"
    uncalled = uncalled_bet(betting.spent)
    if uncalled is not None:
        yield f"Uncalled bet ({uncalled[1]}) returned to {names[uncalled[0]]}"
    while betting_round < betting.betting_round:
        betting_round += 1
        yield _street(hand, betting_round)
    if betting.is_showdown:
        yield "*** SHOW DOWN ***"
        for name, cards, out in zip(names, deal.hole_cards, betting.folded, strict=True):
            if not out:
                shown = f"shows {_cards(cards)} ({name_hand((*cards, *hand.state.board))})" if cards else ""
                yield f"{name}: {shown or 'mucks hand'}"
    taken = collected(hand)
    for name, chips in zip(names, taken, strict=True):
        if chips > 0:
            yield f"{name} collected {format_chips(chips)} from pot"
    yield from _summary(hand, taken, uncalled)


def _blinds(blinds: Sequence[int]) -> tuple[int, int]:
    """The stakes in the title line."""
    big = max(blinds)
    return min([blind for blind in blinds if blind], default=0) if big else 0, big


def _all_in(chips: int, stack: int) -> str:
    return " and is all-in" if chips >= stack else ""


def _action(step: AskedStep) -> str:
    before, after, position = step.before, step.after, step.position
    if step.action.kind is ActionKind.FOLD:
        return "folds"
    total = after.spent[position]
    paid = total - before.spent[position]
    end = _all_in(total, before.game.betting_stacks[position])
    if step.action.kind is ActionKind.CALL:
        return f"calls {paid}{end}" if paid > 0 else "checks"
    if before.max_spent == step.floor:
        return f"bets {paid}{end}"
    return f"raises {total - before.max_spent} to {total - step.floor}{end}"


def _street(hand: PlayedHand, betting_round: int) -> str:
    new = _cards(round_board(hand, betting_round))
    if betting_round == 1:
        return f"*** FLOP *** {new}"
    old = _cards(hand.state.board[: hand.game.board_ends[betting_round - 1]])
    return f"*** {('TURN', 'RIVER')[betting_round - 2]} *** {old} {new}"


def _cards(cards: Sequence[int]) -> str:
    return "[" + " ".join(CARD_TEXTS[card] for card in cards) + "]"


def _summary(hand: PlayedHand, taken: Sequence[float], uncalled: tuple[int, int] | None) -> Iterator[str]:
    betting, players = hand.state.betting, hand.game.num_players
    yield "*** SUMMARY ***"
    yield f"Total pot {betting.pot - (uncalled[1] if uncalled else 0)} | Rake 0"
    if hand.state.board:
        yield f"Board {_cards(hand.state.board)}"
    folded_in = {
        step.position: step.before.betting_round
        for step in asked_steps(betting)
        if step.action.kind is ActionKind.FOLD
    }
    for position, name in enumerate(hand.names):
        part = " (button)" if position == players - 1 else ""
        if position in folded_in:
            end = f"folded {_ROUNDS[folded_in[position]]}"
        elif not betting.is_showdown:
            end = f"collected ({format_chips(taken[position])})"
        elif not hand.state.deal.hole_cards[position]:
            end = "mucked"
        else:
            cards = _cards(hand.state.deal.hole_cards[position])
            won = taken[position]
            end = f"showed {cards} and {f'won ({format_chips(won)})' if won else 'lost'}"
        yield f"Seat {position + 1}: {name}{part} {end}"
