"""``riverboat report`` and ``analyse``: what they say of logs, ours and others', and what they refuse."""

from __future__ import annotations

import csv
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from clients.bots.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from engine.evidence.verdict import FEW, FIXED
from engine.poker.rules import load_game
from protocol.records import format_header
from server.commands.look_back.report import fitted
from server.records import pages
from server.records.evidence import evidence_of
from server.records.logs import open_log
from server.records.pages import page_environment
from server.records.progress import Tally
from server.records.review.page import LIVE_S, PAGE_FILE, live_page, render_page
from server.records.review.sources import how_to_repeat, open_source
from server.records.review.spreadsheets import FILES
from tests.support.cases import cases
from tests.support.commands import run_here
from tests.support.dealer_process import PATIENCE_S
from tests.support.hands.golden_files import GOLDEN
from tests.support.matches import run_match, start_match, wait_for_hand

MATCHES = GOLDEN / "written_before" / "matches"
HOSTILE = ("<script>alert(1)</script>", "=1+1$x^2$", "\"><img/src='http//x'>")


def said(*words: str | Path, luck: str = "off") -> dict[str, Any]:
    """What ``riverboat report --json`` prints."""
    result = run_here("report", *words, "--json", "--luck", luck)
    assert result.exit_code == 0, result.output
    content: dict[str, Any] = json.loads(result.stdout)
    return content


def write_log(
    path: Path, names: tuple[str, ...], hands: int = 60, game: str = "limit-3p", seed: int = 5
) -> Path:
    """A log as the dealer writes it, of a table in this process."""
    agents = [AlwaysCall() if k == 0 else Random() for k in range(len(names))]
    arena = Arena(load_game(game), agents, seed=seed, names=names)
    lines = [format_header("match", game, hands, str(seed), 1, 1, 1)]
    arena.play(hands, record=lines.append)
    path.write_text("".join(lines) + arena.score_line(), encoding="utf-8")
    return path


