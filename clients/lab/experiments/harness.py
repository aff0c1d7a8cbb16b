"""Tasks and findings: how line-ups are played and measured, how work is resumed, which files it leaves."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.core.tasks import run_tasks
from clients.reports.plots import Curve, Plot, draw_plot
from engine.poker.rules import GameDefinition, HandState, load_game
from engine.support.files import write_whole
from engine.support.files.formats import format_arrays, parse_arrays
from engine.support.intervals import Estimate, Winnings
from engine.support.seeds import derive_seed
from engine.support.text import rate

VERSION: Final = version("riverboat")
TASKS: Final = "tasks"
"""The folder for the tasks' results, within that of the experiment's results."""

Say = Callable[[str], object]
"""Receives a line about an experiment's progress."""


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in which records are objects, less the fields of settings that only choose what is done.

    Raises:
        ValueError: a number that JSON does not know.
    """

    def fields(record: attrs.AttrsInstance) -> dict[str, Any]:
        return attrs.asdict(record, filter=lambda field, _: not field.metadata.get("aside"))

    return json.dumps(value, indent=indent, default=fields, allow_nan=False)


@attrs.frozen
class Task:
    """A piece of an experiment, done in one process; its result is kept in a file."""

    label: str
    """For the line about it when it is done."""
    file: str
    """The file of its result: numbers as JSON, or arrays if the name ends in ``.npz``."""
    played: Mapping[str, Any]
    """The settings on which its result depends, besides the name of its file."""
    do: Callable[[], Mapping[str, Any]]
    """Returns the result: a `functools.partial` of a function in a module, so that processes can get it."""
    group: Any = None
    """Tasks of one group are summarised together."""
    writes: Path | None = None
    """Another file that it writes, without which its result does not count."""
    in_short: Callable[[Mapping[str, Any]], str] | None = None
    """Puts its result in a few words, for the progress."""

    def settings(self) -> str:
        """The settings on which its result depends, with the version that found it; JSON."""
        return json_text({"version": VERSION, **self.played})

    def found_in(self, folder: Path) -> dict[str, Any] | None:
        """The kept result; None if there is none, or one with other settings."""
        path = folder / TASKS / self.file
        try:
            data = path.read_bytes()
            if path.suffix == ".npz":
                result: Any = parse_arrays(data)
                played = json.loads(str(result.pop("played")))
            else:
                kept = json.loads(data)
                played, result = kept["played"], kept["result"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if self.writes is not None and not self.writes.exists():
            return None
        return result if isinstance(result, dict) and played == json.loads(self.settings()) else None

    def done_in(self, folder: Path) -> dict[str, Any]:
        """Do it, and write the result in one step.

        Raises:
            OSError: the file cannot be written.
        """
        path = folder / TASKS / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        result = dict(self.do())
        if path.suffix == ".npz":
            write_whole(path, format_arrays({"played": np.array(self.settings()), **result}))
        else:
            write_whole(path, f'{{"played": {self.settings()}, "result": {json.dumps(result)}}}\n')
        return result


def file_name(*bots: str) -> str:
    """Bots with their options as part of the name of a file: their names, and a digest of everything."""
    names = "-".join(bot.partition(":")[0] for bot in bots)
    digest = hashlib.sha256("\n".join(bots).encode()).hexdigest()
    return f"{names}-{digest[:12]}"


@attrs.frozen
class Work:
    """How to do the tasks of an experiment."""

    folder: Path
    """The folder for all results."""
    jobs: int = 1
    """The number of processes; the results do not depend on it."""
    progress: Say = lambda line: None
    """Receives a line about each finished task, with the time that is left."""
    resume: bool = False
    """Use results in the folder that were made with the same settings."""
    plots: bool = True
    """Whether pictures are drawn."""

    def each(self, tasks: Sequence[Task]) -> Generator[dict[str, Any], None, None]:
        """The results of tasks in their order, each as soon as it is known.

        Raises:
            OSError: the folder cannot be written.

        *Resource handling*: closing the iterator ends the work.
        """
        found = [task.found_in(self.folder) if self.resume else None for task in tasks]
        missing = [task for task, result in zip(tasks, found, strict=True) if result is None]
        do = functools.partial(Task.done_in, folder=self.folder)
        with contextlib.closing(run_tasks(do, missing, self.jobs)) as results:
            done = self._with_progress(results, missing)
            for result in found:
                yield next(done) if result is None else result

    def groups(self, tasks: Sequence[Task]) -> dict[Any, list[dict[str, Any]]]:
        """The results of all tasks by their group, in their order.

        Raises:
            OSError: the folder cannot be written.
        """
        groups: dict[Any, list[dict[str, Any]]] = {}
        for task, result in zip(tasks, self.each(tasks), strict=True):
            groups.setdefault(task.group, []).append(result)
        return groups

    def _with_progress(
        self, results: Iterator[dict[str, Any]], tasks: Sequence[Task]
    ) -> Iterator[dict[str, Any]]:
        start = time.perf_counter()
        for number, (task, result) in enumerate(zip(tasks, results, strict=True), 1):
            seconds = time.perf_counter() - start
            left = seconds / number * (len(tasks) - number)
            so_far = f"{number} of {len(tasks)} in {seconds:.0f} s, about {left:.0f} s left: {task.label}"
            self.progress(so_far if task.in_short is None else f"{so_far}: {task.in_short(result)}")
            yield result


# --- line-ups --------------------------------------------------------------------------------------------


def chips_by_seat(
    game: GameDefinition, agents: Sequence[Agent], seed: int, deals: int
) -> NDArray[np.float64]:
    """Play some deals; returns the chips of each hand by seat, shape (deals, seats)."""
    players = game.num_players
    won = np.empty((deals, players))

    def keep(state: HandState, chips: tuple[float, ...]) -> None:
        for position, each in enumerate(chips):
            won[state.hand_number, (position + state.hand_number) % players] = each

    Arena(game, agents, seed).play(deals, on_hand=keep)
    return won


@attrs.frozen
class LineUp:
    """Players of one kind among players of another, in seats as far apart as possible.

    Each deal is played in every rotation that seats them differently, so each kind holds each hand equally
    often; luck remains only where hands end differently.
    """

    first: int
    """The number of players of the first kind."""
    seats: int

    @property
    def name(self) -> str:
        """``5 against 5``."""
        return f"{self.first} against {self.seats - self.first}"

    def passes(self) -> list[tuple[bool, ...]]:
        """A mask of seats with a player of the first kind, for each rotation."""
        pattern = [seat * self.first % self.seats < self.first for seat in range(self.seats)]
        rotations = self.seats // math.gcd(self.seats, self.first)
        return [
            tuple(pattern[(seat - shift) % self.seats] for seat in range(self.seats))
            for shift in range(rotations)
        ]

    def play(
        self,
        game: GameDefinition,
        seated: Callable[[tuple[bool, ...]], Sequence[Agent]],
        seed: int,
        deals: int,
    ) -> NDArray[np.float64]:
        """Play some deals in all rotations; returns what a player of the first kind won per hand on each.

        Args:
            game: what is played.
            seated: returns new agents by seat, given a rotation.
            seed: of the cards.
            deals: their number.

        Returns:
            Small bets, in no-limit games big blinds; shape (deals,).
        """
        total, passes = np.zeros(deals), self.passes()
        for rotation in passes:
            chips = chips_by_seat(game, seated(rotation), seed, deals)
            total += chips[:, list(rotation)].sum(axis=1)
        return total / (self.first * len(passes)) / (game.small_bet or game.big_blind)


def matches(deals: int, each: int, seed: int) -> Iterator[tuple[int, int]]:
    """Cut deals into matches of at most `each`; yields the seed and the number of deals of every match."""
    number = 0
    while deals > 0:
        yield derive_seed(seed, number), min(each, deals)
        deals -= each
        number += 1


# --- long matches of two ---------------------------------------------------------------------------------

BLOCKS: Final = 20
"""The parts of a long match whose results are kept separately, for the learning curve."""


def long_matches(hands: int, match_hands: int) -> tuple[int, int]:
    """The number of matches of two players who meet for some hands, and the deals of each, played twice."""
    deals = max(BLOCKS, match_hands // 2)
    return max(1, round(hands / (2 * deals))), deals


def play_long_match(game: str, players: tuple[str, str], seed: int, deals: int) -> dict[str, Any]:
    """Play a match of two, every deal from both seats, in which they may learn.

    Args:
        game: a limit game for two.
        players: the bots; each begins each pass with nothing.
        seed: of the cards.
        deals: their number.

    Returns:
        ``blocks``: the first player's `Winnings` per deal in each of `BLOCKS` parts, in small bets.
    """
    mean = LineUp(1, 2).play(
        load_game(game), lambda seated: [make_bot(players[not first]) for first in seated], seed, deals
    )
    blocks = []
    for block in range(BLOCKS):
        part = mean[block * deals // BLOCKS : (block + 1) * deals // BLOCKS]
        blocks.append(attrs.asdict(Winnings(len(part), float(part.sum()), float((part**2).sum()))))
    return {"blocks": blocks}


def long_match_tasks(
    game: str,
    pair: tuple[str, str],
    label: str,
    file: str,
    played: Mapping[str, Any],
    settings: Any,
    group: Any = None,
) -> list[Task]:
    """The long matches of two players, on the same cards for every pair.

    Args:
        game: a limit game for two.
        pair: the players.
        label, file, played: as in `Task`, but for what all matches of an experiment share.
        settings: of the experiment: `hands`, `match_hands`, `seed`.
        group: as in `Task`; the pair if None.
    """
    number, deals = long_matches(settings.hands, settings.match_hands)
    tasks = []
    for match in range(number):
        do = functools.partial(play_long_match, game, pair, derive_seed(settings.seed, match), deals)
        kept, which = {**played, "deals": deals, "seed": settings.seed}, match + 1
        tasks.append(Task(f"{label}, match {which}", f"{file}-{which}.json", kept, do, group or pair))
    return tasks


def blocks_of(result: Mapping[str, Any]) -> list[Winnings]:
    """The first player's winnings in each block of a long match."""
    return [Winnings(**block) for block in result["blocks"]]


