"""``riverboat experiment poker-learner``: chapter 5 of the Poker Learner thesis, played again.

*The game* is no-limit hold'em with blinds 1/2 and 200 chips, 100 big blinds, at every seat and in every hand
(see ``thesis``).

*Training* (5.1, first phase): each learner sits with five equal opponents until its values have settled, from
an empty knowledge base; a knowledge base for each kind of opponent.  *Heads-up* (second phase): with that
knowledge against one of the same kind, learning on, and frozen.  *Competition* (5.2.5): one learner and the
four bots at five seats, and, since the thesis speaks of five opponents, at six seats with the simple bot
twice; with knowledge from all four, a quarter of the training hands each, learning on.  *Learned tables*
(5.3): from the same training with the classifier of styles as it is printed, whose styles are theirs.

All learners get the same cards.  Each run (`--seeds`) trains and plays anew with other cards.  Rates of one
learner against one bot have two intervals: over all hands, for what is known given what was learnt, and over
runs (Student's t), which has the luck of learning in it.

Source: Poker Learner, chapter 5.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

import attrs
import click

from clients.experiments.poker_learner.thesis import (
    BIG_BLIND,
    BOTS,
    CHIPS_PER_DOLLAR,
    LEARNERS,
    STACK,
    THESIS_LEARNED,
)
from clients.experiments.tasks import run_tasks, write_results
from clients.one_line import CommandError, OneLineCommand
from engine.files import write_whole
from engine.intervals import Winnings, estimate_of_few
from engine.rules import load_game
from engine.seeds import derive_seed

__all__ = ["Settings", "optimum_against_all_in", "poker_learner", "reproduce"]

_DOUBLED: Final = "simple:preflop-only"
_TABLES: Final = {"five seats": BOTS, "six seats": (*BOTS, _DOUBLED)}

_POINTS: Final = 100
"""How often a bankroll is noted in a match."""
_CHECKPOINTS: Final = (0.05, 0.5, 1.0)
"""Of a match: after 5,000, 50,000 and 100,000 hands in the thesis."""


@attrs.frozen
class Settings:
    """How much is played."""

    training_hands: int = 500_000
    match_hands: int = 100_000
    seeds: int = 3
    seed: int = 1
    learners: tuple[str, ...] = LEARNERS


@attrs.frozen
class _Task:
    """One piece of the experiment, done in one process."""

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
        """Of the cards of a phase: the same for all learners."""
        return derive_seed(derive_seed(self.settings.seed, self.run), 10 * phase + bot)

    def name(self) -> str:
        """For its files."""
        against = self.bot.replace(":", "-") if self.bot else self.kind
        return f"{self.learner}-{against}-{self.run + 1}"

    def file(self) -> Path:
        """Where what is learnt is kept."""
        return self.folder / "knowledge" / f"{self.name()}.npz"

    def report(self) -> Path:
        """Where what was found is kept."""
        return self.folder / "tasks" / f"{self.name()}.json"

    def played(self) -> dict[str, Any]:
        """What its results depend on, besides its name."""
        settings = self.settings
        return {
            "version": version("riverboat"),
            "training_hands": settings.training_hands,
            "match_hands": settings.match_hands,
            "seed": settings.seed,
        }


def optimum_against_all_in() -> float:
    """Big blinds a hand that the best strategy wins heads-up against a player who is always all in.

    All it can do is fold or play for all chips; it knows that its opponent's hand is random.  Half of the
    time it has the small blind and half of the time the big one to lose by folding.
    """
    from engine.combos import COMBOS_PER_STARTING_HAND
    from engine.evaluation.preflop.tables import shipped_tables

    share = shipped_tables().raw_odds[:, 0]  # of the pot, against one random hand
    playing = 2 * STACK * share - STACK
    weights = COMBOS_PER_STARTING_HAND / COMBOS_PER_STARTING_HAND.sum()
    won = 0.0
    for blind in (BIG_BLIND / 2, BIG_BLIND):
        won += 0.5 * float((weights * playing.clip(min=-blind)).sum())
    return won / BIG_BLIND


# --- the tasks -------------------------------------------------------------------------------------------


def reproduce(
    settings: Settings,
    folder: Path,
    jobs: int = 1,
    progress: Callable[[str], object] = lambda line: None,
    *,
    resume: bool = False,
) -> dict[str, Any]:
    """Play the experiment; returns its results as they stand in ``results.json``.

    Args:
        settings: how much.
        folder: gets the knowledge files and what each task has found.
        jobs: processes; the results do not depend on it.
        progress: is told in a line what has been done.
        resume: take what is in the folder for done, where it was played with the same settings.

    Raises:
        OSError: the folder cannot be written.
    """
    for name in ("knowledge", "tasks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    tasks = list(_tasks(settings, folder))
    done = {task: _found(task) if resume else None for task in tasks}
    missing = [task for task in tasks if done[task] is None]
    start = time.perf_counter()
    for number, (task, result) in enumerate(zip(missing, run_tasks(_do, missing, jobs), strict=True), 1):
        done[task] = result
        seconds = time.perf_counter() - start
        progress(f"{number} of {len(missing)} in {seconds:.0f} s: {task}: {_in_short(result)}")
    return _summary(settings, [(task, result) for task, result in done.items() if result is not None])


def _tasks(settings: Settings, folder: Path) -> Iterator[_Task]:
    for run in range(settings.seeds):
        for learner in settings.learners:
            for bot in BOTS:
                yield _Task("heads-up", learner, bot, run, settings, folder)
            yield _Task("competition", learner, "", run, settings, folder)
            if run == 0:
                yield _Task("learned", learner, "", run, settings, folder)


def _found(task: _Task) -> dict[str, Any] | None:
    """What a task has found before; None if it was not done, or with other settings."""
    try:
        report = json.loads(task.report().read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(report, dict) or report.get("played") != task.played() or not task.file().exists():
        return None
    result = report["result"]
    assert isinstance(result, dict)
    return result


def _do(task: _Task) -> dict[str, Any]:
    result = _play_task(task)
    write_whole(task.report(), json.dumps({"played": task.played(), "result": result}) + "\n")
    return result


def _in_short(result: Mapping[str, Any]) -> str:
    """What a task has found, in a few words for who waits."""
    matches = {name: result[name] for name in ("learning", "frozen") if name in result}
    matches |= result.get("tables", {})
    rates = [f"{match['chips'] / match['hands'] / BIG_BLIND:+.2f} {name}" for name, match in matches.items()]
    return ", ".join(rates) + " bb/hand" if rates else f"{len(result['rows'])} states"


def _play_task(task: _Task) -> dict[str, Any]:
    settings = task.settings
    file = task.file()
    spec = task.learner
    if task.kind == "heads-up":
        index = BOTS.index(task.bot)
        trained = _train(spec, file, [(task.bot, settings.training_hands, task.seed(0, index))])
        play = [
            _play(spec, file, learn, (task.bot,), task.seed(1, index), settings) for learn in (True, False)
        ]
        return {"training": trained, "learning": play[0], "frozen": play[1]}
    if task.kind == "learned" and spec != "name-learner":  # which tells nobody apart by style
        spec += ":classifier=as-printed"
    quarter = max(1, settings.training_hands // len(BOTS))
    trained = _train(spec, file, [(bot, quarter, task.seed(2, k)) for k, bot in enumerate(BOTS)])
    if task.kind == "learned":
        return {"training": trained, "rows": _learned_rows(task.learner, file)}
    tables = {}
    for index, (name, bots) in enumerate(_TABLES.items()):
        seated = list(bots)
        random.Random(task.seed(3, index)).shuffle(seated)
        tables[name] = _play(spec, file, True, seated, task.seed(4, index), settings)
    return {"training": trained, "tables": tables}


def _train(spec: str, file: Path, lessons: Sequence[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """Learn from nothing at six seats, against one kind of opponent after the other."""
    from clients.learners.journal import journal_path
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
    table = Table(learner, load_game(f"nolimit-{len(bots) + 1}p-100bb"), bots, seed)
    bankrolls = []
    for hands in _noted_at(settings.match_hands):
        table.play(hands - table.hands)
        bankrolls.append(list(table.chips_by_seat))
    release(learner)
    return {
        **_won(table.winnings),
        "players": [spec.partition(":")[0], *bots],
        "bankrolls": bankrolls,
    }


def _noted_at(match_hands: int) -> list[int]:
    """After how many hands bankrolls are noted."""
    return [max(1, round(match_hands * point / _POINTS)) for point in range(1, _POINTS + 1)]


def _won(winnings: Winnings) -> dict[str, float]:
    """The winnings as they stand in the file of a task, which an experiment that goes on may find."""
    return {"hands": winnings.hands, "chips": winnings.chips, "chips_squared": winnings.squares}


def _learned_rows(learner: str, file: Path) -> list[dict[str, Any]]:
    """What is known in the states of the thesis's table."""
    from clients.learners.knowledge_file import read_knowledge
    from clients.learners.preflop.action_values import UPDATES
    from clients.learners.preflop.knowledge import read_base
    from clients.learners.preflop.state import ACTIONS, POSITIONS, state_key
    from engine.combos import parse_starting_hand
    from engine.opponents.statistics import PlayingStyle

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


