"""What a source says is what is read, or it is refused by name: kinds of files, noise, and spoilt files."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from engine.poker.rules import CardDealer, GameDefinition, HandState, passing_betting
from engine.poker.rules.game_definition import UNLIMITED_RAISES
from protocol.extension import format_game_line
from protocol.records import format_game_of, format_hand
from server.commands.look_back.convert import convert
from server.commands.look_back.replay import replay
from server.commands.look_back.report import analyse
from server.commands.look_back.verify import verify
from server.records.formats.hands import PlayedHand, folds_for_nothing, settle
from server.records.formats.open_hand_history import format_ohh, parse_ohh
from server.records.formats.phh import format_phh, parse_phh
from server.records.formats.pokerstars import format_stars, parse_stars
from server.records.formats.reading import FORMATS, read_hands, written
from server.records.formats.said import FormatError
from server.records.formats.second_opinion import agrees_with_pokerkit
from server.records.logs import LogError
from tests.support.hands.golden_files import GOLDEN
from tests.support.hands.strategies import choose

FILES = GOLDEN / "histories"
Read = list[PlayedHand | FormatError]


def hands_in(name: str) -> Read:
    return list(read_hands(FILES / name, None))


# --- one file for each kind that was misread ---------------------------------------------------------------

KINDS: list[tuple[str, str, list[dict[str, float]]]] = [
    ("indented.txt", "r6fc/cr16f", [{"Bo": -1, "Cy": -6, "Ann": 7}] * 2),
    ("dead-blind.txt", "cfcc/cr15ff", [{"Bo": -5, "Cy": 12, "Di": -7, "Ann": 0}]),
    ("newcomer.txt", "fcffc/r6f", [{"Bo": -1, "Cy": 3, "Di": 0, "Ed": -2, "Ann": 0}]),
    ("free-fold.txt", "r6fc/f", [{"Bo": -1, "Cy": -6, "Ann": 7}]),
    ("short-blind.txt", "cc/cc/cc/cc", [{"Bo": -100, "Cy": 80, "Ann": 20}]),
    ("cap.txt", "r6fc/cr60c//", [{"Bo": -1, "Cy": -60, "Ann": 61}]),
    ("three-way.phh", "r7r20ccc/cccc/cccc/cccc", [{"p1": 20 / 3, "p2": 20 / 3, "p3": 20 / 3, "p4": -20}]),
]
WRITERS = list(FORMATS.values())


@pytest.mark.parametrize(("name", "betting", "won"), KINDS)
def test_a_file_of_each_kind_has_its_right_value(
    name: str, betting: str, won: list[dict[str, float]]
) -> None:
    hands = hands_in(name)

    assert len(hands) == len(won)
    for hand, chips in zip(hands, won, strict=True):
        assert isinstance(hand, PlayedHand), hand
        assert hand.state.betting.text == betting
        assert dict(zip(hand.names, hand.chips, strict=True)) == pytest.approx(chips)
        assert agrees_with_pokerkit(hand) == (name not in ("free-fold.txt", "short-blind.txt"))
        for write, parse in WRITERS:
            (again,) = parse(write(hand), "again")
            assert isinstance(again, PlayedHand), again
            assert (again.game, again.state.betting.text) == (hand.game, betting)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("six-plus.txt", "expected Hold'em No Limit or Hold'em Limit, got \"6+ Hold'em No Limit\""),
        ("another-call.txt", "Cy calls: puts in 3, and 4 by the rules"),
        ("run-twice.phh", "several boards: expected 5 board cards, got 7"),
    ],
)
def test_what_is_not_played_here_is_refused_by_name(name: str, reason: str) -> None:
    (fault,) = hands_in(name)
    assert isinstance(fault, FormatError)
    assert reason in str(fault)


def test_each_hand_of_a_room_has_its_own_game_for_every_command(tmp_path: Path) -> None:
    hands = hands_in("ring.log")
    assert [hand.game.stacks for hand in hands if isinstance(hand, PlayedHand)] == [
        (100,) * 6, (98, 98, 110, 98, 98, 98), (108, 108, 96, 96, 96, 96), (106, 94, 106, 94, 94, 106)
    ]  # fmt: skip
    runner, log, out = CliRunner(), str(FILES / "ring.log"), str(tmp_path / "hands.phhs")
    assert runner.invoke(convert, [log, "--to", "phh", "--out", out]).exit_code == 0
    assert "starting_stacks = [98, 98, 110, 98, 98, 98]" in Path(out).read_text()
    assert "110 chips" in runner.invoke(replay, [log, "--hand", "1"]).output
    assert "4 hands" in runner.invoke(analyse, [log]).output


@pytest.mark.parametrize("hand", [0, 1, 3])
def test_a_game_that_is_none_costs_its_own_hand_only(tmp_path: Path, hand: int) -> None:
    text = (FILES / "ring.log").read_text()
    (tmp_path / "a.log").write_text(re.sub(rf"(# hand {hand} game .*numPlayers =) 6", r"\1 66", text))
    read = list(read_hands(tmp_path / "a.log", None))
    assert [each.number for each in read if isinstance(each, PlayedHand)] == sorted({0, 1, 2, 3} - {hand})
    (fault,) = [str(each) for each in read if isinstance(each, FormatError)]
    assert fault.startswith(f"{tmp_path / 'a.log'}:{6 + 4 * hand}: game definition:3: numPlayers: expected 2")


def test_a_doubled_line_or_a_hand_of_another_game_is_no_hand_of_the_log(tmp_path: Path) -> None:
    line = "STATE:0:r200f:AhAd|KhKd:-100|100:a|b\n"
    header, log = "# name/game/hands/seed x nolimit-2p 2 text\n", tmp_path / "a.log"
    log.write_text(f"{header}{line}{line}{header.replace('nolimit-2p', 'other.game')}{line}")
    hand, *faults = read_hands(log, None)
    assert isinstance(hand, PlayedHand)
    assert [str(fault).partition(".log:")[2] for fault in faults] == [
        "3: this hand is there twice, in two lines", "5: expected one game in all headers before it"
    ]  # fmt: skip
    assert "expected the game 'nolimit-2p', got" in CliRunner().invoke(verify, [str(log)]).output


def test_hands_of_fewer_players_are_counted_with_the_others(tmp_path: Path) -> None:
    three = "nolimit;numPlayers = 3;stack = 99 99 99;blind = 5 10 0;firstPlayer = 3 1 1 1"
    two = "nolimit;numPlayers = 2;stack = 99 99;blind = 10 5;firstPlayer = 2 1 1 1"
    cards = "numRounds = 4;numSuits = 4;numRanks = 13;numHoleCards = 2;numBoardCards = 0 3 1 1"
    (tmp_path / "a.log").write_text(
        f"# hand 0 game {three};{cards}\nSTATE:0:ff:AhAd|KhKd|2c3d:-5|5|0:a|b|c\n"
        f"# hand 1 game {two};{cards}\nSTATE:1:f:AhAd|KhKd:5|-5:b|c\n"
    )
    told = CliRunner().invoke(analyse, [str(tmp_path / "a.log")])
    assert (told.exit_code, "b: 2 hands" in told.output, "a: 1 hands" in told.output) == (0, True, True)
    assert "cards not checked" in CliRunner().invoke(verify, [str(tmp_path / "a.log")]).output


def test_split_pots_are_written_in_whole_chips_that_add_up() -> None:
    (hand,) = hands_in("three-way.phh")
    assert isinstance(hand, PlayedHand)
    assert re.findall(r"collected (\d+) from", format_stars(hand)) == ["27", "27", "26"]
    assert [each["win_amount"] for each in json.loads(format_ohh(hand))["ohh"]["pots"][0]["player_wins"]] == [
        27, 27, 26
    ]  # fmt: skip


def test_a_report_counts_hands_left_out_by_reason(tmp_path: Path) -> None:
    files = [str(FILES / name) for name in ("indented.txt", "another-call.txt", "run-twice.phh")]
    (tmp_path / "a.phhs").write_text("[1]\nactions = [\n")
    words = [*files, str(tmp_path / "a.phhs"), "--to", "ohh", "--out", str(tmp_path / "a.ohh"), "--json"]
    result = CliRunner().invoke(convert, words)
    report = json.loads(result.output.splitlines()[-1])
    assert (result.exit_code, report["hands"], report["written"]) == (1, 5, 2)
    assert report["left_out"] == {
        "puts in ... and ... by the rules": 1,
        "several boards: expected ... board cards, got ...": 1,
        "no PHH file: Invalid value (at end of document)": 1,
    }


def test_numbers_of_written_hands_are_unique_over_matches_and_come_back(tmp_path: Path) -> None:
    (tmp_path / "other.log").write_text((FILES / "ring.log").read_text().replace("39e9fc3e", "49e9fc3e"))
    logs = [list(read_hands(path, None)) for path in (FILES / "ring.log", tmp_path / "other.log")]
    hands = [hand for log in logs for hand in log if isinstance(hand, PlayedHand)]
    for write, number in ((format_stars, r"Hand #(\d+)"), (format_ohh, r'"game_number": "(\d+)"')):
        texts = list(map(write, hands))
        assert len({re.findall(number, text)[0] for text in texts}) == len(hands) == 8
        parse = parse_ohh if write is format_ohh else parse_stars
        again = list(parse("\n\n".join(texts), "a"))
        assert [hand.number for hand in again if isinstance(hand, PlayedHand)] == [0, 1, 2, 3] * 2


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_texts_in_other_encodings_and_with_other_line_ends(tmp_path: Path, encoding: str, end: str) -> None:
    text = (FILES / "dead-blind.txt").read_text().replace("Ann", "Zoë")
    (tmp_path / "a.txt").write_bytes(text.replace("\n", end).encode(encoding))
    (hand,) = read_hands(tmp_path / "a.txt", None)
    assert isinstance(hand, PlayedHand)
    assert hand.names == ("Bo", "Cy", "Di", "Zoë")


STARS = (FILES / "indented.txt").read_text().split("\n\n\n")[0]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Cy: calls $4", "Cy: calls $4 and is all-in", "Cy calls: is not all-in with 6"),
        ("Cy: checks", "Cy: checks\n Cy: counts his chips", "what does 'Cy' do: 'counts his chips'?"),
        ("Bo: folds", "Bo: folds\n Ed: folds", "what is meant by 'Ed: folds'?"),
        ("Bo: posts small", "Bo: posts wild", "Bo posts 'wild blind', which is not known here"),
        ("small blind $1", "small blind $3", "Bo posts small blind 3, not the title's"),
        ("*** FLOP ***", "*** FIRST FLOP ***", "the hand was run twice"),
        ("Uncalled bet ($10)", "Uncalled bet ($9)", "9 returned to Ann; by the rules 10 to Ann"),
        ("Total pot $13", "Total pot $14", "the pot is 14, and 13 by the rules"),
        ("Board [2c 7d 9h]", "Board [2c 7d Th]", "another board in the summary"),
        ("Hold'em No Limit", "Hold'em Pot Limit", "expected Hold'em No Limit or Hold'em Limit"),
        ("($1/$2 USD)", "(one/two)", "expected stakes such as ($1/$2 USD)"),
        ("$10", "$1,0", "what does 'Ann' do: 'bets $1,0'?"),
        ("$500", "$" + "5" * 5000, "expected an amount, got"),
        ("Cy: folds", "Cy: folds\n Ann: checks", "Ann checks: position 2 acts after 'r6fc/cr16f'"),
        ("Cy: calls $4", "Cy: calls $4\n Bo: posts the ante $1", "Bo posts the ante after an action"),
        ("Board [", "Seat 1: Ann showed [As Ks] and lost\n Board [", "Ann collects 0 in the summary only"),
        ("Ann collected", "Hand cancelled\n Ann collected", "what is meant by 'Hand cancelled'?"),
    ],
)  # fmt: skip
def test_a_text_that_contradicts_itself_is_refused_in_one_line(old: str, new: str, reason: str) -> None:
    assert old in STARS
    (fault,) = parse_stars(STARS.replace(old, new), "a.txt")
    assert isinstance(fault, FormatError)
    assert reason in str(fault)
    assert len(str(fault)) < 250


@pytest.mark.parametrize("name", ["Dealer", "who adds up", "X wins a lot", 'Q said, "'])
def test_players_may_be_called_like_a_message_of_the_table(name: str) -> None:
    (hand,) = parse_stars(STARS.replace("Cy", name), "a.txt")
    assert isinstance(hand, PlayedHand), hand
    assert hand.names == ("Bo", name, "Ann")


def test_ranks_of_the_summary_are_compared_too() -> None:
    text = (FILES / "short-blind.txt").read_text() + "Seat 2: Bo showed [Ah Kd] and lost with a flush\n"
    (fault,) = parse_stars(text, "a.txt")
    assert "Bo does not show flush" in str(fault)


def test_a_big_blind_whom_the_ante_leaves_nothing_is_one_all_the_same() -> None:
    text = (FILES / "short-blind.txt").read_text()
    antes = "Ann: posts the ante 40\nBo: posts the ante 40\nCy: posts the ante 40"
    for old, new in (("Cy: posts big blind 40", antes), ("120 from side", "200 from side"),
                     ("pot 240", "pot 320"), ("Side pot 120", "Side pot 200")):  # fmt: skip
        text = text.replace(old, new)
    (hand,) = parse_stars(text, "a.txt")
    assert isinstance(hand, PlayedHand), hand
    assert (hand.game.blinds, hand.chips) == ((50, 0, 0), (-140, 80, 60))
    (again,) = parse_phh(written(hand, "phh"), "b")
    assert isinstance(again, PlayedHand)
    assert again.game == hand.game


RUN_OUT = """variant = 'NT'
antes = [1, 1]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [60, 60]
actions = ['d dh p1 AcAd', 'd dh p2 KcKd', 'p2 cbr 59', 'p1 cc', 'd db QhQs3c', 'd db 4d', 'd db 5d']
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("", "", ""),
        ("'d db QhQs3c', 'd db 4d'", "'d db 4d', 'd db QhQs3c'", "the cards of one street, got QhQs3c"),
        ("actions", "finishing_stacks = [121, -1]\nactions", "p1 wins 61, and 60 by the rules"),
        ("actions", "winnings = [121, 0]\nactions", "p1 collects 121 in the text, and 120 by the rules"),
    ],
)  # fmt: skip
def test_what_phh_says_is_exact(old: str, new: str, reason: str) -> None:
    (read,) = parse_phh(RUN_OUT.replace(old, new), "a.phh")
    assert isinstance(read, FormatError) == bool(reason)
    assert reason in str(read)


