"""What a fresh interpreter has loaded."""

import os
import re
import sys

from tests.support.dealer_process import ROOT, run_to_end


def imported_by(statement: str) -> set[str]:
    """Top-level packages that a fresh interpreter has loaded after a statement."""
    env = {**os.environ, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-X", "importtime", "-c", statement]
    result = run_to_end(command, ROOT, env=env, check=True)
    return {name.strip().split(".")[0] for name in re.findall(r"\|([^|\n]+)$", result.stderr, re.MULTILINE)}