# --- the results -----------------------------------------------------------------------------------------


def _summary(settings: Settings, done: Sequence[tuple[_Task, dict[str, Any]]]) -> dict[str, Any]:
    optimum = optimum_against_all_in()
    heads_up: dict[str, Any] = {bot: {} for bot in BOTS}
    competition: dict[str, Any] = {name: {} for name in _TABLES}
    learned = {}
    for learner in settings.learners:
        for bot in BOTS:
            runs = [r for t, r in done if (t.kind, t.learner, t.bot) == ("heads-up", learner, bot)]
            entry = {
                "training": _rate([run["training"][0] for run in runs]),
                "learning": _series([run["learning"] for run in runs], settings),
                "frozen": _series([run["frozen"] for run in runs], settings),
            }
            if bot == "always-all-in":
                for mode in ("learning", "frozen"):
                    entry[mode]["share_of_optimum"] = entry[mode]["bb_per_hand"]["mean"] / optimum
            heads_up[bot][learner] = entry
        runs = [r for t, r in done if (t.kind, t.learner) == ("competition", learner)]
        for name in _TABLES:
            competition[name][learner] = _competition([run["tables"][name] for run in runs], settings)
        learned[learner] = next(r["rows"] for t, r in done if (t.kind, t.learner) == ("learned", learner))
    return {
        "experiment": "poker-learner",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "optimum_bb_per_hand": optimum,
        "checkpoints": [max(1, round(settings.match_hands * share)) for share in _CHECKPOINTS],
        "noted_at": _noted_at(settings.match_hands),
        "heads_up": heads_up,
        "competition": competition,
        "learned": learned,
    }


