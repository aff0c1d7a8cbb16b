"""The formula bot over sockets: at both dealers, and when it has to come back in mid-hand."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from clients.bots.baselines import AlwaysCall, Random
from clients.bots.formula.agent import Formula, load
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.program import TableAddress, join_table
from engine.poker.rules import CALL, Action, HandView, load_game
from tests.support.dealer_process import PATIENCE_S, DealerProcess, dealer_process, environment, program
from tests.support.hands.golden_files import GOLDEN
from tests.support.matches import DEALERS, bot, play_match

LIMIT = "holdem.limit.2p.reverse_blinds.game"


def arena_log(game: str, agents: list[Agent], seeds: list[int], hands: int) -> list[str]:
    """The lines of the same match played without sockets."""
    for agent, seed in zip(agents, seeds, strict=True):
        agent.seed = seed
    lines: list[str] = []
    names = [f"p{seat}" for seat in range(len(agents))]
    arena = Arena(load_game(str(GOLDEN / game)), agents, 5, names=names, seed_agents=False)
    arena.play(hands, record=lines.append)
    return [line.rstrip("\n") for line in [*lines, arena.score_line()]]


@pytest.mark.parametrize("dealer", DEALERS)
@pytest.mark.parametrize(
    ("game", "seats"), [(LIMIT, 2), pytest.param("short6.game", 6, marks=pytest.mark.slow)]
)
def test_it_plays_at_a_dealer_as_in_the_arena(
    game: str, seats: int, dealer: str | None, tmp_path: Path
) -> None:
    """Which it could not without finding its own position in every hand."""
    seeds = list(range(11, 11 + seats))
    players = [bot("formula", "--seed", str(seeds[0]), "--wait", "10", "--game", game)]
    players += [bot("random", "--seed", str(seed), "--wait", "10", "--game", game) for seed in seeds[1:]]
    names = [f"p{seat}" for seat in range(seats)]
    played = play_match(["m", game, "12", "5", *names], players, tmp_path, dealer)

    agents: list[Agent] = [Formula(), *[Random() for _ in names[1:]]]
    assert (played.status, played.statuses) == (0, [0] * seats), played.errors
    assert played.log == arena_log(game, agents, seeds, 12)


HAND = 5
"""In which the bot is killed on the flop: it is second to act there, after a check."""


class _Interrupter(AlwaysCall):
    """Calls, but has its opponent's program killed on a flop, and waits on the turn until it is back."""

    def __init__(self, dealer: DealerProcess, start: Callable[[], None], kill: Callable[[], None]) -> None:
        self._dealer, self._start, self._kill = dealer, start, kill

    async def choose_action(self, view: HandView) -> Action:  # type: ignore[override]
        if view.hand_number == HAND and view.betting.betting_round == 1:
            self._kill()
        if view.hand_number == HAND and view.betting.betting_round == 2:
            self._start()
            with trio.fail_after(PATIENCE_S):
                while "is taken again" not in self._dealer.stderr:
                    await trio.lowlevel.checkpoint()
        return CALL


class _Absent(Formula):
    """The formula bot, for which the house checks where it was killed."""

    def choose_action(self, view: HandView) -> Action:
        is_away = view.hand_number == HAND and view.betting.betting_round == 1
        return CALL if is_away else super().choose_action(view)


@pytest.mark.slow
def test_killed_in_mid_hand_it_comes_back_and_plays_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """Its tables of the hand follow from the state; the generic model has no counts to lose."""
    hands, seeds = 8, [21, 22]
    arguments = ["m", LIMIT, str(hands), "5", "p0", "p1", "--on-failure", "fold"]
    running: list[subprocess.Popen[bytes]] = []
    with dealer_process(arguments, tmp_path) as dealer:
        command = bot(
            "formula", "--seed", str(seeds[0]), "--set", "model=generic", "--game", str(GOLDEN / LIMIT)
        )
        command += ["127.0.0.1", str(dealer.ports[0])]

        def start() -> None:
            running.append(subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL))

        def kill() -> None:
            running[0].send_signal(signal.SIGKILL)
            running[0].wait()

        start()
        try:
            table = TableAddress("127.0.0.1", dealer.ports[1], game=load_game(str(GOLDEN / LIMIT)))
            trio.run(join_table, _Interrupter(dealer, start, kill), table, print)
            status, _ = dealer.finish()
            returned = running[-1].wait(timeout=PATIENCE_S)
        finally:
            for process in running:
                process.kill()
                process.wait()

    log = (tmp_path / "m.log").read_text().splitlines()
    assert len(running) == 2
    assert (status, returned) == (0, 0)
    assert any("disconnected" in line for line in log)
    agents: list[Agent] = [_Absent(model="generic"), AlwaysCall()]
    assert [line for line in log if not line.startswith("#")] == arena_log(LIMIT, agents, seeds, hands)


@pytest.mark.parametrize("duplicate", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_match_is_remembered_unless_its_deals_come_again(duplicate: bool, tmp_path: Path) -> None:
    words = ["limit-2p", "us=formula:memory=models.json", "them=always-call", "--hands", "7"]
    done = subprocess.run(
        program("match", *words, *(["--duplicate"] if duplicate else [])),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    path = tmp_path / "models.json"
    assert path.exists() is not duplicate
    if not duplicate:
        assert load(path, "specific")["them"][1].hands == 7
