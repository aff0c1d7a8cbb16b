"""One number for all behaviour: games of fixed seeds, sums of evaluators and solvers, texts that are parsed.

Each part is a checksum of text.  The parts of `INTEGER_PARTS` (rules, cards, parsers, showdowns) are the
same on every machine; those of `float_parts` may differ in the last digit of a sum, and with it in a
decision, from one processor, numba or Python to the next.  A refactoring leaves all of them as they are.
"""

from __future__ import annotations

import json
import platform
import random
import tempfile
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs
import click
from click.testing import CliRunner

from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import installed_bots, make_bot
from engine.poker import rules
from protocol.connection import DealerConnection, PlayerConnection
from protocol.errors import ProtocolError
from protocol.events import Greeting, StateUpdate, TurnToAct, Version
from protocol.match_state import format_match_state, parse_match_state
from protocol.records import HandReader, format_hand, format_header, parse_score

_SEED: Final = 20260
_NAMES: Final = ("Ann", "Bob", "Eve")
_VOLATILE: Final = frozenset({"log", "logs", "folder", "path", "seconds", "version", "written", "made"})
"""Keys of JSON that say where or when it was made."""


@attrs.frozen
class Signature:
    """The checksums of all parts, and what the floating ones depend on."""

    integers: Mapping[str, int]
    floats: Mapping[str, int]
    machine: str = attrs.field(factory=lambda: _machine())

    @property
    def number(self) -> str:
        """Sixteen hexadecimal digits: the first eight from integer parts, the others from floating ones."""
        return f"{_sum_of(self.integers):08x}{_sum_of(self.floats):08x}"

    @property
    def _parts(self) -> dict[str, str]:
        return {name: f"{number:08x}" for name, number in {**self.integers, **self.floats}.items()}

    def as_json(self) -> dict[str, Any]:
        """The number and its parts, for JSON."""
        return {"signature": self.number, "machine": self.machine, "parts": self._parts}

    def __str__(self) -> str:
        lines = [f"  {number}  {name}" for name, number in self._parts.items()]
        return "\n".join([f"Signature: {self.number} ({self.machine})", *lines])


def signature(program: click.Command, parts: Sequence[str] = ()) -> Signature:
    """Compute the signature.

    Args:
        program: the `riverboat` program, whose commands are run in this process.
        parts: the names of those wanted; all, if there are none.
    """
    floats = float_parts(program)

    def computed(table: Mapping[str, Callable[[], Iterable[str]]]) -> dict[str, int]:
        return {name: _checksum(part()) for name, part in table.items() if not parts or name in parts}

    return Signature(computed(INTEGER_PARTS), computed(floats))


def float_parts(program: click.Command) -> Mapping[str, Callable[[], Iterable[str]]]:
    """The parts that depend on floating-point numbers: our bots, and the commands that compute."""
    own = {name for name, entry in installed_bots().items() if entry.value.startswith("clients.")}
    ours = sorted(own - set(_NOT_PLAYED))
    bots: dict[str, Callable[[], Iterable[str]]] = {f"bot {name}": _games_of(name) for name in ours}
    return bots | {f"riverboat {name}": _output_of(program, lines) for name, lines in _COMMANDS.items()}


def _checksum(lines: Iterable[str]) -> int:
    number = 0
    for line in lines:
        number = zlib.crc32(line.encode() + b"\n", number)
    return number


def _sum_of(parts: Mapping[str, int]) -> int:
    return _checksum(f"{name} {number:08x}" for name, number in parts.items())


