"""Every recorded dialogue and every golden log of the ACPC dealer, held again with ours."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from pathlib import Path

import pytest
import trio

from engine.poker.match_key import MatchSeed
from server.table.config import MatchConfig
from tests.support.dealer_process import dealer_process
from tests.support.dialogue import DIALOGUES, Closes, Dialogue, Receives, hold_dialogue, load_dialogue
from tests.support.hands.golden_files import LOGS, GoldenLog, golden_log
from tests.support.tables import Decider, conversations, open_table, play_match, replaying

# --- Every recorded dialogue of the ACPC dealer, held again with ours ---------------------------------------

ENDS_IN_A_CRASH = "E20"
GOES_ON = {"E15b": "E15"}
NAMES = sorted((path.stem for path in DIALOGUES.glob("E*.txt")), key=lambda name: (len(name), name))


@pytest.mark.parametrize("name", [name for name in NAMES if name != ENDS_IN_A_CRASH])
def test_a_recorded_dialogue_comes_out_byte_for_byte(name: str, tmp_path: Path) -> None:
    if name in GOES_ON:
        hold_dialogue(load_dialogue(GOES_ON[name]), tmp_path)
    dialogue = load_dialogue(name)

    if dialogue.is_timed:
        hold_timed_dialogue(dialogue, tmp_path)
    else:
        hold_dialogue(dialogue, tmp_path)


def test_all_recorded_dialogues_are_there() -> None:
    numbers = {*range(1, 16), 17, 19, 20}

    assert {*NAMES} == {f"E{number}" for number in numbers} | {"E9b", "E14b", "E15b"}


def test_a_seat_that_leaves_while_others_act_ends_the_match_with_a_message_not_a_signal(
    tmp_path: Path,
) -> None:
    """The ACPC dealer is killed by SIGPIPE, its log empty; we say who it was, and keep its header."""
    recorded = load_dialogue(ENDS_IN_A_CRASH)
    left_at = recorded.steps.index(Closes(2))
    heard_by_all = recorded.steps[:left_at].count(Receives(2, "MATCHSTATE:2:0::||Qs"))
    assert heard_by_all == 1
    header = "# name/game/hands/seed match kuhn.limit.3p.game 3 0\n"
    ours = type(recorded)(
        recorded.arguments,
        recorded.steps,
        status=1,
        stdout="",
        sections={
            "stderr (warnings/errors only)": "ERROR: could not send state to seat 3\n",
            "match.log": header + "#--t_response 600000\n#--t_hand 600000\n#--t_per_hand 7000\n",
        },
    )

    hold_dialogue(ours, tmp_path)


def hold_timed_dialogue(dialogue: Dialogue, folder: Path) -> None:
    """Tenths of a second decide here, and a busy machine may miss them: one of three attempts must do."""
    for attempt in range(3):
        with contextlib.suppress(*[AssertionError] * (attempt < 2)):
            (folder / str(attempt)).mkdir()
            hold_dialogue(dialogue, folder / str(attempt))
            return


@pytest.mark.skipif("ACPC_DEALER" not in os.environ, reason="needs the ACPC's dealer, named in ACPC_DEALER")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*GOES_ON, ENDS_IN_A_CRASH)])
def test_the_acpc_dealer_itself_holds_the_dialogue_so(name: str, tmp_path: Path) -> None:
    """The recordings, and the program that compares them, are true."""
    hold_dialogue(load_dialogue(name), tmp_path, [os.environ["ACPC_DEALER"]])


# --- Every golden log, played again over sockets by clients that take the logged actions --------------------

PLAYED_BY_TURNS = ("random.rnd01.123456", "random.rnd25.123456")
TRIED_ON_DEMAND = ("random.tiny10.0", *[name for name in LOGS if name.startswith("callonly.")])
"""The arena plays them by default, and players who do more than call play the callers' games."""
IN_A_PROCESS = ("random.kuhn2p.0", "random.rnd25.123456", "random.leduc.0")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in TRIED_ON_DEMAND else ()) for name in LOGS]
)
async def test_answers_sent_all_in_advance_make_the_logged_match(name: str, tmp_path: Path) -> None:
    """The most that clients can get ahead, and the quickest way through a thousand hands of ten players.

    The log is the original, and each seat is told exactly what follows from it and from who may see what.
    """
    log = golden_log(name)
    said, wanted = conversations(log.game, log.records)
    told = [bytearray() for _ in log.names]

    async with trio.open_nursery() as nursery:
        table = await open_table(nursery, golden_config(log, tmp_path / "match.log"))
        for seat, player in enumerate(await table.join_all()):
            nursery.start_soon(player.stream.send_all, said[seat])
            nursery.start_soon(hear, player.stream, told[seat])
    outcome = await table.outcome()

    assert (tmp_path / "match.log").read_text() == log.text
    assert told == wanted
    assert (outcome.error, outcome.hands) == (None, log.hands)
    assert table.console.stdout == log.text.splitlines(keepends=True)[-1]
    assert table.console.complaints == []


@pytest.mark.parametrize("name", PLAYED_BY_TURNS)
async def test_logged_actions_taken_turn_by_turn_make_the_logged_match(name: str, tmp_path: Path) -> None:
    log = golden_log(name)
    config = golden_config(log, tmp_path / "match.log")

    table, _ = await play_match(config, [replaying(log)] * len(log.names))

    assert (tmp_path / "match.log").read_text() == log.text
    assert table.console.complaints == []


@pytest.mark.parametrize("name", IN_A_PROCESS)
def test_a_dealer_process_leaves_the_logged_bytes(name: str, tmp_path: Path) -> None:
    log = golden_log(name)
    _, _, match_name, *words = log.header.split("\n")[0].split()
    decide = replaying(log)

    with dealer_process([match_name, *words, *log.names, "-q", "-T"], tmp_path) as dealer:
        threads = [
            threading.Thread(target=play, args=(dealer.connect(seat), decide))
            for seat in range(len(log.names))
        ]
        for thread in threads:
            thread.start()
        status, stdout = dealer.finish()
        for thread in threads:
            thread.join()

    assert status == 0
    assert (tmp_path / f"{match_name}.log").read_text() == log.text
    assert stdout == log.text.splitlines(keepends=True)[-1]
    assert dealer.stderr == log.header + stdout


def golden_config(log: GoldenLog, path: Path) -> MatchConfig:
    """The match that a log is of."""
    _, _, match_name, game_text, *_ = log.header.split("\n")[0].split()
    return MatchConfig(
        match_name, log.game, game_text, log.hands, MatchSeed(log.seed), log.names, log_path=path, quiet=True
    )


async def hear(stream: trio.SocketStream, told: bytearray) -> None:
    """Keep all that is sent until the dealer closes, then close."""
    async for data in stream:
        told += data
    await stream.aclose()


def play(sock: socket.socket, decide: Decider) -> None:
    """A blocking client: one line in, perhaps one line out."""
    with contextlib.closing(sock), sock.makefile("rb") as incoming:
        sock.sendall(b"VERSION:2.0.0\n")
        for line in incoming:
            action = decide(line.decode("ascii").rstrip("\r\n"))
            if action is not None:
                sock.sendall(line.rstrip(b"\r\n") + f":{action}\r\n".encode())
