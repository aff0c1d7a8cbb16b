"""Every page and screen that people read, as they see it: ``python -m tests.contact_sheet FOLDER``.

Pages are shown wide, dark, on a phone and in print, with the largest values that may stand in them, a room's
tables also while a hand is played in the browser; commands in a terminal of 80 columns.
Look at ``FOLDER/index.html``.
"""

from __future__ import annotations

import html
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from engine.poker.rules import GameDefinition, load_game
from engine.support.palette import style_of_pages
from server.records.review.content import report_on
from server.records.review.page import render_page
from server.records.review.sources import open_source
from server.room.hosting import open_private
from server.table.config import TimeLimits
from tests.support.chromium import HURRIED, Tab, chromium
from tests.support.dealer_process import ROOT
from tests.support.rooms import play_each, room_config, table_config, until
from tests.support.screens import VIEWS, faults_of, view
from tests.support.web import OpenPages, pages_of

TURN: Final = "!document.getElementById('turn').disabled"
NOTICE: Final = "document.getElementById('notice').textContent"
REFUSED: Final = """const blinds = document.getElementById('host-blinds');
    blinds.value = '9/1'; blinds.dispatchEvent(new Event('change'));"""
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
    "hands": 10_000_000, "chips": -123_456_789.25, "mbb_per_hand": -9_999_999_999.9, "ci95": 9_999_999_999.9,
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
        f"match limit-3p {'A' * 100}=random always-call C=always-raise "
        "--hands 120 --seed 7 --in-process --out m3",
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


async def take(tab: Tab, folder: Path, name: str, address: str | None = None, height: int = 2000) -> None:
    """Take the pictures of a page, of the present one if no address is given; the tab complains of faults."""
    for how in VIEWS:
        await view(tab, address, how, height)
        await tab.value("scrollTo(0, 0)")
        tab.complaints += [f"{name}, {how}: {fault}" for fault in await faults_of(tab)]
        (folder / f"{name}-{how}.png").write_bytes(await tab.picture())
    tab.complaints[:] = [each for each in tab.complaints if "status of 404" not in each]  # on purpose


async def look(tab: Tab, folder: Path) -> None:
    """Take the pictures of pages."""
    for name, page in (await trio.to_thread.run_sync(make_pages, folder)).items():
        await take(tab, folder, name, page.as_uri())
    async with pages_of(room_config(folder / "room")) as pages:
        ann, bob = await pages.room.seated("Ann", "Bob")
        await pages.room.play([ann, bob], 3)
        for path in ("", "tables/a", "tables/a/hands", "tables/a/hands/1", "standings", "players/Ann"):
            name = f"room-{path.replace('/', '-') or 'lobby'}"
            await take(tab, folder, name, f"{pages.address}{path}")


async def sit_down(tab: Tab, pages: OpenPages, table: str, others: int, nursery: trio.Nursery) -> None:
    """Take a seat in the browser beside some guests who call everything."""
    await tab.open(f"{pages.address}tables/{table}")
    await tab.value(HURRIED)
    await tab.click("#join button")
    await tab.until("!document.getElementById('act').hidden")

    async def come(name: str) -> None:
        await play_each([await pages.room.sit_down(table, words=f"name={name}")])

    for each in range(others):
        nursery.start_soon(come, f"Player-{each}")


async def look_at_a_table(
    tab: Tab, pages: OpenPages, folder: Path, table: str, others: int, nursery: trio.Nursery
) -> None:
    """Take the pictures of a table's states while a hand is played."""
    await tab.open(f"{pages.address}tables/{table}")
    await take(tab, folder, f"{table}-empty", height=844)
    await sit_down(tab, pages, table, others, nursery)
    await take(tab, folder, f"{table}-seated", height=844)
    count = "document.querySelectorAll('.seat:not(.waits):not(.empty)').length"
    while True:
        await tab.until(TURN)
        if (
            await tab.value(count) > others
            and await tab.value("document.querySelectorAll('.board .card').length") >= 3
        ):
            break
        await trio.sleep(0.45)  # a press that comes sooner answers nothing
        await tab.click("#call")
        await tab.until(f"!({TURN})")
    await tab.click("[data-size=pot]")
    await take(tab, folder, f"{table}-turn", height=844)
    await tab.click("#raise")
    await trio.sleep(0.8)
    await take(tab, folder, f"{table}-others-act", height=844)
    over = "document.querySelector('.verdict').textContent"
    while await tab.until(f"{TURN} ? 'turn' : {over} && 'over'") != "over":
        await trio.sleep(0.45)
        await tab.click("#call")
        await tab.until(f"!({TURN})")
    await take(tab, folder, f"{table}-showdown", height=844)


