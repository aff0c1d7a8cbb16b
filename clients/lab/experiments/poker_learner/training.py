"""What chapter 5 of the thesis prints, and the tasks: learners are trained from nothing, and then play.

The thesis does not print its stakes.  By default its testbed has blinds of $0.01 and $0.02 and gives $2 to
everybody, and the bankrolls fit: a dollar of the thesis is 100 of our chips, with blinds 1/2 and 200 chips.
"""

from __future__ import annotations

import functools
import random
import re
import tomllib
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

import attrs
import click

from clients.core.options import agent_options
from clients.core.registry import load_bot
from clients.lab.experiments.command import Options, choices, option, whole
from clients.lab.experiments.harness import Task
from clients.learners.knowledge_file import journal_path, read_knowledge
from clients.learners.preflop.action_values import (
    UPDATES,
    LastActionReading,
    PenaltyReading,
    ShowdownsReading,
    WinnerReading,
)
from clients.learners.preflop.knowledge import read_base
from clients.learners.preflop.state import ACTIONS, POSITIONS, state_key
from clients.learners.training import Learner, Table, TrainingPlan, make_learner, release, train
from engine.players.statistics import PlayingStyle
from engine.poker.combos import parse_starting_hand
from engine.poker.rules import load_game
from engine.support.intervals import Winnings
from engine.support.seeds import derive_seed

# --- what the thesis prints ------------------------------------------------------------------------------

LEARNERS: Final = ("hole-cards-learner", "winning-hand-learner", "name-learner", "poker-learner")
SIMPLE_BOT: Final = "simple:preflop-only"
HAND_STRENGTH: Final = "hand-strength:plain"
BOTS: Final = ("always-all-in", "always-call", HAND_STRENGTH, SIMPLE_BOT)

TABLES: Final = {"five seats": BOTS, "six seats": (*BOTS, SIMPLE_BOT)}
"""The bots of the competition: the thesis mentions five opponents, and has four."""
MODES: Final = ("learning", "frozen")
"""How a learner plays heads-up: the first as in the thesis, the second without a counterpart there."""
POINTS: Final = 100
"""How often a bankroll is recorded in a match."""

BIG_BLIND: Final = 2
STACK: Final = 200
CHIPS_PER_DOLLAR: Final = 100
THESIS_CHECKPOINTS: Final = (5_000, 50_000, 100_000)
"""The numbers of hands after which the thesis prints bankrolls."""

_PRINTED: Final = tomllib.loads(Path(__file__).with_name("thesis.toml").read_text("utf-8"))
THESIS_BANKROLLS: Final[Mapping[str, Mapping[str, Sequence[float]]]] = _PRINTED["bankrolls"]
"""Dollars by bot and learner, after the hands of `THESIS_CHECKPOINTS`: Tables 5.1 to 5.4."""
THESIS_PLACES: Final[Mapping[str, int]] = _PRINTED["places"]
"""Each learner's place in its competition (5.2.5)."""
LearnedRow = tuple[str, str, str, str, list[int]]
"""Starting hand, position, last player and what they did; fold, call, raise in per cent."""
THESIS_LEARNED: Final[Mapping[str, Sequence[LearnedRow]]] = _PRINTED["learned"]
"""Tables 5.5 to 5.8."""


def thesis_rate(bot: str, learner: str) -> float:
    """Big blinds per hand over the thesis's 100,000 hands."""
    return THESIS_BANKROLLS[bot][learner][-1] * CHIPS_PER_DOLLAR / BIG_BLIND / THESIS_CHECKPOINTS[-1]


def noted_at(match_hands: int) -> list[int]:
    """The numbers of hands of a match after which bankrolls are recorded."""
    return [max(1, round(match_hands * point / POINTS)) for point in range(1, POINTS + 1)]


def file_name(bot: str) -> str:
    """A bot with its options, as part of the name of a file."""
    return re.sub("[:,=]", "-", bot)


# --- settings --------------------------------------------------------------------------------------------

BasesReading = Literal["own", "carried"]
"""A knowledge base for each kind of opponent (5.1), or one for all, so that the learner "doesn't have to
learn everything from zero again" (4.1)."""

_SIMPLE_BOTS: Final[Mapping[str, str]] = {
    "percentiles": SIMPLE_BOT,
    "listed": f"{SIMPLE_BOT},hands=listed",
    "list-alone": f"{SIMPLE_BOT},hands=listed,others=0",
}
"""Readings of the thesis's SimpleBot (5.1): `simple`, which plays by percentiles and models its opponents;
the testbed's bot of that name, which plays a list of hands; or the latter without the hands it calls now and
then."""

