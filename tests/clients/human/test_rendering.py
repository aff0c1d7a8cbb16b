"""What a person is shown: sentences, tables, showdowns; and nothing that is hidden."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from clients.bots.baselines import AlwaysCall, Random
from clients.core.agent import Agent
from clients.human.agent import Human
from clients.human.rendering import (
    Scene,
    describe_options,
    format_clock,
    render_action,
    render_history,
    render_question,
    render_result,
    render_showdown,
    render_table,
    render_welcome,
    short_name,
)
from clients.human.style import DISPLAYS, PLAIN, Style, detect_style
from engine.poker.cards import CARD_TEXTS, parse_cards
from engine.poker.rules import (
    CardDealer,
    Deal,
    GameDefinition,
    HandState,
    HandView,
    initial_hand,
    load_game,
    parse_betting,
    parse_game,
)
from engine.poker.rules.hand_words import format_chips
from tests.support.terminal.person import check_transcript, type_match, without_escapes

LIMIT, NO_LIMIT, THREE = load_game("limit-2p"), load_game("nolimit-2p"), load_game("nolimit-3p")


def scene(
    game: GameDefinition, betting: str, holes: str = "AhKd|QsQc", board: str = "Qh5c2d9sTs", position: int = 0
) -> Scene:
    """A hand at a point of its betting, seen by the player in seat 0, who is in `position`."""
    deal = Deal(tuple(parse_cards(cards) for cards in holes.split("|")), parse_cards(board))
    view = HandState(parse_betting(game, betting), 6, deal).view(position)
    names = tuple(["me", "formula", "learner"][: game.num_players])
    return Scene(view, 0, names, (40.0,) + (-40.0,) * (game.num_players - 1), 6, 100)


@pytest.mark.parametrize(
    ("game", "betting", "said"),
    [
        (LIMIT, "c", "formula calls 5."),
        (LIMIT, "cc/", "You check."),
        (LIMIT, "cr", "You raise to 20 (10 more)."),
        (LIMIT, "r", "formula raises to 20 (15 more)."),
        (LIMIT, "f", "formula folds."),
        (LIMIT, "rf", "You fold."),
        (LIMIT, "cc/r", "You bet 10."),
        (LIMIT, "cc/cr", "formula bets 10."),
        (LIMIT, "cc/crr", "You raise to 30 (20 more)."),
        (NO_LIMIT, "r20000", "formula raises to 20000 (19950 more) and is all in."),
        (NO_LIMIT, "r20000c///", "You call 19900 and are all in."),
        (NO_LIMIT, "r300c/r600", "You bet 300."),
        (load_game("leduc"), "r", "You bet 2."),
        (load_game("kuhn-2p"), "cr", "formula bets 1."),
    ],
)
def test_actions_are_told_in_words(game: GameDefinition, betting: str, said: str) -> None:
    small = {1: "Ah|Kd"}.get(game.num_hole_cards, "AhKd|QsQc")

    assert render_action(scene(game, betting, small), PLAIN)[0] == said


def test_new_board_cards_are_told_with_the_action_that_brings_them() -> None:
    assert render_action(scene(LIMIT, "cc/"), PLAIN)[1:] == ["-- Flop: Qh 5c 2d (pot 20)"]
    assert render_action(scene(NO_LIMIT, "r20000c///"), PLAIN)[1:] == [
        "-- Flop: Qh 5c 2d (pot 40000)",
        "-- Turn: 9s (pot 40000)",
        "-- River: Ts (pot 40000)",
    ]


@pytest.mark.parametrize(
    ("game", "betting", "options"),
    [
        (LIMIT, "c", "c check  |  r raise to 20 (10 more)"),
        (LIMIT, "r", "f fold  |  c call 10  |  r raise to 30 (20 more)"),
        (LIMIT, "rrr", "f fold  |  c call 10"),
        (LIMIT, "cc/", "c check  |  r bet 10"),
        (NO_LIMIT, "r300", "f fold  |  c call 200  |  r N raise to 500..20000 (+N, half, pot, all in)"),
        (NO_LIMIT, "r12000", "f fold  |  c call 11900  |  r all in, to 20000"),
        (NO_LIMIT, "r20000", "f fold  |  c call 19900"),
        (NO_LIMIT, "cc/", "c check  |  r N bet to 200..20000 (+N, half, pot, all in)"),
    ],
)
def test_the_options_are_the_legal_actions(game: GameDefinition, betting: str, options: str) -> None:
    assert describe_options(scene(game, betting).view) == options


def test_the_question_has_cards_board_pot_and_price() -> None:
    assert render_question(scene(NO_LIMIT, "r300c/cr600"), PLAIN)[0] == (
        "Your cards Ah Kd, board Qh 5c 2d, pot 900, 300 to call, in so far 300"
    )


def test_the_table_has_seats_results_stacks_button_and_who_is_to_act() -> None:
    rows = render_table(scene(THREE, "fr300", "AhKd|QsQc|2c2d", position=1), PLAIN)

    assert [" ".join(row.split()) for row in rows] == [
        "seat player won so far in the pot stack",
        "* 1 You +40 100 19900 to act",
        "2 formula -40 0 20000 button, folded",
        "3 learner -40 300 19700",
    ]


def test_stacks_that_cannot_matter_are_left_out() -> None:
    assert "stack" not in render_table(scene(LIMIT, ""), PLAIN)[0]


def test_a_showdown_names_the_hands_and_says_who_won() -> None:
    at_end = scene(LIMIT, "cc/cc/cc/cc")

    assert render_result(at_end, PLAIN) == [
        "-- Showdown",
        "  You               Ah Kd  high card, ace, king, queen, ten and nine",
        "  formula           Qs Qc  three of a kind, queens",
        "formula wins 10; You lose 10.",
        "You are at +30 after 7 hands.",
    ]


def test_kickers_are_named_where_they_matter() -> None:
    lines = render_showdown(scene(LIMIT, "cc/cc/cc/cc", "AhQd|QsJc", "Qh5c2d9sTs"), PLAIN)

    assert [line.split("  ")[-1] for line in lines[1:]] == [
        "pair of queens, ace, ten and nine kickers",
        "pair of queens, jack, ten and nine kickers",
    ]


def test_a_fold_shows_no_cards() -> None:
    lines = render_result(scene(LIMIT, "rf"), PLAIN)

    assert lines == ["formula wins 10; You lose 10.", "You are at +30 after 7 hands."]


def test_a_split_pot_is_told() -> None:
    lines = render_result(scene(LIMIT, "cc/cc/cc/cc", "AhKd|AdKc"), PLAIN)

    assert lines[-2] == "The pot is split: nobody wins anything."


def test_history_tells_the_hand_from_the_blinds_on() -> None:
    assert render_history(scene(NO_LIMIT, "r300c/cr600"), PLAIN) == [
        "Hand 7: your cards Ah Kd",
        "Posted: You 100, formula 50.",
        "Before the flop: formula raises to 300 (250 more); You call 200.",
        "Flop, Qh 5c 2d: You check; formula bets 300.",
    ]


def test_welcome_says_what_is_played() -> None:
    assert render_welcome(load_game("kuhn-2p"), 1, PLAIN) == [
        "You are in seat 2 of 2. The game is limit poker, antes of 1, bets of 1. Type ?",
        "  for help.",
    ]


def test_chips_clocks_and_names_are_short() -> None:
    assert [format_chips(chips, sign=True) for chips in (40.0, -12.5, 0.0, -0.0, 33.333333)] == [
        "+40", "-12.5", "0", "0", "+33.33",
    ]  # fmt: skip
    assert [format_clock(seconds) for seconds in (8.4, 119.0, 600.0)] == ["8 s", "119 s", "10 min"]
    assert short_name("a-very-long-name-indeed") == "a-very-long-nam~"
    assert short_name("esc\x1b[31m") == "esc?[31m"


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
    coloured = "\n".join(render_result(at_end, DISPLAYS["colour"]))
    letters = str.maketrans("♣♦♥♠─", "cdhs-")

    assert "\x1b[31mA♥\x1b[0m" in coloured
    assert without_escapes(coloured).translate(letters) == "\n".join(render_result(at_end, PLAIN))


# --- whole hands -----------------------------------------------------------------------------------------

CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")


@pytest.mark.parametrize("name", ["limit-2p", "nolimit-3p", "leduc", "kuhn-3p", "nolimit-6p"])
async def test_no_hidden_card_is_ever_on_the_screen(name: str) -> None:
    """Before its showdown a hand's text has no cards but our own and the board's that is out."""
    game = load_game(name)
    rng = random.Random(name)

    def lines(human: Human) -> Iterator[str]:
        while True:
            yield rng.choice(["c", "c", "c", "r", "f", "history", "table", "", "r pot", "odds?"])

    opponents: list[Agent] = [Random(0.1, 0.6, 0.3) for _ in range(game.num_players - 1)]
    sitting = await type_match(game, opponents, 60, 5, lines)

    dealer = CardDealer(game, 5)
    texts = re.split(r"\n-- Hand (?=\d+ of)", sitting.text)[1:]
    assert len(texts) == 60
    for number, text in enumerate(texts):
        deal = dealer.deal()
        own = deal.hole_cards[-number % game.num_players]
        before_showdown = text.partition("-- Showdown\n  ")[0]
        assert set(CARD.findall(before_showdown)) <= {CARD_TEXTS[card] for card in (*own, *deal.board)}, text


TOUR = """\
?
nonsense
r pot
c
r
f
history
k

