"""A million inputs that are nearly right, for every reader of what comes from outside.

Each must end well or with a documented error, in one line where people see it.

``python -m tests.stress.fuzz [--inputs N] [--only TARGET --index I]``.  What is fed, and how it is
spoilt, is in `tests.stress.fuzzing`.  A finding names its target and index, with which it can be had again.
"""

import contextlib
import io
import os
import random
import time
import traceback
import warnings
from collections import Counter
from typing import Final

import click

from tests.stress.common import Stress, begin, folder, main
from tests.stress.fuzzing import files, people, protocol
from tests.stress.fuzzing.files import set_folder
from tests.stress.fuzzing.inputs import Target

_SLOW_S: Final = 2.0
"""A reader that takes longer for one input can be made to stall."""
_LONGEST: Final = 20_000
"""Characters of a complaint; beyond it is no line for people."""
_BATCH: Final = 500

_TARGETS: Final = (*protocol.TARGETS, *files.TARGETS, *people.TARGETS)
"""All readers; the shares add up to one."""


def feed(stress: Stress, target: Target, index: int) -> str:
    """One input; returns what came of it: ``ok`` or the name of the error."""
    rng = random.Random(f"{stress.seed} {target.name} {index}")
    began = time.process_time()
    try:
        target.run(rng)
        outcome = "ok"
    except target.documented as error:
        outcome = type(error).__name__
        text = str(error)
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            return outcome  # the help text
        if target.is_for_people and (len(text.splitlines()) > 1 or len(text) > _LONGEST):
            stress.find(f"{target.name}: a complaint that is no line", f"index {index}: {text[:300]!r}")
    except Exception as error:  # what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{target.name}: {type(error).__name__} in {os.path.basename(where.filename)}:{where.lineno}"
        stress.find(kind, f"index {index}\n{traceback.format_exc(limit=-6)[-2500:]}")
        outcome = "FOUND"
    seconds = time.process_time() - began
    if seconds > _SLOW_S and index > 0:  # the first of all loads and compiles
        stress.find(f"{target.name}: slow", f"index {index}: {seconds:.1f} s")
    return outcome


def run() -> int:
    """The script."""
    stress = begin(
        "fuzz", __doc__, 10,
        ("inputs", int, 1_000_000, "in all"),
        ("only", str, "", "a target"),
        ("index", int, -1, "one input of it"),
    )  # fmt: skip
    warnings.simplefilter("ignore")
    only, index = stress.arguments.only, stress.arguments.index
    targets = [target for target in _TARGETS if only in target.name]
    left = {target.name: max(1, round(stress.arguments.inputs * target.share)) for target in targets}
    done: Counter[str] = Counter()
    spent: Counter[str] = Counter()
    outcomes: Counter[tuple[str, str]] = Counter()
    with folder() as place, contextlib.redirect_stderr(io.StringIO()), contextlib.chdir(place):
        set_folder(place)
        if index >= 0:
            for target in targets:
                print(target.name, feed(stress, target, index))
            return stress.end("1 input")
        while any(left.values()) and not stress.is_over:
            for target in targets:
                began = time.perf_counter()
                for _ in range(min(_BATCH, left[target.name])):
                    outcomes[target.name, feed(stress, target, done[target.name])] += 1
                    done[target.name] += 1
                    left[target.name] -= 1
                spent[target.name] += time.perf_counter() - began  # type: ignore[assignment]
                if stress.is_over:
                    break
    for target in targets:
        what = ", ".join(
            f"{number} {kind}" for (name, kind), number in sorted(outcomes.items()) if name == target.name
        )
        each = spent[target.name] / max(1, done[target.name]) * 1e6
        stress.say(f"{target.name}: {done[target.name]} inputs, {each:.0f} us each: {what}")
    return stress.end(f"{sum(done.values())} inputs")


if __name__ == "__main__":
    main(run)
