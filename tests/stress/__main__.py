"""All stress scripts, two at a time, in at most half an hour: ``make stress``, ``python -m tests.stress``.

Each writes into a file of its own; what they have found stands at the end, and the exit status is 1 if it is
anything.
"""

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

LANES: Final = (
    (("soak", 12.0), ("disk", 4.0), ("fuzz", 8.0), ("room", 4.0)),
    (("crowd", 8.0), ("kills", 7.0), ("signals", 9.0), ("websockets", 4.0)),
)
"""Scripts and their minutes, one lane for each core; the crowd takes more than one."""


def run_lane(
    lane: Sequence[tuple[str, float]], seed: int, scale: float, out: Path, failed: list[str]
) -> None:
    """Run scripts one after the other."""
    for name, minutes in lane:
        words = ["--seed", str(seed), "--minutes", f"{minutes * scale:g}"]
        with open(out / f"{name}.txt", "wb") as file:
            status = subprocess.call(
                [sys.executable, "-m", f"tests.stress.{name}", *words], stdout=file, stderr=file
            )
        text = (out / f"{name}.txt").read_text(errors="replace").splitlines()
        print("\n".join(text[-6:]), flush=True)
        if status:
            failed.append(name)


def main() -> int:
    """Run everything."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress", description=__doc__)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--minutes", type=float, default=28.0, help="for all of them; default 28")
    parser.add_argument("--out", type=Path, default=Path("stress"), help="folder of their reports")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    scale = arguments.minutes / max(sum(minutes for _, minutes in lane) for lane in LANES)
    print(f"stress: seed {arguments.seed}, at most {arguments.minutes:g} minutes, reports in {arguments.out}")
    failed: list[str] = []
    began = time.monotonic()
    lanes = [
        threading.Thread(target=run_lane, args=(lane, arguments.seed, scale, arguments.out, failed))
        for lane in LANES
    ]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    what = f"something was found by {', '.join(sorted(failed))}" if failed else "nothing was found"
    print(f"stress: {what}; {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
