"""The tasks of the experiment: learners are trained from nothing, and play matches with what they learnt."""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

import attrs

from clients.lab.experiments.poker_learner.thesis import BIG_BLIND, BOTS, LEARNERS, SIMPLE_BOT, THESIS_LEARNED
from clients.lab.experiments.resuming import found_in, keep
from engine.poker.rules import load_game
from engine.support.intervals import Winnings
from engine.support.seeds import derive_seed

__all__ = [
    "MODES",
    "POINTS",
    "TABLES",
    "BasesReading",
    "Settings",
    "SimpleBotReading",
    "Task",
    "all_tasks",
    "do_task",
    "file_name",
    "found_before",
    "in_short",
    "noted_at",
]

TABLES: Final = {"five seats": BOTS, "six seats": (*BOTS, SIMPLE_BOT)}

MODES: Final = ("learning", "frozen")
"""How a learner plays heads-up: the first as in the thesis, the second without a counterpart there."""

POINTS: Final = 100
"""How often a bankroll is recorded in a match."""


BasesReading = Literal["own", "carried"]
"""A knowledge base for each kind of opponent (5.1), or one for all, so that the learner "doesn't have to
learn everything from zero again" (4.1)."""

SimpleBotReading = Literal["percentiles", "listed", "list-alone"]
"""The thesis's SimpleBot (5.1): `simple`, which plays by percentiles and models its opponents; the testbed's
bot of that name, which plays a list of hands; or the latter without the hands it calls now and then."""
_SIMPLE_BOTS: Final[Mapping[str, str]] = {
    "percentiles": SIMPLE_BOT,
    "listed": f"{SIMPLE_BOT},hands=listed",
    "list-alone": f"{SIMPLE_BOT},hands=listed,others=0",
}


@attrs.frozen
class Settings:
    """The settings of the experiment."""

    training_hands: int = 500_000
    match_hands: int = 100_000
    seeds: int = 3
    seed: int = 1
    learners: tuple[str, ...] = LEARNERS
    readings: tuple[str, ...] = ()
    """``KEY=VALUE``: options of the learners, for those that take them; of ``bases`` and ``simple-bot``."""
    frozen: bool = True
    """Whether to play heads-up with learning off as well."""
    bots: tuple[str, ...] = BOTS
    """The opponents heads-up; the competition and the learned tables need all of them."""

    @property
    def carries(self) -> bool:
        """Whether one knowledge base is used in the trainings against all bots, in their order."""
        return self._read_last("bases") == "carried"

    def seated(self, bots: Sequence[str]) -> tuple[str, ...]:
        """The bots that sit down for those that the experiment names, which depends on a reading."""
        simple = _SIMPLE_BOTS[self._read_last("simple-bot") or "percentiles"]
        return tuple(simple if bot == SIMPLE_BOT else bot for bot in bots)

    def _read_last(self, key: str) -> str | None:
        values = [value for name, _, value in (each.partition("=") for each in self.readings) if name == key]
        return values[-1] if values else None


@attrs.frozen
class Task:
    """One task of the experiment, done in one process."""

    kind: Literal["heads-up", "competition", "learned"]
    learner: str
    bot: str
    run: int
    settings: Settings
    folder: Path

    def __str__(self) -> str:
        what = f"against {self.bot}" if self.kind == "heads-up" else self.kind
        return f"{self.learner} {what}, run {self.run + 1}"

    def seed(self, phase: int, bot: int = 9) -> int:
        """The seed of the cards in a phase, which is the same for all learners."""
        return derive_seed(derive_seed(self.settings.seed, self.run), 10 * phase + bot)

    def name(self) -> str:
        """The task's name in file names."""
        against = file_name(self.bot) if self.bot else self.kind
        return f"{self.learner}-{against}-{self.run + 1}"

    def file(self) -> Path:
        """The file of what is learnt."""
        return self.folder / "knowledge" / f"{self.name()}.npz"

    def result_file(self) -> Path:
        """The file of its result."""
        return self.folder / "tasks" / f"{self.name()}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides its name."""
        settings = self.settings
        return {
            "version": version("riverboat"),
            "training_hands": settings.training_hands,
            "match_hands": settings.match_hands,
            "seed": settings.seed,
            "readings": list(settings.readings),
            "frozen": settings.frozen,
        }


def file_name(bot: str) -> str:
    """A bot with its options, as part of the name of a file."""
    return re.sub("[:,=]", "-", bot)


