"""What people type, in games and on command lines, nearly right."""

import functools
import random
from collections.abc import Callable
from typing import Final

import click

from clients.core.options import OptionError, parse_bet_sizes
from clients.core.program import ProgramError, read_host, read_port, read_seed
from clients.core.registry import UnknownBot, installed_bots, make_bot
from clients.human.input_line import parse_line
from clients.human.keyboard_lines import LineAssembler, TelnetDecoder
from clients.human.telnet import read_listen_address
from engine.poker.cards import InvalidCardError, parse_written_cards
from engine.poker.combos import parse_starting_hand
from engine.poker.rules import HandView
from engine.poker.rules.intentions import Move, Nonsense, RaiseBy, RaiseTo, action_of
from protocol import parse_match_state
from server.commands.play.dealer import UsageError, _WantsUsage, configure
from server.commands.program import riverboat
from server.match.launching.players import PlayerError, parse_players
from tests.stress.fuzzing.inputs import (
    LOGS,
    NUMBERS,
    Target,
    chunks,
    log_of,
    mutated_bytes,
    mutated_text,
    said_and_told,
)

_TYPED: Final = (
    "c", "call", "check", "f", "fold", "r", "raise", "raise to 300", "r 300", "r +200", "r by 50", "r pot",
    "r half", "all in", "?", "help", "odds", "table", "history", "last", "quit", "q", "", "raise 4294967296",
)  # fmt: skip


@functools.cache
def _views(name: str) -> tuple[HandView, ...]:
    """States of a golden log's match in which somebody is to act."""
    _, told = said_and_told(name)
    game = log_of(name).game
    views = [parse_match_state(line, game) for line in told[:80]]
    return tuple(view for view in views if view.betting.position_to_act == view.position)


def _typed_lines(rng: random.Random) -> None:
    intention = parse_line(mutated_text(rng, _TYPED))
    if isinstance(intention, Move | RaiseTo | RaiseBy):
        view = rng.choice(_views(rng.choice(LOGS)))
        action = action_of(intention, view)
        assert isinstance(action, Nonsense) or view.betting.is_legal(action)


def _typed_bytes(rng: random.Random) -> None:
    samples = [line.encode() + end for line in _TYPED for end in (b"\r\n", b"\n", b"\r\0")]
    samples += [
        b"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0", b"\xff\xf4\xff\xfd\x06", b"\x03", b"\x04",
        b"\x7f",
    ]  # fmt: skip
    data = b"".join(mutated_bytes(rng, samples, 3) for _ in range(rng.randint(1, 6)))
    decoder, assembler = TelnetDecoder(), LineAssembler()
    typed = list(assembler.feed(decoder.feed(data)))
    pieces, slow = TelnetDecoder(), LineAssembler()
    in_pieces = [item for chunk in chunks(rng, data) for item in slow.feed(pieces.feed(chunk))]
    assert typed + assembler.finish() == in_pieces + slow.finish(), "the same bytes in other pieces"
    assert decoder.columns == pieces.columns


_DEALER_WORDS: Final = (
    "match", "limit-2p", "100", "1", "a", "b", "c", "-q", "-l", "-L", "-T", "-t", "-a", "-f", "-p", "0,0",
    "--host", "127.0.0.1", "--t_response", "--t_hand", "1000", "--t_per_hand", "--start_timeout", "-1",
    "--handshake_timeout", "--seat-token", "x,y", "1=x", "--on-failure", "fold", "abort", "random",
    "kuhn-3p", "--", "-qlTa",
)  # fmt: skip


def _dealers_command_line(rng: random.Random) -> None:
    words = ["match", "limit-2p", "100", "1", "a", "b"][: rng.randint(0, 6)]
    words += [rng.choice(_DEALER_WORDS) for _ in range(rng.randint(0, 6))]
    spoilt = [mutated_text(rng, [word], 1) if rng.random() < 0.3 else word for word in words]
    configure([word.replace("\0", "") for word in spoilt])  # which no command line can hold


