"""Logs of the C dealer, of ours, and of nobody: read back, or refused in one line."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from engine.poker.rules import format_game, load_game
from protocol.records import format_hand
from server.records.batches import deals_in_batches, group_passes
from server.records.logs import LogError, LoggedHand, MatchLog, find_logs, open_log
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.golden_files import GOLDEN, LOGS, golden_game, golden_log

WRITTEN_BEFORE = GOLDEN / "written_before" / "matches"
HANDS = Path(__file__).parents[4] / "shared" / "hands"
LEDUC = golden_log("random.leduc.0").text
SHORT = LEDUC[: LEDUC.index("STATE:8:")] + LEDUC[LEDUC.index("SCORE:") :]
HEADER = "".join(LEDUC.splitlines(keepends=True)[:4])


def written(folder: Path, text: str | bytes, name: str = "a.log") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
    return path


def leduc(folder: Path, text: str | bytes) -> MatchLog:
    return open_log(written(folder, text), "leduc")


@pytest.mark.parametrize("name", LOGS)
def test_golden_log_is_read_to_the_last_character(name: str) -> None:
    golden = golden_log(name)

    log = open_log(GOLDEN / f"{name}.log.gz")

    assert log.game == golden.game
    assert log.header is not None
    assert (log.header.hands, log.header.seed) == (golden.hands, str(golden.seed))
    assert log.players == golden.names
    assert log.score is not None
    assert (log.num_hands, log.warnings) == (golden.hands, ())
    hands = list(log.hands())
    lines = golden.text.splitlines(keepends=True)
    assert [format_hand(hand.state, hand.chips, hand.names) for hand in hands] == lines[4:-1]
    assert all(lines[hand.line - 1].startswith(f"STATE:{hand.number}:") for hand in hands)
    totals = [0.0] * len(log.players)
    for hand in hands:
        assert tuple(log.players[player] for player in hand.players) == hand.names
        for player, chips in zip(hand.players, hand.chips, strict=True):
            totals[player] += chips
    assert totals == pytest.approx(log.score[0], abs=1e-4)


@pytest.mark.skipif(not HANDS.exists(), reason="the hands are not part of the repository")
def test_a_session_of_six_players_really_played() -> None:
    game = str(HANDS / "pluribus.6p.game")

    log = open_log(HANDS / "pluribus-hands.txt.gz", game)

    chips = dict.fromkeys(log.players, 0.0)
    hands = 0
    for hand in log.hands():
        hands += 1
        assert hand.state.chips_won() == hand.chips
        for player, won in zip(hand.players, hand.chips, strict=True):
            chips[log.players[player]] += won
    assert hands == log.num_hands == 10_000
    assert len(chips) == 14  # thirteen professionals, and Pluribus at all tables
    assert sum(chips.values()) == 0
    with pytest.raises(LogError, match="does not say what is played; name the game with --game"):
        open_log(HANDS / "pluribus-hands.txt.gz")


def test_line_ends_comments_blank_lines_and_headers_of_any_origin(tmp_path: Path) -> None:
    _, *lines = LEDUC.splitlines()[3:]
    text = "# ours\r\n\r\n" + "\r\n".join([*lines[:20], "#x", *lines[20:]])

    log = leduc(tmp_path, text)

    assert (log.header, log.game, log.players) == (None, load_game("leduc"), ("p0", "p1"))
    assert log.comments == ((1, "# ours"), (23, "#x"))
    plain = open_log(GOLDEN / "random.leduc.0.log.gz")
    assert [hand.state.betting.text for hand in log.hands()] == [
        hand.state.betting.text for hand in plain.hands()
    ]
    assert log.score == plain.score


def test_game_of_the_header_is_found_beside_the_log_or_among_the_packaged(tmp_path: Path) -> None:
    packaged = LEDUC.replace("leduc.game", "/home/somebody/games/leduc.game", 1)
    log = open_log(written(tmp_path, packaged))
    assert (log.game, log.game_text) == (load_game("leduc"), "/home/somebody/games/leduc.game")

    short = golden_log("random.short6.0").text
    path = written(tmp_path, short)
    refuses(LogError, r"a\.log:1: the game 'short6\.game' is not here; .* --game", open_log, path)
    (tmp_path / "short6.game").write_bytes((GOLDEN / "short6.game").read_bytes())
    assert open_log(path).game == load_game(str(GOLDEN / "short6.game"))

    (tmp_path / "match.game").write_bytes((GOLDEN / "thirds.game").read_bytes())
    assert open_log(path).game == load_game(str(GOLDEN / "thirds.game"))
    assert open_log(path, "kuhn-2p").game == load_game("kuhn-2p")

    plan = {"schema": 1, "definition": format_game(golden_game("minr"))}
    (tmp_path / "pass-0").mkdir()
    below = written(tmp_path / "pass-0", short)
    assert open_log(below).game == load_game(str(GOLDEN / "thirds.game"))
    written(tmp_path, json.dumps(plan), "plan.json")
    assert open_log(path).game == open_log(below).game == golden_game("minr")


def test_key_and_commitment(tmp_path: Path) -> None:
    log = leduc(tmp_path, f"{HEADER}# cards: sha256 {'ab' * 32}\n# key {'cd' * 32}\n")

    assert (log.commitments, log.keys) == (("ab" * 32,), ("cd" * 32,))
    assert (log.num_hands, log.players, list(log.hands())) == (0, (), [])


def test_cards_that_are_not_shown(tmp_path: Path) -> None:
    log = leduc(tmp_path, "STATE:0:crf:Ah|:-1|1:a|b\nSTATE:1:crf:??|Ks:-1|1:b|a\n")

    assert [hand.state.deal.hole_cards for hand in log.hands()] == [((51 - 1,), ()), ((), (47,))]


@pytest.mark.parametrize(("line", "reason"), cases(__file__, "bad lines"))
def test_a_bad_line_is_one_line_with_file_and_line(tmp_path: Path, line: str, reason: str) -> None:
    line = line.replace("70000x", "STATE:" + "1" * 70_000)
    text = f"{HEADER}STATE:0:crf:Ah|Ks:-1|1:a|b\n{line}\nSTATE:2:crf:Ah|Ks:-1|1:a|b\n"

    with pytest.raises(LogError) as error:
        list(leduc(tmp_path, text).hands())

    assert re.search(f"a\\.log:6: .*{reason}", str(error.value))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "a.log: is empty"),
        (b"# a comment\n", "a.log: has comments only"),
        (b"hello", "a.log:1: expected STATE:"),
        (bytes(range(256)) * 10, "a.log:1: expected STATE:"),
        (b"\x7fELF" * 20, "a.log:1: expected STATE:"),
        (b"\x00" * 1_000_000, "a.log:1: expected STATE:.* a line of 65536 characters"),
        (b"GAMEDEF\nlimit\n", "a.log:1: expected STATE:"),
        (gzip.compress(LEDUC.encode())[:-3000], "a.log: Compressed file ended"),
        (gzip.compress(LEDUC.encode())[:500] + b"xxxxxxxxxxxxx" * 50, r"a\.log: "),
    ],
)
def test_what_is_not_a_log_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(LogError, match=reason) as error:
        leduc(tmp_path, data)

    assert "\n" not in str(error.value)


def test_what_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"no\.log: there is no such file"):
        open_log(tmp_path / "no.log")
    refuses(LogError, "it is not a file", open_log, tmp_path)
    refuses(LogError, "there is no log in this folder", find_logs, [tmp_path])
    with pytest.raises(LogError, match=r"there is no game 'lleduc'.*did you mean leduc"):
        open_log(written(tmp_path, LEDUC), "lleduc")
    written(tmp_path, "numPlayers = 1\n", "bad.game")
    with pytest.raises(LogError, match=r"a\.log: its game: .*bad\.game"):
        open_log(tmp_path / "a.log", str(tmp_path / "bad.game"))


@settings(max_examples=60)
@given(st.integers(1, 90), st.booleans())
def test_a_torn_end_costs_at_most_its_own_line(
    tmp_path_factory: pytest.TempPathFactory, cut: int, of_score: bool
) -> None:
    whole = SHORT if of_score else SHORT[: SHORT.index("SCORE")]
    text = whole[:-cut]

    log = leduc(tmp_path_factory.getbasetemp(), text)

    lines = text.splitlines(keepends=True)
    hands = [line for line in lines if line.startswith("STATE:")]
    numbers = [hand.number for hand in log.hands()]
    assert len(numbers) == log.num_hands
    if whole[len(text)] == "\n" or lines[-1].endswith("\n"):
        assert (log.warnings, len(numbers)) == ((), len(hands))
    else:
        torn = lines[-1].startswith("STATE:")
        assert len(numbers) == len(hands) - torn
        assert len(log.warnings) == 1
        assert f"a.log:{len(lines)}: the last line is torn off" in log.warnings[0]
    assert numbers == list(range(len(numbers)))
    assert log.players == ("p0", "p1")


def test_matches_in_one_file_and_namesakes(tmp_path: Path) -> None:
    hand = "STATE:{}:crf:Ah|Ks:-1|1:{}\n"
    text = "".join(hand.format(k, names) for k, names in [(0, "a|b"), (1, "b|a"), (0, "a|b"), (2, "a|b")])
    log = leduc(tmp_path, text)
    assert [hand.match for hand in log.hands()] == [0, 0, 1, 1]
    assert not log.has_fixed_seats

    twins = leduc(tmp_path, hand.format(3, "a|a") + hand.format(4, "a|a"))
    assert (twins.has_namesakes, twins.players) == (True, ("a", "a"))
    assert [hand.players for hand in twins.hands()] == [(1, 0), (0, 1)]

    fixed = leduc(tmp_path, hand.format(3, "a|b") + hand.format(4, "a|b"))
    assert (fixed.has_fixed_seats, fixed.players) == (True, ("a", "b"))
    moving = leduc(tmp_path, hand.format(3, "b|a") + hand.format(4, "a|b"))
    assert (moving.has_fixed_seats, moving.players) == (False, ("a", "b"))
    many = leduc(tmp_path, hand.format(0, "b|a") + hand.format(1, "c|b"))
    assert many.players == ("b", "a", "c")


# --- passes ----------------------------------------------------------------------------------------------


def test_logs_of_a_folder() -> None:
    assert find_logs([WRITTEN_BEFORE / "plain"]) == (WRITTEN_BEFORE / "plain" / "match.log",)
    passes = tuple(WRITTEN_BEFORE / "duplicate" / f"pass-{k}" / "match.log" for k in range(2))
    assert find_logs([WRITTEN_BEFORE / "duplicate"]) == passes
    assert find_logs(passes) == passes


def deals(passes: Sequence[MatchLog], *, compiled: bool = False) -> list[tuple[LoggedHand, ...]]:
    """The hands of each deal, in the order of the passes."""
    hands = [
        batch.hand(row) for batch in deals_in_batches(passes, compiled=compiled) for row in range(len(batch))
    ]
    return list(zip(*[hands[first :: len(passes)] for first in range(len(passes))], strict=True))


def test_passes_are_recognised_by_their_cards(tmp_path: Path) -> None:
    duplicate = [open_log(path) for path in find_logs([WRITTEN_BEFORE / "duplicate"])]
    plain = open_log(WRITTEN_BEFORE / "plain" / "match.log")
    copy = open_log(written(tmp_path, duplicate[0].path.read_bytes()))

    assert group_passes([duplicate[1], plain, duplicate[0]]) == ((duplicate[1], duplicate[0]), (plain,))
    assert group_passes([duplicate[0], copy]) == ((duplicate[0],), (copy,))
    found = deals(duplicate)
    for first, second in found:
        assert first.number == second.number
        assert first.names == second.names[::-1]
        assert first.state.deal.hole_cards == second.state.deal.hole_cards
    assert len(found) == 30


def test_passes_without_seeds_and_with_gaps(tmp_path: Path) -> None:
    first, second = (
        [line for line in path.read_text("ascii").splitlines(keepends=True) if line.startswith("STATE")]
        for path in find_logs([WRITTEN_BEFORE / "duplicate"])
    )
    logs = [
        open_log(written(tmp_path, "".join(first[:20]), "1.log"), "limit-2p"),
        open_log(written(tmp_path, "".join(second[3:7] + second[9:]), "2.log"), "limit-2p"),
    ]

    assert group_passes(logs) == (tuple(logs),)
    for compiled in (False, True):
        found = [deal[0].number for deal in deals(logs, compiled=compiled)]
        assert found == [3, 4, 5, 6, *range(9, 20)]

    *before, cards, values, names = second[15].split(":")
    holes, slash, board = cards.partition("/")
    swapped = ":".join([*before, "|".join(holes.split("|")[::-1]) + slash + board, values, names])
    logs[1] = open_log(written(tmp_path, "".join([*second[3:15], swapped]), "3.log"), "limit-2p")
    assert group_passes(logs) == ((logs[0],), (logs[1],))
    for compiled in (False, True):
        refuses(LogError, r"3\.log:13: other cards than in .*1\.log:16$", deals, logs, compiled=compiled)


def test_few_cards_prove_nothing(tmp_path: Path) -> None:
    hand = "STATE:{}:crf:Ah|Ks:-1|1:{}\n"

    def log(names: str, hands: int, name: str) -> MatchLog:
        text = "".join(hand.format(k, names if k % 2 == 0 else names[::-1]) for k in range(hands))
        return open_log(written(tmp_path, text, name), "leduc")

    few = [log("a|b", 5, "1.log"), log("b|a", 5, "2.log")]
    many = [log("a|b", 50, "3.log"), log("b|a", 50, "4.log")]
    assert group_passes(few) == ((few[0],), (few[1],))
    assert group_passes(many) == (tuple(many),)
    assert group_passes([many[0], log("c|b", 50, "5.log")])[0] == (many[0],)