def test_values_of_open_hand_history_that_may_be_missing_and_some_that_must_not() -> None:
    (hand,) = parse_phh(RUN_OUT, "a.phh")
    assert isinstance(hand, PlayedHand)
    ohh = format_ohh(hand)
    for old, new, reason in (
        ('"rake": 0', '"rake": null', ""),
        ('"bet_cap": 0', '"bet_cap": null', ""),
        ('"small_blind_amount": 1', '"small_blind_amount": null', ""),
        ('"action": "Dealt Cards", "amount": 0', '"action": "Dealt Cards", "amount": null', ""),
        ('"Dealt Cards"', '"Post Dead"', "'Post Dead' comes with cards"),
        ('"Call"', '"Post Ante"', "posts the ante after an action"),
        ('"name": "p1"', '"name": null', "seat 1: expected the name of a player, got None"),
        ('"dealer_seat": 2', '"dealer_seat": 1', "p2 posts the small blind, and p1 has the button"),
        ('"cards": ["Qh", "Qs", "3c"]', '"cards": ["Qh", "Qs"]', "expected 5 board cards, got 4"),
    ):
        assert old in ohh
        (read,) = parse_ohh(ohh.replace(old, new, 1), "a.ohh")
        assert reason in str(read)
        assert isinstance(read, FormatError) == bool(reason)
        assert reason or (isinstance(read, PlayedHand) and content(read) == content(hand))


