"""Sends a megabyte (or as many bytes as it is told) without a line end, when it is first shown a state."""

import contextlib
import socket
import sys

host, port = sys.argv[1:3]
size = int(sys.argv[3]) if sys.argv[3:] else 1_000_000
with socket.create_connection((host, int(port))) as sock:
    sock.sendall(b"VERSION:2.0.0\n")
    sock.recv(1)
    with contextlib.suppress(OSError):
        for _ in range(size // 10_000):
            sock.sendall(b"x" * 10_000)
        while sock.recv(65536):
            pass
