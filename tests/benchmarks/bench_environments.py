"""Actions a second of the environments, with random agents; RLCard's through PettingZoo in the same run.

``python -m tests.benchmarks.bench_environments [--peer PYTHON]``

PYTHON is an interpreter with ``pettingzoo[classic]``, which brings RLCard; the agents are the same there.
"""

import argparse
import random
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from tests.support.benchmarks import BenchmarkParser, Task, show

AEC: Final = {
    "limit-2p": ("60,000", "texas_holdem_v4"), "nolimit-2p": ("", "texas_holdem_no_limit_v6"),
    "nolimit-6p": ("", None), "leduc": ("", "leduc_holdem_v4"),
}  # fmt: skip
"""By game: the goal, and RLCard's environment."""
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


def tasks(episodes: int, peer: str | None) -> list[Task]:
    """The lines of the table."""
    from clients.lab.environments import holdem_v0

    calls, steps, tables = ["always-call"], 10 * episodes, max(1, episodes // 10)
    lines: list[tuple[str, Callable[[], float], str]] = [
        ("gymnasium v always-call, limit-2p", partial(gymnasium_steps, calls, "dict", steps), "100,000"),
        ("the same, one vector", partial(gymnasium_steps, calls, "array", steps), ""),
        ("vector, limit-2p", partial(vector_actions, (), 1024, tables), "1,000,000"),
        ("vector v always-call, limit-2p", partial(vector_actions, calls, 1024, tables), ""),
    ]
    found = []
    for game, (goal, name) in AEC.items():
        peers = {"RLCard": partial(peer_actions, peer, name, max(1, episodes // 10))} if peer and name else {}
        measure = partial(aec_actions, holdem_v0.env(game), episodes)
        found.append(Task(f"AEC, {game}", measure, "actions/s", goal, peers))
    return found + [Task(name, measure, "actions/s", goal) for name, measure, goal in lines]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_environments", __doc__, episodes=4000, repeats=5)
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--as-peer", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.as_peer is not None:
        from importlib import import_module

        print(aec_actions(import_module(f"pettingzoo.classic.{options.as_peer}").env(), options.episodes))
        return
    show("actions a second of CPU time", tasks(options.episodes, options.peer), options.repeats)


if __name__ == "__main__":
    main()