class Seen(HTMLParser):
    """What a browser would make of a page: elements, addresses, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.addresses += [
            value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")
        ]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_needs_nothing_else_and_says_what_was_won(tmp_path: Path) -> None:
    out = tmp_path / "page.html"

    result = run_here("report", MATCHES / "plain", "--out", out, "--luck", "off")

    assert (result.exit_code, result.output) == (0, f"{out}\n")
    text = out.read_text("utf-8")
    seen = Seen(text)
    assert not seen.elements & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    assert all(address.startswith("#") for address in seen.addresses)
    assert not re.search(r"https?:|@import|url\((?!#)", text)
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    for words in (
        "+20,271.8 ±\N{NO-BREAK SPACE}35,155.9",
        "+121,631",
        "riverboat match nolimit-3p",
        "--seed 13",
        "W$SD",
        "0.18 ms",
    ):
        assert words in seen.text, words
    assert text.count("<svg") == 3 + 3 * 4


@pytest.mark.parametrize("match", ["plain", "duplicate", "until"])
def test_folders_of_an_earlier_riverboat_are_read_with_their_results(match: str) -> None:
    content = said(MATCHES / match)

    result = json.loads((MATCHES / match / "result.json").read_text("utf-8"))
    assert content["warnings"] == []
    assert (content["hands"], content["deals"]) == (result["hands"], result["deals"])
    for found, stored in zip(content["players"], result["players"], strict=True):
        assert found["name"] == stored["name"]
        for key in ("chips", "mbb_per_hand", "ci95"):
            assert found[key] == pytest.approx(stored[key])
        assert found["decision_seconds"] == stored["decision_seconds"]
    assert [pot["pot"] for pot in content["biggest_pots"]] == sorted(
        [pot["pot"] for pot in content["biggest_pots"]], reverse=True
    )


def test_passes_are_recognised_without_their_folder(tmp_path: Path) -> None:
    logs = []
    for k in (1, 0):
        logs.append(tmp_path / f"{k}.log")
        shutil.copyfile(MATCHES / "duplicate" / f"pass-{k}" / "match.log", logs[-1])

    content = said(*logs)

    result = json.loads((MATCHES / "duplicate" / "result.json").read_text("utf-8"))
    assert (content["deals"], content["passes"], content["matches"]) == (30, 2, 1)
    ci95 = {player["name"]: player["ci95"] for player in content["players"]}
    assert ci95 == pytest.approx({player["name"]: player["ci95"] for player in result["players"]})
    (saved,) = content["saved"]
    assert saved["method"] == "duplicate"
    plain = content["players"][0]["plain_ci95"]
    assert saved["times"] == pytest.approx((plain / content["players"][0]["ci95"]) ** 2)


def test_a_folder_that_was_moved_gives_the_same_report(tmp_path: Path) -> None:
    shutil.copytree(MATCHES / "duplicate", tmp_path / "duplicate")

    moved, here = said(tmp_path / "duplicate"), said(MATCHES / "duplicate")

    del moved["made"], here["made"]
    assert moved == here


def test_everything_won_is_won_somewhere(tmp_path: Path) -> None:
    content = said(write_log(tmp_path / "a.log", ("A", "B", "C"), hands=200))

    for player in content["players"]:
        for parts in player["won"].values():
            assert sum(part["hands"] for part in parts.values()) == player["hands"] == 200
            assert sum(part["chips"] for part in parts.values()) == pytest.approx(player["chips"])
            shares = [part.get("mbb_per_hand_of_all", 0.0) for part in parts.values()]
            assert sum(shares) == pytest.approx(player["mbb_per_hand"])
        positions = player["statistics"]["by_position"].values()
        for key in ("vpip", "pfr", "three_bet", "wtsd", "w_sd"):
            whole = player["statistics"]["all"][key]
            assert sum(part[key]["of"] for part in positions) == whole["of"]
            assert sum(part[key]["count"] for part in positions) == whole["count"]
    curve = content["bankroll"]["players"][0]
    player = content["players"][0]
    assert curve["won"][-1] * 10 == pytest.approx(player["chips"])
    assert curve["half_width"][-1] / 200 * 1000 == pytest.approx(player["ci95"])


def test_logs_of_other_programs_are_reported(tmp_path: Path) -> None:
    """No header, comments in between, other line ends, names of other scripts; several matches together."""
    whole = write_log(tmp_path / "a.log", ("Ann", "Böb", "C"), hands=80)
    lines = [line for line in whole.read_text("utf-8").splitlines() if not line.startswith("#")]
    parts = [tmp_path / "one.log", tmp_path / "two.log"]
    parts[0].write_text("# made by something else\r\n" + "\r\n".join(lines[:50]) + "\r\n", "utf-8")
    parts[1].write_text("\n".join(lines[50:-1]) + "\n# no score\n", "utf-8")

    together, at_once = said(*parts, "--game", "limit-3p"), said(whole)

    assert together["matches"] == 2
    for mine, other in zip(
        sorted(together["players"], key=lambda player: player["name"]), at_once["players"], strict=True
    ):
        assert mine["statistics"] == other["statistics"]
        assert mine["chips"] == pytest.approx(other["chips"])
    assert [comment["text"] for comment in together["comments"]] == ["# made by something else", "# no score"]


def test_what_others_wrote_is_shown_and_does_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    (folder / "players").mkdir(parents=True)
    write_log(folder / "match.log", HOSTILE)
    (folder / "players" / "evil.err").write_text("\x1b[2J</pre><script>alert(2)</script>\nlast words\n")
    (folder / "players" / "link.err").symlink_to(write_log(tmp_path / "secret", ("A", "B", "C")))
    result = {
        "players": [
            {"name": HOSTILE[0], "failure": "crashed", "failure_detail": "<b>why</b>", "ci95": "wide"}
        ],
        "commands": ["<i>; rm -rf /"],
        "seed": 7,
        "game": "limit-3p",
        "hands": {"no": "number"},
    }
    (folder / "result.json").write_text(json.dumps(result))
    out = tmp_path / "page.html"

    done = run_here("report", folder, "--out", out, "--csv", tmp_path / "csv", "--luck", "off")

    assert done.exit_code == 0, done.output
    seen = Seen(out.read_text("utf-8"))
    assert not seen.elements & {"script", "img", "b>why", "i"}
    for words in (
        *HOSTILE,
        "?[2J</pre><script>alert(2)</script>\nlast words",
        "<b>why</b>",
        "'<i>; rm -rf /'",
    ):
        assert words in seen.text, words
    assert "link.err" not in seen.text
    with open(tmp_path / "csv" / "players.csv", encoding="utf-8", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == [HOSTILE[0], "'" + HOSTILE[1], HOSTILE[2]]


def test_beside_the_chips_stands_what_they_are_without_luck(tmp_path: Path) -> None:
    """Kuhn's game: its cards are few, so that nothing need be compiled."""
    log = write_log(tmp_path / "a.log", ("A", "B"), hands=400, game="kuhn-2p")

    content = said(log, luck="equity")

    expected = evidence_of([[open_log(log)]], ["A", "B"])
    for k, player in enumerate(content["players"]):
        assert player["evidence"] == expected.as_json(k)
        assert player["evidence"]["equity"]["ci95"] < player["ci95"]
        end = content["bankroll"]["players"][k]["luck_corrected"][-1]
        assert end * 1000 / 400 == pytest.approx(player["evidence"]["equity"]["mbb_per_hand"])
    saved = {row["method"]: row["times"] for row in content["saved"]}
    assert saved["equity"] == pytest.approx(expected.times_fewer_hands("equity"))


