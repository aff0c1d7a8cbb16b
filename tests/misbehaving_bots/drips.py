"""Sends its answers, and before that its version if told `all`, a byte a second."""

import contextlib
import socket
import sys
import time

host, port = sys.argv[1:3]
with socket.create_connection((host, int(port))) as sock, contextlib.suppress(OSError):
    if sys.argv[3:] != ["all"]:
        sock.sendall(b"VERSION:2.0.0\n")
    for byte in b"VERSION:2.0.0\n" + b"#" * 1000:
        sock.sendall(bytes([byte]))
        time.sleep(1)
