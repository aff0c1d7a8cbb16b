"""What clients/human/README.md shows is what a person sees."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import clients.human
from tests.support.dealer_process import PATIENCE_S, environment, program

README = Path(clients.human.__file__).with_name("README.md").read_text("utf-8")


def test_the_hand_is_played_as_it_is_shown(tmp_path: Path) -> None:
    command = re.search(r"This is what `riverboat ([^`]+)` shows", README)
    hand = re.search(r"^```\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert command is not None
    assert hand is not None
    typed = re.findall(r"^> (.+)$", hand[1], re.MULTILINE)

    played = subprocess.run(
        program(*shlex.split(command[1])), input="\n".join([*typed, "quit", ""]), cwd=tmp_path,
        env=environment(), capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip

    assert len(typed) == 4
    assert played.returncode == 0
    assert hand[1] in played.stdout
