"""What a person is shown: sentences, tables, showdowns; and nothing that is hidden."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

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

LIMIT = load_game("limit-2p")


def scene(
    game: GameDefinition, betting: str, holes: str = "AhKd|QsQc", board: str = "Qh5c2d9sTs", position: int = 0
) -> Scene:
    """A hand at a point of its betting, seen by the player in seat 0, who is in `position`."""
    deal = Deal(tuple(parse_cards(cards) for cards in holes.split("|")), parse_cards(board))
    view = HandState(parse_betting(game, betting), 6, deal).view(position)
    names = tuple(["me", "formula", "learner"][: game.num_players])
    return Scene(view, 0, names, (40.0,) + (-40.0,) * (game.num_players - 1), 6, 100)


SHOWN: Final[Mapping[str, Callable[[Scene], list[str]]]] = {
    "action": lambda scene: render_action(scene, PLAIN),
    "options": lambda scene: [describe_options(scene.view)],
    "question": lambda scene: render_question(scene, PLAIN),
    "table": lambda scene: render_table(scene, PLAIN),
    "result": lambda scene: render_result(scene, PLAIN),
    "history": lambda scene: render_history(scene, PLAIN),
    "welcome": lambda scene: render_welcome(scene.view.game, scene.view.position, PLAIN),
}


def shown(title: str) -> list[str]:
    """The lines that the head of a scene in ``scenes.txt`` asks for."""
    kind, game, betting, *rest = title.split()
    holes = next((text for text in rest if "|" in text), "AhKd|QsQc")
    position = 1 if "position=1" in rest else 0
    return SHOWN[kind](scene(load_game(game), betting.strip("-"), holes, position=position))


SCENES = dict(
    re.findall(r"^\[(.*)\]\n((?:.+\n)+)", Path(__file__).with_name("scenes.txt").read_text("utf-8"), re.M)
)


@pytest.mark.parametrize("title", SCENES)
def test_scenes_are_told_as_they_were_approved(title: str) -> None:
    """Actions, options, tables, showdowns and histories, each as in ``scenes.txt`` beside this file."""
    assert shown(title) == SCENES[title].splitlines()


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
