"""A program that confines itself and then becomes a player; it is run by its path, without our packages.

``entry.py limits NAME=VALUE,... COMMAND...`` sets limits for itself.

``entry.py ports DESCRIPTOR HOST:PORT,... KEPT CACHE COMMAND...`` is the first program in a sandbox: it opens
the player's port, and those that stand for addresses outside, and passes them to the house.  The folder CACHE
is created as a writable copy of KEPT: with links to its files, which new files replace.  No file gets larger
than a gigabyte.
"""

from __future__ import annotations

import os
import resource
import socket
import sys

_KINDS = {
    "cpu": "RLIMIT_CPU",
    # On Linux that is memory written to; RLIMIT_AS would stop programs that only reserve much, as Java does.
    "memory": "RLIMIT_DATA" if sys.platform == "linux" else "RLIMIT_AS",
    "processes": "RLIMIT_NPROC",
    "file_size": "RLIMIT_FSIZE",
}


def limit(text: str) -> None:
    """Limit this process."""
    limits = dict(item.split("=") for item in text.split(",") if item)
    for name, value in {**limits, "core": "0"}.items():
        kind = getattr(resource, _KINDS.get(name, "RLIMIT_CORE"), None)
        if kind is not None:
            most = int(value)
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))


def open_ports(descriptor: int, addresses: str, kept: str, cache: str) -> None:
    """Open the ports of a player in a sandbox, and hand them out."""
    for folder, _, names in os.walk(kept):
        copy = os.path.join(cache, os.path.relpath(folder, kept))
        os.makedirs(copy, mode=0o700, exist_ok=True)
        for name in names:
            if not name.endswith(".lock"):
                os.symlink(os.path.join(folder, name), os.path.join(copy, name))
    split = [address.split(":") for address in addresses.split(",")]
    listeners = [socket.create_server((host, int(port))) for host, port in split]
    with socket.socket(fileno=descriptor) as house:
        socket.send_fds(house, [b"1"], [listener.fileno() for listener in listeners])


def main(task: str, *words: str) -> None:
    """Never returns."""
    if task == "limits":
        text, *command = words
        limit(text)
    else:
        limit("file_size=1073741824")  # its output goes to files outside
        descriptor, addresses, kept, cache, *command = words
        open_ports(int(descriptor), addresses, kept, cache)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(*sys.argv[1:])