READINGS: Final = tuple(
    f"{key}={value}"
    for key, values in {
        "last-action": get_args(LastActionReading), "winner": get_args(WinnerReading),
        "penalty": get_args(PenaltyReading), "showdowns": get_args(ShowdownsReading),
        "bases": get_args(BasesReading), "simple-bot": tuple(_SIMPLE_BOTS), "calls-from": ("0.2", "0.1"),
    }.items()
    for value in values
)  # fmt: skip
"""Readings of the thesis: options of the learners, how many knowledge bases there are, and its bots."""


@attrs.frozen
class ThesisSettings(Options):
    """How much is played, by whom, and how the thesis is read."""

    training_hands: int = whole(500_000, 1, "Hands of training against each bot.", "--hands")
    match_hands: int = whole(100_000, POINTS, "Hands of each match.")
    seeds: int = whole(5, 1, "Runs, each with its own training and cards.")
    seed: int = 1
    learners: tuple[str, ...] = choices("--learner", LEARNERS, "Only this learner; may be repeated.")
    readings: tuple[str, ...] = option(
        (),
        "Read the thesis otherwise (clients/learners/preflop/action_values.py; bases=carried: one knowledge "
        "base goes through the trainings against all bots, one after the other; simple-bot=listed: its "
        "SimpleBot is simple:preflop-only,hands=listed, or with others=0, list-alone; calls-from=0.2: its "
        "HandStrengthBot calls from there); may be repeated.", "--reading", type=click.Choice(READINGS),
        multiple=True, metavar="KEY=VALUE", show_default=False,
    )  # fmt: skip
    """Options of the learners, for those that take them; of ``bases``, ``simple-bot`` and ``calls-from``."""
    frozen: bool = option(
        True, "Play heads-up with learning on only, as the thesis does.", "--no-frozen", is_flag=True,
        default=False, callback=lambda context, parameter, is_given: not is_given, show_default=False,
    )  # fmt: skip
    bots: tuple[str, ...] = choices(
        "--against", BOTS, "Heads-up against this bot only, and no competition; may be repeated."
    )

    @property
    def modes(self) -> tuple[str, ...]:
        """How learners play heads-up."""
        return MODES if self.frozen else MODES[:1]

    @property
    def carries(self) -> bool:
        """Whether one knowledge base is used in the trainings against all bots, in their order."""
        return self._read_last("bases") == "carried"

    def seated(self, bots: Sequence[str]) -> tuple[str, ...]:
        """The bots that sit down for those that the experiment names, which depends on a reading."""
        others = {SIMPLE_BOT: _SIMPLE_BOTS[self._read_last("simple-bot") or "percentiles"]}
        least = self._read_last("calls-from")
        others[HAND_STRENGTH] = f"{HAND_STRENGTH},call={least}" if least else HAND_STRENGTH
        return tuple(others.get(bot, bot) for bot in bots)

    def _read_last(self, key: str) -> str | None:
        values = [value for name, _, value in (each.partition("=") for each in self.readings) if name == key]
        return values[-1] if values else None

    def seed_of(self, run: int, phase: int, bot: int = 9) -> int:
        """The seed of the cards in a phase of a run, which is the same for all learners."""
        return derive_seed(derive_seed(self.seed, run), 10 * phase + bot)


# --- tasks -----------------------------------------------------------------------------------------------


def all_tasks(settings: ThesisSettings, folder: Path) -> list[Task]:
    """All tasks of the experiment, run by run; a group is a kind of task, a learner and a bot."""
    kept = ("training_hands", "match_hands", "seed", "readings", "frozen")
    played = {name: getattr(settings, name) for name in kept}
    tasks = []

    for run in range(settings.seeds):
        for learner in settings.learners:
            todo = [("heads-up", bot) for bot in settings.bots]
            if set(settings.bots) >= set(BOTS):
                todo += [("competition", ""), ("learned", "")] if run == 0 else [("competition", "")]
            for kind, bot in todo:
                name = f"{learner}-{file_name(bot) if bot else kind}-{run + 1}"
                file = folder / "knowledge" / f"{name}.npz"
                label = f"{learner} {f'against {bot}' if bot else kind}, run {run + 1}"
                do = functools.partial(_HOW[kind], settings, learner, file, run, bot)
                group = kind, learner, bot
                tasks.append(Task(label, f"{name}.json", played, do, group, file, _in_short))
    return tasks


def _in_short(result: Mapping[str, Any]) -> str:
    matches = {name: result[name] for name in MODES if name in result}
    matches |= result.get("tables", {})
    rates = [f"{match['chips'] / match['hands'] / BIG_BLIND:+z.2f} {name}" for name, match in matches.items()]
    return ", ".join(rates) + " bb/hand" if rates else f"{len(result['rows'])} states"


