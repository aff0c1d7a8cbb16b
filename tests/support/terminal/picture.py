"""The picture in the README, ``docs/match.svg``: ``python -m tests.support.terminal.picture`` makes it.

A test checks that the picture shows the table that is printed today; if it fails, make the picture again.
"""

import io
import re
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from tests.support.dealer_process import ROOT, program
from tests.support.terminal.terminals import in_terminal

COMMAND: Final = "match limit-2p formula always-call --hands 1000 --seed 7"
PICTURE: Final = ROOT / "docs" / "match.svg"
COLUMNS: Final = 100
_AS_BY_DEFAULT: Final = ("--luck", "equity")
"""The default of `riverboat match`, which `program` would switch off."""
_ERASE_LINE: Final = "\x1b[2K"
"""The last thing that a progress bar writes."""
_FONT: Final = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""Fonts that would be fetched from another site; without them a browser uses its own monospace font."""


def played(command: str) -> str:
    """The final text of a `riverboat` command on a terminal, with colours."""
    with tempfile.TemporaryDirectory() as folder:
        words = program(*shlex.split(command), *_AS_BY_DEFAULT)
        with in_terminal(
            words, Path(folder), {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
        ) as terminal:
            assert terminal.finish() == 0, terminal.text
            shown = terminal.text.rpartition(_ERASE_LINE)[2]
            assert "log: " in shown, terminal.text
            return shown


def drawn(command: str, shown: str) -> str:
    """A picture, in SVG, of a terminal in which a command was typed.

    Args:
        command: the command without ``riverboat``.
        shown: its output, with colours.
    """
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ riverboat {command}", style="bold"))
    console.print(Text.from_ansi(shown.strip("\n\r")))
    picture = console.export_svg(title="riverboat", unique_id="match")
    return _FONT.sub("", picture).replace("Fira Code", "ui-monospace, SFMono-Regular, Menlo, Consolas")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # so that the picture does not show kernels being compiled
        subprocess.run(
            program(*shlex.split(COMMAND), *_AS_BY_DEFAULT, "--out", folder),
            check=True,
            stdout=subprocess.DEVNULL,
        )
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(drawn(COMMAND, played(COMMAND)), "utf-8")
    print(PICTURE.relative_to(ROOT))
