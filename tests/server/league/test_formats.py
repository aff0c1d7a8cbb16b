"""Who plays whom, and the pages that show how it ended."""

from __future__ import annotations

import csv
import itertools
import json
import math
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st

from engine.evidence.verdict import FEW, FIXED
from engine.poker.rules import load_game
from server.league.formats.knock_out import bracket, bracket_order
from server.league.formats.round_robin import choices, gauntlet_choices, seatings
from server.league.formats.schedule import schedule
from server.league.formats.swiss import pairing, rounds
from server.league.house import PLAN, Folder
from server.league.plan import Event, Match
from server.league.report.pages import page_of_player, write_report
from server.league.report.words import Progress, table_of
from server.records.curves import bankroll_picture, curve, kept, won_picture
from tests.server.league.houses import HEAD, plan_of, plan_text, played, use_arena_workers

# --- Who plays whom -----------------------------------------------------------------------------------------

NAMES = tuple("abcdefghijkl")


def test_a_round_robin_has_every_pair_once_a_number() -> None:
    plan = plan_of(plan_text(*["random"] * 5))

    found = schedule(plan, {})

    assert found.is_all
    assert len(found.matches) == len(set(found.matches)) == math.comb(5, 2) * 2
    assert [match.number for match in found.matches] == [1] * 10 + [2] * 10


def test_a_gauntlet_has_its_challengers_matches_only() -> None:
    assert gauntlet_choices(NAMES[:4], ["b"], 2) == [("a", "b"), ("b", "c"), ("b", "d")]
    for challengers in (["a"], ["c", "l"]):
        tables = gauntlet_choices(NAMES, challengers, 6)
        for challenger in challengers:
            assert set().union(*[table for table in tables if challenger in table]) == set(NAMES)
        assert all(set(challengers) & set(table) for table in tables)


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 8), st.integers(0, 6))
def test_at_few_tables_everybody_meets_everybody_and_newcomers_change_none(seats: int, more: int) -> None:
    names = [f"p{k}" for k in range(seats + more)]

    tables = choices(names, seats, 0)

    met = {pair for table in tables for pair in itertools.combinations(table, 2)}
    assert met == set(itertools.combinations(names, 2))
    assert all(len(set(table)) == seats for table in tables)
    assert choices([*names, "new"], seats, 0)[: len(tables)] == tables
    assert len(choices(names, seats, 3)) == min(3, math.comb(len(names), seats))
    assert len(choices(names, seats, None)) == math.comb(len(names), seats)


def test_seatings_of_a_sample_are_balanced() -> None:
    game = load_game("nolimit-6p")
    every = seatings(NAMES[:6], Event("g", game, 1, seatings=None))
    sample = seatings(NAMES[:6], Event("g", game, 1, seatings=5))

    assert len(set(every)) == math.factorial(5)
    assert all(order[0] == "a" for order in every)
    beside = Counter(pair for order in sample for pair in zip(order, order[1:] + order[:1], strict=True))
    assert len(sample) == len(set(sample)) == 5
    assert max(beside.values()) <= 2
    assert len(seatings(NAMES[:6], Event("g", game, 1))) == 1
    assert len(seatings(NAMES[:9], Event("g", game, 1, seatings=4))) == 4


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 13), st.randoms(use_true_random=False))
def test_swiss_pairs_nobody_twice_and_gives_byes_in_turn(n: int, drawn: object) -> None:
    import random

    assert isinstance(drawn, random.Random)
    names = [f"p{k:02}" for k in range(n)]
    number = max(1, math.ceil(math.log2(n)))
    scores: dict[Match, dict[str, float]] = {}
    for _ in range(number):
        found = rounds(names, scores, number)
        assert not found.is_all
        for match in found.matches:
            lead = drawn.uniform(-1, 1)
            scores.setdefault(match, dict(zip(match.players, (lead, -lead), strict=True)))

    found = rounds(names, scores, number)

    assert found.is_all
    assert len(found.matches) == len({frozenset(match.players) for match in found.matches})
    assert len(found.matches) == number * (n // 2)
    assert sorted(name for group in found.placing for name in group) == names
    if n % 2:
        byes = [note.rpartition("; ")[2] for note in found.notes]
        assert len(set(byes)) == number


def test_swiss_pairs_those_who_stand_alike() -> None:
    pairs, bye = pairing(["a", "b", "c", "d", "e"], {frozenset("ab")}, {"e"})

    assert bye == "d"
    assert pairs == [("a", "c"), ("b", "e")]


def test_swiss_lets_players_meet_again_rather_than_never() -> None:
    pairs, bye = pairing(["a", "b"], {frozenset("ab")}, set())

    assert (pairs, bye) == ([("a", "b")], None)


def test_the_best_seeds_meet_last() -> None:
    assert bracket_order(4) == [1, 4, 2, 3]
    assert bracket_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]


