"""Calls in every state, and when the dealer has said goodbye sends junk as fast as it can."""

import contextlib
import socket
import sys

host, port = sys.argv[1:3]
with socket.create_connection((host, int(port))) as sock, contextlib.suppress(OSError):
    sock.sendall(b"VERSION:2.0.0\n")
    for line in sock.makefile("rb"):
        sock.sendall(line.rstrip(b"\r\n") + b":c\r\n")
    while True:
        sock.sendall(b"goodbye\n" * 10_000)
