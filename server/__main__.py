"""``python -m server``: the `riverboat` program."""

import sys

from server.cli import main

if __name__ == "__main__":
    sys.exit(main())