ZERO: Final = (("", 0.0),)
"""The level of a picture at which nothing is won."""


@attrs.frozen
class Findings:
    """The results of an experiment, or of a part of one."""

    numbers: dict[str, Any]
    """The numbers for ``results.json``, in which estimates and other records become objects."""
    report: str
    """The Markdown for ``results.md``."""
    plots: Sequence[Plot] = ()
    drawings: Mapping[str, Callable[[str], object]] = attrs.field(factory=dict)
    """Other pictures by the name of their files, less the ending: each is drawn into the file of a path."""

    def write(self, folder: Path, experiment: str) -> str:
        """Write ``results.json`` and ``results.md``, each completely or not at all.

        Returns:
            The contents of ``results.json`` in one line.

        Raises:
            OSError: the folder cannot be made or written to.
            ValueError: a number that JSON does not know.
        """
        results = {"experiment": experiment, "version": VERSION, **self.numbers}
        text = json_text(results, indent=2)
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "results.json", text + "\n")
        write_whole(folder / "results.md", self.report)
        return json_text(results)

    def draw(self, folder: Path) -> None:
        """Draw all pictures, each as PNG and as SVG.

        Raises:
            PlotError: matplotlib is missing, or a file cannot be written.
        """
        for each in self.plots:
            draw_plot(folder, each)
        for name, draw in self.drawings.items():
            for ending in (".png", ".svg"):
                draw(str(folder / (name + ending)))


