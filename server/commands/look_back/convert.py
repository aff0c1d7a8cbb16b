"""``riverboat convert``: converts hands from one format into another."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs
import click
from click import Choice

from engine.poker.rules import format_game
from engine.support.files import write_whole
from engine.support.user_input import printable
from server.records.formats.acpc import acpc_logs, check_acpc
from server.records.formats.hands import PlayedHand, shown_stacks
from server.records.formats.reading import find_hands, read_hands, written
from server.records.formats.said import FormatError
from server.records.formats.second_opinion import agrees_with_pokerkit, has_pokerkit
from server.records.logs import LogError
from server.support.options import PATH, flag, game_option, option

_EVERY: Final = 2000
"""Hands after which progress is shown."""
_MOST_TOLD: Final = 20
"""Faults of single hands that are reported one by one."""
_VARIES: Final = re.compile(r"(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|[-+]?\d[\d.,]*")


@attrs.define
class _Told:
    """Hands that were left out, by reason, and the changes made."""

    reasons: Counter[str] = attrs.Factory(Counter)
    notes: dict[str, None] = attrs.Factory(dict)
    checks: Counter[bool] = attrs.Factory(Counter)
    """Written hands that PokerKit has played, and those that its rules do not know."""
    agrees: bool = False
    """Whether it has played the hand in hand."""

    @property
    def faults(self) -> int:
        """The number of hands that were left out."""
        return sum(self.reasons.values())

    def fault(self, error: FormatError, where: str = "") -> None:
        self.reasons[printable(_VARIES.sub("...", error.reason))] += 1
        if self.faults <= _MOST_TOLD:
            click.echo(printable(f"{where}: {error}" if where else str(error)), err=True)
        elif self.faults == _MOST_TOLD + 1:
            click.echo("...", err=True)


@click.command("convert")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", type=PATH)
@option("--to target", "The format to write.", Choice(["phh", "pokerstars", "ohh", "acpc"]), required=True)
@option("--out DIR|FILE", "Where to.", PATH, required=True)
@game_option
@flag("--force", "Overwrite files.")
@option(
    "--second-opinion/--no-second-opinion",
    "Have PokerKit play every hand of hold'em, too, and leave out those with other chips; by default "
    "where it is installed.",
    default=None,
    show_default=False,
)
@flag("--json as_json", "Print one JSON object instead.")
@click.pass_context
def convert(
    ctx: click.Context,
    logs: Sequence[Path],
    target: str,
    out: Path,
    game: str | None,
    force: bool,
    second_opinion: bool | None,
    as_json: bool,
) -> None:
    """Write hands in another format: PHH, PokerStars' text, Open Hand History, ACPC logs.

    LOG is a file in any of these formats, gzipped or not, or a folder of such files or of a match; the logs
    of rooms and sit-and-gos are read as well.  Hands that cannot be read, or that the format cannot express,
    are left out, each with a line that says why, and counted by reason at the end.

    --out DIR gets a file for each hand (PHH), hands.txt (PokerStars), hands.ohh, or a log and a game file for
    each game that was played (ACPC); a name with a suffix is taken for a single file.

    Exit status: 0 all hands were written, 1 some were left out.
    """
    if second_opinion and not has_pokerkit():
        raise click.ClickException("--second-opinion needs PokerKit: pip install 'riverboat[report]'")
    told = _Told()
    asks = has_pokerkit() and second_opinion is not False
    try:
        files, written = _FILES[target](_read(logs, game, told, asks=asks), out, told)
    except (LogError, FormatError) as error:
        raise click.ClickException(printable(str(error))) from None
    if files:
        _check_free(files, force=force)
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
    for note in told.notes:
        click.echo(printable(note), err=True)
    if as_json:
        click.echo(json.dumps(_report(told, written, files)))
    else:
        for reason, number in told.reasons.most_common():
            click.echo(f"left out: {number} × {reason}", err=True)
        end = (f" to {out}" if files else "") + (_checked(told) if asks else "")
        click.echo(f"{written} of {written + told.faults} hands written{end}")
    ctx.exit(1 if told.faults else 0)


def _report(told: _Told, written: int, files: dict[Path, str]) -> dict[str, Any]:
    return {
        "hands": written + told.faults,
        "written": written,
        "left_out": dict(told.reasons.most_common()),
        "second_opinion": {"same_chips": told.checks[True], "not_known": told.checks[False]},
        "files": list(map(str, files)),
    }


def _checked(told: _Told) -> str:
    text = f", {told.checks[True]} with the same chips by PokerKit"
    return text + (f", {told.checks[False]} that its rules do not know" if told.checks[False] else "")


def _read(paths: Sequence[Path], game: str | None, told: _Told, *, asks: bool) -> Iterator[PlayedHand]:
    """The hands that can be read, and that PokerKit does not contradict."""
    count = 0
    for path in find_hands(paths):
        for hand in read_hands(path, game):
            count += 1
            if count % _EVERY == 0:
                click.echo(f"{count} hands read", err=True)
            try:
                if isinstance(hand, FormatError):
                    raise hand
                told.agrees = asks and agrees_with_pokerkit(hand)
            except FormatError as error:
                told.fault(error)
                continue
            told.notes.update(dict.fromkeys(hand.notes))
            yield hand


# --- files -----------------------------------------------------------------------------------------------

Files = tuple[dict[Path, str], int]
"""Texts by path, and the number of hands in them."""


def _is_folder(out: Path) -> bool:
    return out.is_dir() or not out.suffix


def _expressed(
    hands: Iterator[PlayedHand], write: Callable[[PlayedHand], Any], told: _Told
) -> Iterator[tuple[PlayedHand, Any]]:
    """The hands that a format can express, and what is written of them."""
    for hand in hands:
        try:
            text = write(hand)
        except FormatError as error:
            told.fault(error, hand.where)
        else:
            told.checks[told.agrees] += 1
            yield hand, text


def _phh_files(hands: Iterator[PlayedHand], out: Path, told: _Told) -> Files:
    texts = list(_expressed(hands, partial(written, target="phh"), told))
    if not _is_folder(out):
        tables = [f"[{count}]\n{text}" for count, (_, text) in enumerate(texts, 1)]
        text = texts[0][1] if len(texts) == 1 else "\n".join(tables)
        return ({out: text} if texts else {}), len(texts)
    numbers = [hand.number for hand, _ in texts]
    if len(set(numbers)) < len(numbers):  # of several matches
        numbers = list(range(len(texts)))
    return {out / f"{n}.phh": text for n, (_, text) in zip(numbers, texts, strict=True)}, len(texts)


def _one_file(target: str, name: str, between: str) -> Callable[..., Files]:
    def files(hands: Iterator[PlayedHand], out: Path, told: _Told) -> Files:
        texts = []
        for hand, text in _expressed(hands, partial(written, target=target), told):
            texts.append(text)
            if shown_stacks(hand) != hand.game.stacks:
                told.notes["the game has no stacks: those written are the most that a hand can cost"] = None
        path = out / name if _is_folder(out) else out
        return ({path: between.join(texts)} if texts else {}), len(texts)

    return files


def _acpc_files(hands: Iterator[PlayedHand], out: Path, told: _Told) -> Files:
    kept = [hand for hand, _ in _expressed(hands, check_acpc, told)]
    logs = acpc_logs(kept)
    if len(logs) > 1 and not _is_folder(out):
        raise click.ClickException(
            f"the hands are of {len(logs)} games, since stacks or blinds differ, and an ACPC log is of one: "
            "name a folder with --out"
        )
    files: dict[Path, str] = {}
    for count, log in enumerate(logs, 1):
        path = out
        if _is_folder(out):
            path = out / ("hands.log" if len(logs) == 1 else f"hands-{count}.log")
        game_path = path.with_suffix(".game")
        files[path] = log.text(path.stem.replace(" ", "_"), game_path.name)
        files[game_path] = format_game(log.game)
        told.notes.update(dict.fromkeys(log.notes))
    return files, len(kept)


def _check_free(files: Sequence[Path] | dict[Path, str], *, force: bool) -> None:
    """Refuse to overwrite.

    Raises:
        click.ClickException: a file is there.
    """
    there = [path for path in files if path.exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise click.ClickException(f"{there[0]}{more} would be overwritten; --force does it")


_FILES: Final[dict[str, Callable[[Iterator[PlayedHand], Path, _Told], Files]]] = {
    "phh": _phh_files,
    "pokerstars": _one_file("pokerstars", "hands.txt", "\n\n"),
    "ohh": _one_file("ohh", "hands.ohh", "\n"),
    "acpc": _acpc_files,
}
