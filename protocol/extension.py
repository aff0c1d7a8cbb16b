"""What Riverboat says beyond the ACPC's protocol, in lines that begin with ``#``.

ACPC programs on either side skip such lines.  A client opts in after its version line::

    #riverboat/1 seat names clock token=s3cret

and is answered with the capabilities it is granted; from then on it also gets

    #seat K            its seat, from 0
    #names A|B|...     the players' names, in seat order
    #game DEFINITION   the game file, its lines joined by ``;``
    #clock SECONDS     before each of its turns: how long it may think

In a room, which has many tables behind one port, it also says ``lobby``, with its name and the token of that
name if it has one::

    #riverboat/1 lobby seat names game stacks commit name=Ann token=s3cret

and may then make requests, in any state::

    #list              answered by a #table line for each table and #tables with their number
    #join TABLE        a seat at a table, or at any; ``#join TABLE 400`` brings 400 chips
    #leave             gives the seat up, when the hand is over
    #sit-out, #sit-in  to be dealt no hands from the next one on; to be dealt in again
    #top-up 200        brings 200 chips more to the table, before the next hand
    #chat TEXT         says something to the people at a table that allows it: from a page at once, in other
                       clients' lines when the hand is over
    #show 17           shows the cards of the last hand, 17, which need not be shown
    #host nolimit-6p   a private table, answered by #hosted TABLE; at one of those, what its host decides:
                       pace 0.4, blinds 5/10, add BOT, remove BOT, kick NAME, chat on, chat off, pause, resume
    #name=Ann          the words of the greeting, said later
    #token=s3cret

``person`` says that a person looks on, for whom the table keeps a pace; ``keep`` that a guest may come back:
they are told a secret, which is their token from then on.  It is also told

    #lobby REASON            it has no seat (any more); after this no hand is shown to it
    #seated TABLE SEAT STACK it has one
    #refused REASON          its request cannot be granted
    #message TEXT            a message for people
    #keep SECRET             the token with which a guest who was cut off finds the seat again
    #stacks A|B|...          before a hand for which they have changed: chips by position
    #commit HASH             before a hand: SHA-256 of the key of its cards (`engine.poker.match_key`)

and ``#seat``, ``#names`` and ``#game`` come again before each hand for which they have changed.
They describe that hand: only its players, in an order in which positions move by one with each hand.

If chips carry over from hand to hand in a match, as in a sit-and-go, clients must ask for ``game`` and
``stacks``: ``#game``, ``#names``, ``#seat`` and ``#stacks`` then come as in a room.

``unrehearsed`` says that the client need not be shown earlier hands again when a match is resumed.

A client that is granted ``policy`` gets nothing, but says with its replies what it would have done with other
hands, for the house alone (`protocol.policy`); only a house that wants this grants it.  One that is granted
``usage`` says what its decisions cost (`protocol.agents.usage`).

Only its first greeting is answered; comments may precede it.  Both sides ignore unknown words and unknown
``#`` lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from engine.poker.rules import GameDefinition, format_game, parse_game

GREETING: Final = "#riverboat/1"
UNREHEARSED: Final = "unrehearsed"
"""The word of a client that need not be shown earlier hands again when a match is resumed: it carries
nothing from hand to hand, or keeps what it has learned itself."""
STACKS: Final = "stacks"
"""The word of a client that can follow chips which carry over from hand to hand."""
CAPABILITIES: Final = ("seat", "names", "game", "clock", "policy", "usage", STACKS, UNREHEARSED)
"""What a client may ask for."""
NEEDED_FOR_CHIPS: Final = frozenset({"game", STACKS})
"""What a client must be granted before hands with other stacks than the game file says."""
LOBBY: Final = "lobby"
"""The word of a client that knows what a room is."""
PERSON: Final = "person"
"""The word of a person's client, for which a table keeps its pace."""
KEEP: Final = "keep"
"""The word of a guest's client that can come back after it has lost its connection."""
ROOM_CAPABILITIES: Final = ("seat", "names", "game", "clock", STACKS, "commit", LOBBY, PERSON, KEEP)
"""What a client may ask a room for."""
TOO_LATE: Final = "you have not played for too long"
"""The reason of a ``#lobby`` line for a seat that did not answer: it may be taken again at once."""
REQUESTS: Final = (
    "list", "join", "leave", "sit-out", "sit-in", "top-up", "show", "host", "chat", "name", "token",
)  # fmt: skip
"""The words of `Request`."""
NAME: Final = "name="
"""Begins the word that carries a player's name, in a room."""
TOKEN: Final = "token="
"""Begins the word that carries a seat's credential."""


