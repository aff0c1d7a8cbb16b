"""What players told, read back from a folder: the same as the arena's, and the same AIVAT of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest
import trio

from clients.bots.baselines import Random
from clients.bots.formula.agent import Formula
from clients.bots.simple import SimpleBot
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.session import play
from engine.evidence.aivat.estimates import Aivat
from engine.poker.rules import HandState, load_game
from engine.support.seeds import derive_seed
from protocol.policy import FILE_HEADER
from server.records.evidence import Luck, collect, match_evidence
from server.records.logs import open_log
from server.records.policies import POLICY_FILE, PolicyFile
from server.table.config import MatchConfig
from tests.support.tables import match_config, table_of

HANDS = 12


def config_in(folder: Path, game: str) -> MatchConfig:
    config = match_config(game, HANDS, seed=11)
    return attrs.evolve(config, log_path=folder / "match.log", policy_path=folder / POLICY_FILE)


async def sit_down(agent: Agent, port: int) -> None:
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await play(agent, stream)


async def play_over_sockets(config: MatchConfig, agents: list[Agent]) -> None:
    async with table_of(config) as table, trio.open_nursery() as players:
        for seat, agent in enumerate(agents):
            agent.seed = derive_seed(11, seat)
            players.start_soon(sit_down, agent, table.server.ports[seat])


@pytest.mark.parametrize(
    ("game", "make"),
    [
        ("limit-2p", (Formula, SimpleBot)),
        ("nolimit-2p-100bb", (Formula, Random)),
    ],
)
@pytest.mark.slow
async def test_a_folder_holds_what_the_arena_discloses_and_gives_the_same_aivat(
    game: str, make: tuple[Callable[[], Agent], ...], tmp_path: Path
) -> None:
    config = config_in(tmp_path, game)

    await play_over_sockets(config, [new() for new in make])

    lines: list[str] = []
    ends: list[HandState] = []
    arena = Arena(config.game, [new() for new in make], 11)
    arena.play(HANDS, on_hand=lambda state, chips: ends.append(state), disclose=lines.append)
    path = tmp_path / POLICY_FILE
    header, *kept = path.read_text().splitlines(keepends=True)
    assert header == FILE_HEADER
    assert sorted(kept) == sorted(lines)
    assert len(lines) > HANDS

    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / POLICY_FILE).write_text("".join(lines))
    policies = PolicyFile(tmp_path / "arena" / POLICY_FILE)
    aivat = Aivat(config.game)
    for number, end in enumerate(ends):
        aivat.add(end, (number % 2, (number + 1) % 2), number, policies.told(number))
    values = aivat.values()
    assert values is not None
    assert not aivat.faults
    assert config.log_path is not None
    evidence = match_evidence([config.log_path], config.game, config.names, Luck.AIVAT)
    found = evidence.of("aivat", 0)
    assert found is not None
    first = sum(float(values[number][number % 2]) for number in range(HANDS)) / HANDS
    assert found.mean == pytest.approx(1000 * first / config.game.big_blind)
    assert evidence.best == "aivat"
    assert evidence.doubts == {}


def test_torn_and_foreign_lines_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / POLICY_FILE
    path.write_text(FILE_HEADER + "0 4 - 1 nonsense\n0 4 r 1\n\n# a remark\n1 5 cr 169 xyz\n0 6 - 1 to")

    told = PolicyFile(path)

    assert told.told(6) == {}  # torn off when its writer died
    assert set(told.told(4)) == {"", "r"}
    for betting in ("", "r"):
        with pytest.raises(ValueError, match=f"{path}:"):
            told.told(4)[betting]()
    assert set(told.told(5)) == {"cr"}


def test_a_folder_without_policies_is_reported_as_such(tmp_path: Path) -> None:
    config = config_in(tmp_path, "limit-2p")
    log: list[str] = []
    Arena(config.game, [Random(), Random()], 3, names=("p0", "p1")).play(20, record=log.append)
    assert config.log_path is not None
    config.log_path.write_text("# name/game/hands/seed m limit-2p 20 3\n" + "".join(log))

    evidence = match_evidence([config.log_path], config.game, config.names, Luck.AIVAT)

    assert evidence.estimates["aivat"] == (None, None)
    assert evidence.missing["aivat"] == "no player has told how it plays"
    assert evidence.best == "equity"


def test_other_games_are_reported_as_such(tmp_path: Path) -> None:
    game = attrs.evolve(load_game("leduc"), num_ranks=13, num_suits=4)
    log: list[str] = []
    Arena(game, [Random(), Random()], 3, names=("p0", "p1")).play(20, record=log.append)
    path = tmp_path / "match.log"
    path.write_text("# name/game/hands/seed m leduc 20 3\n" + "".join(log))

    evidence = match_evidence([path], game, ("p0", "p1"), Luck.AIVAT)

    assert evidence.missing["aivat"].startswith("it is for hold'em, and for limit games as small as Kuhn's")


@pytest.mark.slow  # 20 ms a hand
@pytest.mark.parametrize("make", [(Formula, SimpleBot), (Random, SimpleBot)])
def test_in_play_aivat_says_what_the_chips_say_but_for_noise(
    make: tuple[Callable[[], Agent], ...], tmp_path: Path
) -> None:
    config = config_in(tmp_path, "limit-2p")
    assert config.log_path is not None
    log, lines = ["# name/game/hands/seed m limit-2p 500 9\n"], [FILE_HEADER]
    arena = Arena(config.game, [new() for new in make], 9)
    arena.play(500, record=log.append, disclose=lines.append)
    config.log_path.write_text("".join(log))
    (tmp_path / POLICY_FILE).write_text("".join(lines))

    evidence = collect([[open_log(config.log_path, config.game)]], config.names, Luck.AIVAT)

    chips, aivat = evidence.values("chips"), evidence.values("aivat")
    assert chips is not None
    assert aivat is not None
    seat = evidence.players[:, 0]
    noise = np.where(seat == 0, 1.0, -1.0) * (chips - aivat)[:, 0]
    assert abs(noise.mean()) < 4 * noise.std() / np.sqrt(len(noise))
    assert aivat.var() < chips.var() / 8
