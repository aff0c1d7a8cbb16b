"""``riverboat dealer``: a drop-in for the ACPC dealer (docs/acpc-dealer.md 5.1).

The command line is read as GNU getopt reads it, abbreviations and all, and numbers as C's scanf does;
so this program parses its own arguments.  It loads neither click nor rich nor any plug-in, which keeps
its ports on stdout within a fraction of a second.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from engine.poker.match_key import MatchSeed
from engine.poker.rules import GameDefinition, GameDefinitionError, load_game
from engine.poker.rules.game_file import read_digits, wrap_unsigned
from engine.support.interruption import as_ctrl_c, die_of
from engine.support.seeds import random_seed
from engine.support.user_input import parse_finite, parse_whole, printable, told_as
from server.support.addresses import listening_address
from server.support.console import Console
from server.support.errors import MatchAborted
from server.support.seat_tokens import hidden_tokens
from server.table.config import MOST_SECONDS, MatchConfig, OnFailure, TimeLimits, check_names
from server.table.match import MatchServer

PROGRAM: Final = "riverboat dealer"
_NUMBER: Final = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")

USAGE: Final = Path(__file__).with_suffix(".txt").read_text("utf-8")


class UsageError(Exception):
    """The command line cannot be understood; the message is for stderr."""


class _WantsUsage(Exception):
    """Too few arguments: the usage text goes to stdout."""


@attrs.define
class _Options:
    limits: dict[str, Any] = attrs.Factory(dict)  # fields that are not as usual
    config: dict[str, Any] = attrs.Factory(dict)  # likewise
    rake: str | None = None
    log: bool = True
    transactions: bool = False
    tokens: list[str] = attrs.Factory(list)
    token_files: list[str] = attrs.Factory(list)
    positionals: list[str] = attrs.Factory(list)

    def set(self, field: str, value: Any) -> None:
        """Set a field of the limits, of the configuration, or one of these; lists grow."""
        if field in attrs.fields_dict(TimeLimits):
            self.limits[field] = value
        elif field in attrs.fields_dict(MatchConfig):
            self.config[field] = value
        else:
            setattr(self, field, getattr(self, field) + value if isinstance(value, list) else value)


def _number(text: str, complaint: str) -> int:
    number = _NUMBER.match(text)
    if number is None:
        raise UsageError(f"ERROR: {complaint}{text}\n")
    return read_digits(number.group(1))


def _unsigned(text: str, complaint: str, bits: int) -> int:
    """An unsigned number as scanf reads it: a negative one wraps around."""
    return wrap_unsigned(_number(text, complaint), bits)


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 <= (seconds := parse_finite(text)) <= MOST_SECONDS:
            return seconds
    raise UsageError(f"ERROR: --grace expects seconds, from 0 to {MOST_SECONDS:g}, got {text}\n")


def _ports(text: str) -> tuple[int, ...]:
    ports: list[int] = []
    rest = text
    while rest and len(ports) < 10:
        if ports:
            if not rest.startswith(","):
                raise UsageError(f"ERROR: bad port string {text}\n")
            rest = rest[1:]
        number = _NUMBER.match(rest)
        if number is None:
            raise UsageError(f"ERROR: bad port string {text}\n")
        ports.append(wrap_unsigned(read_digits(number.group(1)), 16))
        rest = rest[number.end() :]
    return tuple(ports)


def _host(text: str) -> str:
    with told_as(UsageError, ValueError, what="ERROR: --host: ", hint="\n"):
        return listening_address(text)


def _policy(text: str) -> OnFailure:
    try:
        return OnFailure(text)
    except ValueError:
        raise UsageError(f"ERROR: --on-failure expects acpc, fair or patient, got {text}\n") from None


def _milliseconds(what: str) -> Callable[[str], float]:
    return lambda text: _unsigned(text, f"could not get {what} ", 64) / 1000


def _start(text: str) -> float | None:
    milliseconds = _number(text, "could not get start timeout ")
    return None if milliseconds < 0 else milliseconds / 1000


_SHORT: Final[Mapping[str, tuple[str, bool]]] = {
    "f": ("fixed_seats", True), "l": ("log", False), "L": ("log", True), "t": ("transactions", False),
    "T": ("transactions", True), "a": ("append", True), "q": ("quiet", True),
}  # fmt: skip
"""By letter, what an option without a value sets."""
_LONG: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "t_response": ("response", _milliseconds("response timeout from")),
    "t_hand": ("hand", _milliseconds("player hand timeout from")),
    "t_per_hand": ("per_hand", _milliseconds("average player hand timeout from")),
    "start_timeout": ("start", _start),
    "host": ("host", _host),
    "seat-token": ("tokens", lambda text: text.split(",")),
    "seat-token-file": ("token_files", lambda text: [text]),
    "on-failure": ("on_failure", _policy),
    "handshake_timeout": ("handshake", _milliseconds("handshake timeout")),
    "grace": ("grace", _seconds),
    "rake": ("rake", str),
}
"""By name, what an option sets, and how its value is read; the ACPC's come first."""
_ACPC_LONG: Final = ("t_response", "t_hand", "t_per_hand", "start_timeout")


