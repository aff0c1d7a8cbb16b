"""The first program in a sandbox: opens the player's port, passes it to the house, becomes the player.

``python -m server.match.launching.sandbox.entry DESCRIPTOR PORT KEPT CACHE COMMAND...``

The folder CACHE is created as a writable copy of KEPT: with links to its files, which new files replace.
"""

from __future__ import annotations

import os
import socket
import sys


def main(descriptor: int, port: int, kept: str, cache: str, command: list[str]) -> None:
    """Never returns."""
    for folder, _, names in os.walk(kept):
        copy = os.path.join(cache, os.path.relpath(folder, kept))
        os.makedirs(copy, mode=0o700, exist_ok=True)
        for name in names:
            if not name.endswith(".lock"):
                os.symlink(os.path.join(folder, name), os.path.join(copy, name))
    with socket.socket(fileno=descriptor) as house, socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        socket.send_fds(house, [b"1"], [listener.fileno()])
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:])
