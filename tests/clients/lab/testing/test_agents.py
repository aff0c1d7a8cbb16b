"""Players for tests, what they are tried in, and the pytest plug-in."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from hypothesis import given, strategies as st

import clients.lab.testing
import engine.poker.situations
from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import installed_bots
from clients.lab import testing
from engine.poker import rules
from engine.poker.cards import InvalidCardError, format_cards, parse_cards
from tests.support.asserting import refuses
from tests.support.hands.strategies import games
from tests.support.interpreter import imported_by
from tests.support.pytest_process import run_pytest

# --- Players for tests --------------------------------------------------------------------------------------

NOLIMIT = rules.load_game("nolimit-2p")


def bettings(agents: list[Agent], hands: int, game: str = "nolimit-2p") -> list[str]:
    """The betting of some hands."""
    texts: list[str] = []
    Arena(rules.load_game(game), agents, 7).play(
        hands, on_hand=lambda state, _: texts.append(state.betting.text)
    )
    return texts


@pytest.mark.parametrize(
    ("player", "game", "expected"),
    [
        (testing.Scripted([rules.raise_to(300), rules.CALL, rules.raise_to(900)]), "nolimit-2p",
         ["r300c/cc/cr900c/cc", "cc/cc/cc/cc"]),
        # Where there is nothing to call it does not fold.
        (testing.Scripted([rules.LIMIT_RAISE], then=rules.FOLD, every_hand=True), "limit-2p",
         ["rc/cc/cc/cc", "crc/cc/cc/cc"]),
        (testing.Scripted([rules.raise_to(150)], strict=False), "nolimit-2p", ["r200c/cc/cc/cc"]),
        (testing.Deciding(lambda view: rules.LIMIT_RAISE if view.betting_round == 3 else rules.CALL),
         "limit-2p", ["cc/cc/cc/crc"]),
    ],
    ids=["a script that ends", "a script for each hand", "a script that is not strict", "a function"],
)  # fmt: skip
def test_a_player_does_what_it_was_told(player: Agent, game: str, expected: list[str]) -> None:
    assert bettings([AlwaysCall(), player], len(expected), game) == expected


def test_a_script_that_has_lost_its_way_says_so() -> None:
    agents: list[Agent] = [AlwaysCall(), testing.Scripted([rules.CALL, rules.raise_to(150)])]

    refuses(
        testing.ScriptError, r"action 2 of the script is r150, .* MATCHSTATE:1:0:cc/c:", bettings, agents, 1
    )


def test_a_recorder_changes_nothing() -> None:
    plain = bettings([Random(), Random()], 50)

    assert bettings([testing.Recorder(Random()), Random()], 50) == plain


def test_a_recorder_keeps_what_was_told_and_done() -> None:
    recorder = testing.Recorder(AlwaysRaise())

    Arena(rules.load_game("leduc"), [recorder, testing.Scripted([rules.CALL, rules.FOLD])], 7).play(1)

    assert recorder.matches == [(rules.load_game("leduc"), 0)]
    assert recorder.told == [
        ("hand", "MATCHSTATE:0:0::Qs|"),
        ("action", "MATCHSTATE:0:0:r:Qs|", "0", "r"),
        ("action", "MATCHSTATE:0:0:rc/:Qs|/Kh", "1", "c"),
        ("action", "MATCHSTATE:0:0:rc/r:Qs|/Kh", "0", "r"),
        ("action", "MATCHSTATE:0:0:rc/rf:Qs|/Kh", "1", "f"),
        ("end", "MATCHSTATE:0:0:rc/rf:Qs|/Kh"),
    ]
    assert [(view.betting.text, action) for view, action in recorder.decisions] == [
        ("", rules.LIMIT_RAISE),
        ("rc/", rules.LIMIT_RAISE),
    ]
    assert recorder.chips == 3
    assert recorder.seen == [state for _, state, *_ in recorder.told[:-1]]


def test_a_recorder_passes_on_what_the_table_gives() -> None:
    class Nosy(Agent):
        wants_clock = True
        prepared: rules.GameDefinition | None = None

        def prepare(self, game: rules.GameDefinition | None) -> None:
            self.prepared = game

        def choose_action(self, view: rules.HandView) -> rules.Action:
            assert self.prepared is NOLIMIT
            assert (self.game, self.seat, self.names, self.seeded) == (NOLIMIT, 1, ("a", "b"), True)
            self.comment = "hello"
            return rules.CALL

    nosy = Nosy()
    recorder = testing.Recorder(nosy)
    Arena(NOLIMIT, [AlwaysCall(), recorder], 7, names="ab").play(1)

    assert recorder.wants_clock
    assert nosy.seed == recorder.seed != 0
    assert (recorder.comment, nosy.comment) == ("hello", None)


# --- What agents are tried in -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", rules.packaged_games())
def test_in_ties_the_pot_is_split_at_a_showdown(name: str) -> None:
    game = rules.load_game(name)
    deals = testing.tied_deals(game, 10)

    splits = []
    if deals:
        agents = [AlwaysCall() for _ in range(game.num_players)]
        arena = Arena(game, agents, 0, dealer=rules.StackedDealer(deals))
        arena.play(len(deals), on_hand=lambda _, chips: splits.append(sorted(chips)[-2:]))

    assert all(best == second for second, best in splits)
    assert bool(splits) != name.startswith("kuhn")  # where no two cards are equal


def test_deep_and_short_stacks_are_tried_in_no_limit_games_only() -> None:
    def stacks(name: str, **options: bool) -> set[tuple[int, ...]]:
        return {situation.game.stacks for situation in testing.situations(rules.load_game(name), **options)}

    assert stacks("nolimit-2p") == {(20000, 20000), (100, 50), (100, 100), (300, 300), (150, 2250)}
    assert stacks("nolimit-2p", short_stacks=False) == {(20000, 20000)}
    assert len(stacks("limit-2p")) == 1


def bettings_of(situation: testing.Situation) -> set[str]:
    """What happens in a situation to somebody who always calls."""
    opponents = [situation.opponents[k % len(situation.opponents)]() for k in range(2)]
    dealer = rules.StackedDealer(situation.deals) if situation.deals else None
    texts: set[str] = set()
    arena = Arena(situation.game, [*opponents, AlwaysCall()], 1, dealer=dealer)
    arena.play(len(situation.deals) or 30, on_hand=lambda state, _: texts.add(state.betting.text))
    return texts


@pytest.mark.parametrize("name", rules.packaged_games())
def test_names_of_situations_are_different(name: str) -> None:
    names = [situation.name for situation in testing.situations(rules.load_game(name))]

    assert len(set(names)) == len(names)


def test_what_the_situations_promise_happens_to_who_always_calls() -> None:
    """All-in before the flop, rounds with many raises, checks to the river, hands that end at once, ties."""
    bettings = {
        situation.name: bettings_of(situation)
        for situation in testing.situations(rules.load_game("nolimit-3p"))
    }

    assert "r20000cc///" in bettings["against players who always go all in"]
    assert "ccc/ccc/ccc/ccc" in bettings["against players who always call"]
    assert "ff" in bettings["against players who always fold"]  # the agent is not asked at all
    assert max(map(len, bettings["against players who always raise the least they may"])) > 100
    assert bettings["with stacks that are gone with the blinds"] == {"c///"}  # only the button has chips


# --- cards that are laid --------------------------------------------------------------------------------


@given(st.data())
def test_a_laid_deal_has_the_cards_wanted_and_others_of_the_deck(data: st.DataObject) -> None:
    game = data.draw(games())
    cards = data.draw(st.permutations(game.deck))
    position = data.draw(st.integers(0, game.num_players - 1))
    on_board = data.draw(st.integers(0, game.board_ends[-1]))
    own, board = cards[: game.num_hole_cards], cards[game.num_hole_cards :][:on_board]

    deal = testing.stacked_deal(game, {position: format_cards(own)}, format_cards(board), seed=3)

    assert deal.hole_cards[position] == tuple(own)
    assert deal.board[:on_board] == tuple(board)
    assert len(deal.board) == game.board_ends[-1]
    dealt = [*deal.board, *(card for hole in deal.hole_cards for card in hole)]
    assert len(set(dealt)) == len(dealt) == game.cards_per_hand
    assert set(dealt) <= set(game.deck)
    assert testing.stacked_deal(game, {position: format_cards(own)}, format_cards(board), seed=3) == deal


def test_laid_cards_that_cannot_be_dealt_are_refused() -> None:
    game: rules.GameDefinition = rules.load_game("limit-2p")

    for hole_cards, board, message in (
        ({2: "AhKh"}, "", "in positions 0 to 1, got 2 in position 2"),
        ({0: "Ah"}, "", "expected 2 hole cards .* got 1"),
        ({0: "AhKh"}, "Ah2c3d", "different cards"),
        ({0: "AhKh", 1: "AhQh"}, "", "different cards"),
        ({}, "2c3c4c5c6c7c", "at most 5 board cards, got 6"),
    ):
        refuses(ValueError, message, testing.stacked_deal, game, hole_cards, board)
    with pytest.raises(ValueError, match="the game's deck"):
        testing.stacked_deal(rules.load_game("leduc"), {0: "2c"})
    with pytest.raises(InvalidCardError):
        testing.stacked_deal(game, {0: "AhXx"})
    assert parse_cards("AhKh") == testing.stacked_deal(game, {0: "AhKh"}).hole_cards[0]


# --- The pytest plug-in, in a pytest of its own that found it by itself -------------------------------------

OURS = ("engine", "protocol", "server", "clients", "numpy", "numba", "trio")


def test_fixtures_are_there_without_being_asked_for(tmp_path: Path) -> None:
    text = run_pytest(
        tmp_path,
        test_bot="""
