"""A dealer that is killed again and again and goes on each time: the match comes out as if nothing had been.

``python -m tests.stress.kills [--kills N]``: `riverboat dealer -T -a` is killed at random moments, while it
starts, reads its files, plays and ends, and started again until its match is over.  The hands, the score and
the actions must be those of the same match without a kill, and every line of its files whole.
"""

import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.poker.rules import load_game
from tests.stress.common import Stress, begin, folder, main, playing, start

_MATCHES: Final = (
    ("limit-2p", 120), ("nolimit-3p", 120), ("kuhn-3p", 400), ("leduc", 300), ("nolimit-2p-100bb", 200),
    ("limit-6p", 40),
)  # fmt: skip
"""Games and hands: some seconds each."""
_KILLS_EACH: Final = 20
_START_S: Final = 0.5
"""A kill in three comes within this time of the start, before or after the ports are open."""
_SIGNALS: Final = (signal.SIGKILL,) * 9 + (signal.SIGTERM,)


def dealt(
    name: str, words: Sequence[str], place: Path, kill_after: float | None, number: int
) -> tuple[int, str]:
    """Start a dealer, seat its players, and kill it after some seconds or let it play.

    Args:
        name: of the match.
        words: the command line behind it, the game first.
        place: the folder of its files.
        kill_after: seconds after the start; None to let it play.
        number: of the signal.

    Returns:
        Its exit status and the rest of its stdout.
    """
    with open(place / f"{name}.err", "ab") as stderr:
        process = start(["dealer", name, *words], place, stdout=subprocess.PIPE, stderr=stderr.fileno())
    began = time.monotonic()
    assert process.stdout is not None
    with playing(process, words[0]) as seat:
        if kill_after is None or kill_after > _START_S:
            seat(process.stdout.readline())
        if kill_after is not None:
            time.sleep(max(0.0, began + kill_after - time.monotonic()))
            process.send_signal(number)
        status = process.wait(600)
        return status, process.stdout.read().decode()


def lines_of(path: Path, stress: Stress) -> list[str]:
    """The lines of a file, each of which must be whole."""
    text = path.read_text()
    if text and not text.endswith("\n"):
        stress.find("a file ends with half a line", f"{path.name}: {text[-100:]!r}")
    return text.splitlines()


def compare(place: Path, stress: Stress, where: str) -> None:
    """Hands, score and actions of the killed match and of the whole one."""
    whole, killed = (lines_of(place / f"{name}.log", stress) for name in ("whole", "killed"))
    for start_of_line in ("STATE:", "SCORE:"):
        expected = [line for line in whole if line.startswith(start_of_line)]
        found = [line for line in killed if line.startswith(start_of_line)]
        # A kill right behind the score lets the next start say it again, as it says of a finished match.
        if found != expected and not (start_of_line == "SCORE:" and {*found} == {*expected}):
            first = next(
                (k for k, pair in enumerate(zip(expected, found, strict=False)) if pair[0] != pair[1]), -1
            )
            stress.find(
                f"{start_of_line} lines differ", f"{where}: {len(expected)}, {len(found)}, first {first}"
            )
    actions = [
        [line.split()[:2] for line in lines_of(place / f"{name}.tlog", stress)]
        for name in ("whole", "killed")
    ]
    if actions[0] != actions[1]:
        stress.find("actions differ", where)


def play_killed(stress: Stress, match: int, kills_left: int, counts: Counter[str]) -> int:
    """One match, whole and then killed; returns the number of kills."""
    game, hands = _MATCHES[match % len(_MATCHES)]
    generator = stress.generator(match)
    names = [f"p{seat}" for seat in range(load_game(game).num_players)]
    words = (game, str(hands), str(generator.randrange(2**32)), *names, "-q", "-T", "-a")
    kills = 0
    with folder() as place:
        began = time.monotonic()
        status, score = dealt("whole", words, place, None, 0)
        seconds = time.monotonic() - began
        if status:
            stress.find("a dealer that nobody killed failed", (place / "whole.err").read_text())
            return 1
        where = f"match {match}: {' '.join(words)}"
        while True:
            is_last = kills >= min(_KILLS_EACH, kills_left) or stress.is_over
            after = None if is_last else moment(generator, seconds)
            number = generator.choice(_SIGNALS)
            status, said = dealt("killed", words, place, after, number)
            if after is not None and status in (-number, 128 + number):
                kills += 1
                counts[signal.Signals(number).name] += 1
                continue
            if status or said != score:
                stress.find("a dealer that goes on failed", f"{where}, status {status}: {said}")
                keep(place, stress, match)
                return kills + 1
            break  # it was over before the kill, or it was the last
        compare(place, stress, where)
    counts["matches"] += 1
    return max(kills, 1)


def moment(generator: random.Random, seconds: float) -> float:
    """Seconds after its start at which a dealer is killed: some while it starts, some while it plays."""
    if generator.random() < 1 / 3:
        return generator.uniform(0, _START_S)
    return _START_S + generator.uniform(0, 2 * seconds / _KILLS_EACH)


def keep(place: Path, stress: Stress, match: int) -> None:
    """Copy the files of a match that went wrong."""
    kept = Path(f"/tmp/riverboat-kills-{stress.seed}-{match}")
    shutil.copytree(place, kept, dirs_exist_ok=True)
    stress.say(f"its files are in {kept}")


def run() -> int:
    """The script."""
    stress = begin("kills", __doc__, 10, ("kills", int, 1000, "how many dealers are killed"))
    counts: Counter[str] = Counter()
    kills = match = 0
    while kills < stress.arguments.kills and not stress.is_over:
        kills += play_killed(stress, match, stress.arguments.kills - kills, counts)
        match += 1
    return stress.end(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))


if __name__ == "__main__":
    main(run)
