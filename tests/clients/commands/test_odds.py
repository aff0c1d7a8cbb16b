"""``riverboat odds`` and ``ask``: what a hand is worth, and what a bot would do with it."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall
from clients.bots.formula.agent import Formula
from clients.commands.ask.ask import ask_command
from clients.commands.ask.odds import odds
from clients.core.agent import Agent
from clients.lab.seats.asking import ask, read_spot
from clients.lab.testing import Deciding, Recorder
from clients.reports.plots import answers_figure
from engine.poker.cards import parse_cards
from engine.poker.combos import combo_index
from engine.poker.rules import FOLD, LIMIT_RAISE, Action, HandView, hand_rank, load_game, raise_to
from server.match.launching.confinement import why_there_are_none
from tests.support.commands import reports, runs
from tests.support.dealer_process import environment, program, run_to_end

# --- `riverboat odds` ---------------------------------------------------------------------------------------

run = runs(odds)
report = reports(odds)

REQUIRED = {
    "hand_strength", "ahead", "tied", "behind", "positive_potential", "negative_potential",
    "effective_hand_strength", "effective_hand_strength_npot", "equity", "raw_odds",
}  # fmt: skip


def test_the_paper_s_draw() -> None:
    found = report("7h9h", "8h6c4h")

    assert set(found) >= REQUIRED
    assert (found["ahead"], found["tied"], found["behind"]) == (108, 9, 964)
    assert round(found["hand_strength"], 3) == 0.104
    assert {key: round(value, 4) for key, value in found["positive_potential"].items()} == {
        "1": 0.4062,
        "2": 0.6196,
    }
    assert {key: round(value, 4) for key, value in found["negative_potential"].items()} == {
        "1": 0.0948,
        "2": 0.1336,
    }
    assert round(found["equity"], 4) == 0.6453
    assert found["effective_hand_strength_npot"]["2"] == pytest.approx(found["equity"])
    assert found["raw_odds"][0] == pytest.approx(found["equity"])
    assert len(found["raw_odds"]) == len(found["raw_odds_joint"]) == 9
    assert "hand_strength_n" not in found
    assert "pot_odds" not in found


def test_options_add_their_own_numbers() -> None:
    found = report("AdQc", "Jh4c3h", "--opponents", "2", "--pot", "50", "--to-call", "10")

    assert found["hand_strength_n"] == pytest.approx(found["hand_strength"] ** 2)
    assert found["pot_odds"] == pytest.approx(1 / 6)
    assert found["bet_to_pot"] == pytest.approx(0.2)
    assert found["raise_odds"] == pytest.approx(1 / 3)
    assert found["straight_play"] in ("fold", "call", "raise")
    won = found["raw_odds"][1]
    assert found["expected_value_of_call"] == pytest.approx(won * 50 - (1 - won) * 10)


def test_rake_makes_a_call_worth_less() -> None:
    situation = ("AdQc", "Jh4c3h", "--pot", "50", "--to-call", "10")
    free, raked = report(*situation), report(*situation, "--rake", "5", "--rake-cap", "2")

    assert raked["expected_value_of_call"] == pytest.approx(
        free["expected_value_of_call"] - 2 * free["equity"]
    )


def test_reflective_odds_against_those_who_play_few_hands() -> None:
    found = report("KcKd", "2h3s5dKh9c", "--playing", "10")
    loose = report("KcKd", "2h3s5dKh9c", "--playing", "10", "--looseness", "10")

    assert found["reflective_nuts"] is True
    assert found["reflective_odds"] > 0.99
    assert loose["reflective_nuts"] is False
    assert loose["reflective_odds"] == pytest.approx(loose["equity"])


def test_further_bets_change_the_price_as_the_papers_say() -> None:
    found = report("7h9h", "8h6c4h", "--pot", "16", "--to-call", "4", "--won-later", "4", "--lost-later", "4")

    assert found["bet_to_pot"] == 0.25
    assert found["implied_bet_to_pot"] == pytest.approx(0.40)  # one more call on the river: 20 to 8
    assert found["implied_odds"] == pytest.approx(8 / 28)
    assert found["implied_odds_of_draw"] == pytest.approx(4 / 24)
    assert found["reverse_implied_odds"] == pytest.approx(8 / 24)
    assert "implied_odds" not in report("7h9h", "8h6c4h", "--pot", "16", "--to-call", "4")


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (30, 0), (30, 10), (0, 25), (7, 7)])
def test_a_call_has_odds_where_all_hands_of_an_opponent_together_pay_it(won: int, lost: int) -> None:
    ours, board = parse_cards("KhQd"), parse_cards("Kc9s5d3h2c")
    results = [
        (rank > other) - (rank < other)
        for rank in [hand_rank((*ours, *board))]
        for pair in itertools.combinations(sorted(set(range(52)) - {*ours, *board}), 2)
        for other in [hand_rank((*pair, *board))]
    ]
    wins, ties = results.count(1), results.count(0)
    share = (wins + ties / 2) / len(results)

    for pot in (10, 40, 100):
        for to_call in (5, 40, 400):
            options = ["--won-later", str(won), "--lost-later", str(lost)]
            found = report("KhQd", "Kc9s5d3h2c", "--pot", str(pot), "--to-call", str(to_call), *options)
            value = share * (pot + won) - (1 - share) * (to_call + lost)
            assert found["expected_value_of_call"] == pytest.approx(value)
            assert (share > found["implied_odds"]) == (value > 0)
            assert (found["straight_play"] == "fold") == (value <= 0)


def test_filters_after_the_flop_are_counted_hand_by_hand() -> None:
    """The best 30 % of the hands on the river and the best 60 % on the turn, by a plain count."""
    ours, board = parse_cards("KhQd"), parse_cards("Kc9s5d3h2c")
    weights: dict[tuple[int, ...], float] = {}
    for size, share in ((4, 0.6), (5, 0.3)):
        free = itertools.combinations(sorted(set(range(52)) - set(board[:size])), 2)
        ranks = {pair: hand_rank((*pair, *board[:size])) for pair in free}
        groups = {
            rank: list(pairs)
            for rank, pairs in itertools.groupby(sorted(ranks, key=ranks.__getitem__), ranks.__getitem__)
        }
        left = share * len(ranks)
        for rank in sorted(groups, reverse=True):
            kept = min(1.0, max(0.0, left / len(groups[rank])))
            left -= len(groups[rank])
            for pair in groups[rank]:
                weights[pair] = weights.get(pair, 1.0) * kept
    alive = {pair: weight for pair, weight in weights.items() if not {*pair} & {*ours, *board} and weight > 0}
    rank = hand_rank((*ours, *board))
    points = {pair: (1 + (rank > r) - (rank < r)) / 2 for pair in alive for r in [hand_rank((*pair, *board))]}
    expected = sum(points[pair] * weight for pair, weight in alive.items()) / sum(alive.values())

    found = report("KhQd", "Kc9s5d3h2c", "--playing", "100,100,60,30")

    assert found["reflective_odds"] == pytest.approx(expected)
    assert found["hand_strength_tables"] == pytest.approx(expected)  # the river: nothing is to come
    assert 0.1 < expected < 0.9


def test_a_table_for_each_opponent_beside_one_for_the_whole_field() -> None:
    hand = ("KhQd", "Kc9s5d3h2c")
    tight, loose = (report(*hand, "--playing", share)["hand_strength_tables"] for share in ("5", "80"))
    equal = report(*hand, "--playing", "80", "--opponents", "3")

    found = report(*hand, "--playing", "5", "--playing", "80", "--playing", "80")

    assert found["opponents"] == 3
    assert found["hand_strength_tables"] == pytest.approx(tight * loose**2)
    # Poki 3.3.5: the mean of the tables hides the one strong hand, the maximum does not.
    assert found["hand_strength_field"]["mean"] > found["hand_strength_tables"]
    assert found["hand_strength_field"]["maximum"] != found["hand_strength_field"]["mean"]
    assert equal["hand_strength_tables"] == pytest.approx(loose**3)
    assert equal["hand_strength_field"] == pytest.approx({"maximum": loose**3, "mean": loose**3})


def test_without_a_board_the_counts_are_null() -> None:
    found = report("AsAh")

    assert set(found) >= REQUIRED
    assert found["ahead"] is found["tied"] is found["behind"] is None
    assert found["positive_potential"] == {}
    assert found["equity"] == pytest.approx(0.85204, abs=1e-5)
    assert found["raw_odds_joint"][8] == pytest.approx(0.3106, abs=0.001)


def test_on_the_turn_only_one_card_is_looked_ahead_and_on_the_river_none() -> None:
    assert list(report("7h9h", "8h6c4h2d")["positive_potential"]) == ["1"]
    assert report("7h9h", "8h6c4h2dKs")["positive_potential"] == {}


@pytest.mark.parametrize(
    "words",
    [
        ("7h9h", "8h6c4h"), ("7H 9h", "8h 6c 4h"), ("7h", "9h", "8h", "6c", "4h"), ("7♥9♥", "8♥6♣4♥"),
        ("7h9h8h6c4h",),
    ],
)  # fmt: skip
def test_words_and_spellings_do_not_matter(words: tuple[str, ...]) -> None:
    assert report(*words)["ahead"] == 108


def test_lines_for_people_off_a_terminal() -> None:
    result = run("7h9h", "8h6c4h", "--opponents", "3", "--pot", "40", "--to-call", "4")

    assert result.exit_code == 0
    assert "108 / 9 / 964" in result.stdout
    assert "0.6453" in result.stdout
    assert "straight play" in result.stdout
    assert not set("│┃━─") & set(result.stdout)


def test_neither_plots_nor_tables_are_loaded_without_need() -> None:
    program = (
        "import sys; from clients.commands.ask.odds import odds;"
        "odds(['7h9h', '8h6c4h'], standalone_mode=False);"
        "assert not {'matplotlib', 'rich', 'scipy', 'trio'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)


def test_a_spot_given_by_hand_is_simulated() -> None:
    """With the nuts a raise is worth more than a call, and folding is worth nothing."""
    found = report("2s2c", "Js8c4s2h2d", "--simulate", "rc/cc/cc/r", "--trials", "2000")["simulation"]

    values = {entry["action"]: entry["value"] for entry in found["values"]}
    assert (list(values), values["f"]) == (["f", "c", "r"], 0)
    assert values["r"] > values["c"] > 5  # the pot of four small bets and a big bet, and more
    assert found["best"] == "r"
    assert (found["trials"], found["unit"], found["model"]) == (2000, "small bets", "generic")
    assert all(entry["standard_error"] >= 0 for entry in found["values"])


def test_a_simulation_stands_among_the_lines_and_repeats() -> None:
    arguments = ["AhJd", "Js8c4s", "--simulate", "cc/", "--game", "nolimit-2p", "--trials", "1000"]

    first = run(*arguments)

    assert first.exit_code == 0, first.stderr
    assert "simulated: c" in first.stdout
    assert "big blinds" in first.stdout
    assert run(*arguments).stdout == first.stdout


def test_equities_by_starting_hand_add_up_to_that_against_any_hand() -> None:
    from clients.reports.odds import equity_by_starting_hand
    from engine.hands.equity import equity_against
    from engine.poker.combos import STARTING_HAND_OF_COMBO, combos_without

    hole, board = parse_cards("7h9h"), parse_cards("8h6c4h")
    equities = equity_by_starting_hand(hole, board)
    counts = np.bincount(STARTING_HAND_OF_COMBO[combos_without((*hole, *board))], minlength=169)

    mean = np.nansum(equities * counts) / counts.sum()
    assert mean == pytest.approx(equity_against(hole, board), abs=1e-9)
    assert (np.isnan(equities) == (counts == 0)).all()


# --- `riverboat ask` ----------------------------------------------------------------------------------------

invoke = runs(ask_command)
asked = reports(ask_command)

KUHN = ["--game", "kuhn-2p", "--betting", "c"]


def test_the_second_player_of_kuhn_poker_bluffs_with_a_third_of_the_worst_cards() -> None:
    """In every equilibrium (Kuhn 1950) it bets the worst card after a check with probability 1/3."""
    found = asked("equilibrium", *KUHN, "--hole", "Qs", "--times", "25")

    assert found["triple"]["raise"] == pytest.approx(1 / 3, abs=0.01)
    assert found["triple"]["fold"] == 0
    assert found["answers"]["r"] == pytest.approx(1 / 3, abs=0.2)
    assert (found["asked"], found["match_state"]) == (25, "MATCHSTATE:1:0:c:|Qs")
    assert "why" not in found  # no hold'em


def test_a_bot_sees_the_hand_as_at_a_table_and_is_asked_once() -> None:
    bot = Recorder(AlwaysCall())
    spot = read_spot(load_game("nolimit-3p"), "r300cc/cr600", "Ah Kd", "2c7d9h")

    answer = ask(bot, spot)

    assert [(view.betting.text, str(action)) for view, action in bot.decisions] == [("r300cc/cr600", "c")]
    (view, _), *_ = bot.decisions
    assert (view.hole_cards[view.position], view.board) == (spot.hole_cards, spot.board)
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
    assert (found["triple"], found["match_state"]) == (None, "MATCHSTATE:1:0:cr:|AhKd")
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
    grants = ("--sandbox", "--show", str(tmp_path / "shown"), "--trials", "0")
    done = run_to_end(program(*words, *grants), env=environment() | {"CANARY": "seen"})

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["action"] == "r"


FLOP = ("--betting", "rc/c", "--hole", "AhKd", "--board", "2c7d9h", "--trials", "0")
DECIDED_BY = {
    "formula": ["value", "chance to win", "draw", "blueprint", "opponents"],
    "simple": ["strength", "draw", "price"], "killer": ["reflective odds", "price"],
    "sampling:trials=200": ["values", "blueprint"],
    "heuristic": ["strength", "values"], "adaptive": ["values", "trust"], "equilibrium": ["strategy"],
    "hand-strength": ["strength"], "portfolio": ["weights"], "street-learner": ["state", "values"],
    "winning-hand-learner": ["after the flop"],
}  # fmt: skip


@pytest.mark.parametrize("bot", DECIDED_BY)
def test_the_numbers_by_which_a_bot_decided_are_its_own_and_come_before_comparisons(bot: str) -> None:
    text = invoke(bot, *FLOP, "--times", "1").stdout.splitlines()

    assert text[1].startswith("  it plays")
    first, compared = text.index("it decided by"), text.index("for comparison")
    said = [line[2:21].strip() for line in text[first + 1 : compared] if line[2] != " "]
    assert said == DECIDED_BY[bot]
    assert max(map(len, text)) <= 80
    assert any("holds, by the generic model" in line for line in text[compared:])


def test_what_it_decided_by_is_what_it_decided_by() -> None:
    spot = read_spot(load_game("limit-2p"), "rc/c", "AhKd", "2c7d9h")
    bot = Formula()
    answer = ask(bot, spot, seed=1)
    combo = combo_index(*answer.view.own_cards)
    decision = bot.book.follow(answer.view).decision(answer.view.betting)

    assert answer.reasons["value"].startswith(f"{decision.values.value[combo]:+.3f} (of 1); calls from +0.5")
    assert answer.reasons["chance to win"].startswith(f"{decision.values.showdown[combo]:.3f}; ")

    known = asked("equilibrium", *KUHN, "--hole", "Qs", "--times", "1")
    assert known["decided_by"]["strategy"] == ", ".join(
        f"{name} {known['triple'][name]:.4f}" for name in ("call", "raise")
    )
    mixed = invoke("equilibrium", *KUHN, "--hole", "Ks", "--betting", "", "--times", "1").output
    assert "a draw from it" in mixed or "  action " in mixed


NUMBERS = {
    "killer": r"configs: fold \+0\.00, call \+\d+\.\d\d, raise \+\d+\.\d\d chips",
    "killer:preflop=groups": r"groups: group 2 of 9; .* 0\.00 raises, 1\.00 callers",
    "killer:preflop=one-chip": r"one-chip: 5\.0% of all hands are better; raises the best 75\.0%, .*",
    "heuristic": r"before the flop: 5\.0% of all hands are better; the table's row for 0 raises, .*",
    "formula": r"value: \+0\.950 \(the share of all hands that earn less\).*",
    "hole-cards-learner": r"values: fold \+\d+, call \+\d+, raise \+\d+ points: .* and 0 updates",
}


@pytest.mark.parametrize("bot", NUMBERS)
def test_before_the_flop_a_bot_says_the_numbers_by_which_it_decided(bot: str) -> None:
    told = asked(bot, "--hole", "AhKd", "--trials", "0", "--times", "1")["decided_by"]

    assert [True for name, text in told.items() if re.fullmatch(NUMBERS[bot], f"{name}: {text}")]


@pytest.mark.parametrize("bot", ["hole-cards-learner", "sampling:trials=20"])
def test_what_a_bot_plays_is_what_it_answers_where_its_seed_decides(bot: str) -> None:
    found = asked(bot, "--hole", "AhKd", "--trials", "0", "--times", "8")

    answers = [found["answers"].get(letter, 0.0) for letter in "fcr"]
    assert list(found["triple"].values()) == pytest.approx(answers, abs=0.1)  # one of equal values is drawn
    text = invoke(bot, "--hole", "AhKd", "--trials", "0", "--times", "8").output
    assert [said for said in ("the mean of 8 seeds", "a draw from it") if said not in text] == []


def test_hands_and_ranges_are_compared() -> None:
    found = report("AhKd", "QQ+,AKs", "--board", "2c7d9h")

    assert found["exact"]
    assert [each["range"] for each in found["players"]] == ["AhKd", "QQ+,AKs"]
    assert sum(each["equity"] for each in found["players"]) == pytest.approx(1)
    text = run("KK", "random", "random", "--dead", "2c2d", "--trials", "2000").output
    assert text.startswith("before the flop, without 2c2d (± 95 %, fixed: 2,000 deals, seed 1)\n")
    assert re.search(r"^random \(3\) .* ± \d\.\d\d %$", text, re.MULTILINE)
