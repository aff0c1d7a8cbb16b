"""A pytest of its own, for what pytest does with Riverboat installed."""

import os
import sys
from pathlib import Path

from tests.support.dealer_process import run_to_end


def run_pytest(folder: Path, **files: str) -> str:
    """What pytest prints about some test files in a folder."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    options = ["-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "-p", "no:schemathesis", *options, str(folder)]
    result = run_to_end(command, folder, env=environment, timeout=None)
    return result.stdout + result.stderr