from clients import CALL, FOLD, Agent, raise_to

class Tight(Agent):
    def choose_action(self, view):
        return FOLD

def test_right(check_agent):
    assert check_agent("random", "leduc", hands=3).hands > 0

def test_wrong(check_agent, riverboat_game):
    check_agent(Tight, riverboat_game("leduc"), hands=3)

def test_table(arena, scripted, recorder):
    follower = recorder(scripted([raise_to(300), FOLD]))
    assert arena("nolimit-2p", follower, "always-raise", seed=7).play(1) == (-300, 300)
    assert len(follower.decisions) == 2
""",
    )

    assert "1 failed, 2 passed" in text
    assert "FaultyAgentError: Tight in leduc, seed 0: 1 fault" in text
    assert "report.py" not in text  # what failed is shown, and not how the kit says so


def test_pytest_loads_nothing_for_it(tmp_path: Path) -> None:
    """Neither is anything of ours imported, nor does it stand in the way of packages of the same names."""
    (tmp_path / "clients").mkdir()
    (tmp_path / "clients" / "__init__.py").write_text("MINE = True\n")
    (tmp_path / "engine.py").write_text("MINE = True\n")

    text = run_pytest(
        tmp_path,
        conftest=f"import sys\nLOADED = {set(OURS)} & set(sys.modules)\n",
        test_mine="""
