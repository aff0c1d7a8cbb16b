"""Sends a megabyte without a line end instead of its version."""

import contextlib
import socket
import sys

host, port = sys.argv[1:3]
with socket.create_connection((host, int(port))) as sock, contextlib.suppress(OSError):
    sock.sendall(b"V" * 1_000_000)
    while sock.recv(65536):
        pass
