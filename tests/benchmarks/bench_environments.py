"""Actions a second of the environments, with random agents; RLCard's through PettingZoo in the same run.

``python -m tests.benchmarks.bench_environments [--peer PYTHON]``

PYTHON is an interpreter with ``pettingzoo[classic]``, which brings RLCard; the agents are the same there.
"""

from __future__ import annotations

import argparse
import functools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.support.benchmarks import BenchmarkParser, how_many

PEERS = ("texas_holdem_v4", "texas_holdem_no_limit_v6", "leduc_holdem_v4")
TARGETS = {
    "AEC, limit-2p": 60_000,
    "gymnasium v always-call, limit-2p": 100_000,
    "vector, limit-2p": 1_000_000,
}
_LEGAL: dict[bytes, list[int]] = {}


def drawn(mask: Any) -> int:
    """A legal action; what a mask allows is worked out once, since it is the environment that is measured."""
    legal = _LEGAL.get(mask.tobytes())
    if legal is None:
        legal = _LEGAL[mask.tobytes()] = [number for number, bit in enumerate(mask) if bit]
    return legal[int(len(legal) * random.random())]


def aec_actions(env: Any, episodes: int) -> float:
    """Actions a second of CPU time at a PettingZoo environment, resets and dead steps included."""
    env.reset(seed=1)
    actions = 0
    start = time.process_time()
    for _ in range(episodes):
        env.reset()
        for _ in env.agent_iter():
            seen, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(drawn(seen["action_mask"] if isinstance(seen, dict) else info["action_mask"]))
            actions += 1
    return actions / (time.process_time() - start)


def gymnasium_steps(opponents: Sequence[str], observations: str, steps: int) -> float:
    """Steps a second of CPU time, resets included."""
    from clients.lab.environments.single import HoldemEnv

    env: Any = HoldemEnv("limit-2p", opponents, observations=observations)  # type: ignore[arg-type]
    seen, info = env.reset(seed=1)
    is_dict = observations == "dict"
    start = time.process_time()
    for _ in range(steps):
        mask = seen["action_mask"] if is_dict else info["action_mask"]
        seen, _, terminated, _, info = env.step(drawn(mask))
        if terminated:
            seen, info = env.reset()
    spent = time.process_time() - start
    env.close()
    return steps / spent


def vector_actions(opponents: Sequence[str], tables: int, steps: int) -> float:
    """Actions that were played, a second of CPU time; those that only begin a hand do not count."""
    import numpy as np

    from clients.lab.environments.vector import HoldemVectorEnv

    envs = HoldemVectorEnv(tables, "limit-2p", opponents)
    envs.reset(seed=1)
    rng = np.random.default_rng(1)
    drawn_before = rng.integers(0, 3, (64, tables))  # those that are not legal are put right
    ended = np.zeros(tables, bool)
    actions = 0
    start = time.process_time()
    for step in range(steps):
        actions += tables - int(ended.sum())
        _, _, ended, _, _ = envs.step(drawn_before[step % 64])
    return actions / (time.process_time() - start)


def peer_actions(python: str, name: str, episodes: int) -> float:
    """`aec_actions` of an environment of RLCard's, in an interpreter that has it."""
    arguments = [python, "-W", "ignore", __file__, "--as-peer", name, "--episodes", str(episodes)]
    run = subprocess.run(arguments, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{python} cannot run {name}: {run.stderr.strip().splitlines()[-1]}")
    return float(run.stdout.strip().splitlines()[-1])


def cases(episodes: int) -> dict[str, Callable[[], float]]:
    """What is measured, by name."""
    from clients.lab.environments import holdem_v0

    def aec(game: str) -> Callable[[], float]:
        return lambda: aec_actions(holdem_v0.env(game), episodes)

    return {
        "AEC, limit-2p": aec("limit-2p"),
        "AEC, nolimit-2p": aec("nolimit-2p"),
        "AEC, nolimit-6p": aec("nolimit-6p"),
        "AEC, leduc": aec("leduc"),
        "gymnasium v always-call, limit-2p": lambda: gymnasium_steps(["always-call"], "dict", 10 * episodes),
        "the same, one vector": lambda: gymnasium_steps(["always-call"], "array", 10 * episodes),
        "vector, limit-2p": lambda: vector_actions((), 1024, episodes // 10),
        "vector v always-call, limit-2p": lambda: vector_actions(["always-call"], 1024, episodes // 10),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or JSON."""
    parser = BenchmarkParser("bench_environments", __doc__)
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--episodes", type=how_many, default=4000)
    parser.add_argument("--repeats", type=how_many, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--as-peer", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.as_peer is not None:
        from importlib import import_module

        print(aec_actions(import_module(f"pettingzoo.classic.{options.as_peer}").env(), options.episodes))
        return
    measured = cases(options.episodes)
    for name in PEERS if options.peer else ():
        measured[f"RLCard {name}"] = functools.partial(
            peer_actions, options.peer, name, options.episodes // 10
        )
    figures: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(options.repeats):  # in turns, so that a busy moment is everybody's
        for name, measure in measured.items():
            figures[name].append(measure())
    medians = {name: statistics.median(values) for name, values in figures.items()}
    if options.json:
        json.dump({"targets": TARGETS, "actions_per_second": medians}, sys.stdout)
        return
    print("actions a second of CPU time, medians")
    for name, median in medians.items():
        target = f"   target {TARGETS[name]:>9,}" if name in TARGETS else ""
        print(f"{name:<36} {median:>11,.0f}{target}")


if __name__ == "__main__":
    main()
