"""``riverboat ask``: what a bot does in a spot, in this process and over the wire, and what speaks for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clients.bots.baselines import AlwaysCall
from clients.commands.ask.ask import ask_command
from clients.core.agent import Agent
from clients.lab.seats.asking import ask, read_spot
from clients.lab.testing import Deciding, Recorder
from clients.reports.plots import answers_figure
from engine.poker.rules import FOLD, LIMIT_RAISE, Action, HandView, load_game, raise_to
from tests.support.commands import reports, runs

invoke = runs(ask_command)
asked = reports(ask_command)

KUHN = ["--game", "kuhn-2p", "--betting", "c"]


def test_the_second_player_of_kuhn_poker_bluffs_with_a_third_of_the_worst_cards() -> None:
    """In every equilibrium (Kuhn 1950) it bets the worst card after a check with probability 1/3."""
    found = asked("equilibrium", *KUHN, "--hole", "Qs", "--times", "25")

    assert found["triple"]["raise"] == pytest.approx(1 / 3, abs=0.01)
    assert found["triple"]["fold"] == 0
    assert found["answers"]["r"] == pytest.approx(1 / 3, abs=0.2)
    assert found["asked"] == 25
    assert found["match_state"] == "MATCHSTATE:1:0:c:|Qs"
    assert "why" not in found  # no hold'em


def test_a_bot_sees_the_hand_as_at_a_table_and_is_asked_once() -> None:
    bot = Recorder(AlwaysCall())
    spot = read_spot(load_game("nolimit-3p"), "r300cc/cr600", "Ah Kd", "2c7d9h")

    answer = ask(bot, spot)

    assert [(view.betting.text, str(action)) for view, action in bot.decisions] == [("r300cc/cr600", "c")]
    (view, _), *_ = bot.decisions
    assert view.hole_cards[view.position] == spot.hole_cards
    assert view.board == spot.board
    assert sum(map(len, view.hole_cards)) == 2
    assert str(answer.action) == "c"


def test_an_illegal_answer_is_corrected_and_reported() -> None:
    spot = read_spot(load_game("nolimit-2p"), "cc/", "AhKd", "2c7d9h")

    fold = ask(Deciding(lambda view: FOLD), spot)
    raised = ask(Deciding(lambda view: raise_to(99999)), spot)

    assert (str(fold.action), fold.is_legal) == ("c", False)
    assert (str(raised.action), raised.is_legal) == ("r20000", False)
    assert fold.triple is None


def test_a_bot_that_thinks_is_waited_for() -> None:
    class Thinker(Agent):
        async def choose_action(self, view: HandView) -> Action:
            return LIMIT_RAISE

    answer = ask(Thinker(), read_spot(load_game("limit-2p"), "", "AhKd", ""))

    assert str(answer.action) == "r"


def test_a_program_is_dealt_the_hand_over_the_wire_and_overruled_on_the_way() -> None:
    """always-raise, in a process of its own, would have raised where the betting has a call."""
    found = asked(
        f"{sys.executable} -m clients always-raise", "--betting", "cr", "--hole", "AhKd", "--trials", "0"
    )

    assert found["action"] == "r"
    assert found["overruled"] == [{"betting": "", "answered": "r", "played": "c"}]
    assert found["triple"] is None
    assert found["match_state"] == "MATCHSTATE:1:0:cr:|AhKd"
    assert found["position_name"] == "BTN/SB"


def test_strength_potential_weights_and_values_speak_for_it() -> None:
    found = asked(
        "hand-strength", "--betting", "rc/r", "--hole", "AhKd", "--board", "2c7d9h", "--trials", "200"
    )

    why = found["why"]
    assert why["hand_strength"] == pytest.approx(0.596, abs=0.001)  # as `riverboat odds` says
    assert set(why["positive_potential"]) == {"1", "2"}
    assert list(why["weights"]) == ["0"]
    assert [row["action"] for row in why["simulation"]["values"]] == ["f", "c", "r"]
    assert why["own_simulation"] is None
    text = invoke(
        "hand-strength", "--betting", "rc/r", "--hole", "AhKd", "--board", "2c7d9h", "--trials", "0"
    )
    assert "hand strength" in text.output
    assert "position 0 holds" in text.output


def test_a_bot_that_does_not_disclose_is_asked_ten_times_for_the_picture(tmp_path: Path) -> None:
    path = tmp_path / "answers.svg"

    result = invoke("hole-cards-learner", "--hole", "AhKd", "--trials", "0", "--plot", str(path))

    assert result.exit_code == 0, result.output
    text = path.read_text()  # matplotlib writes each text as a comment beside its shapes
    assert "<!-- answers, asked 10 times -->" in text
    assert "AhKd" in text
    assert "standard error" not in text


def test_values_stand_beside_the_answers_where_they_are_known() -> None:
    values = [{"action": "c", "value": 0.5, "standard_error": 0.1},
              {"action": "r300", "value": -0.25, "standard_error": 0.2}]  # fmt: skip
    simulation = {"unit": "big blinds", "trials": 100, "values": values}
    found = {"asked": 4, "answers": {"r300": 0.75, "f": 0.25}, "why": {"simulation": simulation}}

    left, right = answers_figure(found, "a bot").axes

    assert [label.get_text() for label in left.get_yticklabels()] == ["fold", "call", "raise to 300"]
    assert [bar.get_width() for bar in left.patches] == [0.25, 0, 0.75]  # type: ignore[attr-defined]
    assert [bar.get_width() for bar in right.patches] == [0.5, -0.25]  # type: ignore[attr-defined]
    assert [text.get_text() for text in right.texts] == ["+0.50", "-0.25"]
    assert right.get_xlabel() == "simulated values, big blinds ± standard error"


def test_a_program_that_fails_is_reported() -> None:
    result = invoke(f"{sys.executable} -c pass", "--hole", "AhKd")

    assert result.exit_code == 3
    assert "before it sat down" in result.output
