"""Rates, names and tables as text, each in one way wherever they are shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence


def rate(
    mean: float | None,
    half_width: float | None = None,
    digits: int = 1,
    *,
    unit: str = "",
    signed: bool = True,
    grouped: bool = False,
    missing: str = "-",
) -> str:
    """A mean with the half width of its interval; what rounds to zero is ``+0.0``.

    Args:
        mean: None if it is unknown.
        half_width: None if it is unknown.
        digits: after the point.
        unit: stands behind.
        signed: put a sign before positive means, too.
        grouped: put commas between thousands.
        missing: the text of an unknown mean.

    >>> rate(12.34, 4.5, unit="mbb/h"), rate(-0.001, None, 2), rate(1234, 5, grouped=True)
    ('+12.3 ± 4.5 mbb/h', '+0.00', '+1,234.0 ± 5.0')
    """
    if mean is None:
        return missing
    form = f"{',' if grouped else ''}.{digits}f"
    spread = "" if half_width is None else f" ± {half_width:{form}}"
    return f"{mean:{'+' if signed else ''}z{form}}{spread} {unit}".rstrip()


def counted(hand: int) -> str:
    """The number of a hand for people, who count from 1; logs and the protocol count from 0.

    >>> counted(0)
    '1 (log: 0)'
    """
    return f"{hand + 1} (log: {hand})"


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def cut(text: str, most: int) -> str:
    """A text that takes so many columns at most; what is cut off is replaced with ``…``.

    >>> cut("always-call", 8)
    'always-…'
    """
    if columns_of(text) <= most:
        return text
    while columns_of(text) >= most:
        text = text[:-1]
    return text + "…"


def table(
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[int] = (0,),
    widths: Sequence[int] | None = None,
    gap: int = 2,
) -> list[str]:
    """Rows as lines of columns.

    Args:
        rows: of cells, the heads first.
        left: the columns of texts; columns of numbers are aligned to the right.
        widths: of the columns, to which longer cells are cut; those of the longest cells if None.
        gap: blanks between columns.

    >>> table([["player", "mbb/h"], ["Ann", "+1.5"], ["Bob", "-10.5"]])
    ['player  mbb/h', 'Ann      +1.5', 'Bob     -10.5']
    """
    if widths is None:
        widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        texts = []
        for k, (text, width) in enumerate(zip(row, widths, strict=True)):
            cell = cut(text, width)
            blanks = " " * (width - columns_of(cell))
            texts.append(cell + blanks if k in left else blanks + cell)
        lines.append((" " * gap).join(texts).rstrip())
    return lines
