"""What was said to an endpoint and by it, one JSON line a request; a match can be played again from it.

A request's key is the SHA-256 of its model, messages and tools, so that the dialect of other members may
change.  The n-th request of a key is answered by the n-th reply.  No header is kept, and so no key of the
endpoint.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clients.bots.llm.prompt import compact


class Transcript:
    """A transcript: what it has is answered from it, what is new is added.

    Args:
        path: of the file; None keeps nothing.
        is_replay: nothing is added, and what it does not have is an error.

    Raises:
        ValueError: it cannot be read.
    """

    def __init__(self, path: Path | None, *, is_replay: bool = False) -> None:
        self._path = path
        self.is_replay = is_replay
        self._known: dict[str, list[dict[str, Any]]] = {}
        self._asked: Counter[str] = Counter()
        if path is not None and (is_replay or path.exists()):
            self._read(path)

    def _read(self, path: Path) -> None:
        number = 0
        try:
            with open(path, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):  # noqa: B007 - for the error
                    if not line.endswith("\n"):
                        break  # it was being written when the program died
                    entry = json.loads(line)
                    parts = (entry["kind"], str), (entry["request"]["messages"], list)
                    if not all(isinstance(*part) for part in (*parts, (entry.get("reply", {}), dict))):
                        raise ValueError
                    self._known.setdefault(str(entry["key"]), []).append(entry)
        except OSError as error:
            raise ValueError(f"the transcript {path} cannot be read: {error.strerror}") from error
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path}, line {number}: not a line of a transcript") from error

    def entries(self) -> Iterator[dict[str, Any]]:
        """The entries that were there when it was opened."""
        return itertools.chain.from_iterable(self._known.values())

    def next_reply(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """The entry of a request's next occurrence; None if there is none."""
        key = key_of(body)
        self._asked[key] += 1
        entries = self._known.get(key, [])
        return entries[self._asked[key] - 1] if self._asked[key] <= len(entries) else None

    def add(self, body: Mapping[str, Any], outcome: Mapping[str, Any]) -> None:
        """Keep a request, whose `next_reply` was None, and what came of it.

        Raises:
            OSError: it cannot be written.
        """
        if self._path is None:
            return
        key = key_of(body)
        line = {"key": key, "occurrence": self._asked[key], "request": body, **outcome}
        with open(self._path, "a", encoding="utf-8", opener=_private) as file:
            file.write(json.dumps(line) + "\n")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def key_of(body: Mapping[str, Any]) -> str:
    """The key of a request."""
    asked = {name: body.get(name) for name in ("messages", "model", "tools")}
    return hashlib.sha256(compact(asked).encode()).hexdigest()
