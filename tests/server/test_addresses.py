"""An address to listen on, the same for every command, and what limits count by."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.room.config import RoomError, load_room
from server.support.addresses import is_loopback, whose
from tests.support.commands import run_here
from tests.support.dealer_process import completed

REFUSAL = "expected an address to listen on, got nothing"


@pytest.mark.parametrize("words", ["serve --http off --port 0", "match limit-2p random random"])
@pytest.mark.parametrize("host", ["", " "])
def test_no_command_listens_on_an_address_that_is_empty(tmp_path: Path, words: str, host: str) -> None:
    done = run_here(*words.split(), "--host", host, folder=tmp_path)
    assert done.exit_code != 0
    assert REFUSAL in done.stderr


def test_the_dealer_does_not_listen_on_one_either(tmp_path: Path) -> None:
    done = completed(
        "dealer", *["match", "leduc.game", "2", "7", "Alice", "Bob", "--host"], "", folder=tmp_path
    )
    assert done.returncode != 0
    assert REFUSAL in done.stderr


@pytest.mark.parametrize("host", ["", " "])
def test_no_room_s_file_does(tmp_path: Path, host: str) -> None:
    (tmp_path / "room.toml").write_text(
        f'[room]\nhost = "{host}"\n[[table]]\nname = "a"\ngame = "limit-2p"\n'
    )
    with pytest.raises(RoomError, match=r":2:1: expected an address to listen on, got nothing"):
        load_room(tmp_path / "room.toml")


def test_what_only_this_machine_reaches() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.example", "")))


@pytest.mark.parametrize(
    ("address", "counts_as"),
    [
        ("10.0.0.1", "10.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1"), ("::1", "::/64"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("fe80::1%eth0", "fe80::/64"), ("", ""),
    ],
)  # fmt: skip
def test_limits_count_by_the_network_that_one_subscriber_has(address: str, counts_as: str) -> None:
    assert whose(address) == counts_as
