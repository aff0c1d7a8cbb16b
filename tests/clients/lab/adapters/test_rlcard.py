import json
import sys
import types
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clients.bots.baselines import Random
from clients.core.options import OptionError
from clients.core.registry import make_bot
from clients.core.session import SessionError
from clients.lab.adapters import rlcard as adapter
from clients.lab.adapters.rlcard import Rlcard, limit_state
from engine.poker.cards import parse_cards
from engine.poker.rules import Deal, HandState, HandView, load_game, parse_betting
from tests.support.observers import log_of

HAS_LIBRARY = find_spec("rlcard") is not None
needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="needs RLCard")

OURS = """
import numpy as np


class Any:
    use_raw = False

    def eval_step(self, state):
        assert state["obs"].sum() > 0
        return np.random.choice(list(state["legal_actions"])), {}


def agent():
    return Any()
"""
RULES = """
import rlcard.models

def agent():
    return rlcard.models.load("limit-holdem-rule-v1").agents[0]
"""
RANDOM = """
from rlcard.agents import RandomAgent

def agent():
    return RandomAgent(num_actions=5)
"""


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its actions, where it is missing."""
    if not HAS_LIBRARY:
        monkeypatch.setattr(adapter, "find_spec", lambda name: True)
        names = "rlcard", "rlcard.games", "rlcard.games.nolimitholdem", "rlcard.games.nolimitholdem.round"
        for name in names:
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        monkeypatch.setattr(sys.modules[names[-1]], "Action", int, raising=False)


class Watched(Rlcard):
    """Counts decisions; an illegal one would end the bot."""

    decisions = 0

    def _answer(self, view: HandView) -> dict[str, Any]:
        self.decisions += 1
        return super()._answer(view)


async def played(folder: Path, text: str, game: str, hands: int) -> tuple[Watched, list[str]]:
    (folder / "agent.py").write_text(text)
    agent = Watched(folder / "agent.py")
    return agent, await log_of(game, [agent, Random()], hands)


HANDS = pytest.mark.parametrize(
    "hands", [60, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)


@HANDS
@pytest.mark.parametrize("game", ["limit-2p", "nolimit-2p", "nolimit-2p-100bb"])
async def test_an_agent_plays_legal_hands(game: str, hands: int, tmp_path: Path) -> None:
    agent, log = await played(tmp_path, OURS, game, hands)

    assert len(log) == hands
    assert agent.decisions > hands / 3
    assert (await played(tmp_path, OURS, game, hands))[1] == log


@needs_library
@HANDS
@pytest.mark.parametrize(("text", "game"), [(RULES, "limit-2p"), (RANDOM, "nolimit-2p")], ids=["rule", "any"])
async def test_agents_of_the_library_play(text: str, game: str, hands: int, tmp_path: Path) -> None:
    agent, log = await played(tmp_path, text, game, hands)

    assert len(log) == hands
    assert agent.decisions > hands / 3


@needs_library
def test_what_an_agent_sees_is_what_the_library_s_own_environment_shows() -> None:
    """Its code numbers the cards and raises of a hand of ours."""
    import rlcard

    folder = Path(rlcard.__path__[0])
    numbers = json.loads((folder / "games/limitholdem/card2index.json").read_text())
    game = load_game("limit-2p")
    own, board = parse_cards("AsTd"), parse_cards("2h9cKdJs3c")
    deal = Deal((parse_cards("4c4d"), own), board)
    view = HandState(parse_betting(game, "rrc/r"), 0, deal).view(1)
    state = limit_state(view)

    expected = np.zeros(72)
    expected[[numbers[card] for card in ("SA", "DT", "H2", "C9", "DK")]] = 1
    expected[[52 + 2, 57 + 1, 62, 67]] = 1
    assert state["obs"].tolist() == expected.tolist()
    assert state["raw_legal_actions"] == ["call", "raise", "fold"]


def test_a_checkpoint_is_restored_by_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With stand-ins: torch is large."""
    torch, dqn = types.ModuleType("torch"), types.ModuleType("rlcard.agents.dqn_agent")
    agents = types.ModuleType("rlcard.agents")

    class DQNAgent:
        @classmethod
        def from_checkpoint(cls, checkpoint: dict[str, Any]) -> str:
            return f"restored {checkpoint['total_t']}"

    saved = {"agent_type": "DQNAgent", "total_t": 7}
    monkeypatch.setattr(torch, "load", lambda path, weights_only: saved, raising=False)
    monkeypatch.setattr(dqn, "DQNAgent", DQNAgent, raising=False)
    for module in (torch, agents, dqn):
        monkeypatch.setitem(sys.modules, module.__name__, module)

    agent: Any = Rlcard(tmp_path / "checkpoint_dqn.pt")

    assert agent._agent == "restored 7"


@pytest.mark.parametrize(
    ("text", "why"), [("def agent():\n    return 1 / 0", "makes no agent"), ("", "has no agent")]
)
def test_a_file_without_an_agent_is_refused_in_one_line(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(text)
    with pytest.raises(OptionError, match=why):
        make_bot(f"rlcard:checkpoint={tmp_path / 'agent.py'}")


async def test_an_agent_that_says_something_else_ends_its_bot_in_one_line(tmp_path: Path) -> None:
    text = (
        "class Bad:\n    use_raw = True\n    def eval_step(self, state):\n        return 'dance', {}\n"
        "def agent():\n    return Bad()"
    )
    with pytest.raises(SessionError, match="in hand 0: expected one of"):
        await played(tmp_path, text, "limit-2p", 1)


async def test_other_games_are_refused(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(OURS)
    for game in ("limit-3p", "leduc"):
        players = [Random() for _ in range(load_game(game).num_players - 1)]
        with pytest.raises(OptionError, match="rlcard plays"):
            await log_of(game, [Rlcard(tmp_path / "agent.py"), *players], 1)


def test_a_missing_library_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match="needs RLCard: pip install rlcard"):
        make_bot("rlcard:checkpoint=any.py")