def test_the_first_of_two_players_may_post_the_small_blind_if_the_button_is_at_an_empty_seat() -> None:
    (hand,) = parse_phh(
        RUN_OUT.replace("[1, 2]", "[2, 1]").replace("'p2 cbr 59', 'p1 cc'", "'p1 cbr 59', 'p2 cc'"), "a"
    )
    assert isinstance(hand, PlayedHand), hand
    for target, (_, parse) in FORMATS.items():
        (again,) = parse(written(hand, target), "b")
        assert isinstance(again, PlayedHand)
        assert content(again) == content(hand)


def test_what_is_no_part_of_a_hand_may_stand_beside_it() -> None:
    title = STARS.strip().splitlines()[0]
    for text, ours in (
        (f"Transcript of your last hands\n\n**** # 1 ****\n12. {STARS.strip()}\n\nnice hand, Ann!", 1),
        (STARS.replace(" Cy: checks", ' Ann said, "Bo: folds"\n Bo has timed out\n Cy: checks'), 1),
        (f"{title[:25]}\n{STARS}\n PokerStars Hand #7: torn", 1),  # three titles
        (STARS + "\n" + "\n".join(STARS.splitlines()[1:]), 1),  # the second one has none
        (STARS.replace("Cy: calls $4", "Cy: calls $4\n Ann: shows [XX Qs]"), 1),
    ):
        hands = list(parse_stars(text, "a.txt"))
        assert sum(isinstance(hand, PlayedHand) for hand in hands) == ours
        assert len(hands) == {1: 1, 3: 3}[max(1, text.count("PokerStars Hand #"))] or "torn" not in text
    cashed = STARS.replace(" Ann collected $13", " Ann cashed out the hand for $12 | Cash Out Fee $0.12\n Cy")
    (hand,) = parse_stars(cashed.replace("Cy from pot\n", ""), "a.txt")
    assert isinstance(hand, PlayedHand)
    assert any("Ann has cashed out" in note for note in hand.notes)


