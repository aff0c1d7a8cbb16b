"""From starting a bot to its first decision: ``python -m tests.benchmarks.bench_start_up [BOT ...]``.

Each bot is started as people start it, ``riverboat bot NAME HOST PORT``, against a socket of this process
that plays the dealer's part up to the first reply: it takes the version and the greeting, says seat, names
and game, and sends the first state of a three-player no-limit hand in which the bot is first to act.  What is
measured is the wall clock from the start of the process to the end of its reply, so the interpreter, all
imports and the connection are in it.  Kernels are compiled already: each bot is started once before anything
is measured.  The bots take turns; the table has the least and the median time of each, and the CPU time, user
and system, of the start that took least of that: it says more where the machine is busy with other things.
"""

import os
import socket
import statistics
import subprocess
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from engine.poker.rules import initial_hand, load_game
from engine.poker.rules.dealing import CardDealer
from protocol import NEED_DATA, ConnectionClosed, DealerConnection, Event, Greeting, Note, Reply, TurnToAct
from protocol.extension import introduction
from tests.support.benchmarks import BenchmarkParser, in_turns, known_bot, riverboat
from tests.support.dealer_process import environment

GAME: Final = "nolimit-3p"
RULE_BOTS: Final = (
    "always-all-in", "always-call", "always-fold", "always-raise", "random",
    "hand-strength", "simple",
    "hole-cards-learner", "name-learner", "poker-learner", "winning-hand-learner",
)  # fmt: skip
"""Need no compiled code before the flop."""
TARGETS_S: Final = {**dict.fromkeys(RULE_BOTS, 0.3), "formula": 0.7, "sampling": 1.0, "street-learner": 1.0}
PATIENCE_S: Final = 120.0
"""A bot that compiles first takes most of a minute."""


def first_decision(name: str) -> tuple[float, float]:
    """Seconds from the start of a bot's process to its first action, as the dealer sees it; its CPU time."""
    game = load_game(GAME)
    state = initial_hand(game, 0, CardDealer(game, 0).deal())
    position = state.position_to_act
    assert position is not None
    dealer = DealerConnection(game)
    notes = introduction(game, "abc", position)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        host, port = listener.getsockname()
        start = time.perf_counter()
        process = subprocess.Popen(
            [*riverboat(), "bot", name, host, str(port), "--seed", "1"],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            client, _ = listener.accept()
            with client:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                client.settimeout(PATIENCE_S)
                _await(Greeting, dealer, client)
                said: list[Greeting | Note | TurnToAct] = [Greeting(tuple(notes))]
                said += [Note(*note) for note in notes.items()]
                said.append(TurnToAct(state.view(position)))
                client.sendall(b"".join(map(dealer.send, said)))
                _await(Reply, dealer, client)
                seconds = time.perf_counter() - start
        finally:
            process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    return seconds, usage.ru_utime + usage.ru_stime


def _await(kind: type[Event], dealer: DealerConnection, client: socket.socket) -> None:
    """Read until something is said."""
    while not isinstance(event := dealer.next_event(), kind):
        assert not isinstance(event, ConnectionClosed), "the bot left without a decision"
        if event is NEED_DATA:
            dealer.receive_data(client.recv(4096))


def main(arguments: Sequence[str] | None = None) -> None:
    """Start all bots in turn, several times, and print a table."""
    parser = BenchmarkParser("bench_start_up", __doc__, starts=10)
    parser.add_argument("bots", nargs="*", type=known_bot, metavar="BOT", help="all with a target without it")
    options = parser.parse_args(arguments)
    starts = {name: partial(first_decision, name) for name in options.bots or TARGETS_S}
    in_turns(starts, 1)  # compiles what is not compiled yet
    print(f"from start to first decision, {options.starts} starts each, seconds")
    print(f"{'bot':<22}{'least':>8}{'median':>8}{'CPU':>8}{'target':>8}")
    for name, measured in in_turns(starts, options.starts).items():
        times, cpu = zip(*measured, strict=True)
        goal = TARGETS_S.get(name, "")
        print(f"{name:<22}{min(times):>8.3f}{statistics.median(times):>8.3f}{min(cpu):>8.3f}{goal:>8}")


if __name__ == "__main__":
    main()