def all_tasks(settings: Settings, folder: Path) -> list[Task]:
    """All tasks of the experiment, run by run; makes the folders for their files.

    Raises:
        OSError: the folder cannot be written.
    """
    for name in ("knowledge", "tasks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return list(_run_by_run(settings, folder))


def _run_by_run(settings: Settings, folder: Path) -> Iterator[Task]:
    for run in range(settings.seeds):
        for learner in settings.learners:
            for bot in settings.bots:
                yield Task("heads-up", learner, bot, run, settings, folder)
            if set(settings.bots) < set(BOTS):
                continue
            yield Task("competition", learner, "", run, settings, folder)
            if run == 0:
                yield Task("learned", learner, "", run, settings, folder)


def found_before(task: Task) -> dict[str, Any] | None:
    """The kept result of a task; None if there is none, or one with other settings."""
    return found_in(task) if task.file().exists() else None


def do_task(task: Task) -> dict[str, Any]:
    """Do a task; returns its result, which is also written to its file."""
    result = _play_task(task)
    keep(task, result)
    return result


def in_short(result: Mapping[str, Any]) -> str:
    """The result of a task in a few words, for the progress."""
    matches = {name: result[name] for name in MODES if name in result}
    matches |= result.get("tables", {})
    rates = [f"{match['chips'] / match['hands'] / BIG_BLIND:+z.2f} {name}" for name, match in matches.items()]
    return ", ".join(rates) + " bb/hand" if rates else f"{len(result['rows'])} states"


def _play_task(task: Task) -> dict[str, Any]:
    settings = task.settings
    file = task.file()
    spec = _spec(task.learner, settings.readings)
    if task.kind == "heads-up":
        index = BOTS.index(task.bot)
        bots = settings.seated(BOTS[: index + 1])
        lessons = [(bot, settings.training_hands, task.seed(0, k)) for k, bot in enumerate(bots)]
        trained = _train(spec, file, lessons if settings.carries else lessons[-1:])
        found: dict[str, Any] = {"training": trained}
        for mode in MODES if settings.frozen else MODES[:1]:
            learn = mode == "learning"
            found[mode] = _play(spec, file, learn, bots[-1:], task.seed(1, index), settings)
        return found
    if task.kind == "learned":
        spec = _spec(task.learner, (*settings.readings, "classifier=as-printed"))
    quarter = max(1, settings.training_hands // len(BOTS))
    lessons = [(bot, quarter, task.seed(2, k)) for k, bot in enumerate(settings.seated(BOTS))]
    trained = _train(spec, file, lessons)
    if task.kind == "learned":
        return {"training": trained, "rows": _learned_rows(task.learner, file)}
    tables = {}
    for index, (name, bots) in enumerate(TABLES.items()):
        seated = list(settings.seated(bots))
        random.Random(task.seed(3, index)).shuffle(seated)
        tables[name] = _play(spec, file, True, seated, task.seed(4, index), settings)
    return {"training": trained, "tables": tables}


def _spec(learner: str, options: Sequence[str]) -> str:
    """The learner with those of some options ``KEY=VALUE`` that it takes."""
    from clients.core.options import agent_options
    from clients.core.registry import load_bot

    takes = {parameter.name.replace("_", "-") for parameter in agent_options(load_bot(learner))}
    taken = [option for option in options if option.partition("=")[0] in takes]
    return f"{learner}:{','.join(taken)}" if taken else learner


def _train(spec: str, file: Path, lessons: Sequence[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """Learn from nothing at six seats, against one kind of opponent after the other."""
    from clients.learners.knowledge_file import journal_path
    from clients.learners.training import Learner, TrainingPlan, make_learner, release, train

    for old in (file, journal_path(file)):
        old.unlink(missing_ok=True)
    learner = make_learner(spec, file)
    assert isinstance(learner, Learner)
    game = load_game("nolimit-6p-100bb")
    trained = []
    for bot, hands, seed in lessons:
        plan = TrainingPlan(game, (bot,) * 5, hands, seed)
        end = deque(train(learner, plan), maxlen=1).pop()
        trained.append({"bot": bot, **_won(end)})
    learner.save_knowledge()
    release(learner)
    return trained


def _play(
    spec: str, file: Path, learn: bool, bots: Sequence[str], seed: int, settings: Settings
) -> dict[str, Any]:
    """A match with what the file knows; the file stays as it is."""
    from clients.learners.training import Table, make_learner, release

    learner = make_learner(spec, file, learn=learn)
    game = load_game(f"nolimit-{len(bots) + 1}p-100bb")
    table = Table(learner, game, bots, seed, settings.match_hands)
    bankrolls = []
    for hands in noted_at(settings.match_hands):
        table.play(hands - table.hands)
        bankrolls.append(list(table.chips_by_seat))
    release(learner)
    return {
        **_won(table.winnings),
        "players": [spec.partition(":")[0], *bots],
        "bankrolls": bankrolls,
    }


def noted_at(match_hands: int) -> list[int]:
    """The numbers of hands after which bankrolls are recorded."""
    return [max(1, round(match_hands * point / POINTS)) for point in range(1, POINTS + 1)]


def _won(winnings: Winnings) -> dict[str, float]:
    """The winnings in the form of a task's file, which a resumed experiment may read."""
    return {"hands": winnings.hands, "chips": winnings.chips, "chips_squared": winnings.squares}


def _learned_rows(learner: str, file: Path) -> list[dict[str, Any]]:
    """The learnt values in the states of the thesis's table."""
    from clients.learners.knowledge_file import read_knowledge
    from clients.learners.preflop.action_values import UPDATES
    from clients.learners.preflop.knowledge import read_base
    from clients.learners.preflop.state import ACTIONS, POSITIONS, state_key
    from engine.players.statistics import PlayingStyle
    from engine.poker.combos import parse_starting_hand

    base, _ = read_base(read_knowledge(file, learner), file)
    rows: list[dict[str, Any]] = []
    for hand, position, last_player, action, printed in THESIS_LEARNED[learner]:
        row = {"hand": hand, "position": position, "last_player": last_player, "last_action": action}
        style = last_player.upper().replace(" ", "_")
        if style in PlayingStyle.__members__:
            number: int | None = PlayingStyle[style].value
        else:
            number = base.names.index(last_player) if last_player in base.names else None
        values = None
        if number is not None:
            key = state_key(
                parse_starting_hand(hand), POSITIONS.index(position), number, ACTIONS.index(action)
            )
            values = base.states.get(key)
        known: dict[str, Any] = {"percent": None, "updates": 0}
        if values is not None:
            total = sum(values[:UPDATES])
            percent = [round(100 * value / total) if total else 33 for value in values[:UPDATES]]
            known = {"percent": percent, "updates": values[UPDATES]}
        rows.append({**row, **known, "thesis": list(printed)})
    return rows
