"""The opponents of a benchmark, and what clients may ask of it: a TOML file, or the default."""

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs

from clients.core.registry import UnknownBot, make_bot
from engine.poker.rules import GameDefinition, load_game
from engine.support.user_input import told_as
from protocol.agents.turns import SeatError
from server.league.comparing.versions import sides_of
from server.support.toml_text import Section, parse_toml, read_text

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_DEFAULT_BOTS: Final = ("formula", "simple", "random")
_DEFAULT_GAMES: Final = ("nolimit-2p", "limit-2p")


@attrs.frozen
class Opponent:
    """A bot of the house, which clients name."""

    name: str
    bot: str
    """As in `make_bot`."""
    version: str
    """Tells its code from that of another version."""
    games: dict[str, GameDefinition]
    """By the names that clients use; the first is the usual one."""
    is_stateless: bool

    @property
    def sha256(self) -> str:
        """The hash of its options and its code."""
        return sha256(f"{self.bot}\n{self.version}".encode()).hexdigest()

    def as_json(self) -> dict[str, str]:
        """The object that clients are told."""
        return {"name": self.name, "version": self.version, "sha256": self.sha256}


@attrs.frozen
class BenchmarkConfig:
    """A benchmark."""

    opponents: dict[str, Opponent]
    """By name; the first plays those who name none."""
    folder: Path = Path("benchmark")
    """Of the runs."""
    host: str = "127.0.0.1"
    port: int = 8100
    names: tuple[str, ...] = ()
    """Host names under which clients find it, beside addresses."""
    runs: int = 100
    """That clients use at a time: have asked for something within `abandon_s`."""
    hands: int = 100_000
    """Of one run."""
    open_hands: int = 5
    """Of one run against an opponent that carries nothing from hand to hand; others play one at a time."""
    requests: float = 200.0
    """A second, of one address."""
    abandon_s: float = 600.0
    """After which a hand for which nobody asks is finished by checks and folds, and counts."""

    def offered(self, opponent: str | None, game: str | None) -> tuple[Opponent, str]:
        """An opponent and a game that it plays; the usual ones for None.

        Raises:
            SeatError: there is no such opponent, or it does not play that.
        """
        name = opponent or next(iter(self.opponents))
        found = self.opponents.get(name)
        if found is None:
            raise SeatError("no_seat", f"There is no such opponent: expected {', '.join(self.opponents)}.")
        game = game or next(iter(found.games))
        if game not in found.games:
            raise SeatError("no_seat", f"{name} does not play that: expected {', '.join(found.games)}.")
        return found, game


def default_benchmark() -> BenchmarkConfig:
    """The benchmark without a file."""
    games = {name: load_game(name) for name in _DEFAULT_GAMES}
    return BenchmarkConfig({bot: _opponent(bot, bot, games) for bot in _DEFAULT_BOTS})


def load_benchmark(path: Path) -> BenchmarkConfig:
    """The benchmark of a file.

    Raises:
        FileMistake: in one line, with the place.
    """
    file = parse_toml(read_text(path), path)
    offered = [_opponent_of(part, path) for part in file.sections("opponents")]
    opponents = {each.name: each for each in offered}
    if not opponents:
        raise file.mistake("opponents", "expected [[opponents]], each with name, bot and games")
    default = BenchmarkConfig(opponents)
    config = BenchmarkConfig(
        opponents, folder=path.parent / file.text("folder", str(default.folder), least=1),
        host=file.text("host", default.host, least=1),
        port=file.whole("port", default.port, least=0, most=65535), names=file.texts("names", ()),
        runs=file.whole("runs", default.runs), hands=file.whole("hands", default.hands),
        open_hands=file.whole("open_hands", default.open_hands, most=100),
        requests=file.number("requests", default.requests, least=1),
        abandon_s=file.number("abandon_s", default.abandon_s, least=1),
    )  # fmt: skip
    file.close()
    return config


def _opponent_of(part: Section, path: Path) -> Opponent:
    name, bot = part.text("name"), part.text("bot")
    if not _NAME.fullmatch(name):
        raise part.mistake("name", f"name: expected letters, digits, '.', '_' and '-', got {name[:40]!r}")
    games = {game: part.game("games", game, path.parent) for game in part.texts("games", _DEFAULT_GAMES)}
    part.close()
    with part.refusing("bot"), told_as(ValueError, UnknownBot):
        return _opponent(name, bot, games)


def _opponent(name: str, bot: str, games: dict[str, GameDefinition]) -> Opponent:
    agent = make_bot(bot)
    (side,) = sides_of([bot], Path())
    return Opponent(name, bot, side.identity, games, agent.is_stateless)
