"""TLS at the door: a client's encrypted stream as a socket of plain bytes, and certificates.

The table's code writes to sockets without waiting (`server.table.channel`), which TLS does not allow.  So two
tasks join a TLS connection to a pair of local sockets.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import trio

from server.room.config import Certificate, RoomError

_CHUNK: Final = 32 * 1024
_GOODBYE_S: Final = 1.0
# For pending bytes to be sent.


def server_context(pair: Certificate) -> ssl.SSLContext:
    """The TLS context for a room's certificate.

    Raises:
        RoomError: certificate or key cannot be read, or do not belong together.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    for path in (pair.certificate, pair.key):
        if not path.is_file():
            raise RoomError(f"{path}: no such file (riverboat serve --self-signed makes a certificate)")
    try:
        context.load_cert_chain(pair.certificate, pair.key)
    except (OSError, ssl.SSLError) as error:
        reason = getattr(error, "reason", None) or error
        raise RoomError(f"{pair.certificate}, {pair.key}: no certificate with its key: {reason}") from error
    return context


def self_signed(folder: Path, host: str) -> Certificate:
    """A certificate that the room has signed itself, made by ``openssl`` if there is none in the folder.

    Raises:
        RoomError: there is no openssl, or it fails.
    """
    pair = Certificate(folder / "self-signed.pem", folder / "self-signed.key")
    if pair.certificate.exists() and pair.key.exists():
        return pair
    names = {"DNS:localhost", "IP:127.0.0.1"}
    names.add(f"IP:{host}" if host.replace(".", "").isdecimal() or ":" in host else f"DNS:{host}")
    command = [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "365", "-subj", "/CN=riverboat",
        "-addext", f"subjectAltName={','.join(sorted(names))}",
        "-keyout", str(pair.key), "-out", str(pair.certificate),
    ]  # fmt: skip
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(pair.key, os.O_WRONLY | os.O_CREAT, 0o600))  # before anything is written to it
        subprocess.run(command, check=True, capture_output=True)
    except OSError as error:
        raise RoomError(f"openssl, which makes certificates: {error.strerror}") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[-1]
        raise RoomError(f"openssl could not make a certificate: {last}") from error
    return pair


@contextlib.asynccontextmanager
async def spoken(
    sock: socket.socket, context: ssl.SSLContext | None, handshake_s: float
) -> AsyncIterator[socket.socket]:
    """A client's connection as a socket of plain bytes, which the caller closes.

    Raises:
        ssl.SSLError: the client does not speak TLS.
        OSError, trio.BrokenResourceError: it has gone.
    """
    if context is None:
        yield sock
        return
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    raw = trio.SocketStream(trio.socket.from_stdlib_socket(sock))
    stream = trio.SSLStream(raw, context, server_side=True, https_compatible=True)
    try:
        with trio.move_on_after(handshake_s) as handshake:
            try:
                await stream.do_handshake()
            except trio.BrokenResourceError as error:
                if isinstance(error.__cause__, ssl.SSLError):
                    with contextlib.suppress(OSError):
                        sock.send(b"# this port speaks TLS; people: riverboat play --tls HOST:PORT\r\n")
                    raise error.__cause__ from None
                raise
        if handshake.cancelled_caught:
            raise trio.BrokenResourceError("no TLS handshake in time")
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        inner = trio.SocketStream(trio.socket.from_stdlib_socket(theirs))
        is_said = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_pump, stream, inner)
            nursery.start_soon(_pump, inner, stream, is_said)
            try:
                yield ours
            finally:
                ours.close()
                with trio.move_on_after(_GOODBYE_S):
                    await is_said.wait()
                nursery.cancel_scope.cancel()
                await trio.aclose_forcefully(inner)
    finally:
        await trio.aclose_forcefully(stream)


_Stream = trio.SSLStream[trio.SocketStream] | trio.SocketStream


async def _pump(source: _Stream, target: _Stream, is_over: trio.Event | None = None) -> None:
    """Pass on all bytes; the end of one side ends the other."""
    try:
        while data := await source.receive_some(_CHUNK):
            await target.send_all(bytes(data))
        if isinstance(target, trio.SocketStream):
            await target.send_eof()
    except (trio.BrokenResourceError, trio.ClosedResourceError, OSError):
        await trio.aclose_forcefully(target)
    finally:
        if is_over is not None:
            is_over.set()
