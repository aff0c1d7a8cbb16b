"""Writes a manual page for every command of `riverboat`, from its help: ``make man``."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import click
from click_man.core import write_man_pages

from server.commands.program import riverboat


def with_all_commands(group: click.Group) -> click.Group:
    """The same group with its commands loaded, which ours are only when somebody runs them."""
    context = click.Context(group)
    loaded: dict[str, click.Command] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:  # `dealer` reads its own command line, and tells of it by --help
            loaded[name] = with_all_commands(command) if isinstance(command, click.Group) else command
    return click.Group(group.name, loaded, params=group.params, help=group.help)


def main(folder: Path) -> None:
    """Write all pages into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    write_man_pages(
        "riverboat", with_all_commands(riverboat), version=version("riverboat"), target_dir=str(folder)
    )
    print(f"{len(list(folder.glob('*.1')))} pages in {folder}: man {folder}/riverboat.1")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
