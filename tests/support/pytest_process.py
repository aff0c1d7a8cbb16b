"""A pytest of its own, for what pytest does with Riverboat installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_pytest(folder: Path, **files: str) -> str:
    """What pytest prints about some test files in a folder."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    options = ["-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )
    return result.stdout + result.stderr
