"""A hand that was played, told moment by moment, with all cards that are known."""

from __future__ import annotations

from collections.abc import Iterator

from engine.poker.cards import CARD_TEXTS
from engine.poker.rules import GameDefinition
from engine.poker.rules.hand_words import (
    name_shown_hands,
    round_name,
    tell_action,
    tell_posts,
    tell_winnings,
)
from engine.support.user_input import printable
from server.records.formats.hands import PlayedHand, round_board

__all__ = ["describe_game", "tell_hand"]

_MOST_NAME = 24


def tell_hand(hand: PlayedHand) -> Iterator[list[str]]:
    """The lines for each moment of a hand: its beginning, each action with the cards dealt next, its end."""
    names = [shortened(name) for name in hand.names]
    betting = hand.state.betting
    yield [*_beginning(hand, names)]
    for before, position, action in betting.steps():
        after = before.apply(action)
        lines = [tell_action(before, position, action, names[position])]
        for betting_round in range(before.betting_round + 1, after.betting_round + 1):
            cards = cards_text(round_board(hand, betting_round))
            heading = f"{round_name(hand.game, betting_round)}: {cards}".rstrip(": ")
            lines.append(f"-- {heading} (pot {after.pot})")
        yield lines
    yield [*_end(hand, names)]


def describe_game(game: GameDefinition) -> str:
    """``limit hold'em, 2 players``."""
    kind = "limit" if game.is_limit else "no-limit"
    name = "hold'em" if game.is_holdem else "poker"
    return f"{kind} {name}, {game.num_players} players"


def shortened(name: str) -> str:
    """A name that fits a table and cannot move the cursor."""
    safe = printable(name)
    return safe if len(safe) <= _MOST_NAME else safe[: _MOST_NAME - 1] + "~"


def cards_text(cards: tuple[int, ...]) -> str:
    """Cards with blanks between them."""
    return " ".join([CARD_TEXTS[card] for card in cards])


def _beginning(hand: PlayedHand, names: list[str]) -> Iterator[str]:
    game, deal = hand.game, hand.state.deal
    yield f"-- Hand {hand.number} ({printable(hand.where)}): {describe_game(game)}"
    width = max(map(len, names))
    places = game.position_names
    with_stacks = not game.is_limit
    for position, (name, cards) in enumerate(zip(names, deal.hole_cards, strict=True)):
        row = (
            f"  {places[position]:<5} {name:<{width}}  {cards_text(cards) or '?':<{3 * game.num_hole_cards}}"
        )
        yield (row + (f"  {game.stacks[position]} chips" if with_stacks else "")).rstrip()
    posts = tell_posts(game, names)
    if posts:
        yield posts
    board = cards_text(round_board(hand, 0))
    if board:
        yield f"-- {round_name(game, 0)}: {board}"


def _end(hand: PlayedHand, names: list[str]) -> Iterator[str]:
    state = hand.state
    shown = name_shown_hands(state.betting, state.deal.hole_cards, state.board)
    if shown:
        yield "-- Showdown"
        width = max(map(len, names))
        for position, words in shown:
            yield f"  {names[position]:<{width}}  {cards_text(state.deal.hole_cards[position])}  {words}"
    yield tell_winnings(hand.chips, names)
