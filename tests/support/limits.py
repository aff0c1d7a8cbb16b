"""A small disk, for programs under test: no file of theirs grows beyond some bytes."""

import functools
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.dealer_process import environment, program, run_to_end


def run_with_small_disk(
    words: Sequence[str], folder: Path, most_bytes: int
) -> subprocess.CompletedProcess[str]:
    """`riverboat` with files that can only become so long; beyond that a write fails, as on a full disk.

    Its stdout and stderr are pipes, which have no such limit.
    """
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    env = {**environment(), "PYTHONDONTWRITEBYTECODE": "1"}  # Python keeps what it could write of a .pyc
    return run_to_end(program(*words), folder, env=env, preexec_fn=limit)
