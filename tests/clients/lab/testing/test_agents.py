"""Players for tests: scripts, functions, recorders."""

from __future__ import annotations

import pytest

from clients.bots.baselines import AlwaysCall, AlwaysRaise, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.lab.testing import Deciding, Recorder, Scripted, ScriptError
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, GameDefinition, HandView, load_game, raise_to

NOLIMIT = load_game("nolimit-2p")


def bettings(agents: list[Agent], hands: int, game: str = "nolimit-2p") -> list[str]:
    """The betting of some hands."""
    texts: list[str] = []
    Arena(load_game(game), agents, 7).play(hands, on_hand=lambda state, _: texts.append(state.betting.text))
    return texts


@pytest.mark.parametrize(
    ("player", "game", "expected"),
    [
        (Scripted([raise_to(300), CALL, raise_to(900)]), "nolimit-2p", ["r300c/cc/cr900c/cc", "cc/cc/cc/cc"]),
        # Where there is nothing to call it does not fold.
        (Scripted([LIMIT_RAISE], then=FOLD, every_hand=True), "limit-2p", ["rc/cc/cc/cc", "crc/cc/cc/cc"]),
        (Scripted([raise_to(150)], strict=False), "nolimit-2p", ["r200c/cc/cc/cc"]),
        (
            Deciding(lambda view: LIMIT_RAISE if view.betting_round == 3 else CALL),
            "limit-2p",
            ["cc/cc/cc/crc"],
        ),
    ],
    ids=["a script that ends", "a script for each hand", "a script that is not strict", "a function"],
)
def test_a_player_does_what_it_was_told(player: Agent, game: str, expected: list[str]) -> None:
    assert bettings([AlwaysCall(), player], len(expected), game) == expected


def test_a_script_that_has_lost_its_way_says_so() -> None:
    agents: list[Agent] = [AlwaysCall(), Scripted([CALL, raise_to(150)])]

    with pytest.raises(ScriptError, match=r"action 2 of the script is r150, .* MATCHSTATE:1:0:cc/c:"):
        bettings(agents, 1)


def test_a_recorder_changes_nothing() -> None:
    plain = bettings([Random(), Random()], 50)

    assert bettings([Recorder(Random()), Random()], 50) == plain


def test_a_recorder_keeps_what_was_told_and_done() -> None:
    recorder = Recorder(AlwaysRaise())

    Arena(load_game("leduc"), [recorder, Scripted([CALL, FOLD])], 7).play(1)

    assert recorder.matches == [(load_game("leduc"), 0)]
    assert recorder.told == [
        ("hand", "MATCHSTATE:0:0::Qs|"),
        ("action", "MATCHSTATE:0:0:r:Qs|", "0", "r"),
        ("action", "MATCHSTATE:0:0:rc/:Qs|/Kh", "1", "c"),
        ("action", "MATCHSTATE:0:0:rc/r:Qs|/Kh", "0", "r"),
        ("action", "MATCHSTATE:0:0:rc/rf:Qs|/Kh", "1", "f"),
        ("end", "MATCHSTATE:0:0:rc/rf:Qs|/Kh"),
    ]
    assert [(view.betting.text, action) for view, action in recorder.decisions] == [
        ("", LIMIT_RAISE),
        ("rc/", LIMIT_RAISE),
    ]
    assert recorder.chips == 3
    assert recorder.seen == [state for _, state, *_ in recorder.told[:-1]]


def test_a_recorder_passes_on_what_the_table_gives() -> None:
    class Nosy(Agent):
        wants_clock = True
        prepared: GameDefinition | None = None

        def prepare(self, game: GameDefinition | None) -> None:
            self.prepared = game

        def choose_action(self, view: HandView) -> Action:
            assert self.prepared is NOLIMIT
            assert (self.game, self.seat, self.names, self.seeded) == (NOLIMIT, 1, ("a", "b"), True)
            self.comment = "hello"
            return CALL

    nosy = Nosy()
    recorder = Recorder(nosy)
    Arena(NOLIMIT, [AlwaysCall(), recorder], 7, names="ab").play(1)

    assert recorder.wants_clock
    assert nosy.seed == recorder.seed != 0
    assert (recorder.comment, nosy.comment) == ("hello", None)
