"""``riverboat replay``: retells hands that were played."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from click import IntRange

from engine.support.files import write_whole
from engine.support.user_input import printable
from server.records.comments import Comments, comments_beside
from server.records.formats.hands import PlayedHand
from server.records.formats.reading import find_hands, read_hands
from server.records.formats.said import FormatError
from server.records.logs import LogError
from server.records.telling import replay_page, tell_hand
from server.support.options import PATH, flag, game_option, option

_HELP = "Enter: on; h: next hand; q: quit"


@click.command("replay")
@click.argument("log", type=PATH)
@option("--hand number N", "Only hand N, as its file counts: logs begin with 0.", IntRange(0))
@option("--html page FILE", "Write an HTML page instead.", PATH)
@game_option
@flag("--force", "Overwrite FILE.")
@click.pass_context
def replay(
    ctx: click.Context, log: Path, number: int | None, page: Path | None, game: str | None, force: bool
) -> None:
    """Tell hands that were played, action by action, with all cards that are known.

    LOG is a log of a match, a room or a sit-and-go, a PHH or Open Hand History file, or PokerStars' text,
    gzipped or not, or the folder of a match.  In a
    terminal it waits for a key after each action: Enter continues, h skips to the next hand, q quits.
    """
    if page is not None and page.exists() and not force:
        raise click.ClickException(f"{page} would be overwritten; --force does it")
    try:
        hands = _hands(log, number, game)
        if page is not None:
            write_whole(page, replay_page(hands, printable(str(log))))
            click.echo(f"written to {page}")
        elif sys.stdin.isatty() and sys.stdout.isatty():
            step_through(hands)
        else:
            for hand, comments in hands:
                for lines in tell_hand(hand, comments):
                    click.echo("\n".join(lines))
                click.echo()
    except (LogError, FormatError) as error:
        raise click.ClickException(printable(str(error))) from None


def _hands(log: Path, number: int | None, game: str | None) -> Iterator[tuple[PlayedHand, Comments]]:
    """The hands asked for, with what players said in them.

    Raises:
        FormatError: there is no hand with this number.
    """
    found, seen = False, 0
    least = most = None
    for path in find_hands([log]):
        comments = comments_beside(path)
        for hand in read_hands(path, game):
            if isinstance(hand, FormatError):
                click.echo(printable(str(hand)), err=True)  # the others are told all the same
                continue
            seen += 1
            least = hand.number if least is None else min(least, hand.number)
            most = hand.number if most is None else max(most, hand.number)
            if number is None or hand.number == number:
                found = True
                yield hand, comments.get(hand.number, {})
    if not found:
        there = f"it has hands {least} to {most}" if seen else "it has none at all"
        which = "no hand" if number is None else f"no hand {number}"
        raise FormatError(f"{log}: there is {which}: {there}")


def step_through(hands: Iterable[tuple[PlayedHand, Comments]]) -> None:
    """Tell hands in a terminal, an action for each key, until the reader has had enough."""
    click.echo(_HELP)
    for hand, comments in hands:
        for lines in tell_hand(hand, comments):
            click.echo("\n".join(lines))
            key = _key()
            if key == "q":
                return
            if key == "h":
                break
        click.echo()


def _key() -> str:
    """The next key that means something."""
    while True:
        try:
            key = click.getchar()
        except EOFError:
            return "q"
        if key in ("q", "Q", "\x1b"):
            return "q"
        if key in ("\r", "\n", " "):
            return ""
        if key in ("h", "H"):
            return "h"
        click.echo(_HELP)
