"""Once shown a state, sends the same line (junk unless given) as fast as it can, and reads nothing more."""

import contextlib
import socket
import sys

host, port = sys.argv[1:3]
line = sys.argv[3].encode() if sys.argv[3:] else b"junk"
with socket.create_connection((host, int(port))) as sock, contextlib.suppress(OSError):
    sock.sendall(b"VERSION:2.0.0\n")
    sock.recv(1)
    flood = (line + b"\n") * (60_000 // len(line))
    while True:
        sock.sendall(flood)
