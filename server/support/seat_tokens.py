"""Tokens: compared, and read from places that other users of the machine cannot see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from protocol.variables import SEAT_TOKEN


def same_token(said: bytes, expected: bytes) -> bool:
    """Whether a token, or its hash, is the right one: the house's only comparison, in constant time."""
    from secrets import compare_digest  # imports hashing: only where there are tokens

    return compare_digest(said, expected)


def hidden_tokens(files: Sequence[str], environment: Mapping[str, str], seats: int) -> list[str | None]:
    """The tokens by seat; a file's goes before a variable's, None for a seat that has neither.

    Args:
        files: ``SEAT=PATH``, seats from 1; the file holds the token and perhaps a line end.
        environment: with ``RIVERBOAT_SEAT_TOKEN_1`` and so on.
        seats: how many there are.

    Raises:
        ValueError: what is asked for cannot be understood or read; the message is one line.
    """
    names = [f"{SEAT_TOKEN}{number}" for number in range(1, seats + 1)]
    tokens = [checked_token(environment[name], name) if environment.get(name) else None for name in names]
    for seat, path in by_seat(files, "--seat-token-file SEAT=PATH", seats):
        tokens[seat] = token_in(path)
    return tokens


def token_in(path: str) -> str:
    """The token in a file.

    Raises:
        ValueError: it cannot be read, or holds none; the message is one line.
    """
    try:
        with open(path, encoding="utf-8") as file:
            return checked_token(file.read(), path)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise ValueError(f"the token file {path} cannot be read: {reason}") from None


def by_seat(items: Sequence[str], usage: str, seats: int) -> Iterator[tuple[int, str]]:
    """What the items of an option say of seats, which count from 0 here, and from 1 in the items.

    Raises:
        ValueError: they are not of the form of the usage, or there is no such seat.
    """
    numbers = {str(number + 1): number for number in range(seats)}
    for item in items:
        seat, _, text = item.partition("=")
        if seat not in numbers or not text:
            raise ValueError(f"expected {usage} with a seat from 1 to {seats}, got {item!r}")
        yield numbers[seat], text


def checked_token(text: str, source: str) -> str:
    """A token without its line end."""
    token = text.strip()
    if not token or token.split()[1:]:
        raise ValueError(f"{source} holds no token: expected one word")
    return token