def _rate(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Big blinds per hand of several runs, with the intervals over hands and over runs."""
    winnings = [Winnings(run["hands"], run["chips"], run["chips_squared"]) for run in runs]
    rate = sum(winnings, Winnings()).rate(BIG_BLIND).scaled(1 / 1000)
    by_run = [each.chips / each.hands / BIG_BLIND for each in winnings]
    return {
        "mean": rate.mean,
        "ci95": rate.ci95,
        "ci95_runs": estimate_of_few(by_run).ci95,
        "by_run": by_run,
        "hands": rate.samples,
    }


def _series(runs: Sequence[Mapping[str, Any]], settings: Settings) -> dict[str, Any]:
    """A heads-up match: the rate, and the bankroll as it goes."""
    bankroll = [estimate_of_few([run["bankrolls"][k][0] for run in runs]) for k in range(_POINTS)]
    at = [round(share * _POINTS) - 1 for share in _CHECKPOINTS]
    return {
        "bb_per_hand": _rate(runs),
        "bankroll": [point.as_json() for point in bankroll],
        "dollars_at_checkpoints": [bankroll[k].mean / CHIPS_PER_DOLLAR for k in at],
    }


def _competition(runs: Sequence[Mapping[str, Any]], settings: Settings) -> dict[str, Any]:
    """A table of several: everybody's bankroll, and the learner's places."""
    labels = _labels(runs[0]["players"][:1] + sorted(runs[0]["players"][1:]))
    by_label: dict[str, list[list[float]]] = {label: [] for label in labels}
    places = []
    for run in runs:
        order = sorted(range(1, len(run["players"])), key=lambda seat: (run["players"][seat], seat))
        for label, seat in zip(labels, [0, *order], strict=True):
            by_label[label].append([bankrolls[seat] for bankrolls in run["bankrolls"]])
        final = run["bankrolls"][-1]
        places.append(1 + sum(chips > final[0] for chips in final[1:]))
    players: dict[str, dict[str, Any]] = {}
    for label, series in by_label.items():
        rate = estimate_of_few([bankrolls[-1] / settings.match_hands / BIG_BLIND for bankrolls in series])
        bankroll = [estimate_of_few([bankrolls[k] for bankrolls in series]).as_json() for k in range(_POINTS)]
        players[label] = {"bb_per_hand": rate.as_json(), "bankroll": bankroll}
    means = {label: player["bb_per_hand"]["mean"] for label, player in players.items()}
    ours = means[labels[0]]
    return {
        "places": places,
        "place": 1 + sum(mean > ours for label, mean in means.items() if label != labels[0]),
        "bb_per_hand": _rate(runs),
        "players": players,
    }


def _labels(players: Sequence[str]) -> list[str]:
    """The players' names, repeats numbered."""
    labels: list[str] = []
    for player in players:
        repeats = sum(label.partition(" (")[0] == player for label in labels)
        labels.append(f"{player} ({repeats + 1})" if repeats else player)
    return labels


# --- the command -----------------------------------------------------------------------------------------


@click.command("poker-learner", cls=OneLineCommand)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Gets results.json, results.md, the plots (PNG and SVG) and the knowledge files.",
)
@click.option(
    "--hands", type=click.IntRange(min=1), default=500_000, show_default=True, metavar="N",
    help="Of training against each bot.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=_POINTS), default=100_000, show_default=True, metavar="N",
    help="Of each match.",
)  # fmt: skip
@click.option(
    "--seeds", type=click.IntRange(min=1), default=3, show_default=True, metavar="N",
    help="Runs, each with cards of its own.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, metavar="S")
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="Processes; the results do not depend on it.",
)  # fmt: skip
@click.option(
    "--learner",
    "learners",
    type=click.Choice(LEARNERS),
    multiple=True,
    help="Only this one; may be repeated.",
)
@click.option("--resume", is_flag=True, help="Go on with what DIR has of an experiment that was stopped.")
@click.option("--no-plots", is_flag=True, help="Draw nothing, so that matplotlib is not needed.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object instead.")
def poker_learner(
    out: Path,
    hands: int,
    match_hands: int,
    seeds: int,
    seed: int,
    jobs: int,
    learners: tuple[str, ...],
    resume: bool,
    no_plots: bool,
    as_json: bool,
) -> None:
    """Four learners against the bots of the Poker Learner thesis (chapter 5).

    The full size, which is the default, takes some hours on one core.
    """
    from clients.experiments.poker_learner.report import draw, report
    from clients.reports.plots import PlotError

    chosen = tuple(name for name in LEARNERS if not learners or name in learners)
    settings = Settings(hands, match_hands, seeds, seed, chosen)

    def say(line: str) -> None:
        click.echo(line, err=True)

    try:
        results = reproduce(settings, out, jobs, say, resume=resume)
        text = report(results)
        write_results(out, results, text)
        if not no_plots:
            draw(results, out)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
    except OSError as error:
        raise CommandError(f"{error.filename or out} cannot be written: {error.strerror or error}") from error
    except PlotError as error:
        raise CommandError(str(error)) from error
    click.echo(json.dumps(results) if as_json else text, file=sys.stdout)
