"""Calls, and leaves after a given number of messages; before its version line if that is -1.

With `reset` it leaves without a proper goodbye.
"""

import socket
import struct
import sys

host, port, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with socket.create_connection((host, port)) as sock:
    if sys.argv[4:] == ["reset"]:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if steps >= 0:
        sock.sendall(b"VERSION:2.0.0\n")
        incoming = sock.makefile("rb")
        for _ in range(steps):
            # Calling in every state, its turn or not: what is no answer is ignored.
            sock.sendall(incoming.readline().rstrip(b"\r\n") + b":c\r\n")
        incoming.close()
