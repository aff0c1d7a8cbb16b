"""What real inputs look like, and what a target is.

A target takes a generator, makes one input, shows it to the reader, and checks what comes out.  The errors
that are documented are those of its row; any other is a finding.
"""

import functools
import random
import re
from collections.abc import Callable, Sequence
from typing import Final

import attrs

from engine.poker.rules import format_game, load_game, packaged_games
from tests.support.hands.golden_files import GOLDEN, GoldenLog, golden_log
from tests.support.tables import conversations

# --- inputs -------------------------------------------------------------------------------------------------

LOGS: Final = (
    "random.holdem.limit.2p.reverse_blinds.0", "random.holdem.nolimit.3p.0", "random.leduc.0",
    "random.kuhn.limit.3p.0", "random.holdem.limit.3p.0",
)  # fmt: skip
HANDS: Final = 30
"""Of each golden log."""


@attrs.frozen
class Target:
    """One reader of what comes from outside."""

    name: str
    run: Callable[[random.Random], object]
    documented: tuple[type[BaseException], ...]
    share: float
    """Of all inputs."""
    is_for_people: bool = True
    """Its errors are lines that people see."""


@functools.cache
def log_of(name: str) -> GoldenLog:
    return golden_log(name)


def any_log(rng: random.Random) -> GoldenLog:
    return log_of(rng.choice(LOGS))


@functools.cache
def said_and_told(name: str) -> tuple[list[str], list[str]]:
    """Lines that clients and the dealer say in the match of a log."""
    log = log_of(name)
    said, told = conversations(log.game, log.records[:HANDS])
    return lines(b"".join(said)), lines(b"".join(map(bytes, told)))


def lines(data: bytes) -> list[str]:
    return data.decode("ascii").splitlines()


@functools.cache
def games() -> tuple[str, ...]:
    texts = [format_game(load_game(name)) for name in packaged_games()]
    return (*texts, *[path.read_text("utf-8", "surrogateescape") for path in sorted(GOLDEN.glob("*.game"))])


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape" if "\udcff" in text else "replace")


# --- mutations ----------------------------------------------------------------------------------------------

NUMBERS: Final = (
    "0", "1", "-1", "2", "9", "10", "255", "256", "65535", "65536", "2147483647", "2147483648",
    "-2147483648", "4294967295", "4294967296", "9223372036854775808", "18446744073709551616", "9" * 40,
    "9" * 41, "0" * 50 + "5", "9" * 400, "9" * 4301, "0.5", "1e5", "1e308", "1e999", "-1e999", "nan", "-nan",
    "inf", "-inf", "0x10", "1_0", "٣", "²", "+", "-", "",
)  # fmt: skip
"""Numbers at which something changes, and some that are none."""

PIECES: Final = (
    "\0", "\r", "\n", "\r\n", "\t", " ", "\x1b[2J", "\x7f", "\u2028", "\udcff", "é", "♠", "|", ":", "/", "#",
    "=", ",", "-", "--", "%s", "{}", "[", "]", "{", "}", "(", '"', "'", "\\", "*", "~", "$HOME", "..",
    "\ufeff", "MATCHSTATE:", "STATE:", "SCORE:", "VERSION:", "#riverboat/1", "seat", "game", "nan", "null",
    "true", "A" * 5000, "[" * 2000, ":" * 300, "|" * 300, "/" * 300, "r" * 300, "c" * 300,
)  # fmt: skip
"""Texts that mean something to somebody who reads."""

_NUMBER: Final = re.compile(r"\d+")


def mutated_text(rng: random.Random, texts: Sequence[str], most: int = 5) -> str:
    """One of some texts, changed in a few places."""
    text = rng.choice(texts)
    for _ in range(rng.randint(0, most)):
        text = _CHANGES[rng.randrange(len(_CHANGES))](rng, text, texts)
    return text


def mutated_bytes(rng: random.Random, samples: Sequence[bytes], most: int = 5) -> bytes:
    """One of some byte strings, changed in a few places."""
    data = bytearray(rng.choice(samples))
    for _ in range(rng.randint(0, most)):
        start = rng.randint(0, len(data))
        end = min(len(data), start + int(rng.expovariate(0.2)))
        how = rng.randrange(6)
        if how == 0 and data:
            data[rng.randrange(len(data))] = rng.randrange(256)
        elif how == 1:
            data[start:end] = rng.randbytes(rng.randint(0, 8))
        elif how == 2:
            del data[start:end]
        elif how == 3:
            data[start:start] = data[start:end] * rng.choice((1, 2, 100))
        elif how == 4:
            data[start:end] = rng.choice((*NUMBERS, *PIECES)).encode("utf-8", "surrogateescape")
        else:
            other = rng.choice(samples)
            data[start:] = other[rng.randint(0, len(other)) :]
    return bytes(data)


def chunks(rng: random.Random, data: bytes) -> list[bytes]:
    """Bytes as they may arrive."""
    if rng.random() < 0.5:
        return [data]
    cuts = sorted(rng.randint(0, len(data)) for _ in range(rng.randint(1, 6)))
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    return [piece for piece in pieces if piece]


def _change_number(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    places = list(_NUMBER.finditer(text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + rng.choice(NUMBERS) + text[place.end() :]


def _insert(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(PIECES) + text[at:]


def _insert_any(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0x3000)))) + text[at:]


def _drop(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    start = rng.randint(0, len(text))
    return text[:start] + text[start + 1 + int(rng.expovariate(0.3)) :]


def _cut(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    return text[: rng.randint(0, len(text))]


def _repeat(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    start = rng.randint(0, len(text))
    end = min(len(text), start + 1 + int(rng.expovariate(0.2)))
    return text[:end] + text[start:end] * rng.choice((1, 2, 50)) + text[end:]


def _swap(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    parts = re.split(r"([:|/,= \n])", text)
    one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[one], parts[other] = parts[other], parts[one]
    return "".join(parts)


def _splice(rng: random.Random, text: str, texts: Sequence[str]) -> str:
    other = rng.choice(texts)
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


_CHANGES: Final = (_change_number, _change_number, _insert, _insert_any, _drop, _cut, _repeat, _swap, _splice)
