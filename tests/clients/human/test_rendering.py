"""What is typed, and what a person is shown: sentences, tables, showdowns; nothing that is hidden."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, strategies as st

from clients.bots.baselines import AlwaysCall, Random
from clients.core.agent import Agent
from clients.human import input_line, rendering
from clients.human.agent import Human
from clients.human.input_line import Query
from clients.human.keyboard_lines import Key, LineAssembler, TelnetDecoder, telnet_text
from clients.human.style import DISPLAYS, PLAIN, Style, detect_style
from engine.poker import rules
from engine.poker.cards import CARD_TEXTS, parse_cards
from engine.poker.rules import intentions
from engine.poker.rules.hand_words import format_chips
from engine.poker.rules.intentions import Move, Nonsense, RaiseBy, RaiseTo
from engine.support.user_input import quoted
from tests.support.terminal.person import check_transcript, type_match, without_escapes

# --- What a person is shown ---------------------------------------------------------------------------------

LIMIT = rules.load_game("limit-2p")


def scene(
    game: rules.GameDefinition,
    betting: str,
    holes: str = "AhKd|QsQc",
    board: str = "Qh5c2d9sTs",
    position: int = 0,
) -> rendering.Scene:
    """A hand at a point of its betting, seen by the player in seat 0, who is in `position`."""
    deal = rules.Deal(tuple(parse_cards(cards) for cards in holes.split("|")), parse_cards(board))
    view = rules.HandState(rules.parse_betting(game, betting), 6, deal).view(position)
    names = tuple(["me", "formula", "learner"][: game.num_players])
    return rendering.Scene(view, 0, names, (40.0,) + (-40.0,) * (game.num_players - 1), 6, 100)


SHOWN: Final[Mapping[str, Callable[[rendering.Scene], list[str]]]] = {
    "action": lambda scene: rendering.render_action(scene, PLAIN),
    "options": lambda scene: [rendering.describe_options(scene.view)],
    "question": lambda scene: rendering.render_question(scene, PLAIN),
    "table": lambda scene: rendering.render_table(scene, PLAIN),
    "result": lambda scene: rendering.render_result(scene, PLAIN),
    "history": lambda scene: rendering.render_history(scene, PLAIN),
    "welcome": lambda scene: rendering.render_welcome(scene.view.game, scene.view.position, PLAIN),
}


def scene_shown(title: str) -> list[str]:
    """The lines that the head of a scene in ``scenes.txt`` asks for."""
    kind, game, betting, *rest = title.split()
    holes = next((text for text in rest if "|" in text), "AhKd|QsQc")
    position = 1 if "position=1" in rest else 0
    return SHOWN[kind](scene(rules.load_game(game), betting.strip("-"), holes, position=position))


SCENES = dict(
    re.findall(r"^\[(.*)\]\n((?:.+\n)+)", Path(__file__).with_name("scenes.txt").read_text("utf-8"), re.M)
)


@pytest.mark.parametrize("title", SCENES)
def test_scenes_are_told_as_they_were_approved(title: str) -> None:
    """Actions, options, tables, showdowns and histories, each as in ``scenes.txt`` beside this file."""
    assert scene_shown(title) == SCENES[title].splitlines()


def test_chips_clocks_and_names_are_short() -> None:
    assert [format_chips(chips, sign=True) for chips in (40.0, -12.5, 0.0, -0.0, 33.333333)] == [
        "+40", "-12.5", "0", "0", "+33.33",
    ]  # fmt: skip
    assert [rendering.format_clock(seconds) for seconds in (8.4, 119.0, 600.0)] == ["8 s", "119 s", "10 min"]
    assert rendering.short_name("a-very-long-name-indeed") == "a-very-long-nam~"
    assert rendering.short_name("esc\x1b[31m") == "esc?[31m"


def test_a_terminal_gets_what_it_can_show() -> None:
    xterm = {"TERM": "xterm-256color"}

    assert detect_style(True, "utf-8", xterm) == DISPLAYS["colour"]
    assert detect_style(True, "utf-8", {**xterm, "NO_COLOR": "1"}) == DISPLAYS["symbols"]
    assert detect_style(True, "ANSI_X3.4-1968", xterm) == Style(colours=True)
    assert detect_style(True, "utf-8", {"TERM": "dumb"}) == PLAIN
    assert detect_style(True, "no-such-encoding", {"TERM": "xterm", "NO_COLOR": "1"}) == PLAIN
    assert detect_style(False, "utf-8", xterm) == PLAIN


def test_colours_and_symbols_change_nothing_else() -> None:
    at_end = scene(LIMIT, "cc/cc/cc/cc")
    coloured = "\n".join(rendering.render_result(at_end, DISPLAYS["colour"]))
    letters = str.maketrans("♣♦♥♠─", "cdhs-")

    assert "\x1b[31mA♥\x1b[0m" in coloured
    assert without_escapes(coloured).translate(letters) == "\n".join(rendering.render_result(at_end, PLAIN))


# --- whole hands -----------------------------------------------------------------------------------------

CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")


@pytest.mark.parametrize("name", ["limit-2p", "nolimit-3p", "leduc", "kuhn-3p", "nolimit-6p"])
async def test_no_hidden_card_is_ever_on_the_screen(name: str) -> None:
    """Before its showdown a hand's text has no cards but our own and the board's that is out."""
    game = rules.load_game(name)
    rng = random.Random(name)

    def lines(human: Human) -> Iterator[str]:
        while True:
            yield rng.choice(["c", "c", "c", "r", "f", "history", "table", "", "r pot", "odds?"])

    opponents: list[Agent] = [Random(0.1, 0.6, 0.3) for _ in range(game.num_players - 1)]
    sitting = await type_match(game, opponents, 60, 5, lines)

    dealer = rules.CardDealer(game, 5)
    texts = re.split(r"\n-- Hand (?=\d+ of)", sitting.text)[1:]
    assert len(texts) == 60
    for number, text in enumerate(texts):
        deal = dealer.deal()
        own = deal.hole_cards[-number % game.num_players]
        before_showdown = text.partition("-- Showdown\n  ")[0]
        assert set(CARD.findall(before_showdown)) <= {CARD_TEXTS[card] for card in (*own, *deal.board)}, text


TOUR = (
    "?\nnonsense\nr pot\nc\nr\nf\nhistory\nk\n\nfold\nlast\n"
    "table\ncall\ncheck\nraise\nraise to 40\nc\nc\nc\nc\nc\nc\nquit\n"
)
NO_LIMIT_TOUR = "r 150\nr half\nr +200\nr pot\nc\nall in\nf\nc\nr 300\nall in\nc\nc\nlast\nc\nc\nc\nc\nc\n"


@pytest.mark.parametrize(
    ("name", "game", "typed", "display"),
    [
        ("limit-2p", "limit-2p", TOUR, "plain"),
        ("limit-2p-colour", "limit-2p", TOUR, "colour"),
        ("nolimit-3p", "nolimit-3p", NO_LIMIT_TOUR, "plain"),
        ("leduc", "leduc", "r\nc\nc\nr\nc\nf\nc\nc\nc\nc\nlast\n", "symbols"),
        ("kuhn-2p", "kuhn-2p", "r\nc\nc\nf\nr\nc\n", "plain"),
    ],
)
async def test_transcripts(name: str, game: str, typed: str, display: str) -> None:
    """Golden transcripts of hands, with everything that can be typed."""
    definition = rules.load_game(game)
    seated: list[Agent] = [Random(), AlwaysCall()]
    opponents = seated[: definition.num_players - 1]

    sitting = await type_match(
        definition, opponents, 6, 8, lambda human: iter(typed.splitlines()), DISPLAYS[display]
    )

    assert max(without_escapes(sitting.text).splitlines(), key=len)[79:] == ""
    check_transcript(name, sitting.text)


def test_nothing_is_shown_of_the_others_hand_before_the_showdown() -> None:
    """The view is all there is: two deals that differ in hidden cards look the same."""
    texts = [
        rendering.render_table(each, PLAIN)
        + rendering.render_question(each, PLAIN)
        + rendering.render_history(each, PLAIN)
        for each in (scene(LIMIT, "cc/r", f"AhKd|{cards}", position=1) for cards in ("QsQc", "2c3h"))
        if isinstance(each.view, rules.HandView)
    ]

    assert texts[0] != texts[1]  # in position 1 the cards are our own ...
    texts = [
        rendering.render_table(each, PLAIN)
        + rendering.render_question(each, PLAIN)
        + rendering.render_history(each, PLAIN)
        for each in (scene(LIMIT, "cc/cr", f"AhKd|{cards}") for cards in ("QsQc", "2c3h"))
    ]
    assert texts[0] == texts[1]  # ... in position 0 the other's


def test_games_without_blinds_are_welcome() -> None:
    text = "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 1\nblind = 0 0\nraiseSize = 1\nfirstPlayer = 1\n"
    text += "maxRaises = 1\nnumSuits = 1\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0\nEND GAMEDEF\n"
    game = rules.parse_game(text, source="a test")
    view = rules.initial_hand(game, 0, rules.CardDealer(game, 1).deal()).view(0)

    assert "no blinds" in " ".join(rendering.render_welcome(game, 0, PLAIN))
    assert rendering.describe_options(view) == "c check  |  r bet 1"


# --- What is typed ------------------------------------------------------------------------------------------

NO_LIMIT = rules.load_game("nolimit-2p")


@pytest.mark.parametrize(
    ("typed", "intention"),
    [
        ("f", Move.FOLD), (" F ", Move.FOLD), ("fold", Move.FOLD),
        ("c", Move.CALL), ("k", Move.CALL), ("call", Move.CALL), ("check", Move.CHECK),
        ("r", Move.RAISE), ("raise", Move.RAISE), ("b", Move.RAISE), ("bet", Move.RAISE),
        ("r 300", RaiseTo(300)), ("r300", RaiseTo(300)), ("raise to 300", RaiseTo(300)),
        ("bet 300", RaiseTo(300)), ("b 007", RaiseTo(7)),
        ("r +200", RaiseBy(200)), ("r+200", RaiseBy(200)), ("raise by 200", RaiseBy(200)),
        ("r pot", Move.RAISE_POT), ("bet half", Move.RAISE_HALF), ("R  HALF", Move.RAISE_HALF),
        ("all in", Move.ALL_IN), ("all-in", Move.ALL_IN), ("r max", Move.ALL_IN), ("bet all in", Move.ALL_IN),
        ("?", Query.HELP), ("odds", Query.ODDS), ("history", Query.HISTORY), ("last", Query.LAST),
        ("quit", Query.QUIT), ("", Query.NOTHING), ("   ", Query.NOTHING), ("table", Query.TABLE),
    ],
)  # fmt: skip
def test_words_are_understood(typed: str, intention: input_line.Intention) -> None:
    assert input_line.parse_line(typed) == intention


@pytest.mark.parametrize(
    "typed",
    [
        "fo", "c 10", "r -5", "r 3e2", "r 1 000", "r ٣٠٠", "raise300", "random", "f\x00", "\x1b[A", "cc",
        "r to", "é",
    ],
)  # fmt: skip
def test_everything_else_is_nonsense_that_can_be_shown(typed: str) -> None:
    intention = input_line.parse_line(typed)

    assert isinstance(intention, Nonsense)
    assert intention.text.isascii()
    assert intention.text.isprintable()


def test_too_much_is_nonsense_too() -> None:
    assert isinstance(input_line.parse_line("c" * (input_line.MAX_LINE + 1)), Nonsense)
    assert isinstance(input_line.parse_line("r " + "9" * 30), Nonsense)
    assert quoted("x" * 50) == "x" * 37 + "..."


def view(betting: str, game: object = NO_LIMIT) -> rules.HandView:
    definition = LIMIT if game is LIMIT else NO_LIMIT
    node = rules.parse_betting(definition, betting)
    position = node.position_to_act
    assert position is not None
    return rules.HandView(node, position, 0, ((0, 1), (2, 3)), ())


@pytest.mark.parametrize(
    ("betting", "typed", "action"),
    [
        ("", "c", rules.CALL), ("", "f", rules.FOLD),
        ("", "r", rules.raise_to(200)), ("", "r 350", rules.raise_to(350)),
        ("", "r +200", rules.raise_to(300)),  # on top of the call of 100
        ("", "r pot", rules.raise_to(300)),  # the pot is 200 after the call
        ("r300", "r half", rules.raise_to(600)), ("r300", "r pot", rules.raise_to(900)),
        ("r300c/", "r half", rules.raise_to(600)), ("", "all in", rules.raise_to(20000)),
        ("r12000", "r", rules.raise_to(20000)), ("r20000", "all in", rules.CALL), ("c", "check", rules.CALL),
    ],
)  # fmt: skip
def test_amounts_become_raises(betting: str, typed: str, action: rules.Action) -> None:
    intention = input_line.parse_line(typed)
    assert not isinstance(intention, Query | Nonsense)

    assert intentions.action_of(intention, view(betting)) == action


@pytest.mark.parametrize(
    ("betting", "typed", "why"),
    [
        ("c", "f", "nothing to call"), ("", "check", "50 to call"), ("", "r 150", "least is to 200"),
        ("", "r 20001", "most is all in, to 20000"), ("r12000", "r 13000", "only raise all in"),
        ("r20000", "r", "no chips left to raise"), ("", "r +20000", "most is all in"),
        ("", "r 0", "least is to 200"), ("r7000", "r pot", "most is all in"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_answered_with_the_reason(betting: str, typed: str, why: str) -> None:
    intention = input_line.parse_line(typed)
    assert not isinstance(intention, Query | Nonsense)

    answer = intentions.action_of(intention, view(betting))

    assert isinstance(answer, Nonsense)
    assert why in answer.text


def test_a_limit_raise_may_be_named_by_its_amount() -> None:
    assert intentions.action_of(RaiseTo(20), view("", LIMIT)) == rules.LIMIT_RAISE
    assert intentions.action_of(RaiseBy(10), view("", LIMIT)) == rules.LIMIT_RAISE
    assert isinstance(intentions.action_of(RaiseTo(30), view("", LIMIT)), Nonsense)
    assert isinstance(intentions.action_of(Move.ALL_IN, view("", LIMIT)), Nonsense)
    answer = intentions.action_of(Move.RAISE, view("rrr", LIMIT))
    assert answer == Nonsense("No more raises are allowed in this betting round.")


@given(st.text(), st.lists(st.sampled_from(["c", "r", "f", "r 900"]), max_size=12), st.booleans())
def test_nothing_that_is_typed_becomes_an_illegal_action(typed: str, before: list[str], limit: bool) -> None:
    node = rules.parse_betting(LIMIT if limit else NO_LIMIT, "")
    for line in before:
        if node.position_to_act is None:
            return
        hand = rules.HandView(node, node.position_to_act, 0, ((0, 1), (2, 3)), ())
        for text in (typed, f"r {typed}", line):
            intention = input_line.parse_line(text)
            if not isinstance(intention, Query | Nonsense):
                action = intentions.action_of(intention, hand)
                assert isinstance(action, Nonsense) or action in node.legal_actions()
        chosen = input_line.parse_line(line)
        assert not isinstance(chosen, Query | Nonsense)
        action = intentions.action_of(chosen, hand)
        node = node.apply(rules.CALL if isinstance(action, Nonsense) else action)


# --- bytes ---------------------------------------------------------------------------------------------


def test_lines_end_in_every_way_and_can_be_corrected() -> None:
    typed = b"one\r\ntwo\nthree\r\0four\rfuu\x08\x7fold\n\x03\x04last"
    lines = LineAssembler()

    assert lines.feed(typed) == ["one", "two", "three", "four", "fold", Key.INTERRUPT, Key.END]
    assert lines.finish() == ["last"]
    assert lines.finish() == []


def test_a_line_of_a_million_bytes_is_cut_and_over_at_its_end() -> None:
    lines = LineAssembler()

    assert lines.feed(b"c" * 1_000_000) == []
    (line,) = lines.feed(b"\n")
    assert isinstance(line, str)
    assert isinstance(input_line.parse_line(line), Nonsense)
    assert lines.feed(b"c\n") == ["c"]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=8))
def test_chunks_make_no_difference(data: bytes, cuts: list[int]) -> None:
    whole_telnet, whole_lines = TelnetDecoder(), LineAssembler()
    whole = whole_lines.feed(whole_telnet.feed(data))

    telnet, lines = TelnetDecoder(), LineAssembler()
    pieces: list[str | Key] = []
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    for start, end in itertools.pairwise(edges):
        pieces += lines.feed(telnet.feed(data[start:end]))

    assert pieces == whole
    assert (telnet.reply, telnet.columns) == (whole_telnet.reply, whole_telnet.columns)


def test_telnet_offers_are_declined_and_its_window_is_welcome() -> None:
    telnet = TelnetDecoder()

    # WILL NAWS, WILL TTYPE, DO ECHO, the window, then a line, then Ctrl-C with its timing mark.
    typed = telnet.feed(
        b"\xff\xfb\x1f\xff\xfb\x18\xff\xfd\x01\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0"
        b"c\xff\xf1all\r\n\xff\xff\xff\xf4\xff\xfd\x06"
    )

    assert typed == b"call\r\n\xff\x03"
    assert telnet.reply == b"\xff\xfd\x1f\xff\xfe\x18\xff\xfc\x01\xff\xfc\x06"
    assert telnet.columns == 80


def test_text_for_telnet_is_what_telnet_wants() -> None:
    assert telnet_text("K♥ é\n", "ascii") == b"K? ?\r\n"
    assert telnet_text("K♥\n", "utf-8") == "K♥\r\n".encode()
    assert telnet_text("ÿ", "latin-1") == b"\xff\xff"
