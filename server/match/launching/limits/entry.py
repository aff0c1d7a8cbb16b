"""A program that sets limits for itself and becomes another: ``entry.py NAME=VALUE,...|- COMMAND...``.

It is run by its path, without our packages.
"""

import os
import resource
import sys

_KINDS = {
    "cpu": "RLIMIT_CPU",
    # On Linux that is memory written to; RLIMIT_AS would stop programs that only reserve much, as Java does.
    "memory": "RLIMIT_DATA" if sys.platform == "linux" else "RLIMIT_AS",
    "processes": "RLIMIT_NPROC",
    "file_size": "RLIMIT_FSIZE",
}


def main(text: str, command: list[str]) -> None:
    """Never returns."""
    limits = dict(item.split("=") for item in text.split(",")) if text != "-" else {}
    for name, value in {**limits, "core": "0"}.items():
        kind = getattr(resource, _KINDS.get(name, "RLIMIT_CORE"), None)
        if kind is not None:
            most = int(value)
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
