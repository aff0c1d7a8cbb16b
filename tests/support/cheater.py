"""A launched bot that reads all it can before each of its hands, and what it could have known by that."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

from engine.poker.match_key import DealKeys, MatchKey
from engine.poker.rules import Deal, GameDefinition
from protocol.match_state import format_hole_cards_and_board
from protocol.records import HandRecord, parse_hand
from server.league.match import match_cards
from server.league.plan import Match
from server.league.sit_and_go.log import hand_cards

_CHEATER: Final = """\
import os, pathlib, select, socket, stat, sys

here = os.getcwd()

def is_ours(descriptor):
    try:
        target = os.readlink(descriptor)
    except OSError:
        return False
    return target.startswith((here, "/memfd")) or target.endswith("(deleted)")

def look():
    own = os.getpid()
    paths = [path for path in pathlib.Path.cwd().rglob("*")]
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        if process.name != str(own):
            paths += [process / "cmdline", process / "environ"]
            paths += [each for each in process.glob("fd/*") if is_ours(each)]
    found = []
    for path in paths:
        try:
            if stat.S_ISREG(path.stat().st_mode) and path.stat().st_size < 1 << 20:
                found.append(b"<<%s>>\\n" % str(path).encode() + path.read_bytes())
        except OSError:
            pass
    return b"\\n".join(found)

seen = pathlib.Path(sys.argv[1])
dealer = socket.create_connection((sys.argv[2], int(sys.argv[3])))
dealer.sendall(b"VERSION:2.0.0\\n#riverboat/1 game stacks\\n")
last, rest = None, b""
while data := dealer.recv(65536):
    *lines, rest = (rest + data).split(b"\\n")
    for line in lines:
        if line.startswith(b"MATCHSTATE:"):
            _, seat, hand, betting, cards = line.decode().strip().split(":")
            if hand != last and sum(map(bool, cards.split("/")[0].split("|"))) == 1:
                found = look()
                if line is lines[-1] and not select.select([dealer], [], [], 0.05)[0]:
                    last = hand  # the house waits: the hand was not over when we looked
                    own = cards.split("/")[0].replace("|", ",")
                    (seen / f"{os.getpid()}-{hand}-{seat}-{own}").write_bytes(found)
            dealer.sendall(line.rstrip() + b":c\\r\\n")
"""
_KEY: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_AHEAD: Final = 3
# How many hands from the present one on are compared with what was seen.


@attrs.frozen
class Look:
    """What the bot saw when it was dealt its cards."""

    hand: int
    position: int
    own: str
    """Its hole cards."""
    data: bytes
    """The files, after one another."""


@attrs.frozen
class Cheater:
    """The bot.

    Args:
        folder: takes the script; what it has seen goes elsewhere, so that it does not see that.
        seen: takes that.
    """

    folder: Path
    seen: Path
    name: str = "cheater"
    """Of the player."""

    @property
    def command(self) -> str:
        """Its command line, without host and port."""
        self.seen.mkdir(parents=True, exist_ok=True)
        (self.folder / "cheater.py").write_text(_CHEATER)
        return f"{sys.executable} cheater.py {self.seen}"

    def looks(self) -> list[Look]:
        """What it has seen."""
        found = []
        for path in self.seen.iterdir():
            _, hand, position, cards = path.name.split("-")
            own = next(filter(None, cards.split(",")))
            found.append(Look(int(hand), int(position), own, path.read_bytes()))
        return found

    def _is_of(self, look: Look, hands: Mapping[int, HandRecord]) -> bool:
        """Whether a look was in a hand of these."""
        record = hands.get(look.hand)
        return (
            record is not None
            and record.names[look.position] == self.name
            and _holes(record).split("|")[look.position] == look.own
        )

    def could_have_known(
        self, logs: list[Path], game: GameDefinition, match: Match | None = None
    ) -> set[str]:
        """How it could have known cards that it had not been dealt; empty if it could not.

        Args:
            logs: of the matches that it played, when they are over.
            game: what was played.
            match: of a tournament, as far as keys can follow from that.
        """
        hands = {log: _hands(log) for log in logs}
        ways: set[str] = set()
        looks = self.looks()
        assert looks
        for look in looks:
            log = next(log for log in logs if self._is_of(look, hands[log]))
            future = {
                number: _holes(hands[log][number])
                for number in range(look.hand, look.hand + _AHEAD)
                if number in hands[log]
            }
            known = set(future.values())
            ways |= {f"hand {look.hand}: cards on disk" for cards in known if cards.encode() in look.data}
            for key in set(_KEY.findall(look.data)):
                for number, cards in future.items():
                    if cards in _deals(key.decode(), game, number, match):
                        ways.add(f"hand {look.hand}: a key on disk")
        return ways


def _hands(log: Path) -> dict[int, HandRecord]:
    """The hands of a log, by number."""
    records = filter(None, map(parse_hand, log.read_text().splitlines()))
    return {record.hand_number: record for record in records}


def _holes(record: HandRecord) -> str:
    return record.cards.split("/")[0]


def _text(deal: Deal) -> str:
    return format_hole_cards_and_board(deal.hole_cards, (), (0,), 0)


@functools.cache
def _sources(text: str, match: Match | None) -> list[MatchKey]:
    """What cards could follow from, if a text is a key."""
    key = MatchKey.parse(text)
    common = [] if match is None else [match_cards(key, match, common=each) for each in (True, False)]
    return [key, DealKeys(key.secret), *[each for each in common if isinstance(each, MatchKey)]]


@functools.cache
def _deals(text: str, game: GameDefinition, number: int, match: Match | None) -> frozenset[str]:
    """The hole cards of a hand, by all ways in which they could follow from a key."""
    found = {_text(MatchKey.parse(text).dealer(game).deal())}
    for source in _sources(text, match):
        dealer = source.dealer(game)
        dealer.skip(number)
        found |= {_text(dealer.deal()), _text(hand_cards(source, number).dealer(game).deal())}
    return frozenset(found)
