"""``riverboat kernels``: afterwards nothing is left to compile for bots and odds."""

from __future__ import annotations

import subprocess
import sys

import pytest

from clients.commands.lab.kernels import STEPS
from tests.support.dealer_process import environment, program


@pytest.mark.slow
def test_what_has_been_compiled_is_not_compiled_again() -> None:
    done = subprocess.run(
        program("kernels"), env=environment(), capture_output=True, text=True, timeout=110, check=True
    )
    steps = [line for line in done.stderr.splitlines() if line.startswith("kernels: ")]

    assert done.stdout == ""
    count = len(STEPS)
    assert [step.partition(",")[0] for step in steps] == [
        f"kernels: {n} of {count}" for n in range(1, count + 1)
    ]
    code = (
        "from clients.core.arena import Arena; from clients.core.registry import make_bot\n"
        "from engine.poker.rules import load_game\n"
        "bots = [make_bot(name) for name in ('simple', 'formula', 'hand-strength')]\n"
        "Arena(load_game('limit-3p'), bots, 1).play(5)\n"
    )
    after = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=110,
        check=True,
    )
    assert "compiling" not in after.stderr
