"""Hands a second in the arena: what the table costs, the sparring partners, and the thesis's learners.

``python -m tests.benchmarks.bench_arena``

The first bot has one seat, the second all others.  Always-call against itself is the table alone; against
always-call every hand has its showdown, the most work there can be.  "all hooks" also watches every action.
Learners know something already when they are measured; "journal" is in play, where every hand is written down
as it ends.  Millions of hands are trained against the bots.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from clients.bots.baselines import AlwaysCall
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.learners.preflop.learners import PokerLearner
from engine.poker.rules import Action, HandView, load_game
from tests.support.benchmarks import BenchmarkParser, Task, rate, show


class Watcher(AlwaysCall):
    """Calls, and has every hook."""

    def hand_started(self, view: HandView) -> None:
        """Looks at it."""

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Looks at it."""

    def hand_finished(self, view: HandView) -> None:
        """Asks what was won."""
        view.chips_won()


NO_LIMIT: Final = "nolimit-2p-100bb"
CASES: Final[dict[str, dict[tuple[str, str], str]]] = {
    "limit-2p": {
        ("always-call", "always-call"): "50,000", ("always-raise", "always-raise"): "",
        ("random", "random"): "", ("all hooks", "all hooks"): "",
    },
    "nolimit-6p": {("random", "random"): ""},
    NO_LIMIT: {
        ("hole-cards-learner", "always-call"): "10,000",
        ("winning-hand-learner", "always-call"): "10,000",
        ("name-learner", "always-call"): "10,000",
        ("poker-learner", "always-call"): "10,000",
        ("poker-learner, journal", "always-call"): "10,000",
    },
    "nolimit-6p-100bb": {("hole-cards-learner", "always-all-in"): "", ("poker-learner", "always-all-in"): ""},
}  # fmt: skip
"""By game and bots, the goal."""
PARTNERS: Final = (
    ("hand-strength", "always-call"), ("simple", "always-call"), ("simple:preflop-only", "always-call"),
    ("hand-strength", "simple"), ("hand-strength", "always-all-in"), ("simple", "always-all-in"),
    ("simple:preflop-only", "always-all-in"),
)  # fmt: skip
"""Sparring partners in both heads-up games; the goal is 8,000."""


def tasks(hands: int, folder: Path) -> Iterator[Task]:
    """The lines of the table."""
    special: dict[str, Callable[[], Agent]] = {
        "all hooks": Watcher,
        "poker-learner, journal": lambda: PokerLearner(knowledge=folder / "knowledge.npz"),
    }
    cases = [(game, *case) for game, goals in CASES.items() for case in goals.items()]
    cases += [(game, bots, "8,000") for game in ("limit-2p", NO_LIMIT) for bots in PARTNERS]
    for name, (first, other), goal in cases:
        game = load_game(name)
        bots = [first, *[other] * (game.num_players - 1)]
        arena = Arena(game, [special.get(bot, partial(make_bot, bot))() for bot in bots], 7)
        yield Task(
            f"{name}: {first} against {other}", rate(partial(arena.play, hands), hands), "hands/s", goal
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = BenchmarkParser("bench_arena", __doc__, hands=5000, repeats=5).parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        show("CPU time", tasks(options.hands, Path(folder)), options.repeats)


if __name__ == "__main__":
    main()
