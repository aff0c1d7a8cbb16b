"""Hands a second of training.

``python -m tests.benchmarks.bench_learners``

The pre-flop learners at a table in this process, no-limit with blinds 1/2 and 200 chips: the target is 10 000
hands a second heads-up against always-call.  Always-call against itself is the table alone.  "journal" is in
play: every hand is written down as it ends.  Last, the same hands in the arena and in the compiled loop that
plays long trainings, and how many times as fast that is.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from clients.bots.baselines import AlwaysAllIn, AlwaysCall
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.learners.preflop.learners import HoleCardsLearner, NameLearner, PokerLearner, WinningHandLearner
from clients.learners.training import Table, make_learner
from engine.poker.rules import load_game
from tests.support.benchmarks import BenchmarkParser, how_many

TARGET = 10_000
"""Hands a second, heads-up against always-call."""

GAME_2P, GAME_6P = "nolimit-2p-100bb", "nolimit-6p-100bb"

CASES: tuple[tuple[str, str, Callable[[], Agent], Callable[[], Agent]], ...] = (
    ("always-call", GAME_2P, AlwaysCall, AlwaysCall),
    ("hole-cards-learner", GAME_2P, HoleCardsLearner, AlwaysCall),
    ("winning-hand-learner", GAME_2P, WinningHandLearner, AlwaysCall),
    ("name-learner", GAME_2P, NameLearner, AlwaysCall),
    ("poker-learner", GAME_2P, PokerLearner, AlwaysCall),
    ("hole-cards-learner", GAME_6P, HoleCardsLearner, AlwaysAllIn),
    ("poker-learner", GAME_6P, PokerLearner, AlwaysAllIn),
)
"""The learner, the game, the bot in all other seats."""


def hands_per_second(
    game_name: str, learner: Callable[[], Agent], other: Callable[[], Agent], hands: int, repeats: int
) -> float:
    """The best of some runs of a learner that knows something already, in CPU time of this process."""
    game = load_game(game_name)
    best = float("inf")
    arena = Arena(game, [learner(), *(other() for _ in range(game.num_players - 1))], 7)
    arena.play(hands)
    for _ in range(repeats):
        start = time.process_time()
        arena.play(hands)
        best = min(best, time.process_time() - start)
    return hands / best


TRAININGS: tuple[tuple[str, str], ...] = (
    ("hole-cards-learner", "always-all-in"),
    ("hole-cards-learner", "hand-strength:plain"),
    ("poker-learner", "always-call"),
    ("poker-learner", "simple:preflop-only"),
)
"""The learner, and the bot in the five other seats."""

_MANY: Final = 10_000_000
"""Hands that are announced to have the compiled loop play."""


def training_speeds(learner: str, bot: str, hands: int) -> tuple[float, float]:
    """Hands a second of CPU time at six seats, in the arena and in the compiled loop, turn by turn."""
    game = load_game(GAME_6P)
    tables = [Table(make_learner(learner, None), game, (bot,) * 5, 7, many) for many in (0, _MANY)]
    seconds = [0.0, 0.0]
    for table in tables:
        table.play(500)
    for _ in range(5):
        for number, table in enumerate(tables):
            start = time.process_time()
            table.play(hands // 5)
            seconds[number] += time.process_time() - start
    assert tables[0].winnings == tables[1].winnings
    return hands / seconds[0], hands / seconds[1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = BenchmarkParser("bench_learners", __doc__)
    parser.add_argument("--hands", type=how_many, default=5000)
    parser.add_argument("--repeats", type=how_many, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rows = []
    for name, game, learner, other in CASES:
        speed = hands_per_second(game, learner, other, options.hands, options.repeats)
        against = other.__name__
        rows.append({"learner": name, "game": game, "against": against, "hands_per_second": speed})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "knowledge.npz"

        def in_play() -> Agent:
            return PokerLearner(knowledge=path)

        speed = hands_per_second(GAME_2P, in_play, AlwaysCall, options.hands, options.repeats)
        name = "poker-learner, journal"
        rows.append({"learner": name, "game": GAME_2P, "against": "AlwaysCall", "hands_per_second": speed})
    trainings: list[tuple[str, str, float, float]] = []
    for name, bot in TRAININGS:
        trainings.append((name, bot, *training_speeds(name, bot, options.hands)))
    if options.json:
        keys = ("learner", "against", "arena", "compiled")
        shown = [dict(zip(keys, training, strict=True)) for training in trainings]
        print(json.dumps({"target": TARGET, "cases": rows, "trainings": shown}))
        return
    print(f"hands/s of CPU time, target {TARGET} heads-up against always-call")
    for row in rows:
        print(f"{row['learner']:<23} {row['game']:<18} {row['against']:<12} {row['hands_per_second']:>8.0f}")
    print("\ntraining at six seats, hands/s: arena, compiled, ratio")
    for name, bot, arena, compiled in trainings:
        print(f"{name:<23} {bot:<24} {arena:>8.0f} {compiled:>9.0f} {compiled / arena:>5.1f}")


if __name__ == "__main__":
    main()