def introduction(game: GameDefinition, names: Sequence[str], seat: int) -> dict[str, str]:
    """The notes that introduce a match, by name: seats move on by one position with each hand."""
    return {"seat": str(seat), "names": "|".join(names), "game": format_game_line(game)}


def hand_introductions(
    game: GameDefinition, number: int, names: Sequence[str], chips: int, **others: str
) -> list[dict[str, str]]:
    """The notes that introduce a hand whose stacks and players are its own, by position.

    Args:
        game: of the hand, with its stacks.
        number: of the hand; the notes on names and seats are such that positions follow from it.
        names: by position.
        chips: everybody's stack in ``#game``, so that stacks alone do not make another game of it.
        others: notes that are the same for all.
    """
    players = len(names)
    in_seat_order = [names[(seat - number) % players] for seat in range(players)]
    nominal = attrs.evolve(game, stacks=(max(chips, *game.stacks),) * players)
    lists = {"names": "|".join(in_seat_order), "stacks": "|".join(map(str, game.stacks))}
    common = {"game": format_game_line(nominal), **lists, **others}
    return [{**common, "seat": str((position + number) % players)} for position in range(players)]


def format_game_line(game: GameDefinition) -> str:
    """A game file in one line."""
    return format_game(game).strip().replace("\n", ";")


def parse_game_line(text: str, source: str = "game definition") -> GameDefinition:
    """The game of such a line.

    Args:
        text: the line.
        source: where it comes from, for errors.

    Raises:
        GameDefinitionError: it is none.
    """
    return parse_game(text.replace(";", "\n"), source)


def is_comment(line: bytes) -> bool:
    """Whether ACPC programs on both sides skip a line."""
    return line[:1] in (b"#", b";")


def parse_greeting(text: str) -> tuple[str, ...] | None:
    """The words of a ``#riverboat/1`` line, None for any other line."""
    name, *words = text.split() or [""]
    return tuple(words) if name == GREETING else None


def format_greeting(words: Iterable[str]) -> str:
    """A ``#riverboat/1`` line, without line end."""
    return " ".join([GREETING, *words])


def parse_request(text: str) -> tuple[str, str] | None:
    """Word and text of a client's line to a room, as ``#join a`` or ``#name=Ann``; None for any other."""
    if not text.startswith("#"):
        return None
    word, _, rest = text[1:].partition(" ")
    if word in ("name", "token"):
        return None
    for named in (NAME, TOKEN):
        if word.startswith(named):
            word, rest = named[:-1], word.removeprefix(named)
    return (word, rest.strip()) if word in REQUESTS else None


def format_request(word: str, text: str = "") -> str:
    """A client's line to a room, without line end."""
    if word in ("name", "token"):
        return f"#{word}={text}"
    return f"#{word} {text}".rstrip()


def parse_seated(text: str) -> tuple[str, int, int] | None:
    """Table, seat and stack of a ``#seated`` line; None for any other."""
    name, *words = text.split() or [""]
    if name != "#seated" or len(words) != 3:
        return None
    table, seat, stack = words
    if not all(each.isascii() and each.isdecimal() and len(each) < 19 for each in (seat, stack)):
        return None
    return table, int(seat), int(stack)


def parse_note(text: str) -> tuple[str, str] | None:
    """Name and text of a ``#name text`` line, None for an ordinary comment."""
    name, _, rest = text[1:].partition(" ")
    return (name, rest.strip()) if text.startswith("#") and name.isalpha() else None
