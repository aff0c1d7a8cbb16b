"""Hands in PHH, PokerStars' text and ACPC logs, and files there and back."""

from __future__ import annotations

import gzip
import tomllib
from fractions import Fraction
from itertools import islice
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner
from pokerkit import HandHistory

from engine.poker.rules import load_game
from engine.poker.rules.game_definition import UNLIMITED_STACK
from protocol.records import HandReader, format_hand
from server.commands.look_back.convert import convert
from server.records.formats.acpc import acpc_logs, read_acpc
from server.records.formats.hands import PlayedHand, settle, shown_stacks
from server.records.formats.open_hand_history import format_ohh, parse_ohh
from server.records.formats.phh import format_phh, parse_phh
from server.records.formats.pokerstars import format_stars, parse_stars
from server.records.formats.reading import find_hands, read_hands
from server.records.formats.said import FormatError
from server.records.formats.second_opinion import agrees_with_pokerkit
from server.records.logs import open_log
from server.records.verification.log_checker import verify_log
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.golden_files import GOLDEN, golden_log

# --- Hands in PHH, PokerStars' text and ACPC logs -----------------------------------------------------------

SHARED = Path(__file__).parents[4] / "shared" / "hands"
HOLDEM = (
    "callonly.holdem.limit.3p.0", "random.holdem.limit.2p.reverse_blinds.0", "random.holdem.limit.3p.0",
    "random.holdem.nolimit.2p.reverse_blinds.0", "random.holdem.nolimit.3p.0", "random.holdem.nolimit.6p.0",
    "random.short6.0",
)  # fmt: skip
HANDS = 30


def line(hand: PlayedHand) -> str:
    return format_hand(hand.state, hand.chips, hand.names)


def only(hands: list[PlayedHand | FormatError]) -> PlayedHand:
    (hand,) = hands
    assert isinstance(hand, PlayedHand), hand
    return hand


def golden_hands(name: str, count: int = HANDS) -> list[PlayedHand]:
    hands = list(islice(read_acpc(GOLDEN / f"{name}.log.gz", None), count))
    assert all(isinstance(hand, PlayedHand) for hand in hands)
    return [hand for hand in hands if isinstance(hand, PlayedHand)]


@pytest.mark.parametrize("name", HOLDEM)
def test_hands_of_the_c_dealer_come_back_from_every_format(name: str) -> None:
    hands = golden_hands(name)

    stars = list(parse_stars("\n\n".join(map(format_stars, hands)), "a.txt"))
    phh = [only(list(parse_phh(format_phh(hand), "a.phh"))) for hand in hands]

    for hand, from_stars, from_phh in zip(hands, stars, phh, strict=True):
        assert isinstance(from_stars, PlayedHand), from_stars
        ohh = only(list(parse_ohh(format_ohh(hand), "a.ohh")))
        assert line(hand) == line(from_stars) == line(from_phh) == line(ohh)
        assert from_phh.game == hand.game
        stacks = shown_stacks(hand)  # a game without stacks shows the most that a hand can cost
        assert from_stars.game == ohh.game == attrs.evolve(hand.game, stacks=stacks)
        assert (stacks == hand.game.stacks) == (max(hand.game.stacks) < UNLIMITED_STACK)
        assert not from_stars.notes


@pytest.mark.parametrize("name", HOLDEM)
def test_pokerkit_comes_to_the_same_chips(name: str) -> None:
    agreed = [agrees_with_pokerkit(hand) for hand in golden_hands(name)]

    # In games of unequal stacks players raise again after an all-in of less than a raise.
    assert sum(agreed) >= (HANDS * 0.6 if "short6" in name else HANDS)


@pytest.mark.parametrize("name", ["random.holdem.limit.3p.0", "random.holdem.nolimit.2p.reverse_blinds.0"])
def test_pokerkit_reads_what_we_write(name: str) -> None:
    """Its reader repairs nothing: the number of actions it has played is the number we wrote."""
    for hand in golden_hands(name, 4):
        history = HandHistory.loads(format_phh(hand))
        history.starting_stacks = list(map(Fraction, history.starting_stacks))
        history.blinds_or_straddles = list(map(Fraction, history.blinds_or_straddles))
        played = [(state, action) for state, action in history.state_actions]
        assert [float(chips) for chips in played[-1][0].payoffs] == pytest.approx(hand.chips)
        written = [action for action in history.actions if " sm" not in action]
        assert [action for _, action in played if action is not None and " sm" not in action] == written


