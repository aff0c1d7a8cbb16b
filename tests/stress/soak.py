"""A long match: memory, descriptors and time per hand stay what they are from the first hands on.

``python -m tests.stress.soak [--hands N]``: a match between `random` and `always-call` as `riverboat match`
plays it, the house and both players watched from outside; then each bot for itself in the arena.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from clients.core.arena import Arena
from clients.core.registry import installed_bots, make_bot
from engine.poker.cards import NUM_RANKS, make_card
from engine.poker.rules import load_game
from engine.poker.rules.hand_rank import hand_rank
from tests.stress.common import Stress, Usage, begin, children, end, folder, main, start, usage

_SAMPLE_S: Final = 1.0
_WARM: Final = 0.1
"""The first hands: caches fill, the allocator finds its size."""
_BYTES_PER_HAND: Final = 1.0
_SLACK_KIB: Final = 1024
"""Growth that says nothing: what the allocator does now and then."""
_SLOWER: Final = 1.15
_ARENA_BYTES_PER_HAND: Final = 100.0
_GAMES: Final = {"equilibrium": "leduc"}
"""Where a bot does not play hold'em without more."""
_TRIALS: Final = {"sampling": "sampling:trials=50"}
"""Bots that would take too long as they are."""


@attrs.frozen
class Sample:
    """What the processes take after some hands."""

    hands: int
    usages: tuple[Usage, ...]
    """Of the house and of its players."""