@pytest.mark.parametrize(
    "text",
    ["starting_stacks = [1e999999999, 5]", "starting_stacks = [0x" + "f" * 9999 + ", 5]",
     "hand = " + "9" * 5000,
     "actions = ['p1 cbr " + "9" * 9999 + "']", "starting_stacks = ['1e99999999', 5]", "actions = [" * 3000],
)  # fmt: skip
def test_absurd_numbers_are_one_line(text: str) -> None:
    whole = (FILES / "run-twice.phh").read_text()
    key = text.partition(" =")[0]
    spoilt = "\n".join(line for line in whole.splitlines() if not line.startswith(key)) + f"\n{text}\n"
    try:
        found: list[object] = list(parse_phh(spoilt, "a.phh"))
    except FormatError as error:
        found = [error]
    assert len(found) == 1
    assert len(str(found[0]).splitlines()[0]) < 300 or isinstance(found[0], PlayedHand)


def test_text_of_another_site_is_refused_with_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Full Tilt Poker Game #123: Table Ab - $1/$2 - No Limit Hold'em\nSeat 1: Ann ($10)\n")
    with pytest.raises(
        LogError, match="another site's text; ACPC logs, PHH, Open Hand History and PokerStars'"
    ):
        list(read_hands(path, None))


# --- random hands of our rules, with noise -----------------------------------------------------------------

