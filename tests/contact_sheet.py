"""Every page and screen that people read, as they see it: ``python -m tests.contact_sheet FOLDER``.

Pages are shown wide, dark, on a phone and in print, with the largest values that may stand in them; commands
in a terminal of 80 columns.  Look at ``FOLDER/index.html``.
"""

from __future__ import annotations

import html
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import trio

from engine.support.palette import style_of_pages
from server.records.review.content import report_on
from server.records.review.page import render_page
from server.records.review.sources import open_source
from tests.support.chromium import Tab, chromium
from tests.support.dealer_process import ROOT
from tests.support.rooms import room_config
from tests.support.screens import VIEWS, cut_cells, view
from tests.support.web import pages_of

SCREENS: Final = (
    "", "match --help", "bots", "games", "games limit-2p", "doctor", "odds KhQh JJ+,AKs --board 2h7hTc",
    "odds AhKd", "preflop", "ask always-call --game limit-2p --betting rc/ --cards AhKh --board 2h7hTc",
    "match kuhn-2p random always-call --hands 200 --seed 7 --in-process --out m",
    "replay m/match.log --hand 3", "analyse m/match.log", "report m", "verify m/match.log --seed 7",
)  # fmt: skip
"""Commands, in order: later ones read what earlier ones have written."""
CUP: Final = """
[tournament]
format = "round-robin"
name = "A cup with a name that is longer than most"
seed = 7
in_process = true
[game]
game = "kuhn-2p"
hands = 20
matches = 3
"""
LARGE: Final = {
    "hands": 10_000_000, "chips": -123_456_789.25, "mbb_per_hand": -199_999.9, "ci95": 99_999.9,
    "sb_per_hand": -199.9999, "mbb_per_hand_of_all": -199_999.9, "ci95_of_all": 99_999.9,
}  # fmt: skip


def enlarged(content: Any) -> Any:
    """A report's content with the largest values that its tables may have."""
    if isinstance(content, list):
        return [enlarged(each) for each in content]
    if not isinstance(content, dict):
        return content
    return {
        key: LARGE[key] if key in LARGE and isinstance(value, int | float) else enlarged(value)
        for key, value in content.items()
    }


def run_command(folder: Path, words: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run ``riverboat`` in a folder, as in a terminal of 80 columns."""
    command = [sys.executable, "-m", "server", *shlex.split(words)]
    environment = os.environ | {"COLUMNS": "80", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=check)


def make_pages(folder: Path) -> dict[str, Path]:
    """Write the pages that are files; returns them by name."""
    run_command(
        folder,
        "match limit-3p A=random always-call C=always-raise --hands 120 --seed 7 --in-process --out m3",
    )
    content = report_on(open_source([folder / "m3"]))
    large = content | {"players": enlarged(content["players"]), "hands": LARGE["hands"]}
    (folder / "match.html").write_text(render_page(content), "utf-8")
    (folder / "large.html").write_text(render_page(large), "utf-8")
    players = "".join(
        f'[[players]]\nname = "{name}-of-the-house-{k}"\nplayer = "{name}"\n'
        for k, name in enumerate(("always-call", "always-raise", "always-fold", "random") * 2)
    )
    (folder / "cup.toml").write_text(CUP + players)
    run_command(folder, "tournament cup.toml --out cup")
    run_command(folder, "league add ladder.db cup")
    run_command(folder, "league show ladder.db --html ladder.html")
    run_command(folder, "replay m3/match.log --html hands.html")
    player = next((folder / "cup" / "players").glob("*.html"))
    return {
        "match": folder / "match.html", "large": folder / "large.html", "cup": folder / "cup" / "report.html",
        "player": player, "ladder": folder / "ladder.html", "hands": folder / "hands.html",
    }  # fmt: skip


def screen(folder: Path, words: str) -> str:
    """What a command shows in 80 columns."""
    done = run_command(folder, words, check=False)
    return f"$ riverboat {words}\n{done.stdout}{done.stderr}"


async def look(tab: Tab, folder: Path) -> list[str]:
    """Take the pictures; returns what is cut off, in lines."""
    faults: list[str] = []

    async def take(name: str, address: str) -> None:
        for how in VIEWS:
            await view(tab, address, how)
            faults.extend(f"{name}, {how}: {cell}" for cell in await cut_cells(tab))
            (folder / f"{name}-{how}.png").write_bytes(await tab.picture())

    for name, page in (await trio.to_thread.run_sync(make_pages, folder)).items():
        await take(name, page.as_uri())
    async with pages_of(room_config(folder / "room")) as pages:
        ann, bob = await pages.room.seated("Ann", "Bob")
        await pages.room.play([ann, bob], 3)
        for path in ("", "tables/a", "tables/a/hands", "tables/a/hands/1", "standings", "players/Ann"):
            await take(f"room-{path.replace('/', '-') or 'lobby'}", f"{pages.address}{path}")
    return faults


def write_sheet(folder: Path) -> None:
    """Write the page with all pictures and screens."""
    pictures = [
        f'<figure><img src="{path.name}"><figcaption>{path.stem}</figcaption></figure>'
        for path in sorted(folder.glob("*.png"))
    ]
    screens = [f"<pre>{html.escape(screen(folder, words))}</pre>" for words in SCREENS]
    style = (
        "img { width: 24rem; } figure { display: inline-block; vertical-align: top; } "
        "pre { width: 80ch; overflow: auto; border: 1px solid var(--grid); }"
    )
    sheet = f"<meta charset=utf-8><style>{style_of_pages()}{style}</style>{''.join(pictures + screens)}"
    (folder / "index.html").write_text(sheet, "utf-8")


async def main(folder: Path) -> None:
    """Make the sheet, and say what is cut off."""
    async with chromium(folder / "profile") as tab:
        faults = await look(tab, folder)
    write_sheet(folder)
    print(folder / "index.html", *faults, sep="\n")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True)
    trio.run(main, target)