def _long_option(word: str) -> str:
    """The long option that a possibly abbreviated word means; the ACPC's own go before ours.

    An abbreviation of several ACPC options is the first of them: getopt cannot tell them apart, as that
    dealer declares them.
    """
    candidates = [name for name in _LONG if name.startswith(word)]
    if word in candidates:
        return word
    if len(candidates) == 1 or (candidates and candidates[0] in _ACPC_LONG):
        return candidates[0]
    if candidates:
        possible = " ".join(f"'--{name}'" for name in candidates)
        raise _unknown(f"option '--{word}' is ambiguous; possibilities: {possible}")
    raise _unknown(f"unrecognized option '--{word}'")


def _unknown(complaint: str) -> UsageError:
    return UsageError(f"{PROGRAM}: {complaint}\nERROR: unknown option ?\n")


def _parse(arguments: Sequence[str]) -> _Options:
    options = _Options()
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            options.positionals += rest
            break
        if word.startswith("--"):
            written, equals, value = word[2:].partition("=")
            name = _long_option(written)
            if not equals:
                if not rest:
                    raise _unknown(f"option '--{name}' requires an argument")
                value = rest.pop(0)
            field, read = _LONG[name]
            options.set(field, read(value))
        elif word.startswith("-") and word != "-":
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                if letter == "p":
                    if not letters and not rest:
                        raise _unknown("option requires an argument -- 'p'")
                    options.set("ports", _ports(letters or rest.pop(0)))
                    break
                if letter in _SHORT:
                    options.set(*_SHORT[letter])
                else:
                    raise _unknown(f"invalid option -- '{letter}'")
        else:
            options.positionals.append(word)
    return options


def _seat_tokens(items: Sequence[str], files: Sequence[str], seats: int) -> tuple[str | None, ...]:
    with told_as(UsageError, ValueError, what="ERROR: ", hint="\n"):
        tokens = hidden_tokens(files, os.environ, seats)
    upcoming = 0
    for item in items:
        seat_text, equals, token = item.partition("=")
        try:
            seat = parse_whole(seat_text if equals else "") - 1
        except ValueError:  # all of it is the token
            seat, token = upcoming, item
            upcoming += 1
        if not 0 <= seat < seats or any(letter.isspace() for letter in token):
            raise UsageError(
                f"ERROR: bad seat token {item}: expected TOKEN or SEAT=TOKEN, without blanks, "
                f"for seats 1 to {seats}\n"
            )
        tokens[seat] = token or None
    return tuple(tokens)


