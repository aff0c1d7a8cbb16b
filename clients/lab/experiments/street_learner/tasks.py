"""The tasks of the experiment: the learner is trained, and plays matches at each stop."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from clients.lab.experiments.resuming import TASKS, found_in, keep
from clients.learners.training import Table, TrainingPlan, make_learner, release, train
from engine.poker.rules import load_game
from engine.support.seeds import derive_seed

__all__ = [
    "FIRST_STOP",
    "GAMES",
    "Run",
    "Settings",
    "all_runs",
    "bots_in",
    "checkpoints",
    "found_before",
    "play",
]

BOTS: Final = ("always-call", "random", "hand-strength", "simple", "poker-learner")
_NO_LIMIT_ONLY: Final = ("poker-learner",)
GAMES: Final = ("limit-2p", "nolimit-2p-100bb", "nolimit-2p")
FIRST_STOP: Final = 10_000
_LEARNER: Final = "street-learner"


@attrs.frozen
class Settings:
    """The settings of the experiment."""

    games: tuple[str, ...] = GAMES
    training_hands: int = 30_000_000
    match_hands: int = 20_000
    """Hands of each match at the end of training."""
    stop_hands: int = 5_000
    """Hands of each match at every other stop."""
    seeds: int = 3
    seed: int = 1


def checkpoints(hands: int) -> tuple[int, ...]:
    """The numbers of training hands after which matches are played: 0, 10,000, 30,000, 100,000 and so on."""
    stops = [0]
    step = FIRST_STOP
    while step < hands:
        stops += [stop for stop in (step, 3 * step) if stop < hands]
        step *= 10
    return (*stops, hands)


@attrs.frozen
class Run:
    """One game, learnt once; done in one process."""

    game: str
    number: int
    settings: Settings
    folder: Path

    def __str__(self) -> str:
        return f"{self.game}, run {self.number + 1}"

    def name(self) -> str:
        """The run's name in file names."""
        known = "" if self.game in GAMES else f"-{hashlib.sha256(self.game.encode()).hexdigest()[:12]}"
        return f"{Path(self.game).stem}{known}-{self.number + 1}"

    def file(self) -> Path:
        """The file of what is learnt."""
        return self.folder / "knowledge" / f"{self.name()}.npz"

    def result_file(self) -> Path:
        """The file of its result."""
        return self.folder / TASKS / f"{self.name()}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of its file."""
        settings = self.settings
        return {
            "version": version("riverboat"),
            "game": self.game,
            "training_hands": settings.training_hands,
            "match_hands": settings.match_hands,
            "stop_hands": settings.stop_hands,
            "seed": settings.seed,
        }

    def seed(self, purpose: int) -> int:
        """A seed of the run: 0 for training, n for the matches against the n-th bot."""
        return derive_seed(derive_seed(self.settings.seed, self.number), purpose)


def bots_in(game: str) -> tuple[str, ...]:
    """The opponents in a game; learners that move all in play only in no-limit games."""
    return tuple(bot for bot in BOTS if not load_game(game).is_limit or bot not in _NO_LIMIT_ONLY)


def all_runs(settings: Settings, folder: Path) -> list[Run]:
    """The runs: every game, once for each seed."""
    return [
        Run(game, number, settings, folder) for number in range(settings.seeds) for game in settings.games
    ]


def found_before(run: Run) -> dict[str, Any] | None:
    """The kept result of a run; None if there is none, or one with other settings."""
    return found_in(run) if run.file().exists() else None


def play(run: Run) -> dict[str, list[dict[str, float]]]:
    """Do a run; returns for each bot the results at each stop."""
    settings = run.settings
    game = load_game(run.game)
    file = run.file()
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
    keep(run, found)
    return found
