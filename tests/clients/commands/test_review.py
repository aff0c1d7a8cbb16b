"""``riverboat review``: planted mistakes, ranges that players state, what is refused, and Ctrl-C."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from clients.bots import strategy_files
from clients.commands.solve.review import review
from clients.lab.review import Review, Reviewable
from engine.poker.rules import GameDefinition, load_game, parse_betting
from protocol.policy import format_policy, format_record, write_numbers
from tests.support.commands import reports, runs
from tests.support.hands.golden_files import GOLDEN

run, reviewed = runs(review), reports(review)
NUTS = "STATE:{}:r6c/cc/cc/cr200f:JhTh|9d9c/AhKhQh/2c/7d:-6|6:Ann|Bob\n"
CHECKED = "STATE:{}:r6c/cc/cc/cc:JhTh|9d9c/AhKhQh/2c/7d:6|-6:Ann|Bob\n"
HIDDEN = "STATE:{}:r6c/cc/cc/cr200f:JhTh|/AhKhQh/2c/7d:-6|6:Ann|Bob\n"
QUICK = "--game", "nolimit-2p-100bb", "--iterations", 10


def written(folder: Path, *lines: str) -> Path:
    log = folder / "match.log"
    log.write_text("".join(line.format(number) for number, line in enumerate(lines)))
    return log


def test_a_fold_of_the_nuts_is_the_worst_spot_and_its_loss_is_exact(tmp_path: Path) -> None:
    folder = tmp_path / "a match"
    folder.mkdir()
    log, page = written(folder, NUTS, CHECKED), tmp_path / "page.html"
    report = reviewed(log, *QUICK, "--out", page)

    worst = report["worst"][0]
    assert (worst["name"], worst["hand"], worst["street"]) == ("Ann", 0, "river")
    assert (worst["taken"], worst["best"], worst["cards"]) == ("fold", "call", "JhTh")
    assert worst["loss"] == pytest.approx(103_000, abs=1)  # six chips of each, and 194 of Bob's
    assert worst["replay"] == f"riverboat replay '{log}' --hand 0"
    ann, bob = sorted(report["players"], key=lambda each: each["name"])
    assert (ann["decisions"], bob["decisions"]) == (5, 4)
    assert 5 * ann["loss_per_100"] >= 100 * worst["loss"]
    assert ann["ci95"] > 0
    assert 1 <= ann["blunders"] < 5
    assert 0 < ann["accuracy"] < 90
    assert {name: each["decisions"] for name, each in ann["by_street"].items()} == {"turn": 2, "river": 3}
    assert {name: each["decisions"] for name, each in ann["by_kind"].items()} == {"check": 4, "fold": 1}
    assert report["ranges"] == {"blueprint": 9}
    text = page.read_text("utf-8")
    links = re.findall(r'href="#(told-\d+)"', text)
    assert len(links) == len(report["worst"])
    assert all(f'id="{link}"' in text for link in links)
    assert "Ann folds" in text


def test_ranges_are_what_players_have_stated(tmp_path: Path) -> None:
    log = written(tmp_path, NUTS)
    same = [write_numbers([0]), write_numbers([30000])]
    steps = parse_betting(load_game("nolimit-2p-100bb"), "r6c/cc/cc/cr200").steps()
    lines = [format_policy(0, before.text, same).encode() for before, _, _ in steps]
    (tmp_path / "policies").write_text("".join(format_record(0, line) for line in lines))

    assert reviewed(log, *QUICK)["ranges"] == {"stated": 5}


def test_deep_stacks_have_ranges_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[GameDefinition] = []
    monkeypatch.setattr(strategy_files, "shipped_strategy", asked.append)
    for game, raised in (("nolimit-2p", "300"), ("nolimit-2p-100bb", "6")):
        run(written(tmp_path, CHECKED.replace("6", raised)), "--game", game)
        assert asked.pop() == load_game(game)


def test_players_whose_cards_are_not_known_are_counted(tmp_path: Path) -> None:
    ann, bob = reviewed(written(tmp_path, HIDDEN), *QUICK)["players"]

    assert (ann["name"], ann["decisions"], ann["unknown_cards"]) == ("Ann", 3, 0)
    assert (bob["name"], bob["decisions"], bob["unknown_cards"], bob["ci95"]) == ("Bob", 0, 2, None)


def test_one_player_may_be_looked_at_alone(tmp_path: Path) -> None:
    (bob,) = reviewed(written(tmp_path, CHECKED), *QUICK, "--seat", "Bob")["players"]

    assert (bob["name"], bob["decisions"]) == ("Bob", 2)


@pytest.mark.parametrize(
    ("log", "options", "said"),
    [
        ("callonly.holdem.limit.2p.reverse_blinds.0.log.gz", (), "of limit hold'em, 2 players here"),
        ("callonly.leduc.0.log.gz", (), "only no-limit hold'em for two"),
        ("random.holdem.nolimit.2p.reverse_blinds.0.log.gz", ("--hand", "99999"), "with number 99999 here"),
        ("random.holdem.nolimit.2p.reverse_blinds.0.log.gz", ("--seat", "Eve"), "no such hands of 'Eve'"),
        ("nothing.log", (), "nothing.log"),
        ("callonly.leduc.0.log.gz", ("--out", "/nowhere/page.html"), "page.html cannot be written: No such"),
        ("callonly.leduc.0.log.gz", ("--out", __file__), "would be overwritten"),
    ],
)  # fmt: skip
def test_what_cannot_be_reviewed_is_said_in_one_line(log: str, options: tuple[str, ...], said: str) -> None:
    result = run(GOLDEN / log, *options)

    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert said in result.stderr


def test_torn_lines_and_rounds_that_are_too_large_are_left_out(tmp_path: Path) -> None:
    log = written(tmp_path, CHECKED, "STATE:1:r6c/cc/c")
    result = run(log, *QUICK, "--memory", 0.1, "--flop")

    assert result.exit_code == 0
    torn, large = result.stderr.splitlines()
    assert "torn off" in torn
    assert re.search(r"hand 0: needs \d\.\d GB, more than 0.1, and is left out", large)


def test_ctrl_c_keeps_the_hands_that_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Review.add

    def interrupted(self: Review, of: Reviewable) -> bool:
        if of.hand.number == 1:
            signal.raise_signal(signal.SIGINT)
        return whole(self, of)

    monkeypatch.setattr(Review, "add", interrupted)
    result = run(written(tmp_path, CHECKED, CHECKED, CHECKED), *QUICK)

    assert result.exit_code == 130
    assert result.stderr == "interrupted: 1 of 3 hands\n"
    assert "1 hands; decisions by the source of both ranges: 4 blueprint" in result.stdout
