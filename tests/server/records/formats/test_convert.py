"""``riverboat convert``: files there and back, nothing overwritten, what is left out is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from server.commands.look_back.convert import convert
from server.records.logs import open_log
from server.records.verification.log_checker import verify_log
from tests.server.records.formats.test_formats import DWAN_IVEY, STARS, phh
from tests.support.hands.golden_files import GOLDEN, golden_log


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(convert, list(map(str, words)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Twelve hands of the C dealer."""
    text = golden_log("random.holdem.nolimit.3p.0").text
    path = tmp_path / "a.log"
    path.write_text("".join(text.splitlines(keepends=True)[:16]), "ascii")
    return path


def states(path: Path) -> list[str]:
    return [line for line in path.read_text("ascii").splitlines() if line.startswith("STATE")]


@pytest.mark.parametrize("between", ["folder", "hands.phhs", "hands.txt"])
def test_there_and_back(log: Path, tmp_path: Path, between: str) -> None:
    middle, back = tmp_path / between, tmp_path / "back.log"

    there = run(log, "--to", "pokerstars" if between.endswith("txt") else "phh", "--out", middle)
    again = run(middle, "--to", "acpc", "--out", back)

    assert there == (0, f"12 of 12 hands written to {middle}, 12 with the same chips by PokerKit\n")
    assert again == (0, f"12 of 12 hands written to {back}, 12 with the same chips by PokerKit\n")
    assert states(back) == states(log)
    assert open_log(back).game == open_log(log).game
    assert verify_log(back).is_valid
    if between == "folder":
        assert sorted(path.name for path in middle.iterdir()) == sorted(f"{k}.phh" for k in range(12))


def test_nothing_is_overwritten_without_force(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.txt"
    words = (log, "--to", "pokerstars", "--out", out, "--no-second-opinion")
    assert run(*words) == (0, f"12 of 12 hands written to {out}\n")
    out.write_text("mine")

    assert run(*words) == (1, f"Error: {out} would be overwritten; --force does it\n")
    assert out.read_text() == "mine"
    assert run(*words, "--force")[0] == 0
    assert "PokerStars" in out.read_text()


def test_a_log_for_each_game(tmp_path: Path) -> None:
    (tmp_path / "1.phh").write_text(DWAN_IVEY)
    (tmp_path / "2.phh").write_text(phh())
    (tmp_path / "3.txt").write_text(STARS)
    inputs = [tmp_path / "1.phh", tmp_path / "2.phh", tmp_path / "3.txt"]

    status, output = run(*inputs, "--to", "acpc", "--out", tmp_path / "b.log")
    assert (status, "the hands are of 3 games" in output) == (1, True)
    status, output = run(*inputs, "--to", "acpc", "--out", tmp_path / "logs")

    assert status == 0
    assert "the name 'Phil Ivey' is written Phil_Ivey" in output
    assert "the rake is left out" in output
    assert "3 of 3 hands written" in output
    for count in (1, 2, 3):
        assert verify_log(tmp_path / "logs" / f"hands-{count}.log").is_valid
    assert open_log(tmp_path / "logs" / "hands-1.log").game.antes == (500, 500, 500)


def test_hands_that_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "1.phh").write_text(phh())
    (tmp_path / "2.phh").write_text(phh(variant="'PO'"))

    status, output = run(tmp_path, "--to", "pokerstars", "--out", tmp_path / "out.txt")

    assert status == 1
    assert f"{tmp_path / '2.phh'}: expected variant NT or FT (Texas hold'em), got 'PO'" in output
    assert "1 of 2 hands written" in output


def test_games_that_a_format_does_not_know(tmp_path: Path) -> None:
    status, output = run(GOLDEN / "random.leduc.0.log.gz", "--to", "phh", "--out", tmp_path / "out")

    assert status == 1
    assert output.count("only Texas hold'em") == 1
    assert "so it is with 999 more" in output
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for name, data in [
        ("a.log", b""),
        ("b.log", b"\x00\xff" * 99),
        ("c.phh", b"\xff"),
        ("d.txt", b"hello\n"),
    ]:
        path = tmp_path / name
        path.write_bytes(data)
        status, output = run(path, "--to", "acpc", "--out", tmp_path / "x.log")
        assert status == 1
        assert output.startswith(f"Error: {path}")
        assert output.count("\n") == 1
    assert run(tmp_path / "none", "--to", "acpc", "--out", tmp_path / "x.log")[0] == 1
