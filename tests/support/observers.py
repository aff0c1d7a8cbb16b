"""One policy of the observation, and ways to let it play: every door must give the same hands."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from clients.core.agent import Agent
from clients.core.arena import Arena
from engine.poker.rules import Action, HandView, load_game
from protocol.agents.answers import answer_of
from protocol.agents.observation import observe

GAMES: Final = ("limit-2p", "nolimit-2p-100bb", "nolimit-6p-ante", "leduc")

FILE: Final = """\
from tests.support.observers import policy as decide
"""


def policy(state: dict[str, Any]) -> dict[str, Any]:
    """A legal answer that depends on everything that the observation says about the hand."""
    hand = {name: state[name] for name in state if name not in ("turn", "seconds", "last_turn", "reseated")}
    draw = int.from_bytes(hashlib.sha256(repr(sorted(hand.items())).encode()).digest()[:8], "big")
    legal, kind, size = state["legal"], draw % 8, draw >> 8
    if kind == 0 and legal["fold"]:
        return {"do": "fold"}
    if kind in (1, 2, 3) and legal["raise"]:
        least, most = legal["raise"]["least"], legal["raise"]["most"]
        sizes = (least, legal["raise"]["half"], legal["raise"]["pot"], least + size % (most - least + 1))
        return {"do": legal["raise"]["word"], "to": sizes[size % 4]}
    return {"do": "call" if legal["call"] else "check"}


class Observer(Agent):
    """The policy as an agent that speaks the line protocol."""

    def choose_action(self, view: HandView) -> Action:
        return answer_of(policy(observe(view, self.seat)), view).action


async def log_of(game: str, agents: Sequence[Agent], hands: int) -> list[str]:
    """The log of a match in this process."""
    lines: list[str] = []
    await Arena(load_game(game), agents, 11).play_async(hands, record=lines.append)
    return lines


async def expected_log(game: str, hands: int) -> list[str]:
    """The log of the policy against itself, as agents."""
    return await log_of(game, [Observer() for _ in range(load_game(game).num_players)], hands)


def policy_file(folder: Path) -> Path:
    """A file for `decide`."""
    file = folder / "my_bot.py"
    file.write_text(FILE)
    return file
