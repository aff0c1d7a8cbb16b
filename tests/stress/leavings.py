"""What a program leaves behind when it ends badly: half files, processes."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Final

from clients.learners.knowledge_file import read_knowledge
from protocol.records import parse_hand
from tests.stress.common import Stress, processes_in

_END_S: Final = 8.0
"""For children to notice that nobody is left."""


def broken_files(place: Path) -> list[str]:
    """What is wrong with the files below a folder."""
    found = []
    for path in place.rglob("*"):
        try:
            if path.name.endswith((".new", ".partial")):
                found.append(f"left {path.suffix}")
            elif path.suffix in (".log", ".tlog"):
                text = path.read_text()
                if text and not text.endswith("\n"):
                    found.append(f"half a line in {path.name}")
                for line in text.splitlines():
                    parse_hand(line)
            elif path.suffix == ".json":
                json.loads(path.read_text())
            elif path.suffix == ".npz":
                read_knowledge(path)
        except ValueError as error:
            found.append(f"{path.name}: {error}")
    return found


def find_leavings(stress: Stress, program: str, when: str, place: Path, detail: str) -> None:
    """Find what a program has left in a folder."""
    for words in processes_left(place):
        stress.find(f"{program}: left a process{when}", f"{detail}\n{words}")
    for fault in broken_files(place):
        stress.find(f"{program}: {fault}", detail)


def processes_left(place: Path, *, at_once: bool = False) -> list[str]:
    """The command lines of processes that go on below a folder, after some patience; they are then ended."""
    deadline = time.monotonic() + (0 if at_once else _END_S)
    while (left := processes_in(place)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    return [words for words in left.values() if words.strip()]
