"""Cards that nobody can know: the key of a match, its files, and the passes of a duplicate match."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Final

import pytest

from engine.poker.match_key import MatchKey
from engine.poker.rules import load_game
from protocol.match_state import format_hole_cards_and_board
from protocol.records import parse_hand, parse_score
from server.support.private_files import PrivateFiles
from tests.support.dealer_process import PATIENCE_S
from tests.support.matches import raw_bot, result_of, run_match, start_match

WITHOUT_CARDS: Final = ("plan.json", "secrets.json", "progress.json", "match.lock", "keeper.lock")


def log_of(folder: Path) -> list[str]:
    return (folder / "match.log").read_text().splitlines()


def everything_to_be_read(folder: Path) -> bytes:
    """All files of a folder, and all command lines and environments of this machine's processes."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    for process in Path("/proc").glob("[0-9]*"):
        paths += [process / "cmdline", process / "environ"]
    found = b""
    for path in paths:
        with contextlib.suppress(OSError):  # ended meanwhile, or not ours
            found += path.read_bytes()
    return found


def test_the_reported_seed_gives_the_same_match_again(tmp_path: Path) -> None:
    words = ("nolimit-2p", "random", "always-call", "--hands", "40")
    first = result_of(tmp_path, *words, "--out", "first")
    again = result_of(tmp_path, *words, "--out", "again", "--seed", str(first["seed"]))
    once_more = result_of(tmp_path, *words, "--out", "more", "--seed", first["key"])

    assert log_of(tmp_path / "first") == log_of(tmp_path / "again") == log_of(tmp_path / "more")
    for key in ("seed", "key", "commitment"):
        assert first[key] == again[key] == once_more[key]
    assert int(first["key"], 16) == first["seed"]


def test_the_cards_follow_from_the_key_that_was_committed_to(tmp_path: Path) -> None:
    result = result_of(tmp_path, "limit-2p", "random", "always-call", "--hands", "20", "--out", "m")

    lines = log_of(tmp_path / "m")
    assert lines[0] == "# name/game/hands/seed match limit-2p 20 random"
    assert lines[4] == f"# cards: sha256 {result['commitment']}"
    assert lines[-2] == f"# key {result['key']}"
    assert parse_score(lines[-1]) is not None
    secret = bytes.fromhex(result["key"])
    assert hashlib.sha256(b"riverboat key" + secret).hexdigest() == result["commitment"]
    game = load_game("limit-2p")
    dealer = MatchKey(secret).dealer(game)
    for record in filter(None, map(parse_hand, lines)):
        deal = dealer.deal()
        betting_round = record.betting.count("/")
        board = deal.board[: game.board_ends[betting_round]]
        assert record.cards == format_hole_cards_and_board(
            deal.hole_cards, board, game.board_ends, betting_round
        )
    assert [player["player_seeds"] for player in result["players"]] == [
        [MatchKey(secret).player_seed(seat)] for seat in range(2)
    ]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc")
