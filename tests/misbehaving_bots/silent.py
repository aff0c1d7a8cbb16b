"""Connects, says its version unless told `mute`, then nothing; reads whatever comes."""

import contextlib
import socket
import sys

host, port = sys.argv[1:3]
with socket.create_connection((host, int(port))) as sock, contextlib.suppress(OSError):
    if sys.argv[3:] != ["mute"]:
        sock.sendall(b"VERSION:2.0.0\n")
    while sock.recv(65536):
        pass
