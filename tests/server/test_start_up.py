"""What a dealer loads before it says its ports: nothing that takes long."""

from __future__ import annotations

import subprocess
import sys

from tests.support.dealer_process import ROOT

HEAVY = ("numpy", "numba", "click", "rich", "scipy", "importlib.metadata", "asyncio")


def test_a_dealer_loads_no_heavy_package() -> None:
    code = "import server, protocol, engine.poker.rules, server.commands.play.dealer"
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )

    loaded = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}
    assert "server.table.match" in loaded
    assert not loaded & {*HEAVY}
