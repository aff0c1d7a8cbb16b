"""Cards that nobody can know: the keys of a match and its files; `test_cheating_bots` looks for them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from pathlib import Path

import pytest

from engine.poker.match_key import DealKeys, MatchKey
from engine.poker.rules import load_game
from protocol.match_state import format_hole_cards_and_board
from protocol.records import parse_hand, parse_score
from tests.support.dealer_process import PATIENCE_S
from tests.support.matches import raw_bot, result_of, start_match


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
    again = result_of(tmp_path, *words, "--out", "again", "--seed", first["key"], "--in-process")

    assert log_of(tmp_path / "first") == log_of(tmp_path / "again")
    for key in ("seed", "key", "commitment"):
        assert first[key] == again[key]
    assert first["seed"] is None


def test_a_key_of_an_earlier_version_gives_the_same_match_again(tmp_path: Path) -> None:
    words = ("nolimit-2p", "random", "always-call", "--hands", "40", "--in-process", "--seed")
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
    looker = raw_bot(tmp_path, "looker", "if number == 30: open('gate').read()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--out", "m", "--json")
    house = start_match(tmp_path, *words)
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
    looker = raw_bot(tmp_path, "looker", "if number == 30: open('gate').read()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--out", "m")
    house = start_match(tmp_path, *words)
    with open(tmp_path / "gate", "w"):
        house.terminate()
        house.communicate(timeout=PATIENCE_S)

    lines = log_of(tmp_path / "m")
    hands = [line.split(":")[1] for line in lines if line.startswith("STATE:")]
    assert [line.split()[2] for line in lines if line.startswith("# key ")] == hands
    assert "key" not in json.loads((tmp_path / "m" / "result.json").read_text())


def test_an_aborted_match_reveals_its_key(tmp_path: Path) -> None:
    looker = raw_bot(tmp_path, "looker", "if number == 30: sys.exit()")
    words = ("limit-2p", looker, "always-call", "--hands", "20", "--on-failure", "abort", "--out", "m")
    result = result_of(tmp_path, *words, status=3)

    assert DealKeys.parse(result["key"]).commitment == result["commitment"]


@pytest.mark.parametrize("duplicate", [[], ["--duplicate"]])
def test_the_files_of_a_match_are_for_their_user_alone(tmp_path: Path, duplicate: list[str]) -> None:
    result_of(tmp_path, "kuhn-2p", "random", "always-call", "--hands", "5", "--out", "m", *duplicate)

    paths = [tmp_path / "m", *(tmp_path / "m").rglob("*")]
    assert len(paths) == (19 if duplicate else 10)
    for path in paths:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
