"""The `riverboat` program: the house's commands here, the players' through the entry-point groups.

`riverboat dealer` reads its own command line and starts without any of this.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; returns the exit status."""
    try:
        if sys.argv[1:2] == ["dealer"]:
            from server.dealer_command import main as deal

            return deal(sys.argv[2:])
        from server.commands import riverboat

        riverboat(prog_name="riverboat")
    except KeyboardInterrupt:  # while modules were still being loaded
        return 130
    return 0
