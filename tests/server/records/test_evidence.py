"""What logs prove, and hands told again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import attrs
import click
import numpy as np
import pytest
import trio
from click.testing import CliRunner

from clients.bots.baselines import Random
from clients.bots.formula.agent import Formula
from clients.bots.simple import SimpleBot
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.session import play
from clients.human.rendering import Scene, render_action
from clients.human.style import PLAIN
from engine.evidence.aivat.estimates import Aivat
from engine.evidence.columns.play import payments
from engine.evidence.confidence_sequence import sequence_of
from engine.evidence.verdict import FIXED, LEAST_DEALS, WHENEVER, Goal
from engine.poker.rules import HandState, load_game
from engine.poker.rules.hand_words import tell_posts, tell_winnings
from engine.support.intervals import Estimate
from engine.support.seeds import derive_seed
from protocol.policy import FILE_HEADER
from server.commands.look_back.replay import replay, step_through
from server.commands.play.match import match
from server.records.batches import batches
from server.records.comments import COMMENTS_FILE, comments_beside
from server.records.evidence import (
    POLICY_FILE,
    Collector,
    Luck,
    MatchEvidence,
    PolicyFile,
    collect,
    evidence_of,
)
from server.records.formats.acpc import read_acpc
from server.records.formats.hands import PlayedHand
from server.records.logs import LogError, open_log
from server.records.progress import Tally
from server.records.telling import replay_page, tell_hand
from server.table.config import MatchConfig
from server.table.records import comment_line
from tests.server.records.test_formats import golden_hands, phh
from tests.support.asserting import known, refuses
from tests.support.commands import run_here
from tests.support.hands.golden_files import GOLDEN
from tests.support.interpreter import imported_by
from tests.support.matches import result_of, run_match
from tests.support.tables import match_config, table_of

# --- What logs prove ----------------------------------------------------------------------------------------

HANDS = 12


def of_log(name: str, luck: Luck = Luck.EQUITY) -> tuple[MatchEvidence, tuple[float, ...], int]:
    log = open_log(GOLDEN / f"{name}.log.gz")
    assert log.score is not None
    return evidence_of([[log]], log.players, luck), log.score[0], log.num_hands


@pytest.mark.parametrize(
    "name",
    [
        "random.holdem.limit.2p.reverse_blinds.0", "random.holdem.nolimit.3p.0", "random.leduc.0",
        "random.kuhn.limit.3p.0", "random.short6.0",
    ],
)  # fmt: skip
def test_a_log_of_the_c_dealer_is_evidence(name: str) -> None:
    evidence, score, hands = of_log(name)
    big_blind = open_log(GOLDEN / f"{name}.log.gz").game.big_blind

    assert evidence.missing == {}
    for player, won in enumerate(score):
        for estimator in ("chips", "all_in", "equity"):
            estimate = evidence.of(estimator, player)
            assert estimate is not None
            assert estimate.ci95 is not None
            if estimator == "chips":
                assert estimate.mean * big_blind / 1000 * hands == pytest.approx(won, abs=1e-3)
        assert evidence.as_json(player)["equity"].keys() == {"mbb_per_hand", "ci95", "kind"}
    times = evidence.times_fewer_hands("equity")
    assert times is not None
    assert times > 1.0


def test_if_all_is_luck_no_number_of_hands_saved_is_told() -> None:
    """Two players who always call: the cards decide everything, but for rounding."""
    left = [Estimate(100.0, 50.0, 400), Estimate(0.0, 1e-9, 400), Estimate(90.0, 25.0, 400)]
    found = MatchEvidence(("a",), {"chips": (left[0],), "equity": (left[1],), "all_in": (left[2],)}, {})

    assert found.times_fewer_hands("equity") is found.times_fewer_hands("equity", 0) is None
    assert found.times_fewer_hands("all_in") == found.times_fewer_hands("all_in", 0) == 4.0


@pytest.mark.parametrize(
    ("half", "best", "why_not"),
    [
        (20.0, "equity", ""),
        (50.0, "equity", ""),
        (50.1, "chips", "the intervals would be no narrower"),
        (None, "chips", "the intervals would be no narrower"),
    ],
)
def test_what_makes_intervals_wider_is_never_the_better_figure(
    half: float | None, best: str, why_not: str
) -> None:
    rates = {"chips": Estimate(100.0, 50.0, 400), "equity": Estimate(90.0, half, 400)}
    found = MatchEvidence(("a",), {name: (rate,) for name, rate in rates.items()}, {})

    assert (found.best, found.why_not) == (best, why_not)


def test_luck_is_taken_out_where_it_was_asked_for() -> None:
    off, _, _ = of_log("random.leduc.0", Luck.OFF)
    aivat, _, _ = of_log("random.leduc.0", Luck.AIVAT)

    assert list(off.as_json(0)) == ["chips"]
    assert list(aivat.as_json(0)) == ["chips", "all_in", "equity", "aivat"]
    assert aivat.as_json(0)["aivat"] is None
    assert aivat.missing["aivat"] == "no player has told how it plays"


@pytest.mark.parametrize("name", ["random.leduc.0", "random.kuhn2p.0", "random.kuhn.limit.3p.0"])
@pytest.mark.parametrize(("goal", "learners"), [(None, [0]), (Goal(within=1.0), []), (Goal(), [1])])
def test_a_row_that_may_be_looked_at_has_one_kind_of_interval(
    name: str, goal: Goal | None, learners: list[int]
) -> None:
    """Chips, what luck leaves of them, and what a match prints: they hold whenever one looks."""
    log = open_log(GOLDEN / f"{name}.log.gz")
    tally = Tally(log.game, log.players, [range(log.game.num_players)], log.num_hands, goal, learners)
    for hand in log.hands():
        won = dict(zip(hand.names, hand.chips, strict=True))
        tally.hand_finished(0, [won[player] for player in log.players])

    found = evidence_of([[log]], log.players, sequence=sequence_of(goal, learners))

    for player in range(len(log.players)):
        chips, all_in, equity = (known(found.of(each, player)) for each in ("chips", "all_in", "equity"))
        assert chips.ci95 == pytest.approx(tally.half_width(player, chips.mean))
        assert all_in == chips  # nobody is all in
        assert known(equity.ci95) > known(known(evidence_of([[log]], log.players).of("equity", player)).ci95)
        assert {each["kind"] for each in found.as_json(player).values()} == {WHENEVER}
    assert tally.verdict().kind == WHENEVER


def test_hidden_hole_cards_are_named(tmp_path: Path) -> None:
    lines = [
        "# name/game/hands/seed match nolimit-2p-100bb 2 0",
        "STATE:0:f:AsAh|:1|-1:a|b",
        "STATE:1:f:|:-1|1:b|a",
    ]
    (tmp_path / "a.log").write_text("\n".join([*lines, ""]))
    log = open_log(tmp_path / "a.log")

    evidence = evidence_of([[log]], log.players)

    assert re.search("hand 0 does not show those of position 1", evidence.missing["equity"])
    assert evidence.as_json(0)["equity"] is None
    assert evidence.as_json(0)["all_in"] is not None


def test_matches_of_other_players_or_games_are_not_mixed() -> None:
    leduc, kuhn = open_log(GOLDEN / "random.leduc.0.log.gz"), open_log(GOLDEN / "random.kuhn2p.0.log.gz")

    refuses(LogError, "expected the game of", evidence_of, [[leduc], [kuhn]], leduc.players)
    refuses(LogError, "expected the players", evidence_of, [[leduc]], ["somebody", "else"])


def test_several_matches_are_taken_together() -> None:
    log = open_log(GOLDEN / "random.leduc.0.log.gz")
    once, twice = evidence_of([[log]], log.players), evidence_of([[log], [log]], log.players[::-1])

    one, both = once.of("chips", 0), twice.of("chips", 1)
    assert one is not None
    assert both is not None
    assert both.mean == pytest.approx(one.mean)
    assert both.samples == 2 * one.samples


def test_a_match_reports_both_unless_one_says_otherwise(tmp_path: Path) -> None:
    default = {option.name: str(option.default) for option in match.params}["luck"]
    words = ("leduc", "random", "always-call", "--hands", "300", "--seed", "5", "--luck", default)
    result = result_of(tmp_path, *words, "--in-process", "--out", "m")

    for player in result["players"]:
        chips, equity = player["evidence"]["chips"], player["evidence"]["equity"]
        assert chips["mbb_per_hand"] == pytest.approx(player["mbb_per_hand"])
        assert chips["ci95"] == pytest.approx(player["ci95"])
        assert equity["ci95"] < 0.9 * chips["ci95"]
        # both are estimates of the same rate
        assert abs(equity["mbb_per_hand"] - chips["mbb_per_hand"]) < equity["ci95"] + chips["ci95"]
    assert (result["luck"]["method"], result["luck"]["missing"]) == ("equity", {})
    assert result["luck"]["times_fewer_hands"]["equity"] > 1.2


def test_a_match_that_may_end_early_has_one_kind_of_interval(tmp_path: Path) -> None:
    words = ("leduc", "always-call", "random", "--hands", "900", "--until", "500", "--luck", "equity")
    done = run_match(tmp_path, *words, "--out", "m", "--seed", "5", "--in-process")
    paired = run_match(tmp_path, *words, "--out", "n", "--seed", "5", "--in-process", "--duplicate")
    result = json.loads((tmp_path / "m" / "result.json").read_text())

    for player in result["players"]:
        evidence = player["evidence"]
        assert evidence["chips"]["ci95"] == pytest.approx(player["ci95"])
        assert {each["kind"] for each in evidence.values()} == {WHENEVER}
    reported = json.loads(run_here("report", tmp_path / "m", "--json").stdout)["players"]
    assert reported[0]["evidence"] == result["players"][0]["evidence"]
    assert f"\n±: {WHENEVER}\n" in done.stdout
    assert f"plain ({FIXED})" in paired.stdout
    assert "adjusted (95 %)" in done.stdout
    assert "--until ± 500 mbb/h was reached by the chips" in done.stdout.splitlines()


@pytest.mark.slow
def test_people_see_it_beside_the_chips_and_can_do_without(tmp_path: Path) -> None:
    words = ("limit-2p", "always-call", "a-rather-long-name=always-raise", "--hands", "100", "--seed", "1")
    done = run_match(tmp_path, *words, "--out", "m", "--luck", "equity")
    off = run_match(tmp_path, *words, "--out", "n", "--luck", "off")

    assert done.returncode == off.returncode == 0, done.stderr
    assert "adjusted (95 %)" in done.stdout
    assert re.search(r"worth \d+\.\d times the hands", done.stdout)
    assert re.search(r"× \d+\.\d", done.stdout)
    assert max(map(len, done.stdout.splitlines()[:8])) <= 80
    assert "adjusted" not in off.stdout
    logs = [(tmp_path / name / "match.log").read_bytes() for name in ("m", "n")]
    assert logs[0] == logs[1]


def test_nothing_is_loaded_before_a_report_is_made() -> None:
    assert not imported_by("import server.commands.play.match, server.records.evidence") & {"numpy", "numba"}


# --- what players told -------------------------------------------------------------------------------------


def config_in(folder: Path, game: str) -> MatchConfig:
    config = match_config(game, HANDS, seed=11)
    return attrs.evolve(config, log_path=folder / "match.log", policy_path=folder / POLICY_FILE)


async def sit_down(agent: Agent, port: int) -> None:
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await play(agent, stream)


async def play_over_sockets(config: MatchConfig, agents: list[Agent]) -> None:
    async with table_of(config) as table, trio.open_nursery() as players:
        for seat, agent in enumerate(agents):
            agent.seed = derive_seed(11, seat)
            players.start_soon(sit_down, agent, table.server.ports[seat])


@pytest.mark.parametrize(
    ("game", "make"), [("limit-2p", (Formula, SimpleBot)), ("nolimit-2p-100bb", (Formula, Random))]
)
@pytest.mark.slow
async def test_a_folder_holds_what_the_arena_discloses_and_gives_the_same_aivat(
    game: str, make: tuple[Callable[[], Agent], ...], tmp_path: Path
) -> None:
    config = config_in(tmp_path, game)

    await play_over_sockets(config, [new() for new in make])

    lines: list[str] = []
    ends: list[HandState] = []
    arena = Arena(config.game, [new() for new in make], 11)
    arena.play(HANDS, on_hand=lambda state, chips: ends.append(state), disclose=lines.append)
    path = tmp_path / POLICY_FILE
    header, *kept = path.read_text().splitlines(keepends=True)
    assert header == FILE_HEADER
    assert sorted(kept) == sorted(lines)
    assert len(lines) > HANDS

    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / POLICY_FILE).write_text("".join(lines))
    policies = PolicyFile(tmp_path / "arena" / POLICY_FILE)
    numbers = np.arange(HANDS)
    hands = [(end, policies.told(number)) for number, end in enumerate(ends)]
    aivat = Aivat(config.game, hands, np.stack([numbers % 2, (numbers + 1) % 2], axis=-1), numbers)
    values = aivat.values()
    assert values is not None
    assert not aivat.faults
    assert config.log_path is not None
    evidence = evidence_of([[open_log(config.log_path, config.game)]], config.names, Luck.AIVAT)
    found = evidence.of("aivat", 0)
    assert found is not None
    first = sum(float(values[number][number % 2]) for number in range(HANDS)) / HANDS
    assert found.mean == pytest.approx(1000 * first / config.game.big_blind)
    assert (evidence.best, evidence.doubts) == ("aivat", {})


def test_torn_and_foreign_lines_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / POLICY_FILE
    path.write_text(FILE_HEADER + "0 4 - 1 nonsense\n0 4 r 1\n\n# a remark\n1 5 cr 169 xyz\n0 6 - 1 to")

    told = PolicyFile(path)

    assert told.told(6) == {}  # torn off when its writer died
    assert set(told.told(4)) == {"", "r"}
    for betting in ("", "r"):
        with pytest.raises(ValueError, match=f"{path}:"):
            told.told(4)[betting]()
    assert set(told.told(5)) == {"cr"}


def test_signs_that_some_programs_take_for_line_ends_end_no_line(tmp_path: Path) -> None:
    path = tmp_path / POLICY_FILE
    path.write_text(FILE_HEADER + "0 4 - 1 non\x0c0 5 - 1 sen\u20280 6 - 1 se\n", "utf-8")

    told = PolicyFile(path)

    assert [set(told.told(number)) for number in (4, 5, 6)] == [{""}, set(), set()]


def test_a_folder_without_policies_is_reported_as_such(tmp_path: Path) -> None:
    config = config_in(tmp_path, "limit-2p")
    log: list[str] = []
    Arena(config.game, [Random(), Random()], 3, names=("p0", "p1")).play(20, record=log.append)
    assert config.log_path is not None
    config.log_path.write_text("# name/game/hands/seed m limit-2p 20 3\n" + "".join(log))

    evidence = evidence_of([[open_log(config.log_path, config.game)]], config.names, Luck.AIVAT)

    assert evidence.estimates["aivat"] == (None, None)
    assert (evidence.missing["aivat"], evidence.best) == ("no player has told how it plays", "equity")


def test_other_games_are_reported_as_such(tmp_path: Path) -> None:
    game = attrs.evolve(load_game("leduc"), num_ranks=13, num_suits=4)
    log: list[str] = []
    Arena(game, [Random(), Random()], 3, names=("p0", "p1")).play(20, record=log.append)
    path = tmp_path / "match.log"
    path.write_text("# name/game/hands/seed m leduc 20 3\n" + "".join(log))

    evidence = evidence_of([[open_log(path, game)]], ("p0", "p1"), Luck.AIVAT)

    assert evidence.missing["aivat"].startswith("it is for hold'em, and for limit games as small as Kuhn's")


@pytest.mark.slow  # 20 ms a hand
@pytest.mark.parametrize("make", [(Formula, SimpleBot), (Random, SimpleBot)])
def test_in_play_aivat_says_what_the_chips_say_but_for_noise(
    make: tuple[Callable[[], Agent], ...], tmp_path: Path
) -> None:
    config = config_in(tmp_path, "limit-2p")
    assert config.log_path is not None
    log, lines = ["# name/game/hands/seed m limit-2p 500 9\n"], [FILE_HEADER]
    arena = Arena(config.game, [new() for new in make], 9)
    arena.play(500, record=log.append, disclose=lines.append)
    config.log_path.write_text("".join(log))
    (tmp_path / POLICY_FILE).write_text("".join(lines))

    evidence = collect([[open_log(config.log_path, config.game)]], config.names, Luck.AIVAT).evidence

    chips, aivat = evidence.values("chips"), evidence.values("aivat")
    assert chips is not None
    assert aivat is not None
    seat = evidence.players[:, 0]
    noise = np.where(seat == 0, 1.0, -1.0) * (chips - aivat)[:, 0]
    assert abs(noise.mean()) < 4 * noise.std() / np.sqrt(len(noise))
    assert aivat.var() < chips.var() / 8


# --- Hands told again ---------------------------------------------------------------------------------------

THREE = GOLDEN / "random.holdem.nolimit.3p.0.log.gz"


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(replay, list(map(str, words)))
    return result.exit_code, result.output


def test_a_hand_from_its_deal_to_its_end() -> None:
    status, output = run(GOLDEN / "random.leduc.0.log.gz", "--hand", "0")

    assert (status, output) == (
        0,
        f"""\
