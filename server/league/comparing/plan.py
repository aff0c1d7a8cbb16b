"""What is compared, declared before the first hand: ``plan.toml``.

The file has a hash of all that stands behind it; a comparison is played on only if the command line, and the
players' files, still say the same.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import attrs

from engine.evidence.field_test import Bounds
from engine.evidence.verdict import ALPHA
from engine.poker.rules import GameDefinition, format_game
from engine.support.files import write_whole
from server.league.comparing.versions import Side, sides_of
from server.league.house import TournamentFault
from server.league.plan import Contestant, Event, Failures, Format, Rule, Schedule, TournamentPlan
from server.match.launching.players import PlayerError, learning_players
from server.records.evidence import Luck
from server.support.private_files import FILE_MODE
from server.support.toml_text import FileMistake, parse_toml, read_text
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
        return all(side.player.is_ours for side in (self.old, self.new, *self.opponents))

    @property
    def learns(self) -> bool:
        """Whether somebody learns while playing."""
        return bool(learning_players([side.player for side in (self.old, self.new, *self.opponents)]))

    def line_up(self, place: int) -> tuple[str, ...]:
        """The players of a match by seat: a version, and copies of an opponent; the old one is the last."""
        name = [*[side.player.name for side in self.opponents], ARMS[0]][place]
        others = range(1, self.game.num_players)
        return (VERSION, *[name if number == 1 else f"{name}-{number}" for number in others])

    def tournament(self, arm: str, pair: Callable[..., Schedule]) -> TournamentPlan:
        """The tournament that one of the versions plays.

        Args:
            arm: ``old``, ``new``, or ``mirror``: the new one against the old one.
            pair: says which matches are to be played.
        """
        seats = [(VERSION, (self.old if arm == ARMS[0] else self.new).player)]
        for place, side in enumerate((*self.opponents, self.old)):
            seats += [(name, side.player) for name in self.line_up(place)[1:]]
        entrants = [
            Contestant(name, each.text.removeprefix(f"{each.name}="), attrs.evolve(each, name=name))
            for name, each in seats
        ]
        return TournamentPlan(
            name="comparison",
            format=Format("comparison", pair),
            seed=str(self.seed),
            entrants=tuple(entrants),
            events=(Event(self.game_text, self.game, self.deals_per_match, matches=None),),
            in_process=self.in_process,
            luck=self.luck,
            failures=Failures(Rule.ACPC),
        )

    @property
    def facts(self) -> dict[str, Any]:
        """The settings that `plan.toml` and the result tell."""
        names = "game_text", "seed", "mirror", "alpha", "most_deals", "deals_per_match"
        texts = {"old": self.old.text, "new": self.new.text}
        texts |= {"luck": self.luck.value, "test": str(self.bounds)}
        return texts | {name.removesuffix("_text"): getattr(self, name) for name in names}

    def text(self) -> str:
        """``plan.toml``."""
        versions = {"old_version": self.old.identity, "new_version": self.new.identity}
        ends = {"accepted_above": self.bounds.low, "rejected_under": self.bounds.turns_away}
        body = _lines(**self.facts, **ends, **versions, definition=format_game(self.game))
        for side in self.opponents:
            body += ["\n[[opponents]]"]
            body += _lines(name=side.player.name, player=side.text, version=side.identity, weight=side.weight)
        whole = "\n".join(body) + "\n"
        return f'hash = "{sha256(whole.encode()).hexdigest()}"    # of all that follows\n\n{whole}'

    def declare(self, folder: Path, *, resume: bool) -> None:
        """Write ``plan.toml``, or make sure that the one that is there is the same.

        Raises:
            TournamentFault: another plan is there.
            OSError: it cannot be read or written.
        """
        path, text = folder / PLAN, self.text()
        if not path.exists():
            write_whole(path, text, mode=FILE_MODE, durable=True)
            return
        if not resume:
            raise TournamentFault(f"{folder} has a comparison: add --resume, or name another folder")
        earlier = path.read_text("utf-8", "replace")
        if sha256(earlier.partition("\n\n")[2].encode()).hexdigest() not in earlier[:80]:
            raise TournamentFault(f"{path} was changed after it was written (its hash): name another folder")
        for was, now in zip_longest(earlier.splitlines()[1:], text.splitlines()[1:]):
            if was != now:
                raise TournamentFault(f"{path} has {was}, and now there is {now}: name another folder")


def _lines(**values: Any) -> list[str]:
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]


def stored_seed(folder: Path) -> int | None:
    """The seed of the comparison in a folder; None if there is none."""
    try:
        return int(tomllib.loads((folder / PLAN).read_text("utf-8"))["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


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
    weights = [1.0] * len(texts)
    if file is not None:
        whole = parse_toml(read_text(file), file)
        sections = whole.sections("opponents")
        texts = [f"{each.text('name', '')}={each.text('player')}".removeprefix("=") for each in sections]
        weights = [each.number("weight", 1.0, least=1e-6) for each in sections]
        for each in (whole, *sections):
            each.close()
        if not texts:
            raise FileMistake(f"{file}:1:1: expected tables [[opponents]] with a player each, got none")
    sides = sides_of(texts, folder)
    for name in [side.player.name for side in sides]:
        if name in (VERSION, *ARMS) or check_names([name]) is not None or set(name) & set("=/"):
            raise PlayerError(f"an opponent cannot be named {name!r}: write NAME=PLAYER")
    return tuple(
        attrs.evolve(side, weight=weight / sum(weights)) for side, weight in zip(sides, weights, strict=True)
    )
