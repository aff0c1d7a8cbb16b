"""Pages at the widths and in the themes at which people read them."""

from typing import Any, Final

from tests.support.chromium import Tab

VIEWS: Final = {
    "wide": (1280, False, "screen"), "dark": (1280, True, "screen"), "phone": (390, False, "screen"),
    "print": (718, False, "print"),
}  # fmt: skip
"""The width in CSS pixels, whether it is dark, and the medium; A4 with margins of 1 cm is 718 wide."""

_CUT: Final = """[...document.querySelectorAll("table")].flatMap((table) => {
  const room = Math.min(table.parentElement.getBoundingClientRect().right, innerWidth) + 1;
  return [...table.querySelectorAll("td, th")]
    .filter((cell) => cell.getBoundingClientRect().right > room || cell.scrollWidth > cell.clientWidth + 1)
    .map((cell) => cell.textContent.trim());
})"""


async def view(tab: Tab, address: str | None, name: str, height: int = 2000) -> None:
    """Show a page in one of the `VIEWS`, the present one if no address is given."""
    width, dark, medium = VIEWS[name]
    await tab.size(width, height, dark=dark)
    await tab.ask("Emulation.setEmulatedMedia", media=medium, features=[
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    ])  # fmt: skip
    if address is not None:
        await tab.open(address)


async def cut_cells(tab: Tab) -> list[Any]:
    """The texts of the cells that do not fit into the page."""
    found: list[Any] = await tab.value(_CUT)
    return found
