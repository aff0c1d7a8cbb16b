"""How much a bot wins of players it was not made for and of the bots in the box, and what a change won.

``python -m tests.benchmarks.bench_reading limit-2p formula --deals 2000 --save before.npz``
``python -m tests.benchmarks.bench_reading limit-2p formula --deals 2000 --than before.npz``

Each opponent (``tests.support.strangers``, then the bots in the box) is met in matches of `--match` deals,
in which the bot begins with nothing and learns; every deal is played twice, in each other's seats.  With
`--than` the same deals are compared one by one with those of a saved run, such as that of another commit:
this module and `benchmarks`, `strangers` and `two_trees` of ``tests/support`` copied into its tree, the same
command there.  A packaged bot that has changed is another opponent in each of these runs.  With
`--opponents-of` opponents are those of the commit whose tree is in a folder, prepared in the same way.

At tables of more than two, every second seat is the bot's, and the kinds change seats; with `--alone` it has
one seat, the first and then the second, and opponents have all others.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clients.core.agent import Agent
from clients.core.registry import make_bot
from clients.lab.experiments.tasks import chips_by_seat
from engine.poker.rules import GameDefinition, load_game
from tests.benchmarks.bench_formula import interval
from tests.support.benchmarks import (
    BenchmarkParser,
    known_bot,
    known_file,
    known_game,
    known_player,
    known_tree,
    make_player,
    quartered,
)
from tests.support.strangers import STRANGERS
from tests.support.two_trees import Overheard, Spoken, other_version

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


def won_across(
    play: Callable[[MakeAgent, MakeAgent], Floats], make_own: MakeAgent, tree: Path, words: Sequence[str]
) -> Floats:
    """What `play` gives against opponents of another version, whose half of the table has these words."""
    with other_version(tree, "tests.benchmarks.bench_reading", words) as (heard, said):
        return play(lambda: Spoken(make_own(), said), partial(Overheard, heard))


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
    parser.add_argument("--save", type=Path, help="keep what each deal brought (.npz)")
    parser.add_argument("--than", type=known_file, help="compare with what was kept")
    parser.add_argument("--opponents-of", type=known_tree, metavar="FOLDER", help="those of another version")
    parser.add_argument("--half", type=known_player, help=argparse.SUPPRESS)  # its run: the opponents' half
    options = parser.parse_args(arguments)
    game = load_game(options.game)
    deals, match, seed, alone = options.deals, options.match, options.seed, options.alone
    play = partial(won_by_deal, game, deals=deals, match=match, seed=seed, alone=alone)
    if options.half:
        play(partial(Overheard, sys.stdin), lambda: Spoken(make_player(options.half), sys.stdout))
        return
    make_own = partial(make_bot, options.bot)
    words = [options.game, f"--deals={deals}", f"--match={match}", f"--seed={seed}"]
    words += ["--alone"] if alone else []
    before: dict[str, Floats] = dict(np.load(options.than)) if options.than else {}
    kept: dict[str, Floats] = {}
    unit = "sb" if game.small_bet else "bb"
    print(f"{options.game} {options.bot}: {unit} a hand, {2 * deals} hands against each")
    gains: list[Floats] = []
    for name in options.against or opponents_in(game):
        start = cpu_seconds()
        if options.opponents_of:
            won = won_across(play, make_own, options.opponents_of, [*words, f"--half={name}"])
        else:
            won = play(make_own, partial(make_player, name))
        kept[name] = won
        mean, half = interval(won)
        line = f"{name:<38} {mean:+9.3f} +- {half:.3f}"
        if name in before:
            gains.append(won - before[name][: len(won)])
            old = interval(before[name][: len(won)])
            gain, error = interval(gains[-1])
            line += f"   before {old[0]:+9.3f} +- {old[1]:.3f}   gained {gain:+7.3f} +- {error:.3f}"
            line += "  LOSES" if gain < -error else ("  wins" if gain > error else "")
        rate = 2 * deals / (cpu_seconds() - start)
        print(f"{line}   {rate:.0f} hands/s", flush=True)
        if options.save:  # each time: a run that is broken off keeps what it has
            np.savez(options.save, allow_pickle=False, **kept)
    # A few opponents that give much away rule the mean of all; these two they do not.
    played = list(kept.values())
    for name, places in zip(
        ("median", "worst quarter"), quartered([float(won.mean()) for won in played]), strict=True
    ):
        mean, half = interval(np.mean([played[place] for place in places], axis=0))
        print(f"{name:<38} {mean:+9.3f} +- {half:.3f}")
    if gains:
        gain, error = interval(np.mean(gains, axis=0))  # the opponents share their deals
        print(f"{'mean of all':<38} gained {gain:+.3f} +- {error:.3f}")


if __name__ == "__main__":
    main()
