"""Hands that were played as one HTML page: self-contained, without scripts, light or dark."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final

from server.records.formats.hands import PlayedHand
from server.records.replay.telling import tell_hand

__all__ = ["replay_page"]

_CARD: Final = re.compile(r"\b([2-9TJQKA])([cdhs])\b")
_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}

_STYLE: Final = """
:root { color-scheme: light dark; font: 16px/1.45 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
article { border-top: 1px solid #8886; padding: .5rem 0 1rem; break-inside: avoid; }
h2 { font-size: 1.05rem; margin: .4rem 0; }
pre { font: .9rem/1.4 ui-monospace, monospace; margin: .3rem 0; overflow-x: auto; }
ol { margin: .3rem 0; padding-left: 2rem; }
li.cards { list-style: none; font-weight: 600; margin-top: .3rem; }
.c { color: #1a7f37; } .d { color: #0969da; } .h { color: #cf222e; } .s { color: inherit; }
@media (prefers-color-scheme: dark) { .c { color: #3fb950; } .d { color: #58a6ff; } .h { color: #ff7b72; } }
"""


def replay_page(hands: Iterable[PlayedHand], title: str) -> str:
    """A page that tells hands action by action."""
    return "".join(_page(hands, title))


def _page(hands: Iterable[PlayedHand], title: str) -> Iterator[str]:
    name = html.escape(title)
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{name}</title>\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n"
    for hand in hands:
        yield from _article(hand)
    yield "</body>\n</html>\n"


def _article(hand: PlayedHand) -> Iterator[str]:
    (heading, *table), *actions, end = tell_hand(hand)
    yield f'<article id="hand-{hand.number}">\n<h2>{html.escape(heading.removeprefix("-- "))}</h2>\n'
    yield f"<pre>{_lines(table)}</pre>\n<ol>\n"
    for action, *cards in actions:
        yield f"<li>{html.escape(action)}</li>\n"
        for line in cards:
            yield f'<li class="cards">{_with_suits(line.removeprefix("-- "))}</li>\n'
    yield f"</ol>\n<pre>{_lines(end)}</pre>\n</article>\n"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(map(_with_suits, lines))


def _with_suits(line: str) -> str:
    """A line with its cards in colour."""
    return _CARD.sub(
        lambda card: f'<span class="{card.group(2)}">{card.group(1)}{_SUITS[card.group(2)]}</span>',
        html.escape(line),
    )