def _load_game(text: str) -> GameDefinition:
    try:
        return load_game(text, lambda line: print(f"riverboat: {line}", file=sys.stderr))
    except OSError as error:
        raise UsageError(
            f"ERROR: could not open game definition {text}\n"
            f"{PROGRAM}: {error.strerror}; `riverboat games` lists the packaged games\n"
        ) from None
    except GameDefinitionError as error:
        acpc_line = f"{error.acpc_line}\n" if error.acpc_line else ""
        raise UsageError(f"{acpc_line}ERROR: could not read game {text}\n{PROGRAM}: {error}\n") from None


def configure(arguments: Sequence[str]) -> MatchConfig:
    """The match a command line asks for, checked in the ACPC dealer's order (docs/acpc-dealer.md 5.1).

    Raises:
        UsageError: with the lines for stderr.
    """
    options = _parse(arguments)
    if len(options.positionals) < 4:
        raise _WantsUsage
    match_name, game_text, hands_text, seed_text, *names = options.positionals
    game = _load_game(game_text)
    if options.rake is not None:
        with told_as(UsageError, ValueError, what="ERROR: --rake ", hint="\n"):
            game = game.raked(options.rake)
    if len(names) < game.num_players:
        raise _WantsUsage
    names = names[: game.num_players]
    hands = _unsigned(hands_text, "invalid number of hands ", 32)
    if hands == 0:
        raise UsageError(f"ERROR: invalid number of hands {hands_text}\n")
    if seed_text == "random":
        seed = random_seed()
        sys.stderr.write(f"# seed {seed}, drawn from the operating system\n")
    else:
        seed = _unsigned(seed_text, "invalid random number seed ", 32)
    fault = check_names(names)
    if fault is None and any(letter in match_name for letter in "\r\n\0"):
        fault = f"invalid match name {match_name!r}: expected one line"
    if fault is not None:
        raise UsageError(f"ERROR: {fault}\n")
    return MatchConfig(
        name=match_name,
        game=game,
        game_text=game_text,
        hands=hands,
        cards=MatchSeed(seed),
        names=tuple(names),
        limits=TimeLimits(**options.limits),
        seat_tokens=_seat_tokens(options.tokens, options.token_files, game.num_players),
        log_path=Path(f"{match_name}.log") if options.log else None,
        transaction_path=Path(f"{match_name}.tlog") if options.transactions else None,
        **options.config,
    )


class _Terminal(Console):
    """The dealer's stdout and stderr.  A match outlives their readers: its log has it all."""

    def __init__(self) -> None:
        self._lost: set[int] = set()
        self._is_terminal = os.isatty(2)

    def _write(self, descriptor: int, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        while data and descriptor not in self._lost:
            try:
                data = data[os.write(descriptor, data) :]
            except OSError:
                self._lost.add(descriptor)

    def out(self, text: str) -> None:
        self._write(1, text)

    def err(self, text: str) -> None:
        if self._is_terminal:  # which a client's line might move the cursor of
            text = printable(text, "\n")
        self._write(2, text)


async def _deal(config: MatchConfig) -> int:
    terminal = _Terminal()
    server = MatchServer(config, terminal)
    try:
        server.open()
    except MatchAborted as error:
        terminal.err(error.lines)
        return 1
    terminal.out(" ".join(map(str, server.ports)) + "\n")
    return 0 if (await server.run()).error is None else 1


def main(arguments: Sequence[str]) -> int:
    """Run the dealer; returns its exit status: 0 success, 1 any failure, 130 after Ctrl-C."""
    if [*arguments] == ["--help"]:
        sys.stdout.write(USAGE)
        return 0
    try:
        config = configure(arguments)
    except _WantsUsage:
        sys.stdout.write(USAGE)
        return 1
    except UsageError as error:
        _Terminal().err(str(error))
        return 1
    # Ctrl-C at checkpoints only: elsewhere it could break into trio's own work, as starting a task.
    with as_ctrl_c(under_trio=True):
        die_of(signal.SIGTERM, signal.SIGHUP)  # as the ACPC dealer does; each line of its files is whole
        return trio.run(_deal, config, restrict_keyboard_interrupt_to_checkpoints=True)
