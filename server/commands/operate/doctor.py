"""``riverboat doctor``: what is installed here and what works, to be pasted into a report of a bug."""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import shutil
import socket
import sys
import textwrap
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

import click

from server.support.options import flag

_REQUIREMENT: Final = re.compile(r"(?P<name>[\w.-]+)[^;]*(?:;.*extra == ['\"](?P<extra>\w+))?")
_EXTRAS: Final = {
    "plot": "pictures", "report": "pages and PHH", "web": "a room's pages", "cluster": "several machines",
    "gym": "environments", "agents": "language models", "mcp": "seats for MCP clients",
    "docs": "the documentation", "kernels": "compiled ones",
}  # fmt: skip


@click.command()
@flag("--json as_json", "Print one JSON object instead.")
def doctor(as_json: bool) -> None:
    """Say what is installed, what works here, and in which versions: paste it into a report of a bug."""
    found = dict(_findings())
    if as_json:
        click.echo(json.dumps(found))
    else:
        for label, text in found.items():
            click.echo(textwrap.fill(text, 80, initial_indent=f"{label:<20}", subsequent_indent=" " * 20))


def _findings() -> Iterator[tuple[str, str]]:
    from server.match.launching.confinement import why_there_are_none

    yield "riverboat", f"{version('riverboat')} in {Path(__file__).parents[3]}"
    yield "python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    yield "system", f"{platform.platform()}, {os.cpu_count()} processors"
    for extra, use in {"": "", **_EXTRAS}.items():
        label = f"riverboat[{extra}]" if extra else "libraries"
        yield label, _versions(extra) + (f" ({use})" if use else "")
    try:
        from engine.compiling import inventory

        yield "kernels", inventory()
    except ImportError as error:
        yield "kernels", f"none: {error}"
    why_not = why_there_are_none()
    yield "sandboxes", "bwrap works" if why_not is None else f"none: {why_not}"
    yield "ports", _ports()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield "open files", f"{soft}, at most {hard}"
    size = shutil.get_terminal_size()
    kind = f"{size.columns} columns" if sys.stdout.isatty() else "none"
    yield "terminal", f"{kind}, {sys.stdout.encoding}, TERM={os.environ.get('TERM', '')}"


def _versions(extra: str) -> str:
    """The libraries of an extra with their versions, and those that are missing; empty: of the base."""
    said = []
    for text in requires("riverboat") or ():
        found = _REQUIREMENT.match(text)
        assert found is not None  # our own metadata
        if found["extra"] != (extra or None):
            continue
        try:
            said.append(f"{found['name']} {version(found['name'])}")
        except PackageNotFoundError:
            said.append(f"no {found['name']}")
    return ", ".join(said)


def _ports() -> str:
    """Whether a program may listen, by IPv4 and IPv6."""
    said = []
    for name, family, host in (("IPv4", socket.AF_INET, "127.0.0.1"), ("IPv6", socket.AF_INET6, "::1")):
        try:
            with socket.socket(family) as listener:
                listener.bind((host, 0))
                listener.listen()
            said.append(f"{name} works")
        except OSError as error:
            said.append(f"{name}: {error.strerror or error}")
    return ", ".join(said)
