"""Pages at the widths and in the themes at which people read them."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.support.chromium import Tab

VIEWS: Final = {
    "wide": (1280, False, "screen"), "dark": (1280, True, "screen"), "phone": (360, False, "screen"),
    "print": (718, False, "print"),
}  # fmt: skip
"""The width in CSS pixels, whether it is dark, and the medium; A4 with margins of 1 cm is 718 wide."""

_CUT: Final = """[...document.querySelectorAll("table")].flatMap((table) => {
  const room = Math.min(table.parentElement.getBoundingClientRect().right, innerWidth) + 1;
  return [...table.querySelectorAll("td, th")]
    .filter((cell) => cell.getBoundingClientRect().right > room || cell.scrollWidth > cell.clientWidth + 1)
    .map((cell) => cell.textContent.trim());
}).concat([...document.querySelectorAll("h1, h3, p, main > ul li")]
  .filter((text) => getComputedStyle(text).overflowX === "visible" && text.scrollWidth > text.clientWidth + 1)
  .map((text) => text.textContent.trim()))"""


_SPEC: Final = find_spec("axe_playwright_python") or find_spec("axe_core_python")
AXE: Final = None if _SPEC is None else Path(_SPEC.origin or "").with_name("axe.min.js")
"""The rules of accessibility (axe-core), if a package with them is installed."""


async def view(tab: Tab, address: str | None, name: str, height: int = 2000) -> None:
    """Show a page in one of the `VIEWS`, the present one if no address is given."""
    width, dark, medium = VIEWS[name]
    await tab.size(width, height, dark=dark)
    await tab.ask("Emulation.setEmulatedMedia", media=medium, features=[
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ])  # fmt: skip
    if address is not None:
        await tab.open(address)


async def faults_of(tab: Tab) -> list[str]:
    """The texts that do not fit into the page, whether it is too wide, and what axe-core says."""
    found = [f"cut off: {cell}" for cell in await tab.value(_CUT)]
    if await tab.value("document.documentElement.scrollWidth > innerWidth"):
        found.append("wider than the window")
    if AXE is not None:
        await tab.value(AXE.read_text("utf-8"))
        found += await tab.value(
            "axe.run().then((said) => said.violations.map((each) => `${each.id}: ${each.nodes[0].html}`))"
        )
    return found
