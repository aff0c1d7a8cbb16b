"""The experiment ``street-learner``: the learning curve of the street-learner.

In each run the learner trains from nothing, against the population of its own training loop.  From time to
time the training stops, and the learner plays matches with what it knows then, with learning off, against
bots that were not in its training.  Every stop of a run plays the same cards.  A rate has two intervals: over
all hands, which holds for what was learnt, and over runs (Student's t), which includes the luck of learning.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from clients.core.one_line import CommandError
from clients.core.program import read_game
from clients.lab.experiments.command import Options, experiment_command, option, whole
from clients.lab.experiments.harness import VERSION, ZERO, Findings, Task, Work, markdown_table, plot
from clients.learners.training import Table, TrainingPlan, make_learner, release, train
from engine.poker.rules import load_game
from engine.support.intervals import Estimate, Winnings, estimate_of_few
from engine.support.seeds import derive_seed

BOTS: Final = ("always-call", "random", "hand-strength", "simple", "poker-learner")
_NO_LIMIT_ONLY: Final = ("poker-learner",)
GAMES: Final = ("limit-2p", "nolimit-2p-100bb", "nolimit-2p")
FIRST_STOP: Final = 10_000
_LEARNER: Final = "street-learner"


@attrs.frozen
class StreetSettings(Options):
    """The games, and the number of hands."""

    games: tuple[str, ...] = option(
        GAMES, "A heads-up hold'em game; may be repeated.", "--game", multiple=True, metavar="GAME"
    )
    training_hands: int = whole(
        30_000_000, 1, "Hands of training in each run.", "--hands", most=1_000_000_000
    )
    match_hands: int = whole(20_000, 2, "Hands of each match at the end of training.")
    stop_hands: int = whole(5_000, 2, "Hands of each match during training.")
    seeds: int = whole(3, 1, "Runs, each with its own cards.")
    seed: int = 1

    def check(self) -> None:
        """Refuse games that cannot be played."""
        for name in self.games:
            game = read_game(name)
            if game.num_players != 2 or not game.is_holdem:
                raise CommandError(f"{name}: expected Texas hold'em for two players")


@experiment_command(StreetSettings, "the knowledge files", seeded="figures")
def street_learner(settings: StreetSettings, work: Work) -> Iterator[Findings]:
    """Measure the learning curve of the street-learner against five bots.

    The full size, which is the default, takes an hour or two on one core.  --resume starts a run that was
    stopped in the middle from its beginning, since learning has a state that no file holds.
    """
    found = work.groups(_all_runs(settings, work.folder))
    curves = {
        game: {bot: _points(game, [run[bot] for run in found[game]]) for bot in bots_in(game)}
        for game in settings.games
    }
    x = f"hands trained (at {FIRST_STOP // 10:,}: none)"
    plots = []
    for game, by_bot in curves.items():
        drawn = {
            # A logarithmic axis has no zero: the untrained learner is a decade before the first stop.
            f"against {bot}": {each["trained"] or FIRST_STOP / 10: _rate(each) for each in points}
            for bot, points in by_bot.items()
        }
        name, title = f"learning-curve-{Path(game).stem}", f"street-learner in {game}"
        y = "mbb/h (mean of runs, 95 % band)"
        plots.append(plot(name, title, x, y, drawn, log_x=True, levels=ZERO))
    yield Findings({"settings": settings, "curves": curves}, _report(settings, curves), plots)


def checkpoints(hands: int) -> tuple[int, ...]:
    """The numbers of training hands after which matches are played: 0, 10,000, 30,000, 100,000 and so on."""
    stops = [0]
    step = FIRST_STOP
    while step < hands:
        stops += [stop for stop in (step, 3 * step) if stop < hands]
        step *= 10
    return (*stops, hands)


def bots_in(game: str) -> tuple[str, ...]:
    """The opponents in a game; learners that move all in play only in no-limit games."""
    return tuple(bot for bot in BOTS if not load_game(game).is_limit or bot not in _NO_LIMIT_ONLY)


def _all_runs(settings: StreetSettings, folder: Path) -> list[Task]:
    """The runs: every game, learnt once for each seed."""
    tasks = []
    for number in range(settings.seeds):
        for game in settings.games:
            known = "" if game in GAMES else f"-{hashlib.sha256(game.encode()).hexdigest()[:12]}"
            name = f"{Path(game).stem}{known}-{number + 1}"
            file = folder / "knowledge" / f"{name}.npz"
            played = {"game": game, **attrs.asdict(settings, filter=attrs.filters.exclude("games", "seeds"))}
            do = functools.partial(_run, settings, game, derive_seed(settings.seed, number), file)
            tasks.append(Task(f"{game}, run {number + 1}", f"{name}.json", played, do, game, file))
    return tasks


def _run(settings: StreetSettings, name: str, seed: int, file: Path) -> dict[str, list[dict[str, float]]]:
    """Train, and play matches at each stop; returns for each bot the results at each stop."""
    game = load_game(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    found: dict[str, list[dict[str, float]]] = {bot: [] for bot in bots_in(name)}
    learner = make_learner(_LEARNER, file)
    trained = 0
    try:
        for stop in checkpoints(settings.training_hands):
            if stop > trained:
                for _ in train(learner, TrainingPlan(game, (), stop - trained, derive_seed(seed, 0))):
                    pass
                learner.save_knowledge()  # type: ignore[attr-defined]
                trained = stop
            hands = settings.match_hands if stop == settings.training_hands else settings.stop_hands
            for number, (bot, rates) in enumerate(found.items(), 1):
                player = make_learner(_LEARNER, file if trained else None, learn=False)
                table = Table(player, game, (bot,), derive_seed(seed, number))
                table.play(hands)
                rates.append({"trained": stop, **attrs.asdict(table.winnings)})
                release(player)
    finally:
        release(learner)
    return found


def _points(game: str, runs: Sequence[Sequence[Mapping[str, float]]]) -> list[dict[str, Any]]:
    """The results against a bot at each stop, of all runs together, in mbb/h."""
    big_blind = load_game(game).big_blind
    points = []
    for stop in zip(*runs, strict=True):
        winnings = [Winnings(int(run["hands"]), run["chips"], run["squares"]) for run in stop]
        rate = sum(winnings, Winnings()).rate(big_blind)
        by_run = [1000 * each.chips / each.hands / big_blind for each in winnings]
        points.append(
            {
                "trained": int(stop[0]["trained"]), "hands": rate.samples, "mbb_per_hand": rate.mean,
                "ci95": rate.ci95, "ci95_runs": estimate_of_few(by_run).ci95, "runs": by_run,
            }
        )  # fmt: skip
    return points


def _report(settings: StreetSettings, curves: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]) -> str:
    lines = [
        "# The street-learner, from nothing to what it knows\n",
        f"{settings.seeds} runs, seed {settings.seed}, riverboat {VERSION}.",
        f"Matches of {settings.stop_hands:,} hands per run; {settings.match_hands:,} at the end.",
        "Learning is off; mbb/h with 95 % intervals over all hands, in brackets over runs.\n",
    ]
    for game, by_bot in curves.items():
        stops = zip(*by_bot.values(), strict=True)
        rows = [[f"{points[0]['trained']:,}", *map(_text, points)] for points in stops]
        lines += [f"## {game}\n", markdown_table(["hands trained", *by_bot], rows)]
    return "\n".join(lines)


def _text(point: Mapping[str, Any]) -> str:
    runs = "" if point["ci95_runs"] is None else f" (± {point['ci95_runs']:.0f})"
    return f"{point['mbb_per_hand']:+z.0f} ± {point['ci95']:.0f}{runs}"


def _rate(point: Mapping[str, Any]) -> Estimate:
    """The rate with the interval over runs, if there are several."""
    ci95 = point["ci95"] if point["ci95_runs"] is None else point["ci95_runs"]
    return Estimate(point["mbb_per_hand"], ci95, point["hands"])
