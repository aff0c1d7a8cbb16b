"""Hands that were played, retold: moment by moment in lines, as an HTML page, and by betting rounds for JSON.

The page is self-contained, without scripts, light or dark.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from engine.poker.cards import CARD_TEXTS, format_cards
from engine.poker.rules import GameDefinition
from engine.poker.rules.hand_words import name_shown_hands, round_name, tell_action, tell_posts, tell_winnings
from engine.support.palette import style_of_pages
from engine.support.user_input import printable
from server.records.comments import Comments
from server.records.formats.hands import PlayedHand
from server.records.logs import LoggedHand

_MOST_NAME = 24


def tell_hand(hand: PlayedHand, comments: Comments | None = None) -> Iterator[list[str]]:
    """The lines for each moment of a hand: its beginning, each action with the cards dealt next, its end.

    Args:
        hand: the hand.
        comments: what players said with their actions, which is told behind them.
    """
    names = [shortened(name) for name in hand.names]
    betting = hand.state.betting
    yield [*_beginning(hand, names)]
    for before, position, action in betting.steps():
        after = before.apply(action)
        lines = [tell_action(before, position, action, names[position])]
        said = (comments or {}).get((hand.names[position], before.text), ())
        lines += [f"     said: {text}" for text in said]
        for betting_round in range(before.betting_round + 1, after.betting_round + 1):
            cards = cards_text(hand.game.round_board(hand.state.board, betting_round))
            heading = f"{round_name(hand.game, betting_round)}: {cards}".rstrip(": ")
            lines.append(f"-- {heading} (pot {after.pot})")
        yield lines
    yield [*_end(hand, names)]


def describe_game(game: GameDefinition) -> str:
    """``limit hold'em, 2 players``."""
    return f"{game.kind}, {game.num_players} players"


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
    board = cards_text(hand.game.round_board(hand.state.board, 0))
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


_CARD: Final = re.compile(r"\b([2-9TJQKA])([cdhs])\b")
_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}

_STYLE: Final = Path(__file__).with_name("replay.css")


def replay_page(hands: Iterable[tuple[PlayedHand, Comments]], title: str, lead: str = "") -> str:
    """A page that tells hands action by action.

    Args:
        hands: the first has the anchor ``told-0``, the next ``told-1``.
        title: the heading.
        lead: HTML that stands before them.
    """
    return "".join(_page(hands, title, lead))


def _page(hands: Iterable[tuple[PlayedHand, Comments]], title: str, lead: str) -> Iterator[str]:
    name = html.escape(title)
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{name}</title>\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    style = style_of_pages() + _STYLE.read_text("utf-8")
    yield f"<style>{style}</style>\n</head>\n<body>\n<main>\n<h1>{name}</h1>\n{lead}"
    for number, (hand, comments) in enumerate(hands):
        yield f'<a id="told-{number}"></a>\n'
        yield from _article(hand, comments)
    yield "</main>\n</body>\n</html>\n"


def _article(hand: PlayedHand, comments: Comments) -> Iterator[str]:
    (heading, *table), *actions, end = tell_hand(hand, comments)
    yield f'<article id="hand-{hand.number}">\n<h2>{html.escape(heading.removeprefix("-- "))}</h2>\n'
    yield f"<pre>{_lines(table)}</pre>\n<ol>\n"
    for action, *cards in actions:
        yield f"<li>{html.escape(action)}</li>\n"
        for line in cards:
            kind = "said" if line.startswith(" ") else "cards"
            yield f'<li class="{kind}">{_with_suits(line.strip().removeprefix("-- "))}</li>\n'
    yield f"</ol>\n<pre>{_lines(end)}</pre>\n</article>\n"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(map(_with_suits, lines))


def _with_suits(line: str) -> str:
    """A line with its cards in colour."""
    return _CARD.sub(
        lambda card: f'<span class="{card.group(2)}">{card.group(1)}{_SUITS[card.group(2)]}</span>',
        html.escape(line),
    )


def hand_in_words(hand: LoggedHand, comments: Comments | None = None) -> dict[str, Any]:
    """A hand from its deal to its result: players, betting rounds with their actions, cards shown."""
    state = hand.state
    betting, hole_cards = state.betting, state.deal.hole_cards
    game = betting.game
    names = [printable(name) for name in hand.names]
    rounds: list[dict[str, Any]] = [
        {
            "name": round_name(game, betting_round),
            "board": format_cards(game.round_board(state.board, betting_round)),
            "pot": None,
            "actions": [],
        }
        for betting_round in range(betting.betting_round + 1)
    ]
    posts = tell_posts(game, names)
    rounds[0]["actions"] += [posts] if posts else []
    for before, position, action in betting.steps():
        each = rounds[before.betting_round]
        if each["pot"] is None:
            each["pot"] = before.pot
        each["actions"].append(tell_action(before, position, action, names[position]))
        said = (comments or {}).get((hand.names[position], before.text), ())
        if said:
            each.setdefault("said", []).extend(f"{names[position]}: {text}" for text in said)
    for each in rounds:
        each["pot"] = betting.pot if each["pot"] is None else each["pot"]
    return {
        "hand": hand.number,
        "line": hand.line,
        "players": [
            {
                "name": names[position],
                "position": game.position_names[position],
                "cards": format_cards(hole_cards[position]),
                "chips": chips,
            }
            for position, chips in enumerate(hand.chips)
        ],
        "rounds": rounds,
        "showdown": [
            f"{names[position]} shows {format_cards(hole_cards[position])}: {words}"
            for position, words in name_shown_hands(betting, hole_cards, state.board)
        ],
    }