@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.parametrize("third_place", [True, False])
def test_in_a_knock_out_the_better_seed_wins_where_it_always_wins(n: int, *, third_place: bool) -> None:
    names = list(NAMES[:n])
    scores: dict[Match, dict[str, float]] = {}
    while not (found := bracket(names, scores, third_place=third_place)).is_all:
        scores |= {
            match: {name: -float(names.index(name)) for name in match.players} for match in found.matches
        }

    assert all(match in scores for match in found.matches)
    placed = [name for group in found.placing for name in group]
    assert (placed[:2], sorted(placed)) == (["a", "b"], names)
    assert len(found.matches) == n - 1 + (third_place and n >= 4)
    if third_place and n >= 4:
        assert found.placing[2] == ("c",)
    assert len(found.notes) == math.ceil(math.log2(n))


def test_a_draw_is_played_again_and_then_the_better_seed_goes_on() -> None:
    scores: dict[Match, dict[str, float]] = {}
    for _ in range(4):
        found = bracket(["z", "a"], scores, third_place=True)
        assert not found.is_all
        scores[found.matches[-1]] = {"z": 0.0, "a": 0.0}

    found = bracket(["z", "a"], scores, third_place=True)

    assert found.is_all
    assert found.placing == (("z",), ("a",))


def test_halving_spends_its_budget_on_those_who_are_left() -> None:
    head = HEAD.replace("matches = 2\n", "") + "[budget]\nhands = 6000\nspend = 'halving'\n"
    plan = plan_of(plan_text(*["random"] * 8, head=head))
    scores: dict[Match, dict[str, float]] = {}
    while not (found := schedule(plan, scores)).is_all:
        for match in found.matches:
            one, other = match.players
            lead = float(int(other[1:]) - int(one[1:]))
            scores[match] = {one: lead, other: -lead}

    assert [name for group in found.placing for name in group] == [f"p{k}" for k in range(8)]
    hands = len(found.matches) * 12 * 2
    assert 0.7 * 6000 < hands <= 6000
    of_best = sum({"p0", "p1"} == set(match.players) for match in found.matches)
    assert of_best > 5 * sum({"p6", "p7"} == set(match.players) for match in found.matches)


def test_a_budget_is_shared_out_evenly_where_nothing_else_is_said() -> None:
    head = HEAD.replace("matches = 2\n", "") + "[budget]\nhands = 1000\n"

    matches = schedule(plan_of(plan_text(*["random"] * 4, head=head)), {}).matches

    assert Counter(match.number for match in matches) == dict.fromkeys(range(1, 7), 6)  # 6 x 6 x 24 hands


