from pathlib import Path
from typing import Any

import pytest

from clients.bots.baselines import AlwaysCall
from clients.bots.decide import Decide, as_decide
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.core.session import SessionError
from engine.poker.rules import Action, HandView, load_game
from protocol.agents.answers import answer_of
from protocol.agents.observation import observe
from tests.support.cases import cases
from tests.support.matches import result_of
from tests.support.observers import GAMES, expected_log, log_of, policy_file


@pytest.mark.parametrize("hands", [30, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", GAMES)
async def test_a_function_plays_the_same_hands_as_the_same_policy_on_the_line(
    game: str, hands: int, tmp_path: Path
) -> None:
    file = policy_file(tmp_path)
    agents = [Decide(file) for _ in range(load_game(game).num_players)]

    assert await log_of(game, agents, hands) == await expected_log(game, hands)


class Asked(Agent):
    """Plays what a function of observations says that is a bot of ours."""

    def __init__(self, bot: str) -> None:
        self._bot = bot

    def match_started(self, game: Any, seat: int) -> None:
        self._decide = as_decide(self._bot, self.seed)

    def choose_action(self, view: HandView) -> Action:
        return answer_of(self._decide(observe(view, self.seat)), view).action

    def hand_finished(self, view: HandView) -> None:
        self._decide.hand_over(observe(view, self.seat))


@pytest.mark.parametrize("bot", ["simple", "random", "formula:tightness=0.9"])
@pytest.mark.parametrize("game", ["limit-3p", "nolimit-2p"])
def test_a_bot_of_ours_as_a_function_is_the_same_player(bot: str, game: str) -> None:
    def log(player: Agent) -> list[str]:
        lines: list[str] = []
        others = [AlwaysCall() for _ in range(load_game(game).num_players - 2)]
        Arena(load_game(game), [player, make_bot("random"), *others], 5).play(40, record=lines.append)
        return lines

    assert log(Asked(bot)) == log(make_bot(bot))


@pytest.mark.parametrize(("body", "where"), cases(__file__, "functions that fail"))
async def test_a_function_that_fails_ends_its_bot_in_one_line(body: str, where: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"def decide(state):\n{body}\n")
    with pytest.raises(SessionError, match=where):
        await log_of("nolimit-2p", [Decide(file), AlwaysCall()], 1)


@pytest.mark.parametrize(("text", "why"), cases(__file__, "files without a function"))
def test_a_file_without_a_function_is_refused_in_one_line(text: str | None, why: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ValueError, match=why):
        Decide(file)


def test_a_function_in_a_file_plays_a_match_and_hears_how_hands_end(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(
        "from beside import DO\nasync def decide(state):\n    return {'do': DO}\n"
        "def hand_over(state):\n    open('heard', 'a').write(f\"{state['won']}\\n\")\n"
    )
    (tmp_path / "beside.py").write_text("DO = 'call'\n")
    result = result_of(
        tmp_path, "nolimit-2p-100bb", f"me=decide:file={tmp_path / 'my_bot.py'}", "random", "--hands", "20"
    )

    assert result["hands"] == 20
    heard = next(tmp_path.rglob("heard")).read_text().splitlines()
    assert len(heard) == 20
