"""The cheapest Python client there can be: always calls in heads-up hold'em, and knows no rules.

``python cheap_client.py HOST PORT...``.  With one port it blocks on its socket; with several (the same seat
of many tables) it serves them all from one process.  Whose turn it is follows from the length of the last
betting round, since both players always call: first the big blind's opponent, later the big blind.
"""

import selectors
import socket
import sys

LAST_ROUND = b"cc/cc/cc/"


def reply(line: bytes) -> bytes:
    """The answer to a message without its line end; nothing when it is not our turn."""
    _, position, _, betting, _ = line.split(b":", 4)
    acted = len(betting) - betting.rfind(b"/") - 1
    if acted == 2 and betting.startswith(LAST_ROUND):
        return b""
    is_turn_of = acted & 1 if b"/" in betting else 1 - acted & 1
    return line + b":c\r\n" if position[0] - 48 == is_turn_of else b""


def connect(host: str, port: str) -> socket.socket:
    sock = socket.create_connection((host, int(port)))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(b"VERSION:2.0.0\n")
    return sock


def play_one(sock: socket.socket) -> None:
    rest = b""
    while data := sock.recv(65536):
        *lines, rest = (rest + data).split(b"\r\n")
        for line in lines:
            if answer := reply(line):
                sock.sendall(answer)


def play_many(sockets: list[socket.socket]) -> None:
    selector = selectors.DefaultSelector()
    rests = dict.fromkeys(sockets, b"")
    for sock in sockets:
        selector.register(sock, selectors.EVENT_READ, sock)
    while rests:
        for key, _ in selector.select():
            sock = key.data
            data = sock.recv(65536)
            if not data:
                selector.unregister(sock)
                del rests[sock]
                sock.close()
                continue
            *lines, rests[sock] = (rests[sock] + data).split(b"\r\n")
            for line in lines:
                if answer := reply(line):
                    sock.sendall(answer)


if __name__ == "__main__":
    connected = [connect(sys.argv[1], port) for port in sys.argv[2:]]
    if len(connected) == 1:
        play_one(connected[0])
    else:
        play_many(connected)
