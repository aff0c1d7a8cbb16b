import sys
from pathlib import Path
from typing import Any

import pytest

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, Random
from clients.core.agent import Agent
from clients.core.registry import make_bot
from clients.core.session import SessionError
from clients.lab.adapters.skeleton import Skeleton
from engine.poker.rules import Action, HandView
from tests.support.observers import log_of

PLAYER = '''\
"""A player of our own on their wire: it rebuilds pips, stacks and the board as their skeletons do."""
import random, socket, sys

lines = socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rw")
rng, log = random.Random(5), open("heard", "w")
bankroll = 0
for line in lines:
    over = False
    for clause in line.split():
        kind, rest = clause[0], clause[1:]
        if kind == "P":
            me = int(rest); pips = [1, 2]; stacks = [199, 198]; button = street = 0
        elif kind == "H":
            assert len(rest.split(",")) == 2
        elif kind in "CKR":
            active = button % 2
            total = max(pips) if kind == "C" else int(rest) if kind == "R" else pips[active]
            assert kind != "K" or pips[0] == pips[1], line
            assert kind != "C" or pips[active] < max(pips), line
            assert kind != "R" or total > max(pips), line
            stacks[active] -= total - pips[active]; pips[active] = total
            first = street == 0 and button == 0
            ends = (kind == "C" and not first) or (kind == "K" and button > (0 if street == 0 else 1))
            button += 1
            if ends:
                pips, button, street = [0, 0], 1, {0: 3, 3: 4, 4: 5, 5: 6}[street]
            assert min(stacks) >= 0, line
        elif kind == "B":
            assert len(rest.split(",")) == street, (street, line)
        elif kind == "O":
            assert street == 6 and len(rest.split(",")) == 2, (street, line)
        elif kind == "D":
            bankroll += int(rest); over = True; log.write(f"{rest}\\n"); log.flush()
        elif kind == "Q":
            sys.exit(0)
    if over:
        answer = "K"
    else:
        active = button % 2
        assert active == me, line
        cost = max(pips) - pips[active]
        answer = rng.choice("KKR" if not cost else "CCCCRF")
        can_raise = min(stacks[1 - active], stacks[active] - cost) > 0 or (cost and stacks[1 - active])
        if answer == "R":
            most = min(stacks[active], stacks[1 - active] + cost)
            least = min(most, cost + max(cost, 2))
            answer = f"R{pips[active] + rng.randint(least, min(most, least + 40))}"
            if cost == stacks[active] or not stacks[1 - active]:
                answer = "C" if cost else "K"
    lines.write(answer + "\\n"); lines.flush()
'''


class Watched(Skeleton):
    """Notes whether its program chose something illegal, and what was won."""

    illegal = 0
    decisions = 0

    async def choose_action(self, view: HandView) -> Action:
        action = await super().choose_action(view)
        self.decisions += 1
        self.illegal += action not in view.legal_actions()
        return action


@pytest.mark.parametrize("hands", [150, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("other", [Random, AlwaysCall, AlwaysAllIn])
async def test_a_program_on_their_wire_plays_legal_hands_and_hears_all_of_them(
    other: type[Agent], hands: int, tmp_path: Path
) -> None:
    (tmp_path / "player.py").write_text(PLAYER)
    (tmp_path / "commands.json").write_text(f'{{"build": [], "run": ["{sys.executable}", "player.py"]}}')
    agent = Watched(folder=tmp_path)
    won: list[int] = []
    log = await log_of("nolimit-2p-100bb", [agent, other()], hands)
    agent._quit()

    for line in log:
        chips, names = (part.split("|") for part in line.strip().split(":")[-2:])
        won.append(int(float(chips[names.index("p0")])))
    assert agent.illegal == 0
    assert agent.decisions > hands / 2
    heard = [int(line) for line in (tmp_path / "heard").read_text().split()]
    assert heard == won


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit(3)", "has not connected|has ended"), ("pass", "has not connected|has ended"),
        ("print('R' * 500, file=f, flush=True)", "sends no lines|expected F"),
        ("print('dance', file=f, flush=True)", "expected F, C, K"),
    ],
)  # fmt: skip
async def test_a_program_that_does_something_else_ends_the_bot_in_one_line(
    program: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clients.lab.adapters.skeleton._CONNECT_S", 5.0)
    connect = "f = socket.create_connection(('127.0.0.1', int(sys.argv[1]))).makefile('rw')\n"
    text = f"import socket, sys\n{'' if 'exit' in program else connect}{program}\n"
    (tmp_path / "p.py").write_text(text)
    agent: Any = Skeleton(command=f"{sys.executable} p.py", folder=tmp_path)
    with pytest.raises(SessionError, match=why):
        await log_of("nolimit-2p-100bb", [agent, AlwaysCall()], 3)
    agent._quit()


@pytest.mark.parametrize(
    ("spec", "why"), [("skeleton", "cannot be read"), ("skeleton:folder=bad", "expected a list of words")]
)
def test_a_folder_without_commands_is_refused(
    spec: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad").mkdir()
    Path("bad/commands.json").write_text('{"run": "python player.py"}')
    with pytest.raises(ValueError, match=why):
        make_bot(spec)
