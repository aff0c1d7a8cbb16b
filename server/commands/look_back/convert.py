"""``riverboat convert``: converts hands from one format into another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs
import click

from engine.poker.rules import GameDefinition
from engine.support.files import write_whole
from engine.support.user_input import printable
from server.records.formats.acpc import acpc_logs
from server.records.formats.hands import FormatError, PlayedHand, agrees_with_pokerkit, has_pokerkit
from server.records.formats.phh import check_usual, format_phh, format_phhs
from server.records.formats.pokerstars import format_stars
from server.records.formats.reading import find_hands, read_hands
from server.records.logs import LogError
from server.support.options import PATH, game_option

_MANY: Final = 2000
"""From this many hands on, progress is shown while PokerKit checks them: some 300 per second."""
_MOST_TOLD: Final = 20
"""Faults of single hands that are reported one by one."""


@attrs.define
class _Told:
    """Faults of single hands, and the changes made."""

    faults: int = 0
    notes: dict[str, None] = attrs.Factory(dict)

    def fault(self, line: str) -> None:
        self.faults += 1
        if self.faults <= _MOST_TOLD:
            click.echo(printable(line), err=True)
        elif self.faults == _MOST_TOLD + 1:
            click.echo("...", err=True)


@click.command("convert")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", type=PATH)
@click.option(
    "--to",
    "target",
    type=click.Choice(["phh", "pokerstars", "acpc"]),
    required=True,
    help="The format to write.",
)
@click.option("--out", type=PATH, required=True, metavar="DIR|FILE", help="Where to.")
@game_option
@click.option("--force", is_flag=True, help="Overwrite files.")
@click.option(
    "--second-opinion/--no-second-opinion",
    default=None,
    help="Have PokerKit play every hand of hold'em, too, and leave out those with other chips; by default "
    "where it is installed.",
)
@click.pass_context
def convert(
    ctx: click.Context,
    logs: Sequence[Path],
    target: str,
    out: Path,
    game: str | None,
    force: bool,
    second_opinion: bool | None,
) -> None:
    """Write hands in another format: PHH, PokerStars' text, ACPC logs.

    LOG is a file in any of the three formats, gzipped or not, or a folder of PHH files or of a match.  Hands
    that the format cannot express are left out, each with a line that says why.

    --out DIR gets a file for each hand (PHH), hands.txt (PokerStars), or a log and a game file for each
    game that was played (ACPC); a name with a suffix is taken for a single file.

    Exit status: 0 all hands were written, 1 some were left out.
    """
    if second_opinion and not has_pokerkit():
        raise click.ClickException("--second-opinion needs PokerKit: pip install 'riverboat[report]'")
    told = _Told()
    try:
        hands = list(_read(logs, game, told))
    except (LogError, FormatError) as error:
        raise click.ClickException(printable(str(error))) from None
    total = len(hands) + told.faults
    unknown_there = 0
    if second_opinion or (second_opinion is None and has_pokerkit()):
        hands, unknown_there = _agreed(hands, told)
    files, written = _FILES[target](hands, out, told)
    if not files:
        raise click.ClickException("no hand can be written in this format")
    _check_free(files, force=force)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    for note in told.notes:
        click.echo(printable(note), err=True)
    checked = ""
    if second_opinion is not False and has_pokerkit():
        checked = f", {written - unknown_there} with the same chips by PokerKit"
        if unknown_there:
            checked += f", {unknown_there} that its rules do not know"
    click.echo(f"{written} of {total} hands written to {out}{checked}")
    ctx.exit(1 if told.faults else 0)


def _read(paths: Sequence[Path], game: str | None, told: _Told) -> Iterator[PlayedHand]:
    for path in find_hands(paths):
        for hand in read_hands(path, game):
            if isinstance(hand, FormatError):
                told.fault(str(hand))
            else:
                told.notes.update(dict.fromkeys(hand.notes))
                yield hand


def _agreed(hands: Sequence[PlayedHand], told: _Told) -> tuple[list[PlayedHand], int]:
    """The hands that PokerKit does not contradict, and how many of them it cannot play."""
    agreed: list[PlayedHand] = []
    unknown = 0
    for hand in _with_progress(hands):
        if not hand.game.is_holdem:
            unknown += 1
        else:
            try:
                unknown += not agrees_with_pokerkit(hand)
            except FormatError as error:
                told.fault(str(error))
                continue
        agreed.append(hand)
    return agreed, unknown


def _with_progress(hands: Sequence[PlayedHand]) -> Iterator[PlayedHand]:
    """The hands; if there are many, progress is shown."""
    if len(hands) < _MANY:
        yield from hands
    elif sys.stderr.isatty():
        with click.progressbar(hands, label="PokerKit plays", file=sys.stderr) as bar:
            yield from bar
    else:
        click.echo(f"PokerKit plays {len(hands)} hands; --no-second-opinion spares it", err=True)
        yield from hands


# --- files -----------------------------------------------------------------------------------------------

Files = tuple[dict[Path, str], int]
"""Texts by path, and the number of hands in them."""


def _is_folder(out: Path) -> bool:
    return out.is_dir() or not out.suffix


def _formatted(
    hands: Sequence[PlayedHand], write: Callable[[PlayedHand], str], told: _Told
) -> list[tuple[PlayedHand, str]]:
    texts: list[tuple[PlayedHand, str]] = []
    refused: dict[GameDefinition, int] = {}
    for hand in hands:
        if hand.game in refused:
            refused[hand.game] += 1
            told.faults += 1
            continue
        try:
            check_usual(hand.game)
        except FormatError as error:
            refused[hand.game] = 0
            told.fault(f"{hand.where}: {error}")
            continue
        texts.append((hand, write(hand)))
    more = sum(refused.values())
    if more:
        click.echo(f"so it is with {more} more of these games' hands", err=True)
    return texts


def _phh_files(hands: Sequence[PlayedHand], out: Path, told: _Told) -> Files:
    texts = _formatted(hands, format_phh, told)
    if not _is_folder(out):
        text = texts[0][1] if len(texts) == 1 else format_phhs([hand for hand, _ in texts])
        return ({out: text} if texts else {}), len(texts)
    numbers = [hand.number for hand, _ in texts]
    if len(set(numbers)) < len(numbers):  # of several matches
        numbers = list(range(len(texts)))
    return {out / f"{n}.phh": text for n, (_, text) in zip(numbers, texts, strict=True)}, len(texts)


def _stars_files(hands: Sequence[PlayedHand], out: Path, told: _Told) -> Files:
    texts = [text for _, text in _formatted(hands, format_stars, told)]
    path = out / "hands.txt" if _is_folder(out) else out
    return ({path: "\n\n".join(texts)} if texts else {}), len(texts)


def _acpc_files(hands: Sequence[PlayedHand], out: Path, told: _Told) -> Files:
    logs = acpc_logs(hands)
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
        files[game_path] = log.game_file()
        told.notes.update(dict.fromkeys(log.notes))
    return files, len(hands)


def _check_free(files: Sequence[Path] | dict[Path, str], *, force: bool) -> None:
    """Refuse to overwrite.

    Raises:
        click.ClickException: a file is there.
    """
    there = [path for path in files if path.exists()]
    if there and not force:
        more = f" and {len(there) - 1} more" if len(there) > 1 else ""
        raise click.ClickException(f"{there[0]}{more} would be overwritten; --force does it")


_FILES: Final[dict[str, Callable[[Sequence[PlayedHand], Path, _Told], Files]]] = {
    "phh": _phh_files,
    "pokerstars": _stars_files,
    "acpc": _acpc_files,
}
