"""``python -m server``, and the console script: the `riverboat` program."""

import sys

from engine.support.at_once import end_at_once


def main() -> int:
    """Run the command line; returns the exit status."""
    end_at_once()  # while the rest is loaded
    from server.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