def test_nobody_can_read_the_key_while_hands_are_to_come(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    looker = raw_bot(tmp_path, "looker", "if number == 30: open('gate').read()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--out", "m", "--json")
    house = start_match(tmp_path, *words)
    with open(tmp_path / "gate", "w"):  # opens when the bot has come to its thirtieth line
        seen = everything_to_be_read(tmp_path)
    output, _ = house.communicate(timeout=PATIENCE_S)

    result = json.loads(output)
    assert result["commitment"].encode() in seen
    assert b"STATE:0:" in seen
    key = MatchKey.parse(result["key"])
    for secret in (key.secret, key.text.encode(), str(key.number).encode(), key.text[:16].encode()):
        assert secret not in seen


def test_an_interrupted_match_keeps_its_key(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    looker = raw_bot(tmp_path, "looker", "if number == 30: open('gate').read()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--out", "m")
    house = start_match(tmp_path, *words, stderr=subprocess.DEVNULL)
    with open(tmp_path / "gate", "w"):
        house.terminate()
        house.communicate(timeout=PATIENCE_S)

    assert not [line for line in log_of(tmp_path / "m") if line.startswith("# key")]


def test_an_aborted_match_reveals_its_key(tmp_path: Path) -> None:
    looker = raw_bot(tmp_path, "looker", "if number == 30: sys.exit()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--on-failure", "abort", "--out", "m")
    run_match(tmp_path, *words)

    result = json.loads((tmp_path / "m" / "result.json").read_text())
    assert log_of(tmp_path / "m")[-1] == f"# key {result['key']}"


@pytest.mark.parametrize("duplicate", [[], ["--duplicate"]])
def test_the_files_of_a_match_are_for_their_user_alone(tmp_path: Path, duplicate: list[str]) -> None:
    result_of(tmp_path, "kuhn-2p", "random", "always-call", "--hands", "5", "--out", "m", *duplicate)

    paths = [tmp_path / "m", *(tmp_path / "m").rglob("*")]
    assert len(paths) == (19 if duplicate else 10)
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_no_player_of_a_duplicate_match_finds_the_cards_of_an_earlier_pass(tmp_path: Path) -> None:
    look = (
        "import os\ndef look():\n"
        "    name = os.environ['RIVERBOAT_DUPLICATE']\n"
        "    seen = [os.path.join(folder, each) for folder, _, files in os.walk('m') for each in files]\n"
        "    open(f'seen-{name}', 'w').write(repr([(path, open(path).read()) for path in seen]))"
    )
    looker = raw_bot(tmp_path, "looker", "number == 9 and look()", look)
    words = ("limit-2p", looker, "always-call", "--hands", "5", "--duplicate", "--out", "m")
    result = result_of(tmp_path, *words)

    for number in range(2):
        assert "STATE" not in (tmp_path / f"seen-{number}").read_text()
        lines = log_of(tmp_path / "m" / f"pass-{number}")
        assert lines[-1] == f"# key {result['key']}"
        assert parse_score(lines[-2]) is not None
        assert len([line for line in lines if line.startswith("STATE:")]) == 5
    if hasattr(os, "O_TMPFILE"):
        seen = dict(ast.literal_eval((tmp_path / "seen-1").read_text()))
        assert set(seen) <= {f"m/{name}" for name in WITHOUT_CARDS}
        assert not seen["m/secrets.json"].strip()


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files cannot be hidden")
def test_files_of_an_earlier_sitting_are_hidden_again_before_anything_is_added(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\n")
    told: list[tuple[str, bytes]] = []
    files = PrivateFiles(
        hidden=True, on_hidden=lambda name, number: told.append((name, os.pread(number, 9, 0)))
    )
    with open(path, "ab", buffering=0, opener=files.open) as log:
        assert not path.exists()
        log.write(b"two\n")
        assert files.tail(path, 99) == b"one\ntwo\n"

    assert told == [(str(path), b"one\n")]  # all of it, before its name was gone
    assert files.publish() == []
    assert path.read_bytes() == b"one\ntwo\n"


def test_hidden_files_take_their_names_in_the_end(tmp_path: Path) -> None:
    files = PrivateFiles(hidden=True)
    path = tmp_path / "log"
    with open(path, "wb", buffering=0, opener=files.open) as log:
        log.write(b"one\n")
    with open(path, "ab", opener=files.open) as log:
        log.write(b"two\n")

    hidden = hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").exists()
    assert path.exists() is not hidden
    assert files.tail(path, 5) == b"\ntwo\n"
    path.write_text("somebody else's")
    assert files.publish() == files.publish() == []
    assert path.read_bytes() == (b"one\ntwo\n" if hidden else b"somebody else's")
    assert [each.name for each in tmp_path.iterdir()] == ["log"]


def test_files_that_cannot_take_their_names_are_reported(tmp_path: Path) -> None:
    files = PrivateFiles(hidden=True)
    folder = tmp_path / "gone"
    folder.mkdir()
    for name in ("one", "two"):
        with open(folder / name, "wb", opener=files.open) as file:
            file.write(b"text")
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()

    if hasattr(os, "O_TMPFILE"):
        assert [line.partition(" cannot be written: ")[0] for line in files.publish()] == [
            str(folder / name) for name in ("two", "one")
        ]


def test_files_are_named_at_once_where_they_cannot_be_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    files = PrivateFiles(hidden=True)
    with open(tmp_path / "log", "wb", opener=files.open) as log:
        log.write(b"line\n")

    assert (tmp_path / "log").read_bytes() == files.tail(tmp_path / "log", 10) == b"line\n"
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600