@pytest.mark.parametrize("name", ["random.holdem.nolimit.6p.0", "random.holdem.nolimit.2p.reverse_blinds.0"])
@pytest.mark.filterwarnings("ignore:The field 'time_zone_abbreviation'")  # of PokerKit's, to itself
def test_pokerkit_reads_our_pokerstars_text(name: str) -> None:
    """To whole chips, since it splits a pot by odd ones; its reader knows no-limit games only."""
    hands = golden_hands(name, 8)

    histories = list(HandHistory.from_pokerstars("\n\n\n".join(map(format_stars, hands))))

    for hand, history in zip(hands, histories, strict=True):
        *_, end = history
        assert history.players is not None
        won = dict(zip(history.players, end.payoffs, strict=True))
        assert [won[name] for name in hand.names] == pytest.approx(hand.chips, abs=1)


@pytest.mark.skipif(not SHARED.exists(), reason="the hands are not part of the repository")
def test_a_session_that_was_really_played() -> None:
    paths = find_hands([SHARED / "phh-30"])

    hands = [only(list(read_hands(path, None))) for path in paths]

    (log,) = acpc_logs(hands)
    written = log.text("session", "session.game").splitlines(keepends=True)
    expected = (SHARED / "pluribus_30.log").read_text("ascii").splitlines(keepends=True)
    assert [text for text in written if text.startswith("STATE")] == [
        text for text in expected if text.startswith("STATE")
    ]
    assert log.game == load_game(str(SHARED / "pluribus.6p.game"))
    for hand in hands:
        assert agrees_with_pokerkit(hand)
        assert line(only(list(parse_stars(format_stars(hand), "a")))) == line(hand)


@pytest.mark.skipif(not SHARED.exists(), reason="the hands are not part of the repository")
def test_the_published_files_come_from_the_log() -> None:
    """All fields of all files; but that in a log everybody at the showdown shows."""
    log = read_acpc(SHARED / "pluribus_30.log", str(SHARED / "pluribus.6p.game"))

    for hand in log:
        assert isinstance(hand, PlayedHand)
        ours = tomllib.loads(format_phh(hand))
        published = tomllib.loads((SHARED / "phh-30" / f"{hand.number}.phh").read_text("ascii"))
        for each in (ours, published):
            each["actions"] = [
                " ".join(text.split()[:2]) if " sm" in text else text for text in each["actions"]
            ]
        assert ours == published


# --- hands of the PHH's own description, and with what ours do not have -----------------------------------

# The largest pot of a television show in its time, 2009: antes, a player whose cards are not known, all in.
DWAN_IVEY = (Path(__file__).parent / "dwan_ivey.phh").read_text("utf-8")


def test_antes_unknown_cards_and_an_all_in() -> None:
    hand = only(list(parse_phh(DWAN_IVEY, "dwan.phh")))

    assert (hand.game.antes, hand.chips) == ((500, 500, 500), (-553500, -2500, 556000))
    assert hand.state.betting.text == "r7000r23000fc/r58000c/r148000r290600r1125100c/"
    assert agrees_with_pokerkit(hand)
    (log,) = acpc_logs([hand])
    text = log.text("m", "m.game")
    assert ":Ac2d||7h6h/Jc3d5c/4h/Jh:-553500|-2500|556000:Phil_Ivey|Patrik_'A'_Antonius|Tom_Dwan" in text
    assert log.notes == (
        "the name 'Phil Ivey' is written Phil_Ivey",
        "the name \"Patrik 'A' Antonius\" is written Patrik_'A'_Antonius",
        "the name 'Tom Dwan' is written Tom_Dwan",
    )
    again = only(list(parse_phh(format_phh(hand), "b.phh")))
    assert (line(again), again.game) == (line(hand), hand.game)
    stars = only(list(parse_stars(format_stars(hand), "b.txt")))
    assert (line(stars), stars.game) == (line(hand), hand.game)


