"""The `riverboat` program: house commands here, players' commands through the entry-point groups."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; returns the exit status."""
    if sys.argv[1:2] == ["dealer"]:
        from server.dealer_command import main as deal

        return deal(sys.argv[2:])
    return 2
