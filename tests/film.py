"""A short film of a table in the browser: ``python -m tests.film FILE.webp``; needs Chromium and Pillow.

It is the one of README.md.  A person calls three hands through against bots of the house.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import trio

from server.table.config import TimeLimits
from tests.support.chromium import Tab, chromium
from tests.support.rooms import room_config, table_config
from tests.support.web import pages_of

SIZE: Final = (1080, 760)
SHOWN: Final = (640, 450)
"""Of the pictures in the file."""
EVERY_S: Final = 0.25
HANDS: Final = 3
MOST_BYTES: Final = 400 * 1024
BOTS: Final = ("simple", "formula", "hand-strength", "random", "always-call")


async def frames_of(tab: Tab) -> list[bytes]:
    """Pictures at even times, PNG, until so many hands are over."""
    frames: list[bytes] = []
    while await tab.value("document.querySelectorAll('#results li').length") < HANDS:
        frames.append(await tab.picture())
        if await tab.value("!document.getElementById('turn').disabled") and len(frames) % 4 == 0:
            await tab.click("#call")
        await trio.sleep(EVERY_S)
        await tab.value("scrollTo(0, 0)")
    return frames


def write_film(frames: list[bytes], path: Path) -> None:
    """Write an animated WebP of at most `MOST_BYTES`; every other picture is left out until it fits."""
    from PIL import Image

    seconds = EVERY_S
    while True:
        first, *rest = [Image.open(io.BytesIO(each)).convert("RGB").resize(SHOWN) for each in frames]
        options: dict[str, Any] = {"duration": round(1000 * seconds), "quality": 40, "method": 6}
        first.save(path, save_all=True, append_images=rest, loop=0, **options)
        if path.stat().st_size <= MOST_BYTES:
            return
        frames, seconds = frames[::2], 2 * seconds


async def main(path: Path) -> None:
    """Play, and write the film."""
    limits = TimeLimits(60.0, 600.0, 1e6, grace=5.0)
    table = table_config("table", fill=BOTS, limits=limits, pace_s=0.8, showdown_s=2.5)
    with tempfile.TemporaryDirectory() as folder:
        config = room_config(Path(folder), table)
        async with pages_of(config) as pages, chromium(Path(folder) / "browser") as tab:
            await tab.size(*SIZE)
            await tab.open(f"{pages.address}tables/table")
            await tab.click("#join button")
            await tab.until("!document.getElementById('act').hidden")
            frames = await frames_of(tab)
    write_film(frames, path)


if __name__ == "__main__":
    trio.run(main, Path(sys.argv[1]))
