"""What a message costs a Python client, beyond what trio itself costs.

``python -m tests.benchmarks.bench_client``

A thread plays the dealer of one seat with recorded hands: it sends each state and, where the seat is to
act, waits for the reply.  Measured is the CPU time of the client's own thread for a bare trio echo, which
reads what comes and answers a line where one is awaited, and for `clients.core.session.play` with an agent
that always calls.  The difference, per message, is the price of the protocol, the rules and the agent.
"""

import socket
import threading
import time
from collections.abc import Awaitable, Callable, Sequence

import attrs
import trio

from clients.bots.baselines import AlwaysCall, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.session import play
from engine.poker.rules import Action, GameDefinition, HandView, load_game
from protocol import format_match_state
from tests.support.benchmarks import BenchmarkParser, Task, show


@attrs.frozen
class Script:
    """What a seat is sent, in as many pieces as it makes replies, and one more."""

    pieces: tuple[bytes, ...]
    messages: int


class _Recorder(Agent):
    """Calls, and keeps all the messages its seat would be sent."""

    def __init__(self) -> None:
        self.pieces: list[list[str]] = [[]]

    def hand_started(self, view: HandView) -> None:
        self.pieces[-1].append(format_match_state(view))

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        self.pieces[-1].append(format_match_state(view))

    def choose_action(self, view: HandView) -> Action:
        self.pieces.append([])
        return AlwaysCall.choose_action(AlwaysCall(), view)


def record(game: GameDefinition, hands: int, opponent: Agent) -> Script:
    """The messages to an always-calling seat over some hands."""
    recorder = _Recorder()
    others = [Random() for _ in range(game.num_players - 2)]
    Arena(game, [recorder, opponent, *others], 7).play(hands)
    pieces = ["".join(f"{line}\r\n" for line in piece).encode() for piece in recorder.pieces]
    return Script(tuple(pieces), sum(map(len, recorder.pieces)))


def _serve(connection: socket.socket, script: Script) -> None:
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.recv(4096)  # the version
        for number, piece in enumerate(script.pieces):
            connection.sendall(piece)
            if number < len(script.pieces) - 1:
                connection.recv(4096)


async def _echo(stream: trio.SocketStream, script: Script) -> None:
    """The cheapest client: it knows by counting when a reply is awaited, and looks at nothing."""
    await stream.send_all(b"VERSION:2.0.0\n")
    reply = b"MATCHSTATE:0:0:cc/:8dJd|/As9d6s:c\r\n"
    for number, piece in enumerate(script.pieces):
        left = len(piece)
        while left:
            left -= len(await stream.receive_some())
        if number < len(script.pieces) - 1:
            await stream.send_all(reply)


def cpu_seconds(script: Script, client: Callable[[trio.SocketStream], Awaitable[object]]) -> float:
    """CPU time of this thread while `client` talks to the scripted dealer."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        connection, _ = listener.accept()
        _serve(connection, script)

    server = threading.Thread(target=accept)
    server.start()

    async def talk() -> float:
        async with await trio.open_tcp_stream(*listener.getsockname()) as stream:
            start = time.thread_time()
            await client(stream)
            return time.thread_time() - start

    seconds = trio.run(talk)
    server.join()
    listener.close()
    return seconds


def game_task(game_name: str, opponent: Agent, hands: int) -> Task:
    """The line of one game."""
    game = load_game(game_name)
    script = record(game, hands, opponent)

    async def echo(stream: trio.SocketStream) -> None:
        await _echo(stream, script)

    async def session(stream: trio.SocketStream) -> None:
        await play(AlwaysCall(), stream, game)

    bare, ours = (
        lambda client=client: cpu_seconds(script, client) / script.messages for client in (echo, session)
    )
    name = f"{game_name} v {type(opponent).__name__}, one of {script.messages} messages"
    return Task(name, ours, "µs", "echo + 15 µs", {"echo": bare})


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = BenchmarkParser("bench_client", __doc__, hands=1000, repeats=5).parse_args(arguments)
    games = (("limit-2p", AlwaysCall()), ("limit-2p", Random()), ("nolimit-3p", Random()))
    tasks = [game_task(name, opponent, options.hands) for name, opponent in games]
    show("a client's CPU time", tasks, options.repeats)


if __name__ == "__main__":
    main()