-- Hand 0 ({GOLDEN / "random.leduc.0.log.gz"}:5): limit poker, 2 players
  1st   p0  Ah
  2nd   p1  Ks
Posted: p0 1, p1 1.
p0 bets 2.
p1 calls 2.
-- Round 2: Kh (pot 6)
p0 checks.
p1 bets 4.
p0 raises to 11 (8 more).
p1 calls 4.
-- Showdown
  p0  Ah  high card, ace and king
  p1  Ks  pair of kings
p1 wins 11; p0 loses 11.

""",
    )


@pytest.mark.parametrize("name", ["random.holdem.nolimit.6p.0", "random.holdem.limit.3p.0", "random.leduc.0"])
def test_actions_are_told_as_to_those_who_play(name: str) -> None:
    """Whoever looks on from a seat reads the same sentences, but for what they do themselves."""
    for hand in golden_hands(name, 10):
        _, *moments, _ = tell_hand(hand)
        befores = [before for before, _, _ in hand.state.betting.steps()]
        for after, (sentence, *cards) in zip([*befores[1:], hand.state.betting], moments, strict=True):
            view = HandState(after, hand.number, hand.state.deal).view(0)
            said, *dealt = render_action(Scene(view, 0, hand.names, (0.0,) * len(hand.names), 0), PLAIN)
            assert dealt == cards
            assert said == sentence or said.startswith("You ")


def test_antes_and_cards_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.phh"
    path.write_text(phh())

    status, output = run(path)

    assert status == 0
    assert "Posted: p1 50, p2 60 and an ante of 100." in output
    assert re.search(r"BTN   p3  \?  +2000 chips", output)
    assert "p3  ?" not in output.partition("-- Showdown")[2]
    assert output.endswith("p1 wins 460; p2 loses 160; p3 loses 300.\n\n")


def test_a_log_that_has_not_such_a_hand() -> None:
    status, output = run(THREE, "--hand", "1000")

    assert (status, output) == (1, f"Error: {THREE}: there is no hand 1000: it has hands 0 to 999\n")


def test_posts_and_results_of_nobody() -> None:
    game = golden_hands("random.leduc.0", 1)[0].game
    assert tell_posts(game, ("a", "b")) == "Posted: a 1, b 1."
    assert tell_winnings((0.0, 0.0), ("a", "b")) == "The pot is split: nobody wins anything."
    assert tell_winnings((0.5, -0.5), ("You", "b"), reader=0) == "You win 0.5; b loses 0.5."


def test_a_page_tells_the_same(tmp_path: Path) -> None:
    page = tmp_path / "a.html"

    status, output = run(THREE, "--hand", "3", "--html", page)

    assert (status, output) == (0, f"written to {page}\n")
    text = page.read_text("utf-8")
    (hand,) = [each for each in golden_hands("random.holdem.nolimit.3p.0", 4) if each.number == 3]
    for sentence, *_ in list(tell_hand(hand))[1:-1]:
        assert f"<li>{sentence}</li>" in text
    assert re.search(r'<span class="[cdhs]">[2-9TJQKA][♣♦♥♠]</span>', text)
    assert not re.search(r"(?:src|href)=|<script|url\(", text)
    assert run(THREE, "--html", page) == (1, f"Error: {page} would be overwritten; --force does it\n")
    assert run(THREE, "--hand", "3", "--html", page, "--force")[0] == 0


def test_names_cannot_forge_a_page_or_a_line(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("STATE:0:crf:Ah|Ks:-1|1:<b>x|\x1b[2Jy\n")
    (hand,) = [each for each in read_acpc(log, "leduc") if isinstance(each, PlayedHand)]

    text = replay_page([(hand, {})], "<i>")

    assert "<b>" not in text
    assert "<i>" not in text
    assert "&lt;b&gt;x" in text
    status, output = run(log, "--game", "leduc")
    assert (status, "\x1b" in output) == (0, False)


@pytest.mark.parametrize(("keys", "told"), [("\r\r q", 4), ("hq", 2), ("xq", 1), ("", 1)])
def test_in_a_terminal_each_action_waits_for_a_key(
    keys: str, told: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(keys)

    def getchar() -> str:
        key = next(typed, None)
        if key is None:
            raise EOFError
        return key

    monkeypatch.setattr(click, "getchar", getchar)

    step_through([(hand, {}) for hand in golden_hands("random.holdem.nolimit.3p.0", 3)])

    text = capsys.readouterr().out
    sentences = re.findall(r"^p\d (?:calls|raises|bets|checks|folds)", text, re.MULTILINE)
    assert text.count("-- Hand ") + len(sentences) == told


@pytest.mark.slow
def test_what_is_printed_first_covers_the_truth_from_the_least_deals_on(tmp_path: Path) -> None:
    """Pieces of `LEAST_DEALS` hands of one long match, each judged by itself with luck taken out."""
    words = ("limit-2p", "simple", "always-call", "--hands", "40000", "--seed", "7", "--in-process")
    run_match(tmp_path, *words, "--luck", "off", "--out", "m")
    log = open_log(tmp_path / "m" / "match.log")
    found: list[Estimate] = []
    for batch in batches(log, compiled=True):
        for start in range(0, len(batch) - LEAST_DEALS + 1, LEAST_DEALS):
            piece = batch.take(range(start, start + LEAST_DEALS))
            collector = Collector(log.game, Luck.EQUITY)
            collector.add(piece, np.array([row.players for row in piece.rows]), np.arange(LEAST_DEALS), 1)
            found.append(known(collector.result(log.players).adjusted).leads[0])
    truth = sum(each.mean for each in found) / len(found)

    covered = sum(abs(each.mean - truth) <= known(each.ci95) for each in found) / len(found)

    assert len(found) > 390
    assert covered == pytest.approx(0.95, abs=0.01 + 1.96 * (0.95 * 0.05 / len(found)) ** 0.5)


@pytest.mark.slow
def test_what_bots_decided_by_is_kept_and_told_with_their_actions(tmp_path: Path) -> None:
    words = ("kuhn-2p", "A=equilibrium", "B=random", "--hands", "20", "--seed", "3", "--out")
    run_match(tmp_path, *words, "m", "--explain")
    run_match(tmp_path, *words, "also", "--explain", "--in-process")
    run_match(tmp_path, *words, "n", "--in-process")

    rows = list(map(json.loads, (tmp_path / "m" / COMMENTS_FILE).read_text().splitlines()))
    log = open_log(tmp_path / "m" / "match.log")
    decisions = [
        (hand.number, before.text)
        for hand in log.hands()
        for before, position, _ in hand.state.betting.steps()
        if hand.names[position] == "A"
    ]
    assert [(row["hand"], row["betting"]) for row in rows] == decisions
    assert {row["player"] for row in rows} == {"A"}
    assert all(re.match(r"strategy (fold|call|raise) \d\.\d{4}", row["text"]) for row in rows)
    told = CliRunner().invoke(replay, [str(tmp_path / "m")]).output
    assert told.count("said: strategy") == len(rows)
    assert not (tmp_path / "n" / COMMENTS_FILE).exists()
    assert (tmp_path / "m" / "match.log").read_text() == (tmp_path / "n" / "match.log").read_text()
    for name in ("match.log", COMMENTS_FILE):
        assert (tmp_path / "m" / name).read_text() == (tmp_path / "also" / name).read_text()


def test_comments_that_are_torn_or_foreign_are_left_out_and_cannot_move_the_cursor(tmp_path: Path) -> None:
    good = comment_line(3, "A", "r", "call \x1b[2J it")
    (tmp_path / COMMENTS_FILE).write_text(good + "[]\n{}\nnonsense\n" + good[:20])

    (said,) = comments_beside(tmp_path / "match.log").values()

    assert list(said) == [("A", "r")]
    assert "\x1b" not in said["A", "r"][0]
    assert comments_beside(tmp_path / "elsewhere" / "match.log") == {}


def test_losses_are_paid_to_the_winners_of_a_hand_by_what_they_won() -> None:
    players, chips = np.array([[0, 1, 2], [2, 0, 1]]), np.array([[-30.0, 20.0, 10.0], [-5.0, 5.0, 0.0]])

    paid = payments(players, chips, 3)

    assert paid.tolist() == [[0, 20, 10], [0, 0, 0], [5, 0, 0]]