def phh(**changes: str) -> str:
    fields = {
        "variant": "'NT'",
        "antes": "[0, 100, 0]",
        "blinds_or_straddles": "[50, 100, 0]",
        "min_bet": "100",
        "starting_stacks": "[1000, 160, 2000]",
        "actions": "['d dh p1 KsKd', 'd dh p2 QsQd', 'd dh p3 ????', 'p3 cbr 300', 'p1 cc',"
        " 'd db 2c7d9h', 'p1 cc', 'p3 cc', 'd db Js', 'p1 cc', 'p3 cc', 'd db 3c', 'p1 cc', 'p3 cc',"
        " 'p1 sm KsKd', 'p2 sm QsQd', 'p3 sm']",
    }
    return "".join(f"{key} = {value}\n" for key, value in (fields | changes).items() if value)


def test_the_big_blinds_ante_side_pots_and_cards_that_are_thrown_away() -> None:
    """The big blind is all in for ante and blind: 160 chips, of which 100 are dead and 60 are bet."""
    hand = only(list(parse_phh(phh(), "a.phh")))

    assert (hand.game.antes, hand.game.blinds) == ((0, 100, 0), (50, 60, 0))
    assert hand.chips == (300 + 60 + 100, -160, -300)
    assert hand.names == ("p1", "p2", "p3")
    assert agrees_with_pokerkit(hand)
    for again in (
        only(list(parse_phh(format_phh(hand), "b.phh"))),
        only(list(parse_stars(format_stars(hand), "b.txt"))),
    ):
        assert (line(again), again.game) == (line(hand), hand.game)
    reread = HandReader(hand.game).read(line(hand))[1]
    assert settle(reread) == hand.chips


def test_chips_that_are_fractions_of_money() -> None:
    changes = {"antes": "[0, 0, 0]", "blinds_or_straddles": "[0.5, 1, 0]", "min_bet": "1"}
    actions = "['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p3 cbr 2.25', 'p1 f', 'p2 f']"
    hand = only(list(parse_phh(phh(**changes, actions=actions, hand="'first'"), "a.phh")))

    assert (hand.game.blinds, hand.chips, hand.number) == ((2, 4, 0), (-2, -4, 6), 0)
    assert (hand.state.betting.text, hand.notes) == ("r9ff", ("a.phh: amounts are counted in units of 1/4",))


@pytest.mark.parametrize(("changes", "reason"), cases(__file__, "unreadable hands"))
def test_hands_that_cannot_be_read(changes: dict[str, str], reason: str | None) -> None:
    (hand,) = parse_phh(phh(**changes), "a.phh")

    if reason is None:
        assert isinstance(hand, PlayedHand)
    else:
        assert isinstance(hand, FormatError)
        assert str(hand).startswith(reason)


def test_files_of_several_hands_and_files_that_are_none() -> None:
    hands = golden_hands("random.holdem.nolimit.3p.0", 3)

    text = (
        "".join(f"[{count}]\n{format_phh(hand)}\n" for count, hand in enumerate(hands, 1))
        + "[4]\nvariant = 'PO'\n"
    )

    *read, fault = parse_phh(text, "a.phhs")
    assert [line(hand) for hand in read if isinstance(hand, PlayedHand)] == list(map(line, hands))
    assert str(fault).startswith("a.phhs: hand 4: expected variant")
    with pytest.raises(FormatError, match=r"a\.phh: no PHH file: Expected"):
        list(parse_phh("hello", "a.phh"))
    with pytest.raises(FormatError, match="neither actions nor tables"):
        list(parse_phh("a = 1", "a.phh"))


def test_games_without_words_in_other_formats() -> None:
    (leduc,) = golden_hands("random.leduc.0", 1)
    refuses(FormatError, "only Texas hold'em with 52 cards", format_phh, leduc)
    hand = golden_hands("random.holdem.limit.3p.0", 1)[0]
    game = attrs.evolve(hand.game, raise_sizes=(10, 15, 20, 20))
    betting = attrs.evolve(hand.state.betting, game=game)
    other = attrs.evolve(hand, state=attrs.evolve(hand.state, betting=betting))
    refuses(FormatError, "raises of 10 15 20 20 cannot be written", format_stars, other)


