"""What a fresh interpreter has loaded."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.support.dealer_process import ROOT


def imported_by(statement: str) -> set[str]:
    """Top-level packages that a fresh interpreter has loaded after a statement."""
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    return {name.strip().split(".")[0] for name in re.findall(r"\|([^|\n]+)$", result.stderr, re.MULTILINE)}