def markdown_table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, ending with a newline; bars within cells are escaped, None is an empty cell."""

    def line(cells: Sequence[object]) -> str:
        texts = ("" if cell is None else str(cell).replace("|", "\\|") for cell in cells)
        return "| " + " | ".join(texts) + " |\n"

    return line(header) + line(["---"] * len(header)) + "".join(map(line, rows))


Column = str | Callable[[Any], object]
"""The name of a field of a record, or a function of the record."""


def columns(of: Mapping[str, Column], rows: Iterable[Mapping[str, Any]]) -> str:
    """A Markdown table of records.

    Args:
        of: the columns by heading.
        rows: the records; a field that one has not is an empty cell.
    """
    cells = [[row.get(each) if isinstance(each, str) else each(row) for each in of.values()] for row in rows]
    return markdown_table(list(of), cells)


def per_cent(share: Estimate | None) -> str | None:
    """``12.3 ± 4.5 %``; None where there is no estimate."""
    return None if share is None else rate(100 * share.mean, 100 * (share.ci95 or 0), unit="%", signed=False)


def plot(name: str, title: str, x: str, y: str, curves: Mapping[str, Mapping[Any, Any]], **more: Any) -> Plot:
    """A picture of curves by label, each a mapping from x to y; estimates have bands.

    Args:
        name, title: as in `Plot`.
        x, y: the labels of the axes.
        curves: without points a curve is left out.
        more: as in `Plot`.
    """
    drawn = []
    for label, points in curves.items():
        means = [each.mean if isinstance(each, Estimate) else each for each in points.values()]
        halves = [each.ci95 or 0.0 for each in points.values() if isinstance(each, Estimate)]
        if points:
            drawn.append(Curve(label, list(points), means, halves or None))
    return Plot(name, title, x, y, tuple(drawn), **more)
