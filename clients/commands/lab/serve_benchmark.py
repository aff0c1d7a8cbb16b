"""``riverboat serve-benchmark``: clients play hands against the house's bots over HTTP, and are measured."""

import contextlib
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import attrs
import click
import trio

from clients.commands import refusing
from clients.core.one_line import CommandError, OneLineCommand
from clients.lab.benchmark.config import BenchmarkConfig, default_benchmark, load_benchmark
from server.room.reporting import operator_console
from server.support.options import FOLDER, PATH, option
from server.support.toml_text import FileMistake

_NEEDED: Final = ("hypercorn", "starlette")


@click.command("serve-benchmark", cls=OneLineCommand)
@click.argument("file", metavar="[FILE.toml]", required=False, type=PATH)
@option("--host ADDRESS", "Where to listen.  Default: 127.0.0.1.")
@option("--port PORT", "0 for any.  Default: 8100.", click.IntRange(0, 65535))
@option("--folder DIR", "The folder of the runs.  Default: benchmark, beside the file.", FOLDER)
def serve_benchmark(file: Path | None, **chosen: Any) -> None:
    """Let programs play against bots of yours over HTTP: seeded cards, pairs, results with intervals.

    Without a file the opponents are formula, simple and random.  It prints its address, and serves until
    Ctrl-C; `docs/guides/benchmark.md` has the requests.  It needs `pip install 'riverboat[web]'`.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise CommandError(f"it needs {' and '.join(missing)}: pip install 'riverboat[web]'")
    with refusing(FileMistake):
        config = default_benchmark() if file is None else load_benchmark(file)
    config = attrs.evolve(config, **{name: each for name, each in chosen.items() if each is not None})
    trio.run(_serve, config)


async def _serve(config: BenchmarkConfig) -> None:
    """Serve until a signal comes."""
    from clients.lab.benchmark.service import NotServed, serve_benchmark as serve

    try:
        with (
            contextlib.closing(operator_console()) as console,
            trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals,
        ):
            async with trio.open_nursery() as nursery:
                click.echo(await nursery.start(serve, config, console))
                async for _ in signals:
                    nursery.cancel_scope.cancel()
                    return
    except* NotServed as group:
        raise CommandError(str(group.exceptions[0])) from None