@functools.cache
def _commands() -> tuple[tuple[str, click.Command], ...]:
    context = click.Context(riverboat)
    found = []
    for name in riverboat.list_commands(context):
        command = riverboat.get_command(context, name)
        if command is not None:
            found.append((name, command))
            if isinstance(command, click.Group):
                for sub_name in command.list_commands(context):
                    sub = command.get_command(context, sub_name)
                    if sub is not None:
                        found.append((f"{name} {sub_name}", sub))
    return tuple(found)


_ARGUMENTS: Final = (
    "limit-2p", "formula", "always-call", "127.0.0.1", "4000", "AsKs", "Js8c4s", "rc/cr", "3", "0.5",
    "x.npz", "wait", "a=b", "formula:tightness=1", *NUMBERS,
)  # fmt: skip


def _command_lines(rng: random.Random) -> None:
    """Parsed as click parses them; nothing is run."""
    name, command = rng.choice(_commands())
    options = [option for parameter in command.params for option in parameter.opts if option.startswith("-")]
    words = []
    for _ in range(rng.randint(0, 8)):
        word = rng.choice(options) if options and rng.random() < 0.5 else rng.choice(_ARGUMENTS)
        words.append(mutated_text(rng, [word], 1) if rng.random() < 0.3 else word)
    with command.make_context(name, [word.replace("\0", "") for word in words]) as context:
        assert context is not None


_WORDS: Final = (
    "AsKs", "7h9h", "10h", "7♥9♥", "Js8c4s", "72o", "A7s", "TT", "half+pot+all-in", "1/2", "127.0.0.1",
    "localhost", "[::1]:80", "127.0.0.1:4000", "4000", "random", "17", "x=wait", "a=formula:tightness=1",
    "python bot.py 'x y'",
)  # fmt: skip


def _words(rng: random.Random) -> None:
    """Single words of command lines: cards, hands, sizes, hosts, ports, seeds, players."""
    word = mutated_text(rng, _WORDS)
    read = rng.choice(_WORD_READERS)
    read(word)


_WORD_READERS: Final[tuple[Callable[[str], object], ...]] = (
    parse_written_cards, parse_starting_hand, parse_bet_sizes, read_host, read_port, read_seed,
    read_listen_address, lambda word: parse_players([word, word], {"formula", "always-call"}),
)  # fmt: skip


@functools.cache
def _bots() -> tuple[str, ...]:
    names = installed_bots()
    written = [f"{name}:knowledge=none" for name in names if name.endswith("learner")]
    return (
        *names, *written, "random:fold=0.1,call=0.5", "hand-strength:call=0.2,bet=0.5,raise=0.7",
        "sampling:trials=100,model=none,bet_sizes=half+pot", "simple:preflop-only",
        "street-learner:explore=0.5", "formula:tightness=1,noise=0,model=generic",
        "poker-learner:choose=greedy,classifier=as-played",
    )  # fmt: skip


def _specs_of_bots(rng: random.Random) -> None:
    spec = mutated_text(rng, _bots(), 3)
    if "knowledge" in spec and "=none" not in spec:  # no files are made with such names
        return
    if "memory" in spec or "\0" in spec:
        return
    make_bot(spec)


TARGETS: Final = (
    Target("typed lines", _typed_lines, (), 0.085),
    Target("typed bytes", _typed_bytes, (), 0.05),
    Target("the dealer's command line", _dealers_command_line, (UsageError, _WantsUsage), 0.04, False),
    Target("command lines", _command_lines, (click.UsageError, click.exceptions.Exit), 0.02, False),
    Target("words", _words, (InvalidCardError, ValueError, ProgramError, PlayerError), 0.03),
    Target("specs of bots", _specs_of_bots, (OptionError, UnknownBot), 0.003),
)