def watch(process: subprocess.Popen[bytes], log: Path, stress: Stress) -> list[Sample]:
    """Sample a match until it is over, or out of time: then it is interrupted."""
    samples: list[Sample] = []
    hands, read = 0, 0
    while process.poll() is None:
        time.sleep(_SAMPLE_S)
        if log.exists():
            with open(log, "rb") as file:
                file.seek(read)
                while data := file.read(1 << 20):
                    hands += data.count(b"\nSTATE:")
                    read += len(data)
        found = [usage(pid) for pid in (process.pid, *children(process.pid))]
        if len(found) == 3 and all(found) and hands:
            samples.append(Sample(hands, tuple(each for each in found if each is not None)))
        if stress.is_over:
            process.send_signal(signal.SIGINT)
            process.wait()
    return samples


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line of least squares."""
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def judge(samples: list[Sample], stress: Stress) -> str:
    """Compare the later part of a match with the earlier one."""
    if len(samples) < 20:
        stress.find("the match was too short to be judged", f"{len(samples)} samples")
        return "too short"
    last = samples[-1].hands
    later = [sample for sample in samples if _WARM * last <= sample.hands < last]  # not those of its end
    lines = []
    for k, who in enumerate(("house", "random", "always-call")):
        memory = [(float(s.hands), s.usages[k].memory_kib * 1024.0) for s in later]
        per_hand = slope(memory)
        growth = (memory[-1][1] - memory[0][1]) / 1024
        descriptors = {s.usages[k].descriptors for s in later}
        early, late = (cpu_per_hand(later, k, *part) for part in ((0.0, 0.25), (0.75, 1.0)))
        lines.append(
            f"{who}: {memory[-1][1] / 2**20:.1f} MiB, {per_hand:+.2f} bytes a hand, "
            f"{min(descriptors)} to {max(descriptors)} descriptors, "
            f"{early * 1e6:.0f} then {late * 1e6:.0f} us CPU a hand"
        )
        if growth > _SLACK_KIB and per_hand > _BYTES_PER_HAND:
            stress.find(f"memory of the {who} grows", lines[-1])
        if len(descriptors) > 1:
            stress.find(f"descriptors of the {who} change", lines[-1])
        if late > _SLOWER * early:
            stress.find(f"the {who} gets slower", lines[-1])
    for line in lines:
        stress.say(line)
    return f"{last} hands"


def cpu_per_hand(samples: list[Sample], k: int, begins: float, ends: float) -> float:
    """Processor seconds of one process for a hand in a part of a match."""
    first, last = samples[0].hands, samples[-1].hands
    part = [s for s in samples if begins <= (s.hands - first) / (last - first) <= ends]
    used = part[-1].usages[k].cpu_s - part[0].usages[k].cpu_s
    return used / max(1, part[-1].hands - part[0].hands)


def soak_match(stress: Stress, hands: int, place: Path) -> str:
    """A match between two processes at a third."""
    words = [
        "match", "kuhn-2p", "random", "always-call", "--hands", str(hands), "--seed",
        str(stress.seed % 2**32), "--out", "match", "--json",
    ]  # fmt: skip
    with open(place / "stdout", "wb") as stdout, open(place / "stderr", "wb") as stderr:
        process = start(words, place, stdout=stdout.fileno(), stderr=stderr.fileno())
    try:
        samples = watch(process, place / "match/match.log", stress)
    finally:
        end(process)
    if process.returncode == 0:
        report = json.loads((place / "stdout").read_text())
        if report["hands"] != hands:
            stress.find("not all hands were played", json.dumps(report))
    elif process.returncode != 130:
        stress.find("the match failed", (place / "stderr").read_text())
    figures = judge(samples, stress)
    log = (place / "match/match.log").stat().st_size
    return f"{figures} over TCP, log {log / 2**20:.0f} MiB"


def soak_bot(name: str, seed: int, seconds: float) -> None:
    """One bot against `random` in the arena of this process; prints what it took, as JSON."""
    for ranks in itertools.combinations_with_replacement(range(NUM_RANKS), 7):
        if max(map(ranks.count, ranks)) <= 4:  # fills the one cache that takes a million hands to fill
            hand_rank([make_card(rank, ranks[:k].count(rank)) for k, rank in enumerate(ranks)])
    game = load_game(_GAMES.get(name, "limit-2p"))
    arena = Arena(game, [make_bot(_TRIALS.get(name, name)), make_bot("random")], seed)
    points: list[tuple[float, float]] = []
    began = time.monotonic()
    while (elapsed := time.monotonic() - began) < seconds:
        arena.play(20)
        now = usage(os.getpid())
        assert now is not None
        if elapsed > seconds / 2:
            points.append((float(arena.hands_played), now.memory_kib * 1024.0))
    found = {"hands": arena.hands_played, "growth": points[-1][1] - points[0][1], "bytes": points[-1][1]}
    print(json.dumps(found | {"slope": slope(points)}))


def soak_bots(stress: Stress, seconds: float) -> None:
    """Every bot in a process of its own."""
    for name in installed_bots():
        if stress.is_over:
            stress.say("no time is left for the other bots")
            return
        command = [sys.executable, "-m", "tests.stress.soak", "--bot", name, "--seconds", str(seconds)]
        command += ["--seed", str(stress.seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            stress.find(f"{name} failed in the arena", done.stderr)
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        line = f"{found['hands']} hands, {found['bytes'] / 2**20:.1f} MiB, {found['slope']:+.1f} bytes a hand"
        stress.say(f"{name}, arena: {line}")
        if found["growth"] > 2 * _SLACK_KIB * 1024 and found["slope"] > _ARENA_BYTES_PER_HAND:
            stress.find(f"memory of {name} grows in the arena", line)


def run() -> int:
    """The script."""
    stress = begin(
        "soak", __doc__, 14,
        ("hands", int, 1_000_000, "of the match"),
        ("seconds", float, 8.0, "of each bot in the arena, 0 for none"),
        ("bot", str, "", "only this bot, in this process"),
    )  # fmt: skip
    if stress.arguments.bot:
        soak_bot(stress.arguments.bot, stress.seed, stress.arguments.seconds)
        return 0
    with folder() as place:
        figures = soak_match(stress, stress.arguments.hands, place)
    if stress.arguments.seconds:
        soak_bots(stress, stress.arguments.seconds)
    return stress.end(figures)


if __name__ == "__main__":
    main(run)
