"""Pictures of every state of the room's pages, on a desktop and a phone, light and dark.

``python -m tests.support.contact_sheet DIR`` plays in a room with Chromium, writes a picture of each state
into DIR, and all of them on one page, ``index.html``.
"""

import html
import sys
import tempfile
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.poker.rules import GameDefinition, load_game
from server.table.config import TimeLimits
from tests.support.chromium import HURRIED, Tab, chromium
from tests.support.rooms import play_each, room_config, table_config
from tests.support.web import OpenPages, pages_of

SIZES: Final = {"desktop": (1280, 800), "phone": (390, 844)}
TURN: Final = "!document.getElementById('turn').disabled"


async def photograph(tab: Tab, folder: Path, state: str) -> None:
    """Take the four pictures of a state."""
    for device, (width, height) in SIZES.items():
        for dark in (False, True):
            await tab.size(width, height, dark=dark)
            await tab.value("new Promise((yes) => requestAnimationFrame(() => requestAnimationFrame(yes)))")
            name = f"{state}-{device}-{'dark' if dark else 'light'}.png"
            (folder / name).write_bytes(await tab.picture())


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


async def a_table(
    tab: Tab, pages: OpenPages, folder: Path, table: str, others: int, nursery: trio.Nursery
) -> None:
    """The states of a table with a hand in progress."""
    await tab.open(f"{pages.address}tables/{table}")
    await photograph(tab, folder, f"{table}-empty")
    await sit_down(tab, pages, table, others, nursery)
    await photograph(tab, folder, f"{table}-seated")
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
    await photograph(tab, folder, f"{table}-turn")
    await tab.click("#raise")
    await trio.sleep(0.8)
    await photograph(tab, folder, f"{table}-others-act")
    over = "document.querySelector('.verdict').textContent"
    while await tab.until(f"{TURN} ? 'turn' : {over} && 'over'") != "over":
        await trio.sleep(0.45)
        await tab.click("#call")
        await tab.until(f"!({TURN})")
    await photograph(tab, folder, f"{table}-showdown")


async def sheet(folder: Path) -> None:
    """Play, take all pictures, and put them on a page."""
    await trio.Path(folder).mkdir(parents=True, exist_ok=True)
    limits = TimeLimits(60.0, 600.0, 1e6, grace=60.0)
    paced = {"pace_s": 0.4, "showdown_s": 8.0, "limits": limits, "least": 200, "most": 20_000}
    with tempfile.TemporaryDirectory() as scratch:
        config = room_config(
            Path(scratch) / "room",
            table_config("six", "nolimit-6p", **paced),
            table_config("nine", nine_seats(), **paced),
            guest_chips=40_000,
            requests_per_second=200.0,
        )
        async with (
            pages_of(config) as pages,
            chromium(Path(scratch) / "profile") as tab,
            trio.open_nursery() as others,
        ):
            await tab.open(pages.address)
            await photograph(tab, folder, "lobby")
            for table, count in (("six", 5), ("nine", 8)):
                await a_table(tab, pages, folder, table, count, others)
            for path in (
                "tables/six/hands/0",
                "tables/six/hands",
                "standings",
                "players/Player-0",
                "nothing",
            ):
                await tab.open(pages.address + path)
                await photograph(tab, folder, path.replace("/", "-"))
            print("\n".join(tab.complaints))
            others.cancel_scope.cancel()


def write_index(folder: Path) -> None:
    """Put all pictures of a folder on a page."""
    figures = [
        f'<figure><img src="{each.name}" alt="" height="400"><figcaption>{html.escape(each.stem)}'
        "</figcaption></figure>"
        for each in sorted(folder.glob("*.png"), key=lambda path: path.stat().st_mtime)
    ]
    style = "body{display:flex;flex-wrap:wrap;gap:1rem;font:14px sans-serif}figure{margin:0}"
    page = f"<meta charset=utf-8><style>{style}</style>{''.join(figures)}"
    (folder / "index.html").write_text(page, "utf-8")


def nine_seats() -> GameDefinition:
    """No-limit hold'em for nine."""
    six = load_game("nolimit-6p")
    stacks, blinds = six.stacks[:1] * 9, (*six.blinds, 0, 0, 0)
    return attrs.evolve(six, num_players=9, stacks=stacks, blinds=blinds, antes=(0,) * 9)


if __name__ == "__main__":
    trio.run(sheet, Path(sys.argv[1]))
    write_index(Path(sys.argv[1]))
