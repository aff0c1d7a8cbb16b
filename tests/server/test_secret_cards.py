"""Cards that nobody can know: the keys of a match and its files; `test_cheating_bots` looks for them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from engine.poker.match_key import DealKeys, MatchKey
from engine.poker.rules import load_game
from protocol.match_state import format_hole_cards_and_board
from protocol.records import parse_hand, parse_score
from tests.support.dealer_process import PATIENCE_S, environment, program

CALLER: Final = """\
import os, socket, sys
def look(number):
{look}
dealer = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")
dealer.write(b"VERSION:2.0.0\\n"); dealer.flush()
for number, line in enumerate(dealer):
    look(number)
    if not line.startswith(b"#"):
        dealer.write(line.rstrip() + b":c\\n"); dealer.flush()
"""
"""A bot that looks around and calls."""


def bot(folder: Path, look: str) -> str:
    lines = [f"    {line}" for line in look.splitlines()]
    (folder / "looker.py").write_text(CALLER.format(look="\n".join(lines)))
    return f"{sys.executable} looker.py"


def result_of(folder: Path, *words: str) -> dict[str, Any]:
    command = program("match", *words, "--json")
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=90, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


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


def test_the_reported_key_gives_the_same_match_again(tmp_path: Path) -> None:
    words = ("nolimit-2p", "random", "always-call", "--hands", "40")
    first = result_of(tmp_path, *words, "--out", "first")
    again = result_of(tmp_path, *words, "--out", "again", "--seed", first["key"])

    assert log_of(tmp_path / "first") == log_of(tmp_path / "again")
    for key in ("seed", "key", "commitment"):
        assert first[key] == again[key]
    assert first["seed"] is None


def test_a_key_of_an_earlier_version_gives_the_same_match_again(tmp_path: Path) -> None:
    words = ("nolimit-2p", "random", "always-call", "--hands", "40", "--seed")
    key = MatchKey(bytes(range(32)))
    one = result_of(tmp_path, *words, key.text, "--out", "one")
    other = result_of(tmp_path, *words, str(key.number), "--out", "other")

    assert log_of(tmp_path / "one") == log_of(tmp_path / "other")
    assert one["key"] == other["key"] == key.text
    assert log_of(tmp_path / "one")[-2] == f"# key {key.text}"


def test_the_cards_follow_from_the_keys_that_were_committed_to(tmp_path: Path) -> None:
    result = result_of(tmp_path, "limit-2p", "random", "always-call", "--hands", "20", "--out", "m")

    lines = log_of(tmp_path / "m")
    assert lines[0] == "# name/game/hands/seed match limit-2p 20 random"
    assert lines[4] == f"# cards: sha256 {result['commitment']}"
    assert parse_score(lines[-1]) is not None
    before = bytes.fromhex(result["commitment"])
    game = load_game("limit-2p")
    for number, (revealed, hand) in enumerate(zip(lines[5:-1:2], lines[6::2], strict=True)):
        assert revealed.startswith(f"# key {number} ")
        key = bytes.fromhex(revealed.split()[3])
        assert hashlib.sha256(b"riverboat deal" + key).digest() == before
        before = key
        deal = MatchKey(key).dealer(game).deal()
        record = parse_hand(hand)
        assert record is not None
        betting_round = record.betting.count("/")
        board = deal.board[: game.board_ends[betting_round]]
        assert record.cards == format_hole_cards_and_board(
            deal.hole_cards, board, game.board_ends, betting_round
        )
    keys = DealKeys.parse(result["key"])
    assert [player["player_seeds"] for player in result["players"]] == [
        [keys.player_seed(seat)] for seat in range(2)
    ]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc")
def test_nobody_can_read_the_key_while_hands_are_to_come(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    looker = bot(tmp_path, "if number == 30: open('gate').read()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--out", "m", "--json")
    house = subprocess.Popen(
        program("match", *words), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    )
    with open(tmp_path / "gate", "w"):  # opens when the bot has come to its thirtieth line
        seen = everything_to_be_read(tmp_path)
    output, _ = house.communicate(timeout=PATIENCE_S)

    result = json.loads(output)
    assert result["commitment"].encode() in seen
    assert b"STATE:0:" in seen
    key = DealKeys.parse(result["key"])
    for secret in (key.secret, *[key.key(number) for number in range(19, 30)]):
        assert secret not in seen
        assert secret.hex()[:16].encode() not in seen


def test_an_interrupted_match_keeps_the_keys_of_deals_that_are_not_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    looker = bot(tmp_path, "if number == 30: open('gate').read()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--out", "m")
    house = subprocess.Popen(
        program("match", *words), cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL
    )
    with open(tmp_path / "gate", "w"):
        house.terminate()
        house.wait(PATIENCE_S)

    lines = log_of(tmp_path / "m")
    hands = [line.split(":")[1] for line in lines if line.startswith("STATE:")]
    assert [line.split()[2] for line in lines if line.startswith("# key ")] == hands
    assert "key" not in json.loads((tmp_path / "m" / "result.json").read_text())


def test_an_aborted_match_reveals_its_key(tmp_path: Path) -> None:
    looker = bot(tmp_path, "if number == 30: sys.exit()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--on-failure", "abort", "--out", "m")
    subprocess.run(program("match", *words), cwd=tmp_path, env=environment(), check=False, timeout=PATIENCE_S)

    result = json.loads((tmp_path / "m" / "result.json").read_text())
    assert DealKeys.parse(result["key"]).commitment == result["commitment"]


@pytest.mark.parametrize("duplicate", [[], ["--duplicate"]])
def test_the_files_of_a_match_are_for_their_user_alone(tmp_path: Path, duplicate: list[str]) -> None:
    result_of(tmp_path, "kuhn-2p", "random", "always-call", "--hands", "5", "--out", "m", *duplicate)

    paths = [tmp_path / "m", *(tmp_path / "m").rglob("*")]
    assert len(paths) == (19 if duplicate else 10)
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
