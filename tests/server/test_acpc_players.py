"""The ACPC's own clients at our table, where ``ACPC_PLAYER`` names one: ``PLAYER GAME HOST PORT``."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.dealer_process import dealer_process

pytestmark = pytest.mark.skipif(
    "ACPC_PLAYER" not in os.environ, reason="needs an ACPC client, named in ACPC_PLAYER"
)


@pytest.mark.parametrize(
    ("game", "num_seats"),
    [("holdem.limit.2p.reverse_blinds", 2), ("holdem.nolimit.3p", 3), ("short6", 6), ("tiny10", 10)],
)
def test_unmodified_clients_play_a_match_at_our_table(game: str, num_seats: int, tmp_path: Path) -> None:
    names = [f"p{seat}" for seat in range(num_seats)]
    with dealer_process(["m", f"{game}.game", "100", "7", *names, "-q"], tmp_path) as dealer:
        command = [os.environ["ACPC_PLAYER"], str(tmp_path / f"{game}.game"), "127.0.0.1"]
        players = [
            subprocess.Popen([*command, str(port)], stderr=subprocess.DEVNULL) for port in dealer.ports
        ]
        status, score = dealer.finish()
        statuses = [player.wait() for player in players]

    log = (tmp_path / "m.log").read_text()
    assert (status, statuses) == (0, [0] * num_seats)
    assert log.count("STATE:") == 100
    assert log.endswith(score)
    assert "WARNING" not in dealer.stderr