async def look_at_tables(tab: Tab, folder: Path) -> None:
    """Take the pictures of tables of six and nine, with a seat in the browser."""
    limits = TimeLimits(60.0, 600.0, 1e6, grace=60.0)
    paced = {"pace_s": 0.4, "showdown_s": 8.0, "limits": limits, "least": 200, "most": 20_000}
    config = room_config(
        folder / "tables",
        table_config("six", "nolimit-6p", **paced),
        table_config("nine", nine_seats(), **paced),
        guest_chips=40_000,
        requests_per_second=200.0,
    )
    async with pages_of(config) as pages, trio.open_nursery() as nursery:
        await take(tab, folder, "nothing", f"{pages.address}nothing")
        for table, others in (("six", 5), ("nine", 8)):
            await look_at_a_table(tab, pages, folder, table, others, nursery)
        await tab.ask("Page.navigate", url="about:blank")  # which stands up
        nursery.cancel_scope.cancel()


async def look_at_troubles(tab: Tab, folder: Path) -> None:
    """Take the pictures of a private table whose host has it paused, and of what goes wrong at tables."""
    limits = TimeLimits(1.0, 600.0, 1e6, grace=60.0)
    slow = table_config("slow", "nolimit-2p-100bb", limits=limits, time_bank_s=60.0)
    config = room_config(folder / "troubles", slow, guest_chips=20_000, requests_per_second=200.0)
    async with pages_of(config) as pages, trio.open_nursery() as nursery:
        name = open_private(pages.room.room, "127.0.0.1", "nolimit-6p")
        company = pages.room.room.tables[name].company
        company.is_held = True  # by a host who has left
        await sit_down(tab, pages, name, 1, nursery)
        await tab.until("document.querySelector('#host:not([hidden]) #host-pause')?.textContent === 'Go on'")
        await take(tab, folder, "trouble-host", height=1400)
        await tab.value(REFUSED)
        await tab.until(f"{NOTICE}.startsWith('That cannot be')")
        await take(tab, folder, "trouble-refused", height=844)
        await tab.click("#host-chat")
        await tab.click("#host-pause")
        await tab.until(f"{TURN} && !document.getElementById('chat').hidden")
        await tab.value("WebSocket = class { addEventListener() {} }")  # nothing answers any more
        for visitor in pages.room.room.door.visitors:
            visitor.client.channel.close()
        await tab.until(f"{NOTICE}.startsWith('The connection is lost')")
        await take(tab, folder, "trouble-lost", height=844)
        pages.room.room.close_table(name, "it is over")
        await until(lambda: name not in pages.room.room.tables)
        await sit_down(tab, pages, "slow", 1, nursery)
        await tab.until("document.getElementById('clock').textContent.startsWith('Time bank')")
        await take(tab, folder, "trouble-time-bank", height=844)
        await take(tab, folder, "trouble-invite", f"{pages.address}tables/{name}", height=844)
        nursery.cancel_scope.cancel()


def nine_seats() -> GameDefinition:
    """No-limit hold'em for nine."""
    six = load_game("nolimit-6p")
    stacks, blinds = six.stacks[:1] * 9, (*six.blinds, 0, 0, 0)
    return attrs.evolve(six, num_players=9, stacks=stacks, blinds=blinds, antes=(0,) * 9)


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
    """Make the sheet, and say what is cut off or complained of."""
    async with chromium(folder / "profile") as tab:
        await look(tab, folder)
        await look_at_tables(tab, folder)
        await look_at_troubles(tab, folder)
    write_sheet(folder)
    print(folder / "index.html", *tab.complaints, sep="\n")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True)
    trio.run(main, target)
