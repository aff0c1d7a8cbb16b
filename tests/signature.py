"""``python -m tests.signature``: compares today's signature with that of the newest commit that states one.

Such a commit ends with a trailer ``Signature: N (MACHINE)``, or ``Signature: N -> M (MACHINE)`` where it
changes behaviour.  A difference in the integer parts is an error, in the floating ones a warning, and only on
the machine that the trailer names.  Without history there is nothing to compare with.
"""

import re
import sys
from typing import Final

import attrs

from clients.lab.signature import Signature, signature
from tests.support.dealer_process import ROOT, run_to_end

_TRAILER: Final = re.compile(r"(?:[0-9a-f]{16} -> )?([0-9a-f]{16}) \((.+)\)")


@attrs.frozen
class Stated:
    """The signature that a commit states."""

    commit: str
    number: str
    machine: str


def read_trailer(commit: str, text: str) -> Stated:
    """A commit's trailer.

    Raises:
        ValueError: it is written in another way.
    """
    match = _TRAILER.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"commit {commit}: expected 'Signature: N (MACHINE)' or 'N -> M (MACHINE)', got {text!r}"
        )
    return Stated(commit, *match.groups())


def newest_stated() -> Stated | None:
    """What the newest commit with a trailer states; None without one or without history."""
    trailers = "--format=%h %(trailers:key=Signature,valueonly,separator=%x20)"
    history = run_to_end(["git", "log", trailers], ROOT)
    for line in history.stdout.splitlines() if history.returncode == 0 else ():
        commit, _, text = line.partition(" ")
        if text.strip():
            return read_trailer(commit, text)
    return None


def differences(stated: Stated, computed: Signature) -> tuple[str | None, str | None]:
    """An error and a warning, each a line or None."""
    where = f"commit {stated.commit} states {stated.number}, this tree has {computed.number}"
    if stated.number[:8] != computed.number[:8]:
        return (
            f"signature: the integer parts differ: {where}; a commit must say '{stated.number} -> N' and why",
            None,
        )
    if stated.number[8:] == computed.number[8:]:
        return None, None
    if stated.machine != computed.machine:
        return (
            None,
            f"signature: floating parts not compared: {stated.machine} there, {computed.machine} here",
        )
    return None, f"signature: the floating parts differ: {where}"


def main() -> int:
    """Compute, compare, and print; 1 if the integer parts differ."""
    from server.commands.program import riverboat

    stated = newest_stated()
    if stated is None:
        print("signature: no commit states one, nothing to compare with")
        return 0
    computed = signature(riverboat)
    error, warning = differences(stated, computed)
    print(error or warning or f"signature: {computed.number}, as commit {stated.commit} states")
    if error or warning:
        print(computed)
    return 1 if error else 0


if __name__ == "__main__":
    sys.exit(main())