# --- The pages of a tournament ------------------------------------------------------------------------------

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
    """A tournament with names that would be tags or formulas, and its result."""
    path = tmp_path_factory.mktemp("cup")
    text = plan_text("random", "always-call", "always-raise") + (
        '[[players]]\nname = "<script>"\nplayer = "random:raise=0.4"\nmembers = ["O\'Hara", "<b>"]\n'
        '[[players]]\nname = "@1+1"\nplayer = "random:raise=0.2"\n'
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


def test_pages_name_no_folder_of_this_machine(league: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path, content = league
    shutil.copytree(path, tmp_path / "cup")
    plan = json.loads((tmp_path / "cup" / PLAN).read_text())
    plan["file"] += "# see /home/kim/students/ann"
    (tmp_path / "cup" / PLAN).write_text(json.dumps(plan))
    players = [{**row, "player": "python /home/kim/students/ann/bot.py"} for row in content["players"]]

    files = write_report(Folder.reading(tmp_path / "cup"), {**content, "players": players})

    pages = [file.read_text("utf-8") for file in files if file.suffix == ".html"]
    assert [page for page in pages if "/home/kim" in page] == []
    assert any("<code>python bot.py</code>" in page for page in pages)


def test_the_cross_table_says_what_the_result_says(league: tuple[Path, dict[str, Any]]) -> None:
    path, content = league
    with open(path / "crosstable.csv", newline="") as file:
        rows = list(csv.reader(file))
    text = Page(path / "report.html").text

    assert "'@1+1" in rows[0]  # no formula
    assert rows[0][1:] == [row[0] for row in rows[1:]]
    names = [name.removeprefix("'") for name in rows[0][1:]]
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

    assert (picture.count("<polyline"), picture.count("stroke-dasharray")) == (3, 1)
    assert picture.count("<polygon") == 1
    assert "var(--line-1)" in picture
    assert ">hands; big blinds won</text>" in picture
    places = [float(y) for y in re.findall(r",([-\d.]+)", picture)]
    assert min(places) >= 10
    assert max(places) <= 340 - 42
    assert "nan" not in bankroll_picture([{"deals": [0], "won": [0.0]}], [0], "hands")


def test_the_largest_numbers_of_a_picture_are_not_cut() -> None:
    picture = bankroll_picture([{"deals": [0, 3_000_000], "won": [0.0, -9e6]}], [0], "hands")

    for x, anchor, text in re.findall(
        r'<text x="([\d.]+)" \S+ text-anchor="(end|middle)"[^>]*>([^<]+)<', picture
    ):
        width = 7.5 * len(text)  # a digit in a font of 12
        left = float(x) - (width if anchor == "end" else width / 2)
        assert 0 <= left <= 900 - width, text


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
    assert (lines[2].split(), len(lines[3:-2])) == (["player", "mbb/h", "deals"], 3)
    folder.close()


@pytest.mark.usefixtures("arena_workers")
@pytest.mark.parametrize(("hands", "kind"), [("12", FEW), ("50", FIXED)])
def test_the_intervals_of_few_hands_are_called_rough(hands: str, kind: str, tmp_path: Path) -> None:
    head = HEAD.replace("hands = 12", f"hands = {hands}")

    content = played(tmp_path, plan_text("random", "always-call", head=head), pages=True)

    assert f"mbb/h ({kind})" in table_of({**content, "seconds": 1.0})
    assert ", 0:01 of play\n" in table_of({**content, "seconds": 1.0, "complete": True})
    assert f"mbb/h ({kind})" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.usefixtures("arena_workers")
def test_luck_is_taken_out_of_pairs_where_the_file_asks_for_it(tmp_path: Path) -> None:
    head = HEAD.replace("seed = 7", 'seed = 7\nluck = "equity"').replace("hands = 12", "hands = 60")

    content = played(tmp_path, plan_text("random", "always-call", head=head))

    (pair,) = content["pairs"]
    corrected = pair["luck_corrected"]
    assert corrected["method"] == "equity"
    assert corrected["ci95"] < pair["ci95"]
    assert abs(corrected["mbb_per_hand"] - pair["mbb_per_hand"]) < 2 * pair["ci95"]
