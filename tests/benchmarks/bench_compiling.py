"""What compiling costs, kernel by kernel: ``python -m tests.benchmarks.bench_compiling [STEP ...]``.

All steps of `riverboat kernels`, or those named, are compiled in this process, with an empty cache, without
the kernels that may be installed.  numba's own events say when a kernel begins and ends.  CPU seconds of a
kernel are its *own*, or *total* with those that it calls and that had not been compiled before.  A kernel has
as many *specialisations* as it has been compiled for combinations of types; that the intermediate code for
its callers and the native code for Python are made one after the other counts once.
"""

import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import attrs
from numba.core import event

from clients.commands.lab.kernels import STEPS
from tests.support.benchmarks import BenchmarkParser

SHOWN: Final = 30


@attrs.define
class Cost:
    """What a kernel has cost so far."""

    own: float = 0.0
    total: float = 0.0
    types: set[object] = attrs.field(factory=set)


class Costs(event.Listener):  # type: ignore[misc]  # numba ships no types
    """Adds up what numba says."""

    def __init__(self) -> None:
        self.by_kernel: defaultdict[str, Cost] = defaultdict(Cost)
        self._open: list[tuple[str, float]] = []
        self._inside: list[float] = [0.0]

    def on_start(self, begun: Any) -> None:
        function = begun.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}".removeprefix("engine.kernels.")
        self._open.append((name, time.process_time()))
        self._inside.append(0.0)

    def on_end(self, ended: Any) -> None:
        name, began = self._open.pop()
        seconds = time.process_time() - began
        cost = self.by_kernel[name]
        cost.own += seconds - self._inside.pop()
        cost.types.add(ended.data["args"])
        self._inside[-1] += seconds
        if name not in [other for other, _ in self._open]:
            cost.total += seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile, and print the steps and the kernels that cost most."""
    parser = BenchmarkParser("bench_compiling", __doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(STEPS)}; all without it")
    options = parser.parse_args(arguments)
    for step in options.steps:
        if step not in STEPS:
            parser.error(f"there is no step {step!r}, but {', '.join(STEPS)}")
    costs = Costs()
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"RIVERBOAT_CACHE_DIR": cache, "RIVERBOAT_KERNELS": "compile"}
        with event.install_listener("numba:compile", costs):
            for step in options.steps or STEPS:
                start, before = time.process_time(), len(costs.by_kernel)
                STEPS[step]()
                print(
                    f"{step:<24}{time.process_time() - start:>8.1f} s{len(costs.by_kernel) - before:>6} new"
                )
    found = sorted(costs.by_kernel.items(), key=lambda item: -item[1].own)
    print(f"\n{'kernel':<64}{'own':>8}{'total':>8}{'specialisations':>17}")
    for name, cost in found[:SHOWN]:
        print(f"{name:<64}{cost.own:>8.2f}{cost.total:>8.2f}{len(cost.types):>17}")
    own, types = sum(cost.own for _, cost in found), sum(len(cost.types) for _, cost in found)
    print(f"{f'all {len(found)}':<64}{own:>8.2f}{'':>8}{types:>17}")


if __name__ == "__main__":
    main()
