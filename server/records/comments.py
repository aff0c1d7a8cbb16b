"""What players said with their actions: ``comments.jsonl`` beside a log, as the house has kept it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Final

from engine.support.files.formats import parse_json
from engine.support.user_input import printable
from server.records.log_lines import numbered_lines

COMMENTS_FILE: Final = "comments.jsonl"

Comments = dict[tuple[str, str], list[str]]
"""Texts, by the player and the betting after which it said them."""


def comments_beside(log: Path) -> dict[int, Comments]:
    """The comments of a log's hands, by number; lines that are torn or no comments are left out.

    Raises:
        LogError: the file cannot be read.
    """
    path, found = log.parent / COMMENTS_FILE, defaultdict[int, Comments](dict)
    for _, line in numbered_lines(path) if path.is_file() else ():
        try:
            row = parse_json(line)
            hand, player, betting, text = (row[key] for key in ("hand", "player", "betting", "text"))
        except (ValueError, TypeError, KeyError):
            continue
        if isinstance(hand, int):
            found[hand].setdefault((str(player), str(betting)), []).append(printable(str(text)))
    return found
