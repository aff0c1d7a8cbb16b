"""Addresses: those to listen on, those that limits count by, and those under which pages may be asked for."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^\[\]:@/?#\s]+))(?::(\d{1,5}))?")


def listening_address(text: str) -> str:
    """An address to listen on: it must not be empty, since to the system that means every address.

    Raises:
        ValueError: it is.
    """
    if not text.strip():
        raise ValueError("expected an address to listen on, got nothing; 0.0.0.0 listens on all")
    return text


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    found = _ip(host)
    return host == "localhost" if found is None else found.is_loopback


def whose(address: str) -> str:
    """The address that limits count by: of IPv6 the network of 64 bits that one subscriber is given."""
    found = _ip(address.partition("%")[0])
    if not isinstance(found, ipaddress.IPv6Address):
        return address
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def host_and_port(text: str) -> tuple[str, int | None] | None:
    """Host and port that a request's header names, in lower case; None if it is malformed."""
    found = _HOST.fullmatch(text.lower())
    if found is None:
        return None
    in_brackets, plain, port = found.groups()
    return in_brackets or plain, None if port is None else int(port)


def is_ours(host: str, names: tuple[str, ...]) -> bool:
    """Whether pages may be asked for under a host, which anybody's DNS may have made lead here.

    Args:
        host: without a port.
        names: those that we go by, or origins.
    """
    known = {urlsplit(name).hostname if "://" in name else name for name in names}
    return _ip(host) is not None or host == "localhost" or host in known


def is_same_origin(origin: str, scheme: str, host: str, names: tuple[str, ...]) -> bool:
    """Whether a browser's Origin is the page's own, scheme and port included.

    Args:
        origin: the header.
        scheme: http or https.
        host: the Host of the same request.
        names: among them perhaps the origin that a proxy in front of us gives our pages.
    """
    named, _, rest = origin.lower().partition("://")
    theirs, ours = host_and_port(rest), host_and_port(host)
    if theirs is None or ours is None:
        return False
    if origin.lower() in names:
        return True
    default = _PORTS[scheme]
    return named == scheme and (theirs[0], theirs[1] or default) == (ours[0], ours[1] or default)
