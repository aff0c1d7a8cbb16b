"""What is compared, declared before the first hand: ``plan.toml``.

The file has a hash of all that stands behind it; a comparison is played on only if the command line, and the
players' files, still say the same.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import attrs

from engine.evidence.field_test import Bounds
from engine.evidence.verdict import ALPHA
from engine.poker.rules import GameDefinition, format_game
from engine.support.files import write_whole
from server.league.comparing.versions import Side, sides_of
from server.league.house import TournamentFault
from server.league.plan import Contestant, Event, Failures, Format, Rule, TournamentPlan
from server.match.launching.players import Player, PlayerError, learning_players
from server.records.evidence import Luck
from server.support.private_files import FILE_MODE
from server.support.toml_text import FileMistake, Section, parse_toml, read_text
from server.table.config import check_names

PLAN: Final = "plan.toml"
VERSION: Final = "version"
"""What both versions are called at the tables: so that nobody can tell them apart by their names."""
ARMS: Final = ("old", "new")
MIRROR: Final = "mirror"
_DEALS_PER_MATCH: Final = 200


@attrs.frozen(kw_only=True)
class Comparison:
    """A comparison."""

    old: Side
    new: Side
    opponents: tuple[Side, ...]
    """With weights that add up to 1."""
    game: GameDefinition
    game_text: str
    bounds: Bounds
    most_deals: int
    seed: int
    luck: Luck = Luck.EQUITY
    mirror: bool = False
    """The versions also play each other."""
    alpha: float = ALPHA

    @property
    def deals_per_match(self) -> int:
        """Deals of a match, which opponents begin afresh."""
        return max(1, min(_DEALS_PER_MATCH, self.most_deals // len(self.opponents)))

    @property
    def in_process(self) -> bool:
        """Whether all players are installed bots, which need no sockets."""
        return all(each.player.is_bot for each in (self.old, self.new, *self.opponents))

    @property
    def learns(self) -> bool:
        """Whether somebody learns while playing."""
        return bool(learning_players([each.player for each in (self.old, self.new, *self.opponents)]))

    def line_up(self, opponent: int | None) -> tuple[str, ...]:
        """The players of a match by seat: a version, and copies of an opponent; None: of the old version."""
        name = ARMS[0] if opponent is None else self.opponents[opponent].player.name
        others = range(1, self.game.num_players)
        return (VERSION, *[name if number == 1 else f"{name}-{number}" for number in others])

    def tournament(self, arm: str, pair: Any) -> TournamentPlan:
        """The tournament that one of the versions plays; `mirror`: the new one against the old one.

        Args:
            arm: ``old``, ``new`` or ``mirror``.
            pair: says which matches are to be played.
        """
        mine = self.old if arm == ARMS[0] else self.new
        seats = [(VERSION, mine)]
        for place, side in enumerate(self.opponents):
            seats += [(name, side) for name in self.line_up(place)[1:]]
        seats += [(name, self.old) for name in self.line_up(None)[1:]]
        return TournamentPlan(
            name="comparison",
            format=Format("comparison", pair),
            seed=str(self.seed),
            entrants=tuple(
                Contestant(name, _bare(side.player), attrs.evolve(side.player, name=name))
                for name, side in seats
            ),
            events=(Event(self.game_text, self.game, self.deals_per_match, matches=None),),
            in_process=self.in_process,
            luck=self.luck,
            failures=Failures(Rule.FORFEIT),
        )

    def text(self) -> str:
        """``plan.toml``."""
        body = [
            "[comparison]",
            *_lines(
                old=self.old.text,
                old_version=self.old.identity,
                new=self.new.text,
                new_version=self.new.identity,
                game=self.game_text,
                definition=format_game(self.game),
                luck=self.luck.value,
                mirror=self.mirror,
                seed=self.seed,
                deals_per_match=self.deals_per_match,
            ),
            "\n[test]",
            *_lines(
                kind=self.bounds.kind,
                mbb_per_hand=[self.bounds.low, self.bounds.high],
                alpha=self.alpha,
                most_deals=self.most_deals,
            ),
        ]
        for side in self.opponents:
            name = side.player.name
            body += ["\n[[opponents]]"]
            body += _lines(name=name, player=side.text, version=side.identity, weight=side.weight)
        whole = "\n".join(body) + "\n"
        return f'hash = "{digest(whole)}"    # of all that follows\n\n{whole}'


def digest(body: str) -> str:
    """The hash of a plan."""
    return sha256(body.encode()).hexdigest()


def _bare(player: Player) -> str:
    return player.text.removeprefix(f"{player.name}=")


def _lines(**values: Any) -> list[str]:
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]


def declare(comparison: Comparison, folder: Path, *, resume: bool) -> None:
    """Write ``plan.toml``, or make sure that the one that is there is the same.

    Raises:
        TournamentFault: another plan is there, or it cannot be written.
    """
    path, text = folder / PLAN, comparison.text()
    try:
        earlier = path.read_text("utf-8") if path.exists() else None
        if earlier is None:
            write_whole(path, text, mode=FILE_MODE, durable=True)
            return
    except (OSError, UnicodeDecodeError) as error:
        raise TournamentFault(
            f"{path}: {getattr(error, 'strerror', None) or error}; no hand is played"
        ) from None
    if not resume:
        raise TournamentFault(f"{folder} has a comparison: add --resume, or name another folder")
    if digest(earlier.partition("\n\n")[2]) != earlier[8:72]:
        raise TournamentFault(f"{path} was changed after it was written (its hash): name another folder")
    if earlier != text:
        raise TournamentFault(f"{path} is another plan: {_difference(earlier, text)}: name another folder")


def stored_seed(folder: Path) -> int | None:
    """The seed of the comparison in a folder; None if there is none."""
    try:
        return int(tomllib.loads((folder / PLAN).read_text("utf-8"))["comparison"]["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _difference(was: str, now: str) -> str:
    """The first line in which two plans differ, apart from their hashes."""
    for old, new in zip(was.splitlines()[1:], now.splitlines()[1:], strict=False):
        if old != new:
            return f"it has {old}, and now there is {new}"
    return "it has other opponents"


def read_field(texts: Sequence[str], file: Path | None, folder: Path) -> tuple[Side, ...]:
    """The opponents of ``--against`` or ``--field``, with weights that add up to 1.

    Args:
        texts: of ``--against``.
        file: of ``--field``: tables ``[[opponents]]`` with ``player``, perhaps ``name`` and ``weight``.
        folder: takes what is checked out.

    Raises:
        FileMistake: in the file.
        PlayerError: a player that cannot be understood.
    """
    sections: list[Section] = []
    weights = [1.0] * len(texts)
    if file is not None:
        whole = parse_toml(read_text(file), file)
        sections = whole.sections("opponents")
        whole.close()
        named = [(each.text("name", ""), each.text("player")) for each in sections]
        weights = [each.number("weight", 1.0, least=1e-6) for each in sections]
        for each in sections:
            each.close()
        texts = [f"{name}={text}" if name else text for name, text in named]
        if not texts:
            raise FileMistake(f"{file}:1:1: expected tables [[opponents]] with a player each, got none")
    try:
        sides = sides_of(texts, folder)
    except PlayerError as error:
        raise (PlayerError(f"{file}: {error}") if file is not None else error) from None
    for name in [side.player.name for side in sides]:
        if name in (VERSION, *ARMS) or check_names([name]) is not None or set(name) & set("=/"):
            raise PlayerError(f"an opponent cannot be named {name!r}: write NAME=PLAYER")
    return tuple(
        attrs.evolve(side, weight=weight / sum(weights)) for side, weight in zip(sides, weights, strict=True)
    )
