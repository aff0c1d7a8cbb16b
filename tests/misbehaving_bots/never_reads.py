"""Says its version and never reads a byte; with the smallest buffer, so that others notice soon."""

import socket
import sys
import time

host, port = sys.argv[1:3]
with socket.socket() as sock:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    sock.connect((host, int(port)))
    sock.sendall(b"VERSION:2.0.0\n")
    time.sleep(float(sys.argv[3]) if sys.argv[3:] else 60)