@pytest.mark.parametrize(("hands", "kind"), [(99, FEW), (100, FIXED)])
def test_of_few_hands_nothing_is_a_finding(hands: int, kind: str, tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.log", ("A", "B"), hands=hands, game="kuhn-2p")

    content = said(log, luck="equity")
    seen = Seen(render_page(content)).text

    assert f"±: {kind}" in seen
    assert ("mbb/h (95 %)" in seen) == (kind == FIXED)
    assert ("Hands saved" in seen) == (kind == FIXED)
    parts = [part for player in content["players"] for part in player["won"]["by_position"].values()]
    assert {part["ci95_of_all"] is None for part in parts} == {kind == FEW}
    assert f" mbb/h ({kind})\n" in run_here("analyse", log).output


@pytest.mark.parametrize(("game", "words"), [("limit-2p", "before the flop"), ("leduc", "in round 1")])
def test_what_can_only_lose_is_no_finding(game: str, words: str, tmp_path: Path) -> None:
    agents: list[Agent] = [AlwaysFold(), AlwaysRaise()]
    arena = Arena(load_game(game), agents, seed=5, names=("A", "B"))
    lines = [format_header("match", game, 100, "5", 1, 1, 1)]
    arena.play(100, record=lines.append)
    (tmp_path / "a.log").write_text("".join(lines) + arena.score_line(), encoding="utf-8")

    content = said(tmp_path / "a.log")

    assert {row["kind"] for row in content["costs"]["A"]} == {"by_position", "by_round"}
    assert f"hands that ended {words} −" in " ".join(Seen(render_page(content)).text.split())


def test_luck_is_left_in_where_cards_are_not_known(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.log", ("A", "B"), hands=40, game="kuhn-2p")
    log.write_text(re.sub(r":(\w\w)\|\w\w:", r":\1|:", log.read_text()))

    content = said(log, luck="equity")

    assert "equity" in content["luck_missing"]
    assert "equity" not in content["players"][0]["evidence"]
    assert content["players"][0]["evidence"]["chips"]["ci95"] == pytest.approx(content["players"][0]["ci95"])


@pytest.mark.parametrize(("content", "line"), cases(__file__, "no logs"))
@pytest.mark.parametrize("command", ["report", "analyse"])
def test_what_is_not_a_log_is_refused_in_one_line_and_leaves_no_file(
    content: str, line: str, command: str, tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    log.write_text(content)

    result = run_here(command, log)

    assert result.exit_code == 1
    assert line in result.output
    assert result.output.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.log"]


def test_a_torn_log_is_reported_as_far_as_it_goes(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.log", ("A", "B", "C"), hands=30)
    log.write_text(log.read_text()[: log.read_text().index("STATE:20:") + 15])

    result = run_here("report", log, "--json", "--luck", "off")

    assert json.loads(result.stdout)["hands"] == 20
    assert "torn off" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_result_that_is_torn_is_passed_over(tmp_path: Path) -> None:
    shutil.copytree(MATCHES / "plain", tmp_path / "m")
    (tmp_path / "m" / "result.json").write_text('{"players": [')

    result = run_here("report", tmp_path / "m", "--json", "--luck", "off")

    assert json.loads(result.stdout)["hands"] == 60
    assert "result.json: it is passed over" in result.stderr


def test_a_match_that_was_cut_short_says_how_it_goes_on(tmp_path: Path) -> None:
    shutil.copytree(MATCHES / "until", tmp_path / "m")
    path = tmp_path / "m" / "result.json"
    cut = {"deals_planned": 600, "resume": "riverboat match --resume 'm<1>'"}
    path.write_text(json.dumps({**json.loads(path.read_text()), "cut_short": cut}))

    result = run_here("report", tmp_path / "m", "--luck", "off")

    assert result.exit_code == 0, result.output
    seen = Seen((tmp_path / "m" / "report.html").read_text("utf-8"))
    assert "600 deals are planned. It goes on with riverboat match --resume 'm<1>'." in seen.text


def test_a_result_that_contradicts_its_logs_is_told(tmp_path: Path) -> None:
    shutil.copytree(MATCHES / "plain", tmp_path / "m")
    path = tmp_path / "m" / "result.json"
    path.write_text(path.read_text().replace('"chips": -15137.0', '"chips": 15137.0'))

    (warning,) = said(tmp_path / "m")["warnings"]

    assert warning == "result.json says that random won 15137 chips, the logs -15137"


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.log", ("A", "B"), game="kuhn-2p")
    page_file = tmp_path / "a.html"
    page_file.write_text("mine")

    refused = run_here("report", log)
    forced = run_here("report", log, "--force")

    assert (refused.exit_code, forced.exit_code) == (2, 0)
    assert f"{page_file} is there already" in refused.output
    assert page_file.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_what_is_not_installed_is_told_before_the_log_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pages, "find_spec", lambda name: None)

    result = run_here("report", tmp_path / "no-such.log")

    assert result.exit_code == 1
    assert result.output == "Error: the page needs jinja2: pip install 'riverboat[report]'\n"
    assert said(MATCHES / "plain")["hands"] == 60  # JSON needs neither


def test_tables_are_files_for_spreadsheets(tmp_path: Path) -> None:
    result = run_here("report", MATCHES / "plain", "--csv", tmp_path / "csv", "--luck", "off")

    assert result.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "csv").iterdir()) == sorted(FILES)
    with open(tmp_path / "csv" / "won.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    won = [float(row["chips"]) for row in rows if row["name"] == "simple" and row["by"] == "ending"]
    assert sum(won) == 121631


def test_the_command_that_plays_a_match_again_is_the_one_that_was_given() -> None:
    (plain,) = how_to_repeat(open_source([MATCHES / "plain"]))["commands"]
    (duplicate,) = how_to_repeat(open_source([MATCHES / "duplicate"]))["commands"]
    (log,) = how_to_repeat(open_source([GOLDEN / "random.leduc.0.log.gz"]))["commands"]

    # The matches were played when --start-time was 120 s by itself.
    assert (
        plain == "riverboat match nolimit-3p random simple always-call --seed 13 --hands 60 --start-time 120"
    )
    assert (
        duplicate
        == "riverboat match limit-2p simple random --seed 13 --hands 30 --duplicate --start-time 120"
    )
    assert log == "riverboat dealer leduc.0 leduc.game 1000 0 p0 p1"


def test_a_big_pot_is_told_in_sentences() -> None:
    hand = said(MATCHES / "plain")["biggest_pots"][0]

    assert (hand["pot"], hand["line"]) == (60000, 6)
    assert [player["cards"] for player in hand["players"]] == ["JdAs", "8cJs", "6h7d"]
    assert hand["rounds"][0]["actions"] == [
        "Posted: simple 50, always-call 100.",
        "random raises to 16062 (16062 more).",
        "simple raises to 20000 (19950 more) and is all in.",
        "always-call calls 19900 and is all in.",
        "random calls 3938 and is all in.",
    ]
    assert hand["rounds"][3] == {"name": "River", "board": "2s", "pot": 60000, "actions": []}
    assert hand["showdown"][1] == "always-call shows 8cJs: straight, jack high"


# --- analyse ------------------------------------------------------------------------------------------------


def test_the_table_of_play_fits_80_columns_and_has_the_counts(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.log", ("A" * 100, "B", "C"), hands=300)

    result = run_here("analyse", log)
    found = json.loads(run_here("analyse", log, "--json").stdout)

    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
    vpip = found["players"][1]["statistics"]["all"]["vpip"]
    assert f"{vpip['count']}/{vpip['of']}" in result.output
    assert f"{100 * vpip['value']:.1f}%" in result.output
    for position in ("SB", "BB", "BTN"):
        assert re.search(rf"^{position} ", result.output, re.MULTILINE)
    assert found["players"][0]["statistics"]["all"]["pfr"]["count"] == 0  # always-call
    assert found["hands"] == 300


@pytest.mark.parametrize(("text", "shown"), cases(__file__, "long numbers"))
def test_numbers_of_long_logs_keep_to_their_columns(text: str, shown: str) -> None:
    assert fitted(text) == shown


def test_logs_of_two_games_are_not_mixed(tmp_path: Path) -> None:
    one = write_log(tmp_path / "a.log", ("A", "B", "C"))
    two = write_log(tmp_path / "b.log", ("A", "B"), game="limit-2p")

    result = run_here("analyse", one, two)

    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert "another game (limit-2p)" in result.output


# --- match --report -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_match_ends_with_its_page(tmp_path: Path) -> None:
    done = run_match(
        tmp_path, "kuhn-2p", "random", "always-call", "--hands", "20", "--seed", "1", "--out", "m", "--report"
    )

    page_file = tmp_path / "m" / "report.html"
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("report: m/report.html\n")
    assert page_file.stat().st_mode & 0o777 == 0o600
    assert (
        "riverboat match kuhn-2p random always-call --seed 1 --hands 20"
        in Seen(page_file.read_text("utf-8")).text
    )


def test_a_page_that_would_overwrite_something_is_refused_before_the_match(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("mine")

    done = run_match(tmp_path, "kuhn-2p", "random", "random", "--hands", "5", "--report=page.html")

    assert done.returncode == 2
    assert "page.html is there already" in done.stderr
    assert not list(tmp_path.glob("matches/*/match.log"))


def test_the_page_of_a_match_that_is_played_has_its_numbers_and_loads_itself_again() -> None:
    tally = Tally(load_game("limit-2p"), ("A<b>", "B"), [(0, 1)], 1000)
    for _ in range(300):
        tally.hand_finished(0, (20, -20))

    text = live_page(tally, "A<b> v B", 1000, "50 hands/s")

    assert f'<meta http-equiv="refresh" content="{LIVE_S}">' in text
    assert "300 of 1,000 hands · 50 hands/s" in text
    assert "A&lt;b&gt; is better" in text
    assert "mbb/h (95 %, whenever you look)" in text
    assert "+2,000.0 ±\N{NO-BREAK SPACE}" in text
    assert "<b>A<b>" not in text


@pytest.mark.slow
def test_a_live_page_is_there_while_the_match_is_played_and_becomes_its_report(tmp_path: Path) -> None:
    words = ("kuhn-2p", "random", "random", "--hands", "4000", "--seed", "3", "--out", "m", "--live")
    process = start_match(tmp_path, *words)
    try:
        wait_for_hand(tmp_path / "m" / "match.log", 1)
        seen = (tmp_path / "m" / PAGE_FILE).read_text("utf-8")
    finally:
        process.communicate(timeout=PATIENCE_S)

    assert "of 4,000 hands" in seen
    report = (tmp_path / "m" / PAGE_FILE).read_text("utf-8")
    assert "refresh" not in report
    assert "Play it again" in report


def test_people_count_hands_from_1_and_write_dates_in_words() -> None:
    words = "{{ 0 | counted }}; {{ stamp | date }}; {{ stamp[:10] | date }}"
    shown = page_environment(Path()).from_string(words).render(stamp="2026-11-27T07:09:50+00:00")

    assert shown == "1 (log: 0); 27 November 2026, 07:09 UTC; 27 November 2026"
