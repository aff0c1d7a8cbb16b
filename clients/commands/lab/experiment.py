"""``riverboat experiment NAME --out DIR``: reproduces a paper's experiment.

Experiments are click commands found through the entry-point group ``riverboat.experiments``, so anyone's
package can add some.  Each takes ``--out DIR`` and writes its results there; ``riverboat experiment NAME
--help`` lists its other options.  Only the requested experiment is imported.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Final

import click

from engine.support.plugins import declared
from engine.support.user_input import did_you_mean

GROUP: Final = "riverboat.experiments"


class Experiments(click.Group):
    """Finds experiments by name, and imports one only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all installed experiments, sorted; nothing of theirs is imported."""
        return sorted(installed_experiments())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The experiment of a name; None if there is none.

        Raises:
            click.ClickException: its package is broken.
        """
        entry = installed_experiments().get(cmd_name)
        return None if entry is None else _load(entry)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Click's own, but with one line for an unknown name."""
        name = args[0]
        if not name.startswith("-") and name not in installed_experiments():
            known = self.list_commands(ctx)
            near = did_you_mean(name, known) or f"; there are {', '.join(known) or 'none'}"
            click.echo(f"riverboat experiment: there is no experiment {name!r}{near}", err=True)
            raise click.exceptions.Exit(2)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the experiments with a line about each; for one that cannot be loaded, the reason."""
        rows: list[tuple[str, str]] = []
        for name, entry in sorted(installed_experiments().items()):
            try:
                rows.append((name, _load(entry).get_short_help_str(limit=80)))
            except click.ClickException as error:
                rows.append((name, f"({error.message})"))
        if rows:
            with formatter.section("Experiments"):
                formatter.write_dl(rows)


def installed_experiments() -> dict[str, EntryPoint]:
    """All experiments by name; nothing of theirs is imported."""
    return declared(GROUP)


def _load(entry: EntryPoint) -> click.Command:
    try:
        command = entry.load()
    except Exception as error:  # a broken experiment must not hide the others
        raise click.ClickException(
            f"the experiment {entry.name!r} of {entry.value} cannot be loaded: {error}"
        ) from error
    if not isinstance(command, click.Command):
        raise click.ClickException(f"the experiment {entry.name!r}: {entry.value} is not a click command")
    return command


@click.group(cls=Experiments, subcommand_metavar="NAME --out DIR [OPTIONS]")
def experiment() -> None:
    """Reproduce a paper's experiment: tables and plots.

    `riverboat experiment NAME --help` describes one.
    """
