"""How much a bot wins of players it was not made for and of the bots in the box, and what a change gains.

``python -m tests.benchmarks.bench_reading limit-2p formula --deals 2000``
``python -m tests.benchmarks.bench_reading limit-2p formula --than HEAD~1``

Each opponent (``tests.support.strangers``, then the bots in the box) is met in matches of `--match` deals,
in which the bot begins with nothing and learns; every deal is played twice, in each other's seats.  With
`--than` the working tree's bot is compared with that of a commit against the same opponents, by
``riverboat compare``, with the options of `--with`; its exit status is ours.

At tables of more than two, every second seat is the bot's, and the kinds change seats; with `--alone` it has
one seat, the first and then the second, and opponents have all others.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.registry import make_bot
from clients.lab.experiments.harness import chips_by_seat
from engine.poker.rules import GameDefinition, load_game
from tests.benchmarks.bench_formula import interval
from tests.support.benchmarks import (
    BenchmarkParser,
    known_bot,
    known_game,
    known_player,
    make_player,
    quartered,
    riverboat,
)
from tests.support.strangers import STRANGERS

Floats = NDArray[np.float64]
MakeAgent = Callable[[], Agent]

IN_THE_BOX: Final = (
    "always-call", "always-raise", "random", "hand-strength", "simple", "heuristic", "killer", "formula",
    "formula:tightness=0.9,aggression=0.9",
)  # fmt: skip
"""Bots that the bot meets besides, with their usual options."""
NO_LIMIT_TOO: Final = "always-all-in"
"""Where there are stacks to lose."""
LIMIT_ONLY: Final = ("killer",)


def opponents_in(game: GameDefinition) -> list[str]:
    """All that are met in a game."""
    if game.is_limit:
        return [*STRANGERS, *IN_THE_BOX]
    return [*STRANGERS, *[name for name in IN_THE_BOX if name not in LIMIT_ONLY], NO_LIMIT_TOO]


def won_by_deal(
    game: GameDefinition,
    make_own: MakeAgent,
    make_other: MakeAgent,
    deals: int,
    match: int,
    seed: int,
    alone: bool = False,
) -> Floats:
    """What the bot won a hand and seat on each deal, in small bets or big blinds, shape (deals,)."""
    players = game.num_players
    unit = game.small_bet or game.big_blind
    won: list[Floats] = []
    for begun in range(0, deals, match):
        number = min(match, deals - begun)
        both = np.zeros(number)
        for shift in (0, 1):
            ours = [shift] if alone else list(range(shift, players, 2))
            agents = [make_own() if seat in ours else make_other() for seat in range(players)]
            both += chips_by_seat(game, agents, seed + begun, number)[:, ours].mean(axis=1) / (2 * unit)
        won.append(both)
    return np.concatenate(won)


def compared(game: str, bot: str, base: str, opponents: Sequence[str], more: Sequence[str]) -> int:
    """Compare a bot with itself at a commit; returns the exit status of ``riverboat compare``."""
    words = [*riverboat(), "compare", f"{bot}@{base}", bot, "--game", game, *more]
    for name in opponents:
        program = f"{name}={sys.executable} -m tests.support.strangers {name}"
        words += ["--against", program if name in STRANGERS else name]
    return subprocess.run(words, check=False).returncode


def cpu_seconds() -> float:
    """The processor time of this process and of those that it has seen end."""
    return sum(os.times()[:4])


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    parser = BenchmarkParser("bench_reading", __doc__, deals=1000, match=500)
    parser.add_argument("game", nargs="?", type=known_game, default="limit-2p")
    parser.add_argument("bot", nargs="?", type=known_bot, default="formula")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="one seat only, at tables of more than two")
    parser.add_argument("--against", nargs="*", type=known_player, help="some opponents only")
    parser.add_argument("--than", metavar="COMMIT", help="compare with this commit: riverboat compare")
    parser.add_argument("--with", dest="more", type=shlex.split, default=[], help="further options of it")
    options = parser.parse_args(arguments)
    game = load_game(options.game)
    deals, match, seed, alone = options.deals, options.match, options.seed, options.alone
    opponents = options.against or opponents_in(game)
    if options.than:
        sys.exit(compared(options.game, options.bot, options.than, opponents, options.more))
    played: list[Floats] = []
    unit = "sb" if game.small_bet else "bb"
    print(f"{options.game} {options.bot}: {unit} a hand, {2 * deals} hands against each")
    for name in opponents:
        start = cpu_seconds()
        make_own, make_other = partial(make_bot, options.bot), partial(make_player, name)
        played.append(won_by_deal(game, make_own, make_other, deals, match, seed, alone))
        mean, half = interval(played[-1])
        rate = 2 * deals / (cpu_seconds() - start)
        print(f"{name:<38} {mean:+9.3f} +- {half:.3f}   {rate:.0f} hands/s", flush=True)
    # A few opponents that give much away rule the mean of all; these two they do not.
    for name, places in zip(
        ("median", "worst quarter"), quartered([float(won.mean()) for won in played]), strict=True
    ):
        mean, half = interval(np.mean([played[place] for place in places], axis=0))
        print(f"{name:<38} {mean:+9.3f} +- {half:.3f}")


if __name__ == "__main__":
    main()