def _heads_up(settings: ThesisSettings, learner: str, file: Path, run: int, bot: str) -> dict[str, Any]:
    spec, index = _spec(learner, settings.readings), BOTS.index(bot)
    bots = settings.seated(BOTS[: index + 1])
    lessons = [(each, settings.training_hands, settings.seed_of(run, 0, k)) for k, each in enumerate(bots)]
    found: dict[str, Any] = {"training": _train(spec, file, lessons if settings.carries else lessons[-1:])}
    for mode in settings.modes:
        seed = settings.seed_of(run, 1, index)
        found[mode] = _play(spec, file, mode == "learning", bots[-1:], seed, settings.match_hands)
    return found


def _train_against_all(settings: ThesisSettings, spec: str, file: Path, run: int) -> list[dict[str, Any]]:
    quarter = max(1, settings.training_hands // len(BOTS))
    bots = enumerate(settings.seated(BOTS))
    return _train(spec, file, [(bot, quarter, settings.seed_of(run, 2, k)) for k, bot in bots])


def _competition(settings: ThesisSettings, learner: str, file: Path, run: int, bot: str) -> dict[str, Any]:
    spec = _spec(learner, settings.readings)
    trained = _train_against_all(settings, spec, file, run)
    tables = {}
    for index, (name, bots) in enumerate(TABLES.items()):
        seated = list(settings.seated(bots))
        random.Random(settings.seed_of(run, 3, index)).shuffle(seated)
        seed = settings.seed_of(run, 4, index)
        tables[name] = _play(spec, file, True, seated, seed, settings.match_hands)
    return {"training": trained, "tables": tables}


def _learned(settings: ThesisSettings, learner: str, file: Path, run: int, bot: str) -> dict[str, Any]:
    spec = _spec(learner, (*settings.readings, "classifier=as-printed"))
    trained = _train_against_all(settings, spec, file, run)
    return {"training": trained, "rows": _learned_rows(learner, file)}


_HOW: Final = {"heads-up": _heads_up, "competition": _competition, "learned": _learned}
"""How each kind of task is done."""


def _spec(learner: str, options: Sequence[str]) -> str:
    """The learner with those of some options ``KEY=VALUE`` that it takes."""
    takes = {parameter.name.replace("_", "-") for parameter in agent_options(load_bot(learner))}
    taken = [each for each in options if each.partition("=")[0] in takes]
    return f"{learner}:{','.join(taken)}" if taken else learner


def _train(spec: str, file: Path, lessons: Sequence[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """Learn from nothing at six seats, against one kind of opponent after the other."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in (file, journal_path(file)):
        old.unlink(missing_ok=True)
    learner = make_learner(spec, file)
    assert isinstance(learner, Learner)
    game = load_game("nolimit-6p-100bb")
    trained = []
    for bot, hands, seed in lessons:
        end = deque(train(learner, TrainingPlan(game, (bot,) * 5, hands, seed)), maxlen=1).pop()
        trained.append({"bot": bot, **_won(end)})
    learner.save_knowledge()
    release(learner)
    return trained


def _play(
    spec: str, file: Path, learn: bool, bots: Sequence[str], seed: int, match_hands: int
) -> dict[str, Any]:
    """A match with what the file knows; the file stays as it is."""
    learner = make_learner(spec, file, learn=learn)
    table = Table(learner, load_game(f"nolimit-{len(bots) + 1}p-100bb"), bots, seed, match_hands)
    bankrolls = []
    for hands in noted_at(match_hands):
        table.play(hands - table.hands)
        bankrolls.append(list(table.chips_by_seat))
    release(learner)
    return {**_won(table.winnings), "players": [spec.partition(":")[0], *bots], "bankrolls": bankrolls}


def _won(winnings: Winnings) -> dict[str, float]:
    """The winnings in the form of a task's file, which a resumed experiment may read."""
    return {"hands": winnings.hands, "chips": winnings.chips, "chips_squared": winnings.squares}


def _learned_rows(learner: str, file: Path) -> list[dict[str, Any]]:
    """The learnt values in the states of the thesis's table."""
    base, _ = read_base(read_knowledge(file, learner), file)
    rows: list[dict[str, Any]] = []
    for hand, position, last_player, action, printed in THESIS_LEARNED[learner]:
        row = {"hand": hand, "position": position, "last_player": last_player, "last_action": action}
        style, number = last_player.upper().replace(" ", "_"), None
        if style in PlayingStyle.__members__:
            number = PlayingStyle[style].value
        elif last_player in base.names:
            number = base.names.index(last_player)
        values = None
        if number is not None:
            place, did = POSITIONS.index(position), ACTIONS.index(action)
            values = base.states.get(state_key(parse_starting_hand(hand), place, number, did))
        known: dict[str, Any] = {"percent": None, "updates": 0}
        if values is not None:
            total = sum(values[:UPDATES])
            percent = [round(100 * value / total) if total else 33 for value in values[:UPDATES]]
            known = {"percent": percent, "updates": values[UPDATES]}
        rows.append({**row, **known, "thesis": printed})
    return rows
