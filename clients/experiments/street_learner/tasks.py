"""``riverboat experiment street-learner``: how the street-learner gets better the more it learns.

In each run the learner trains alone, against the population of its own training loop, from nothing.  On the
way it stops again and again and plays matches with what it knows then, learning off, against bots that were
not in its training.  Every stop of a run plays the same cards.  A rate has two intervals: over all hands, for
what is known given what was learnt, and over runs (Student's t), which has the luck of learning in it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs
import click

from clients.experiments.tasks import markdown_table, run_tasks, write_results
from clients.one_line import CommandError, OneLineCommand
from engine.intervals import Winnings, estimate_of_few

__all__ = ["Settings", "checkpoints", "reproduce", "street_learner"]

BOTS: Final = ("always-call", "random", "hand-strength", "simple", "poker-learner")
_NO_LIMIT_ONLY: Final = ("poker-learner",)
GAMES: Final = ("limit-2p", "nolimit-2p-100bb", "nolimit-2p")
_FIRST: Final = 10_000
_LEARNER: Final = "street-learner"


@attrs.frozen
class Settings:
    """How much is played."""

    games: tuple[str, ...] = GAMES
    training_hands: int = 30_000_000
    match_hands: int = 20_000
    """At the end of training."""
    stop_hands: int = 5_000
    """At every other stop."""
    seeds: int = 3
    seed: int = 1


def checkpoints(hands: int) -> tuple[int, ...]:
    """After how many hands of training matches are played: none, 10,000, 30,000, 100,000 and so on."""
    stops = [0]
    step = _FIRST
    while step < hands:
        stops += [stop for stop in (step, 3 * step) if stop < hands]
        step *= 10
    return (*stops, hands)


@attrs.frozen
class _Run:
    """One game, learnt once; done in one process."""

    game: str
    number: int
    settings: Settings
    folder: Path

    def seed(self, purpose: int) -> int:
        from engine.seeds import derive_seed

        return derive_seed(derive_seed(self.settings.seed, self.number), purpose)


def bots_in(game: str) -> tuple[str, ...]:
    """Who is played against in a game: learners that move all in, in no-limit only."""
    from engine.rules import load_game

    return tuple(bot for bot in BOTS if not load_game(game).is_limit or bot not in _NO_LIMIT_ONLY)


def _play(run: _Run) -> dict[str, list[dict[str, float]]]:
    """By bot: what was won at each stop."""
    from clients.learners.training import Table, TrainingPlan, make_learner, release, train
    from engine.rules import load_game

    settings = run.settings
    game = load_game(run.game)
    file = run.folder / "knowledge" / f"{Path(run.game).stem}-{run.number + 1}.npz"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    found: dict[str, list[dict[str, float]]] = {bot: [] for bot in bots_in(run.game)}
    learner = make_learner(_LEARNER, file)
    trained = 0
    try:
        for stop in checkpoints(settings.training_hands):
            if stop > trained:
                for _ in train(learner, TrainingPlan(game, (), stop - trained, run.seed(0))):
                    pass
                learner.save_knowledge()  # type: ignore[attr-defined]
                trained = stop
            hands = settings.match_hands if stop == settings.training_hands else settings.stop_hands
            for number, (bot, rates) in enumerate(found.items(), 1):
                player = make_learner(_LEARNER, file if trained else None, learn=False)
                table = Table(player, game, (bot,), run.seed(number))
                table.play(hands)
                rates.append({"trained": stop, **attrs.asdict(table.winnings)})
                release(player)
    finally:
        release(learner)
    return found


def reproduce(
    settings: Settings, folder: Path, jobs: int = 1, progress: Callable[[str], object] = lambda line: None
) -> dict[str, Any]:
    """Train and play; returns the results as they stand in ``results.json``.

    Args:
        settings: how much.
        folder: gets the knowledge files.
        jobs: processes that work on it.
        progress: is told what is done, a line each.
    """
    runs = [
        _Run(game, number, settings, folder) for number in range(settings.seeds) for game in settings.games
    ]
    done: dict[str, list[dict[str, list[dict[str, float]]]]] = {game: [] for game in settings.games}
    for run, found in zip(runs, run_tasks(_play, runs, jobs), strict=True):
        done[run.game].append(found)
        progress(f"{run.game}, run {run.number + 1} of {settings.seeds} is done")
    curves: dict[str, Any] = {}
    for game, results in done.items():
        curves[game] = {
            bot: [
                _point(game, [found[bot][stop] for found in results]) for stop in range(len(results[0][bot]))
            ]
            for bot in bots_in(game)
        }
    return {
        "experiment": "street-learner",
        "version": version("riverboat"),
        "settings": attrs.asdict(settings),
        "curves": curves,
    }


def _point(game: str, runs: list[dict[str, float]]) -> dict[str, Any]:
    """All runs at one stop, in mbb/h."""
    from engine.rules import load_game

    big_blind = load_game(game).big_blind
    winnings = [Winnings(int(run["hands"]), run["chips"], run["squares"]) for run in runs]
    rate = sum(winnings, Winnings()).rate(big_blind)
    by_run = [1000 * each.chips / each.hands / big_blind for each in winnings]
    return {
        "trained": int(runs[0]["trained"]),
        "hands": rate.samples,
        "mbb_per_hand": rate.mean,
        "ci95": rate.ci95,
        "ci95_runs": estimate_of_few(by_run).ci95,
        "runs": by_run,
    }


# --- what people read ------------------------------------------------------------------------------------


def report(results: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    settings = results["settings"]
    lines = [
        "# The street-learner, from nothing to what it knows\n",
        f"{settings['seeds']} runs, seed {settings['seed']}, riverboat {results['version']}.",
        f"Matches of {settings['stop_hands']:,} hands a run, at the end of {settings['match_hands']:,}.",
        "Learning is off; mbb/h with 95 % intervals over all hands, in brackets over runs.\n",
    ]
    for game, curves in results["curves"].items():
        lines.append(f"## {game}\n")
        stops = [point["trained"] for point in next(iter(curves.values()))]
        rows = [
            [f"{hands:,}", *(_text(points[stop]) for points in curves.values())]
            for stop, hands in enumerate(stops)
        ]
        lines.append(markdown_table(["hands trained", *curves], rows))
    return "\n".join(lines)


def _text(point: Mapping[str, Any]) -> str:
    runs = "" if point["ci95_runs"] is None else f" (± {point['ci95_runs']:.0f})"
    return f"{point['mbb_per_hand']:+.0f} ± {point['ci95']:.0f}{runs}"


def draw(results: Mapping[str, Any], folder: Path) -> list[Path]:
    """A plot of the learning curves for each game; returns the files.

    Raises:
        PlotError: matplotlib is missing, or a file cannot be written.
    """
    from clients.reports.plots import Curve, draw_curves

    files: list[Path] = []
    for game, curves in results["curves"].items():
        lines = []
        for bot, points in curves.items():
            bands = [point["ci95"] if point["ci95_runs"] is None else point["ci95_runs"] for point in points]
            # A logarithmic axis has no zero: who has learnt nothing stands a decade before the first stop.
            x = [point["trained"] or _FIRST / 10 for point in points]
            lines.append(Curve(f"against {bot}", x, [point["mbb_per_hand"] for point in points], bands))
        files += draw_curves(
            folder / f"learning-curve-{Path(game).stem}",
            lines,
            title=f"street-learner in {game}",
            x_label=f"hands trained (at {_FIRST // 10:,}: none)",
            y_label="mbb/h (mean of runs, 95 % band)",
            log_x=True,
            levels=[("", 0.0)],
        )
    return files


@click.command("street-learner", cls=OneLineCommand)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, metavar="DIR",
    help="Gets results.json, results.md, the plots (PNG and SVG) and the knowledge files.",
)  # fmt: skip
@click.option(
    "--game", "games", multiple=True, metavar="GAME", default=GAMES, show_default=True,
    help="Heads-up hold'em; may be repeated.",
)  # fmt: skip
@click.option(
    "--hands", type=click.IntRange(min=1), default=30_000_000, show_default=True, metavar="N",
    help="Of training in each run.",
)  # fmt: skip
@click.option(
    "--match-hands", type=click.IntRange(min=2), default=20_000, show_default=True, metavar="N",
    help="Of each match at the end of training.",
)  # fmt: skip
@click.option(
    "--stop-hands", type=click.IntRange(min=2), default=5_000, show_default=True, metavar="N",
    help="Of each match on the way.",
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
@click.option("--no-plots", is_flag=True, help="Draw nothing, so that matplotlib is not needed.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object instead.")
def street_learner(
    out: Path,
    games: tuple[str, ...],
    hands: int,
    match_hands: int,
    stop_hands: int,
    seeds: int,
    seed: int,
    jobs: int,
    no_plots: bool,
    as_json: bool,
) -> None:
    """How the street-learner gets better the more it learns: its learning curve against five bots.

    The full size, which is the default, takes an hour or two on one core.
    """
    from clients.program import ProgramError, read_game
    from clients.reports.plots import PlotError

    try:
        for game in games:
            definition = read_game(game)
            if definition.num_players != 2 or not definition.is_holdem:
                raise CommandError(f"{game}: expected Texas hold'em for two players")
        settings = Settings(games, hands, match_hands, stop_hands, seeds, seed)
        results = reproduce(settings, out, jobs, lambda line: click.echo(line, err=True))
        text = report(results)
        write_results(out, results, text)
        if not no_plots:
            draw(results, out)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None
    except OSError as error:
        raise CommandError(f"{error.filename or out} cannot be written: {error.strerror or error}") from error
    except (PlotError, ProgramError) as error:
        raise CommandError(str(error)) from error
    click.echo(json.dumps(results) if as_json else text, file=sys.stdout)
