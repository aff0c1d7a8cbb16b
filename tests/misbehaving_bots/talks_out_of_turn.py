"""Answers every message twice, its turn or not, and guesses what may come; but it does answer."""

import contextlib
import socket
import sys

host, port = sys.argv[1:3]
with socket.create_connection((host, int(port))) as sock, contextlib.suppress(OSError):
    sock.sendall(b"VERSION:2.0.0\n")
    for line in sock.makefile("rb"):
        state = line.rstrip(b"\r\n")
        sock.sendall(b"%s:c\r\n%s:c\r\nMATCHSTATE:9:9::|:r\r\n%s\r\n" % (state, state, state))
