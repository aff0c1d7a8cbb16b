"""``riverboat ask``: what a bot does in a spot, in this process and over the wire, and what speaks for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from clients.bots.baselines import AlwaysCall
from clients.commands.ask.ask import ask_command
from clients.core.agent import Agent
from clients.lab.seats.asking import ask, read_spot
from clients.lab.testing import Deciding, Recorder
from clients.reports.plots import answers_figure
from engine.poker.rules import FOLD, LIMIT_RAISE, Action, HandView, load_game, raise_to
from server.match.launching.confinement import why_there_are_none
from tests.support.dealer_process import environment, program

KUHN = ["--game", "kuhn-2p", "--betting", "c"]


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(ask_command, list(arguments))


def asked(*arguments: str) -> dict[str, Any]:
    result = invoke(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.output)
    return found


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


@pytest.mark.slow
def test_what_it_would_do_with_every_hand_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "grid.svg"

    result = invoke("random", "--hole", "AhKd", "--trials", "0", "--plot", str(path))

    assert result.exit_code == 0, result.output
    text = path.read_text()
    assert "AKs" in text or "<svg" in text


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["formulla", "--hole", "AhKd"], "did you mean"),
        (["random:folds=1", "--hole", "AhKd"], "folds"),
        (["random", "--hole", "AhKd", "--betting", "x"], "not an action"),
        (["random", "--hole", "AhKd", "--betting", "f"], "nobody is to act"),
        (["random", "--hole", "Ah"], "expected 2 hole cards"),
        (["random", "--hole", "AhKd", "--betting", "cc/"], "there are 3 board cards, got none"),
        (["random", "--hole", "AhKd", "--betting", "cc/", "--board", "Ah7d9h"], "different cards"),
        (["random", "--hole", "AhZd"], "Zd"),
        (["random", "--game", "leduc", "--hole", "2h"], "not in the game's deck"),
        (["random", "--game", "limit-2q", "--hole", "AhKd"], "limit-2q"),
        (["./no-such-bot", "--hole", "AhKd"], "not-found"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str) -> None:
    result = invoke(*arguments)

    assert result.exit_code == 2, result.output
    assert message in result.output
    assert result.output.count("\n") == 1


def test_a_program_that_fails_is_reported() -> None:
    result = invoke(f"{sys.executable} -c pass", "--hole", "AhKd")

    assert result.exit_code == 3
    assert "before it sat down" in result.output


@pytest.mark.skipif(why_there_are_none() is not None, reason="there are no sandboxes here")
def test_a_program_can_be_asked_in_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "secret").touch()
    (tmp_path / "shown").touch()
    (tmp_path / "ann/bot.py").write_text(
        "import os, socket, sys\n"
        "from pathlib import Path\n"
        "here = Path(__file__).parents[1]\n"
        "seen = ['CANARY' in os.environ, *((here / name).exists() for name in ('secret', 'shown'))]\n"
        "dealer = socket.create_connection((sys.argv[-2], int(sys.argv[-1]))).makefile('rwb')\n"
        "dealer.write(b'VERSION:2.0.0\\n'); dealer.flush()\n"
        "for line in dealer:\n"
        "    if not line.startswith(b'#'):\n"
        "        dealer.write(line.rstrip() + (b':r\\n' if seen == [False, False, True] else b':f\\n'))\n"
        "        dealer.flush()\n"
    )
    words = ("ask", f"python {tmp_path}/ann/bot.py", "--game", "leduc", "--hole", "Qs", "--json")
    done = subprocess.run(
        program(*words, "--sandbox", "--show", str(tmp_path / "shown"), "--trials", "0"),
        env=environment() | {"CANARY": "seen"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["action"] == "r"