import clients, conftest, engine

def test_mine():
    assert clients.MINE
    assert engine.MINE

def test_loaded():
    assert conftest.LOADED <= {"trio", "numpy"}, conftest.LOADED  # other plug-ins bring these
""",
    )

    assert re.search(r"^2 passed", text, re.MULTILINE), text


def test_the_plug_in_itself_imports_nothing_but_pytest() -> None:
    assert not imported_by("import pytest, pytest_riverboat") & set(OURS)


# --- What the docstrings of the kit show is what happens ----------------------------------------------------


@pytest.mark.parametrize("module", [clients.lab.testing, engine.poker.situations])
def test_examples_do_as_they_say(module: ModuleType) -> None:
    result = doctest.testmod(module)

    assert result.attempted > 0
    assert result.failed == 0


# --- Every bot that comes with the package does nothing wrong in the games it plays -------------------------

HOLDEM: Final = ("limit-2p", "limit-3p", "nolimit-2p", "nolimit-3p")
LARGE: Final = ("limit-6p", "limit-10p", "nolimit-6p")
EVERY_TABLE: Final = (*HOLDEM, *LARGE)
SLOW: Final = ("limit-2p", "nolimit-2p", "limit-3p", "limit-6p", "limit-10p", "nolimit-6p")
"""Games that are tried on demand: what could go wrong there goes wrong in the others, as a rule."""
ANY_GAME: Final = (*HOLDEM, "kuhn-2p", "leduc")

BOTS: Final = {
    "adaptive": ("limit-2p", "nolimit-2p"), "always-all-in": ANY_GAME, "always-call": ANY_GAME,
    "always-fold": ANY_GAME, "always-raise": ANY_GAME, "equilibrium": ("kuhn-2p", "kuhn-3p", "leduc"),
    "formula": EVERY_TABLE, "hand-strength": HOLDEM, "heuristic": EVERY_TABLE, "hole-cards-learner": HOLDEM,
    "killer": (*HOLDEM, "nolimit-6p"), "name-learner": HOLDEM, "poker-learner": HOLDEM,
    "portfolio:iterations=5": ("kuhn-2p", "leduc"), "random": ANY_GAME, "sampling:trials=20": EVERY_TABLE,
    "simple": EVERY_TABLE, "street-learner": EVERY_TABLE, "winning-hand-learner": HOLDEM,
}  # fmt: skip
"""With options that make the slow ones quick, and the games to try them in."""

STATELESS: Final = {
    "always-all-in", "always-call", "always-fold", "always-raise", "equilibrium", "hand-strength", "random",
}  # fmt: skip
"""What they do follows from the hand alone; the others learn or read their opponents."""


EXPENSIVE: Final = {
    ("equilibrium", "leduc"),
    ("equilibrium", "kuhn-3p"),
    ("portfolio:iterations=5", "leduc"),
    ("killer", "nolimit-3p"),
}
"""Tried on demand too."""


def hands(game: str) -> int:
    """In each situation; some seconds for the slowest bots, at large tables, too."""
    return 2 if game in LARGE else 6


@pytest.mark.parametrize(
    ("bot", "game"),
    [
        pytest.param(bot, game, marks=[pytest.mark.slow] if game in SLOW or (bot, game) in EXPENSIVE else [])
        for bot, games in BOTS.items()
        for game in games
    ],
)
def test_a_bot_does_nothing_wrong(bot: str, game: str) -> None:
    report = testing.check_agent(bot, game, hands=hands(game), stateless=bot in STATELESS)

    report.raise_if_wrong()
    assert report.decisions > 50


def test_no_bot_is_left_out() -> None:
    ours = {name for name, entry in installed_bots().items() if entry.module.startswith("clients.")}

    needy = {
        "decide",
        "llm",
        "openspiel",
        "pypokerengine",
        "resolver",
        "rlcard",
        "skeleton",
    }  # they have tests of their own
    assert {bot.partition(":")[0] for bot in BOTS} == ours - needy