NAMES = ("Ann", "Bo B", "cy: x", "Di [2c]", "Ed (2)", "Fé")


@st.composite
def games(draw: st.DrawFn) -> GameDefinition:
    """Hold'em with stacks of every size, antes, short blinds and posts out of turn."""
    players, big = draw(st.integers(2, 6)), draw(st.sampled_from([2, 10]))
    stacks = tuple(draw(st.lists(st.integers(1, 40 * big), min_size=players, max_size=players)))
    ante = draw(st.sampled_from([0, 0, 1, 3]))
    nominal = [big, big // 2] if players == 2 else [big // 2, big, *[0] * (players - 2)]
    for position in range(3, players):
        nominal[position] = big if draw(st.integers(0, 5)) == 0 else 0
    blinds = [min(blind, stack - min(ante, stack)) for blind, stack in zip(nominal, stacks, strict=True)]
    is_limit = draw(st.booleans())
    return GameDefinition(
        is_limit=is_limit, num_players=players, num_rounds=4, blinds=tuple(blinds),
        raise_sizes=(big, big, 2 * big, 2 * big) if is_limit else (), num_suits=4, num_ranks=13,
        num_hole_cards=2, num_board_cards=(0, 3, 1, 1), stacks=stacks,
        first_positions=(1 if players == 2 else 2 % players, 0, 0, 0),
        max_raises=(3, 4, 4, 4) if is_limit else (UNLIMITED_RAISES,) * 4, antes=(ante,) * players,
        least_bet=0 if max(blinds) == big else big,
    )  # fmt: skip


@st.composite
def played_hands(draw: st.DrawFn) -> PlayedHand:
    game = draw(games())
    rng = random.Random(draw(st.integers(0, 2**32)))
    betting = passing_betting(game)
    while not betting.is_finished:
        if rng.random() < 0.02:
            betting = betting.fold_for_nothing()
        else:
            betting = betting.apply(choose(rng.randrange(2**32), betting.legal_actions()))
    deal = CardDealer(game, rng.randrange(2**32)).deal()
    deal = attrs.evolve(deal, board=deal.board[: betting.num_board_cards])
    number = draw(st.integers(0, 10**6))
    state = HandState(betting, number, deal)
    return PlayedHand(
        number, "a", state, settle(state), NAMES[: game.num_players], match=draw(st.integers(0, 9))
    )


def content(hand: PlayedHand) -> tuple[object, ...]:
    game, state, whole = hand.game, hand.state, [round(chips) for chips in hand.chips]
    return game.blinds, game.antes_posted, state.betting.text, state.deal, whole, hand.names


@given(played_hands(), st.sampled_from(WRITERS))
def test_a_hand_comes_back_from_every_format(
    hand: PlayedHand, form: tuple[Callable[..., str], Callable[..., Read]]
) -> None:
    write, parse = form
    try:
        text = write(hand)
    except FormatError:
        return  # it cannot be said there: an odd blind, or a raise of less than a call
    (again,) = parse(text, "a")
    assert isinstance(again, PlayedHand), f"{again}\n{text}"
    assert content(again) == content(hand)
    assert again.game == hand.game
    agrees_with_pokerkit(again)  # raises where it is another hand


ONCE = re.compile(r"Seat \d+: .* in chips|PokerStars|Table|Dealt|.*: posts small")
"""Lines of which some numbers or cards are said only once."""


@given(st.lists(played_hands(), min_size=1, max_size=3), st.data())
def test_a_text_with_noise_is_read_equal_or_refused(hands: list[PlayedHand], data: st.DataObject) -> None:
    texts = []
    for hand in hands:
        try:
            lines = format_stars(hand).splitlines()
        except FormatError:
            continue
        at = data.draw(st.sampled_from([k for k, line in enumerate(lines) if not ONCE.match(line)]))
        spoilt = data.draw(st.sampled_from(["", "drop", "double", "number", "title", "swap"]))
        if spoilt == "drop":
            del lines[at]
        elif spoilt == "double":
            lines.insert(at, lines[at])
        elif spoilt == "number":
            lines[at] = re.sub(
                r"(?<![\[\w])\d+(?![\w\]])", lambda found: str(int(found[0]) + 1), lines[at], count=1
            )
        elif spoilt == "title":
            del lines[0]
        elif spoilt == "swap" and at + 1 < len(lines):
            lines[at : at + 2] = lines[at : at + 2][::-1]
        indent = data.draw(st.sampled_from(["", "  ", "\t", "> "]))
        noise = data.draw(
            st.sampled_from(['Ann said, "Bo B: folds"', "", "Bo B has timed out", "so it goes"])
        )
        lines.insert(data.draw(st.integers(1, len(lines))), noise)
        texts.append("".join(f"{indent}{line}\n" for line in lines))
    read = list(parse_stars("\n\n".join(data.draw(st.permutations(texts))), "a.txt"))
    assert sum("PokerStars Hand #" in text for text in texts) <= len(read) <= len(texts)
    ours = list(map(content, hands))
    for each in read:
        assert isinstance(each, FormatError) or content(each) in ours


@given(played_hands(), st.data())
def test_actions_that_are_dropped_or_doubled_are_noticed(hand: PlayedHand, data: st.DataObject) -> None:
    try:
        phh, ohh = format_phh(hand), json.loads(format_ohh(hand))
    except FormatError:
        return
    is_doubled = data.draw(st.booleans())
    actions = re.findall(r"'([^']*)'", next(line for line in phh.splitlines() if line.startswith("actions")))
    at = data.draw(st.sampled_from([k for k, text in enumerate(actions) if " dh " not in text]))
    changed = [*actions[:at], *([actions[at]] * 2 if is_doubled else []), *actions[at + 1 :]]
    listed = "actions = [" + ", ".join(f"'{each}'" for each in changed) + "]"
    for read in parse_phh(re.sub(r"(?m)^actions.*", listed, phh), "a"):
        assert isinstance(read, FormatError) or content(read) == content(hand)
    rounds = [each for each in ohh["ohh"]["rounds"] if each["actions"] and each["street"] != "Showdown"]
    of_round = data.draw(st.sampled_from(rounds))["actions"]
    at = data.draw(st.integers(0, len(of_round) - 1))
    if of_round[at]["action"] != "Dealt Cards":
        of_round[at : at + 1] = [of_round[at]] * 2 if is_doubled else []
    for read in parse_ohh(json.dumps(ohh), "a"):
        assert isinstance(read, FormatError) or content(read) == content(hand)


@given(st.lists(played_hands(), min_size=1, max_size=4), st.data())
def test_the_game_belongs_to_the_hand(
    tmp_path_factory: pytest.TempPathFactory, hands: list[PlayedHand], data: st.DataObject
) -> None:
    hands = [hand for hand in hands if not folds_for_nothing(hand)]
    hands = [
        attrs.evolve(hand, number=k, state=attrs.evolve(hand.state, hand_number=k),
                     names=tuple(f"p{seat}" for seat in range(len(hand.names))))
        for k, hand in enumerate(hands)
    ]  # fmt: skip
    lines = ["# name/game/hands/seed ring nolimit-6p 9 random\n"]
    for hand in hands:
        lines += [
            format_game_of(hand.number, format_game_line(hand.game)),
            format_hand(hand.state, hand.chips, hand.names),
        ]
    if len(lines) == 1:
        return
    at = data.draw(st.integers(1, len(lines) - 1))
    spoilt = data.draw(st.sampled_from(["", "drop", "double"]))
    lines[at : at + 1] = {"": [lines[at]], "drop": [], "double": [lines[at]] * 2}[spoilt]
    path = tmp_path_factory.mktemp("log") / "a.log"
    path.write_text("".join(lines))
    try:
        read = list(read_hands(path, None))
    except LogError:
        return
    ours = list(map(content, hands))
    for each in read:
        assert isinstance(each, FormatError) or content(each) in ours
    assert spoilt or len(read) == len(hands)


# --- spoilt files -------------------------------------------------------------------------------------------

HERE = Path(__file__).parent
SEEDS = [
    (path.read_text("utf-8"), {".phh": parse_phh, ".txt": parse_stars}[path.suffix])
    for path in [HERE / "dwan_ivey.phh", HERE / "stars.txt", *sorted(FILES.iterdir())]
    if path.suffix != ".log"
]  # fmt: skip
SCRAPS = ["", "9" * 30, "inf", "p9", "1e9", *"-0.½'[]\n ?\"{,\x00"]


def ruin(text: str, rng: random.Random) -> str:
    for _ in range(rng.randrange(1, 4)):
        at, cut = rng.randrange(len(text) + 1), rng.randrange(9)
        scrap = rng.choice([rng.choice(SCRAPS), text[at : at + rng.randrange(60)]])
        text = text[:at] + scrap + text[at + cut :]
    return text


def check_ruined(count: int, seed: int) -> int:
    """Mutated files are hands or one-line faults; what is read is the same hand when it is written again."""
    rng, read = random.Random(seed), 0
    seeds = SEEDS + [
        (format_ohh(hand), parse_ohh)
        for text, parse in SEEDS
        for hand in parse(text, "a")
        if isinstance(hand, PlayedHand)
    ]
    for _ in range(count):
        text, parse = rng.choice(seeds)
        ruined = ruin(text, rng)
        try:
            found = list(parse(ruined, "a.txt"))
        except FormatError as error:
            found = [error]
        for hand in found:
            if isinstance(hand, FormatError):
                assert re.fullmatch(r"a\.txt.*", str(hand)), ruined
                continue
            read += 1
            assert sum(hand.chips) == pytest.approx(0, abs=1e-3)
            for target, (_, again) in FORMATS.items():
                try:
                    (other,) = again(written(hand, target), "b")
                except FormatError:
                    continue
                assert isinstance(other, PlayedHand), f"{other}\n{ruined}"
                assert content(other)[:5] == content(hand)[:5], ruined
    return read


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("files", [700, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_ruined_files_are_hands_or_single_lines(files: int) -> None:
    assert check_ruined(files, 1) > files / 20