# --- PokerStars' text as it is really written ------------------------------------------------------------

STARS = (Path(__file__).parent / "stars.txt").read_text("utf-8")


def test_a_hand_for_money_with_chat_a_rake_and_a_seat_that_sits_out() -> None:
    """The small blind calls 88.00 of 89.00: it had 99.00 when the hand began."""
    hand = only(list(parse_stars(STARS, "a.txt")))

    assert hand.names == ("FluffyStutt", "adevlupec", "Dette32", "Drug08")
    unit = 50
    assert hand.game.stacks == (99 * unit, 2696, 100 * unit, 4823)
    assert hand.state.betting.text == f"r{2 * unit}fcf/cr{5 * unit}r{11 * unit}r{100 * unit}c//"
    assert hand.chips == (100 * unit, -unit, -99 * unit, 0)
    assert hand.state.deal.hole_cards[2:] == ((51, 50), ())
    assert any("the rake is left out" in note for note in hand.notes)
    (log,) = acpc_logs([hand])
    assert (hand.number, log.hands[0].number) == (174088855475, 0)
    assert "STATE:0:r100fcf" in log.text("m", "m.game")
    assert "the hands are numbered from 0: their own numbers are too large, or do not rise" in log.notes
    assert agrees_with_pokerkit(hand)


def test_what_the_text_says_is_held_against_the_rules() -> None:
    (fault,) = parse_stars(
        STARS.replace("($196)", "($150)").replace("collected $196", "collected $150"), "a.txt"
    )
    assert isinstance(fault, FormatError)
    assert "150 are collected and 3 raked of a pot of 199" in str(fault)
    (fault,) = parse_stars(STARS.replace("FluffyStutt: calls $1.50\n", ""), "a.txt")
    assert str(fault).startswith("a.txt:1: adevlupec folds: position 1 acts after 'r100f', where position 0")
    (fault,) = parse_stars(STARS.replace("Hold'em", "Omaha"), "a.txt")
    assert "expected Hold'em No Limit or Hold'em Limit" in str(fault)


def test_cards_mucked_by_one_with_a_bet_that_was_not_called_are_no_hand() -> None:
    (fault,) = parse_stars(STARS.replace("As Ah", "s Ah", 1), "a.txt")
    assert isinstance(fault, FormatError)


# --- `riverboat convert` ------------------------------------------------------------------------------------


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
    (tmp_path / "3.txt").write_text(STARS, "utf-8")
    inputs = [tmp_path / "1.phh", tmp_path / "2.phh", tmp_path / "3.txt"]

    status, output = run(*inputs, "--to", "acpc", "--out", tmp_path / "b.log")
    assert (status, "the hands are of 2 games" in output) == (1, True)
    status, output = run(*inputs, "--to", "acpc", "--out", tmp_path / "logs")

    assert status == 1
    assert "a least bet other than the largest blind posted cannot be written in this format" in output
    assert "the name 'Phil Ivey' is written Phil_Ivey" in output
    assert "the rake is left out" in output
    assert "2 of 3 hands written" in output
    for count in (1, 2):
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
    assert "left out: 1000 × only Texas hold'em with ... cards can be written in this format" in output
    assert "0 of 1000 hands written" in output
    assert not (tmp_path / "out").exists()


def test_a_note_says_which_stacks_a_text_has(tmp_path: Path) -> None:
    log = tmp_path / "callonly.log"
    hands = gzip.decompress((GOLDEN / "callonly.holdem.limit.3p.0.log.gz").read_bytes()).splitlines(True)
    log.write_bytes(b"".join(hands[:60]))

    for target in ("pokerstars", "ohh", "phh"):
        _, output = run(log, "--to", target, "--out", tmp_path / target, "--no-second-opinion")
        assert ("those written are the most that a hand can cost" in output) == (target != "phh")


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
