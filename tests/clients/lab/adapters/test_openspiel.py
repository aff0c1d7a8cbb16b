from pathlib import Path
from typing import Any

import pytest

from clients.bots.baselines import Random
from clients.commands.solve.exploitability import exploitability as command
from clients.core.options import OptionError
from clients.core.registry import make_bot
from clients.core.session import SessionError
from clients.lab.adapters.openspiel import OpenSpiel, hand_of, openspiel_state
from engine.poker.rules import Action, HandView, load_game
from tests.support.commands import reports
from tests.support.observers import log_of

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel")
from open_spiel.python.algorithms import exploitability  # noqa: E402

from clients.lab.adapters.openspiel_policy import RiverboatPolicy  # noqa: E402

ask = reports(command)
UNIFORM = """\
from open_spiel.python.policy import UniformRandomPolicy

def policy(game):
    return UniformRandomPolicy(game)
"""
CFR = """\
from open_spiel.python.algorithms.cfr import CFRSolver

def policy(game):
    solver = CFRSolver(game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    return solver.average_policy()
"""
GAMES = ("kuhn-2p", "kuhn-3p", "leduc", "limit-2p", "limit-3p", "nolimit-2p-100bb", "nolimit-3p")


def bot(folder: Path, text: str = UNIFORM) -> OpenSpiel:
    (folder / "policy.py").write_text(text)
    return OpenSpiel(folder / "policy.py")


class Watched(OpenSpiel):
    """Compares each state with the hand that it shows."""

    decisions = 0

    def _chances(self, view: HandView) -> dict[Action, float]:
        self.decisions += 1
        state = openspiel_state(self._game, view)
        assert hand_of(view.game, state).view(view.position).betting.text == view.betting.text
        seen = hand_of(view.game, state).view(view.position)
        assert (seen.own_cards, seen.board) == (view.own_cards, view.board)
        chances = super()._chances(view)
        legal = view.legal_actions()
        totals = 0 if legal.min_raise_to is None else (legal.max_raise_to or 0) - legal.min_raise_to + 1
        assert len(chances) == 1 + legal.can_fold + totals
        return chances


@pytest.mark.parametrize(
    "hands", [20, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
@pytest.mark.parametrize("game", GAMES)
async def test_a_policy_plays_legal_hands(game: str, hands: int, tmp_path: Path) -> None:
    """An illegal action would end the bot; what is legal there is legal here."""
    file = tmp_path / "policy.py"
    file.write_text(UNIFORM)
    agent = Watched(file)
    definition = load_game(game)
    others = [Random() for _ in range(definition.num_players - 1)]

    log = await log_of(game, [agent, *others], hands)

    assert len(log) == hands
    assert agent.decisions >= hands / 3


@pytest.mark.parametrize("text", [UNIFORM, CFR], ids=["uniform", "cfr"])
def test_our_exploitability_of_their_policy_is_theirs(text: str, tmp_path: Path) -> None:
    agent = bot(tmp_path, text)
    agent.match_started(load_game("kuhn-2p"), 0)

    ours = ask(f"openspiel:policy={tmp_path}/policy.py", "--game", "kuhn-2p")["exploitability"] / 1000

    assert ours == pytest.approx(exploitability.exploitability(agent._game, agent._policy), abs=1e-6)


BOTS = ["random", "equilibrium", "always-raise", "always-call"]
SMALL = ["kuhn-2p", pytest.param("leduc", marks=pytest.mark.slow)]


@pytest.mark.parametrize("player", BOTS)
@pytest.mark.parametrize("game", SMALL)
def test_their_exploitability_of_our_bot_is_ours(game: str, player: str) -> None:
    policy = RiverboatPolicy(load_game(game), [player, player])

    theirs = exploitability.exploitability(policy.game, policy)

    ours = ask(player, "--game", game)["exploitability"] * load_game(game).big_blind / 1000
    assert theirs == pytest.approx(ours, abs=1e-6)


def test_a_policy_of_two_bots_has_the_value_of_their_match() -> None:
    """In each position its own bot: a caller against a raiser at Kuhn, by hand."""
    policy = RiverboatPolicy(load_game("kuhn-2p"), ["always-raise", "always-call"])

    assert _value(policy) == pytest.approx(0.0)  # bet and call: the higher card wins 2, for both alike


def _value(policy: Any) -> float:
    def value(state: Any) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        outcomes = (
            state.chance_outcomes() if state.is_chance_node() else policy.action_probabilities(state).items()
        )
        return sum([float(chance) * value(state.child(action)) for action, chance in outcomes])

    return value(policy.game.new_initial_state())


@pytest.mark.parametrize(
    ("game", "bots", "why"),
    [
        ("nolimit-2p", ["random"] * 2, "expected a limit game"),
        ("kuhn-2p", ["random"], "expected 2 bots"),
        ("kuhn-2p", ["adaptive"] * 2, "does not say|plays"),
    ],
)
def test_bots_that_make_no_policy_are_refused(game: str, bots: list[str], why: str) -> None:
    with pytest.raises(OptionError, match=why):
        RiverboatPolicy(load_game(game), bots)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def policy(game):\n    return 1 / 0", "makes no policy: ZeroDivisionError"),
        ("policies = 3", "has no policy"),
    ],
)
async def test_a_file_that_makes_no_policy_is_refused_in_one_line(
    text: str, why: str, tmp_path: Path
) -> None:
    with pytest.raises((OptionError, ValueError), match=why):
        await log_of("kuhn-2p", [bot(tmp_path, text), Random()], 1)


async def test_a_policy_that_says_nothing_legal_ends_the_bot_in_one_line(tmp_path: Path) -> None:
    text = (
        "class Bad:\n    def action_probabilities(self, state):\n        return {7: 1.0}\n"
        "def policy(game):\n    return Bad()"
    )
    with pytest.raises(SessionError, match="in hand 0: expected chances of"):
        await log_of("nolimit-2p-100bb", [Random(), bot(tmp_path, text)], 1)


async def test_a_game_that_is_not_the_acpc_s_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="without antes"):
        await log_of("nolimit-6p-ante", [bot(tmp_path), *[Random() for _ in range(5)]], 1)


def test_a_missing_library_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clients.lab.adapters.openspiel.find_spec", lambda name: None)
    with pytest.raises(OptionError, match="needs OpenSpiel: pip install open-spiel"):
        make_bot("openspiel:policy=any.py")