fold
last
table
call
check
raise
raise to 40
c
c
c
c
c
c
quit
"""
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
    definition = load_game(game)
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
        render_table(each, PLAIN) + render_question(each, PLAIN) + render_history(each, PLAIN)
        for each in (scene(LIMIT, "cc/r", f"AhKd|{cards}", position=1) for cards in ("QsQc", "2c3h"))
        if isinstance(each.view, HandView)
    ]

    assert texts[0] != texts[1]  # in position 1 the cards are our own ...
    texts = [
        render_table(each, PLAIN) + render_question(each, PLAIN) + render_history(each, PLAIN)
        for each in (scene(LIMIT, "cc/cr", f"AhKd|{cards}") for cards in ("QsQc", "2c3h"))
    ]
    assert texts[0] == texts[1]  # ... in position 0 the other's


def test_games_without_blinds_are_welcome() -> None:
    text = "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 1\nblind = 0 0\nraiseSize = 1\nfirstPlayer = 1\n"
    text += "maxRaises = 1\nnumSuits = 1\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0\nEND GAMEDEF\n"
    game = parse_game(text, source="a test")
    view = initial_hand(game, 0, CardDealer(game, 1).deal()).view(0)

    assert "no blinds" in " ".join(render_welcome(game, 0, PLAIN))
    assert describe_options(view) == "c check  |  r bet 1"