def _machine() -> str:
    model = platform.processor() or platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        names = [line for line in cpus.read_text("utf-8").splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return f"{model}, numba {version('numba')}, Python {platform.python_version()}"


# --- rules, cards, parsers, showdowns ----------------------------------------------------------------------


def _deals() -> Iterator[str]:
    for name in rules.packaged_games():
        game = rules.load_game(name)
        yield rules.format_game(rules.parse_game(rules.format_game(game)))
        for seed in range(3):
            dealer = rules.CardDealer(game, seed)
            for _ in range(30):
                yield str(dealer.deal())


def _random_hands(game: rules.GameDefinition, hands: int, seed: int = _SEED) -> list[rules.HandState]:
    """Hands of players who act at random, as they ended."""
    finished: list[rules.HandState] = []
    seats = [make_bot("random:fold=0.02") for _ in range(game.num_players)]
    Arena(game, seats, seed).play(hands, on_hand=lambda state, chips: finished.append(state))
    return finished


def _rules() -> Iterator[str]:
    for name in rules.packaged_games():
        for hand in _random_hands(rules.load_game(name), 60):
            yield f"{hand.betting.text} {hand.chips_won()}"
            for before, position, action in hand.betting.steps():
                legal = before.legal_actions()
                yield f"{position} {action} {legal.can_fold} {legal.min_raise_to} {legal.max_raise_to}"
                yield f"{before.pot} {before.amount_to_call} {before.betting_round} {before.num_board_cards}"


def _states() -> Iterator[str]:
    for name in rules.packaged_games():
        game = rules.load_game(name)
        for hand in _random_hands(game, 20):
            for position in range(game.num_players):
                text = format_match_state(hand.view(position))
                yield text
                yield format_match_state(parse_match_state(text, game))


def _parsers() -> Iterator[str]:
    """Readings of lines of the wire and of logs, and of the same lines with a character changed."""
    rng = random.Random(_SEED)
    for name in ("limit-3p", "nolimit-2p", "leduc"):
        game = rules.load_game(name)
        for hand in _random_hands(game, 25):
            state = format_match_state(hand.view(rng.randrange(game.num_players)))
            record = format_hand(hand, hand.chips_won(), _NAMES[: game.num_players]).rstrip()
            for _ in range(5):
                yield _read("state", state, game)
                yield _read("record", record, game)
                yield _read("score", _misspelt("SCORE:1|-2|1.5:a|b|c", rng), game)
                state, record = _misspelt(state, rng), _misspelt(record, rng)
            yield from _conversation(game, hand, rng)


def _misspelt(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("0123456789:|/crf#; hSc\0é") + text[at + rng.randrange(2) :]


def _read(kind: str, text: str, game: rules.GameDefinition) -> str:
    """The reading of a text of some kind; the name of the error if it is refused."""
    try:
        if kind == "state":
            return format_match_state(parse_match_state(text, game))
        return str(HandReader(game).read(text)[0] if kind == "record" else parse_score(text))
    except (ValueError, ProtocolError) as error:
        return type(error).__name__


def _conversation(game: rules.GameDefinition, hand: rules.HandState, rng: random.Random) -> Iterator[str]:
    """Both ends of a seat's conversation: the events that each reads, right and wrong."""
    steps = [step for step in hand.betting.steps() if step[0].position_to_act is not None]
    if not steps:
        return
    before, position, action = steps[rng.randrange(len(steps))]
    dealer, player = DealerConnection(game), PlayerConnection(game)
    view = attrs.evolve(hand, betting=before).view(position)
    dealer.receive_data(player.send(Version()) + player.send(Greeting(("seat", "names"))))
    yield from _events(dealer, 2)
    player.receive_data(dealer.send(StateUpdate(view)) if rng.random() < 0.5 else b"# a comment\r\n")
    player.receive_data(dealer.send(TurnToAct(view)))
    yield from _events(player, 3)
    reply = f"{format_match_state(view)}:{action}\r\n"
    dealer.receive_data((reply if rng.random() < 0.5 else _misspelt(reply, rng)).encode("latin-1"))
    yield from _events(dealer, 3)


def _events(end: DealerConnection | PlayerConnection, number: int) -> Iterator[str]:
    for _ in range(number):
        try:
            yield str(end.next_event())
        except ProtocolError as error:
            yield type(error).__name__


def _showdowns() -> Iterator[str]:
    rng = random.Random(_SEED)
    for size in (5, 6, 7):
        for _ in range(400):
            yield str(rules.hand_rank(rng.sample(range(52), size)))


def _evaluations() -> Iterator[str]:
    import numpy as np

    from engine.hands.hand_rank import hand_ranks
    from engine.hands.hand_strength import hand_strength

    rng = random.Random(_SEED)
    for size in (5, 6, 7):
        hands = np.array([rng.sample(range(52), size) for _ in range(3000)], np.uint8)
        yield str(hand_ranks(hands).tolist())
    for size in (3, 4, 5):
        for _ in range(5):
            cards = rng.sample(range(52), 2 + size)
            strength = hand_strength(cards[:2], cards[2:])
            yield f"{strength.ahead} {strength.tied} {strength.behind}"


INTEGER_PARTS: Final[Mapping[str, Callable[[], Iterable[str]]]] = {
    "deals": _deals, "rules": _rules, "match states": _states, "parsers": _parsers, "showdowns": _showdowns,
    "evaluations": _evaluations,
}  # fmt: skip
"""The parts that are the same on every machine, by name."""


# --- bots and commands -------------------------------------------------------------------------------------

_GAMES: Final = (
    ("limit-2p", 25), ("nolimit-2p", 12), ("nolimit-2p-100bb", 12), ("limit-3p", 12), ("limit-6p", 6),
    ("nolimit-6p", 5), ("leduc", 20), ("kuhn-2p", 20),
)  # fmt: skip
"""What each bot plays, as far as it can, and how many hands of it."""
_OPTIONS: Final = {"sampling": ":trials=20"}
_NOT_PLAYED: Final = ("decide", "llm", "openspiel", "pypokerengine", "resolver", "rlcard", "skeleton")
"""Bots that ask a function, a model or another program, and one that solves anew at each decision."""
_FAST: Final = ("simple", "random")


def _games_of(bot: str) -> Callable[[], Iterator[str]]:
    """The hands of a bot against two kinds of opponents, in all games that it plays."""

    def played() -> Iterator[str]:
        for name, hands in _GAMES:
            game = rules.load_game(name)
            for opponent in _FAST:
                lines: list[str] = []
                try:
                    seats = [make_bot(bot + _OPTIONS.get(bot, ""))]
                    seats += [make_bot(opponent) for _ in range(game.num_players - 1)]
                    Arena(game, seats, _SEED).play(hands, record=lines.append)
                except OptionError:
                    lines = ["it does not play this game"]
                yield f"{name} {opponent}"
                yield from lines

    return played


_COMMANDS: Final[Mapping[str, Sequence[str]]] = tomllib.loads(
    Path(__file__).with_name("signature.toml").read_text("utf-8")
)
"""Command lines, run one after another in a folder that has `_logs`."""
_LOGS: Final = (
    ("limit.log", "limit-2p", 60),
    ("three.log", "nolimit-3p", 40),
    ("nolimit.log", "nolimit-2p", 40),
)


def _output_of(program: click.Command, lines: Sequence[str]) -> Callable[[], Iterator[str]]:
    """The output of commands, and the text files they write."""

    def printed() -> Iterator[str]:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            _write_logs()
            if any(".npz" in line and "--save" not in line for line in lines):
                CliRunner().invoke(program, _COMMANDS["solve"][0].split())
            before = set(Path().rglob("*"))
            for line in lines:
                result = CliRunner().invoke(program, line.split(), catch_exceptions=False)
                yield f"{line} -> {result.exit_code}"
                yield from map(_without_places, result.stdout.splitlines())
            for path in sorted(set(Path().rglob("*")) - before):
                if path.suffix in {".phh", ".phhs", ".txt", ".log", ".game", ".csv"}:
                    yield path.as_posix()
                    yield path.read_text("utf-8")

    return printed


def _write_logs() -> None:
    for log, name, hands in _LOGS:
        game = rules.load_game(name)
        lines: list[str] = [format_header(log, name, hands, str(_SEED), 600_000, 600_000, 600_000)]
        names, bots = _NAMES[: game.num_players], ("simple", "random", "random")[: game.num_players]
        table = Arena(game, [make_bot(bot) for bot in bots], _SEED, names=names)
        table.play(hands, record=lines.append)
        Path(log).write_text("".join([*lines, table.score_line()]), "utf-8")


def _without_places(line: str) -> str:
    """A line of output; one of JSON without what names files, times or versions."""
    try:
        return json.dumps(json.loads(line, object_hook=_settled))
    except ValueError:
        return line


def _settled(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in _VOLATILE and "second" not in key}
