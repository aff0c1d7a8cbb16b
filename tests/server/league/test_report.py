"""The pages of a tournament: static, escaped, with links that lead somewhere; and its tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

from server.league.house import Folder
from server.league.report.pages import page_of_player
from server.league.report.words import Progress
from server.records.curves import bankroll_picture, curve, kept, won_picture
from tests.server.league.houses import HEAD, plan_of, plan_text, played, use_arena_workers

_VOID: Final = {"meta", "link", "br"}


class Page(HTMLParser):
    """A page: its links, its text, and whether its elements are closed in order."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass  # a line of a picture

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A tournament with names that would be tags, and its result."""
    path = tmp_path_factory.mktemp("cup")
    text = plan_text("random", "always-call", "always-raise") + (
        '[[players]]\nname = "<script>"\nplayer = "random:raise=0.4"\nmembers = ["O\'Hara", "<b>"]\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        use_arena_workers(patch)
        return path, played(path, text, pages=True)


def test_pages_are_whole_and_lead_somewhere(league: tuple[Path, dict[str, Any]]) -> None:
    path, content = league
    pages = [path / "report.html", *sorted((path / "players").iterdir())]
    assert len(pages) == 1 + len(content["players"])

    for file in pages:
        page = Page(file)
        assert page.open == []
        assert page.links
        for link in page.links:
            assert not re.match(r"[a-z]+:", link)  # nothing from elsewhere
            assert (file.parent / link).exists(), link


def test_what_others_wrote_is_shown_and_not_trusted(league: tuple[Path, dict[str, Any]]) -> None:
    path, _ = league

    source = (path / "report.html").read_text("utf-8")

    assert "<script" not in source
    assert "<script>" in Page(path / "report.html").text
    assert "O'Hara, <b>" in Page(path / "report.html").text


def test_the_cross_table_says_what_the_result_says(league: tuple[Path, dict[str, Any]]) -> None:
    path, content = league
    with open(path / "crosstable.csv", newline="") as file:
        rows = list(csv.reader(file))
    text = Page(path / "report.html").text

    names = rows[0][1:]
    assert names == [player["name"] for player in content["players"]]
    for pair in content["pairs"]:
        one, other = (names.index(name) for name in pair["players"])
        assert float(rows[1 + one][1 + other]) == pair["mbb_per_hand"]
        assert float(rows[1 + other][1 + one]) == -pair["mbb_per_hand"]
        assert f"{pair['mbb_per_hand']:+z,.1f}".replace("-", "−") in text


def test_a_player_has_a_page_of_its_own() -> None:
    names = ["a", "A b", "A-b", "ä", "ö", "../x"]

    pages = [page_of_player(name) for name in names]

    assert pages[0] == "players/a.html"
    assert len(set(pages)) == len(names)
    assert all(re.fullmatch(r"players/[\w-]+\.html", page, re.ASCII) for page in pages)


def test_a_curve_ends_where_its_values_end() -> None:
    for last in (0, 1, 399, 400, 401, 5000):
        at = kept(last)
        assert (at[0], at[-1]) == (0, last)
        assert at == sorted(set(at))
        assert len(at) <= 401
    line = curve([0, 4, -4], 100.0, 40.0)
    assert (line.points, line.zero, line.low, line.high) == ("0,20 50,0 100,40", 20.0, -4, 4)


def test_a_picture_has_its_lines_and_bands() -> None:
    deals = kept(100)
    won = [deal / 3 - 20 for deal in deals]
    plain: dict[str, Sequence[float]] = {"deals": deals, "won": won}
    full: dict[str, Sequence[float]] = {
        **plain,
        "half_width": [float(deal) for deal in deals],
        "luck_corrected": won,
    }

    picture = bankroll_picture([plain, full], [0, 11], "hands")

    assert picture.count("<polyline") == 3
    assert picture.count("stroke-dasharray") == 1
    assert picture.count("<polygon") == 1
    assert "var(--line-1)" in picture
    assert ">hands; big blinds won</text>" in picture
    places = [float(y) for y in re.findall(r",([-\d.]+)", picture)]
    assert min(places) >= 10
    assert max(places) <= 340 - 42
    assert "nan" not in bankroll_picture([{"deals": [0], "won": [0.0]}], [0], "hands")


def test_bars_are_drawn_with_their_intervals_and_none_is_no_fault() -> None:
    parts: dict[str, dict[str, Any]] = {
        "BB": {"mbb_per_hand_of_all": -250.0, "ci95_of_all": 100.0},
        "BTN/SB": {"mbb_per_hand_of_all": 300.0, "ci95_of_all": None},
        "none": {"hands": 0},
    }

    picture = won_picture(parts)

    assert picture.count("<rect") == 2
    assert "var(--loss)" in picture
    assert "var(--gain)" in picture
    assert ">BTN/SB</text>" in picture
    assert "none" not in picture
    assert won_picture({}).endswith("</svg>")


@pytest.mark.usefixtures("arena_workers")
def test_progress_says_how_far_it_is_and_what_is_left(tmp_path: Path) -> None:
    text = plan_text("random", "always-call", "always-raise")
    small = HEAD.replace("matches = 2", "matches = 1")
    played(tmp_path, plan_text("random", "always-call", "always-raise", head=small))
    folder = Folder.open(tmp_path, plan_of(text), text, print, resume=True)
    clock = [100.0]
    progress = Progress(folder, lambda: clock[0], watch=True)
    assert progress.line() == "3 of 6 matches"  # nothing is known of the speed yet

    match = next(match for match in folder.schedule().matches if match not in folder.played)
    clock[0] = 130.0
    folder.played[match] = next(iter(folder.played.values()))

    assert progress.line() == "4 of 6 matches, 1:00 left"
    lines = progress.standings().splitlines()
    assert lines[2].split() == ["player", "mbb/h", "deals"]
    assert len(lines[3:-2]) == 3
    folder.close()


@pytest.mark.usefixtures("arena_workers")
def test_luck_is_taken_out_of_pairs_where_the_file_asks_for_it(tmp_path: Path) -> None:
    head = HEAD.replace("seed = 7", 'seed = 7\nluck = "equity"').replace("hands = 12", "hands = 60")

    content = played(tmp_path, plan_text("random", "always-call", head=head))

    (pair,) = content["pairs"]
    corrected = pair["luck_corrected"]
    assert corrected["method"] == "equity"
    assert corrected["ci95"] < pair["ci95"]
    assert abs(corrected["mbb_per_hand"] - pair["mbb_per_hand"]) < 2 * pair["ci95"]
