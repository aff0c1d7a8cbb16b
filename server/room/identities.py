"""Who owns a name: tokens, of which the ledger has only a hash, and limits on guessing them.

A token has 160 bits, so the hash needs no additional secret; even so, scrypt makes each guess at a stolen
ledger cost some 16 MB and 30 ms.
"""

from __future__ import annotations

import itertools
import secrets
from hashlib import sha256
from typing import Final

import trio

from server.room.config import NAME, RoomConfig
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import Ledger, Registered
from server.room.tables.place import RequestRefused
from server.support.allowance import Allowances
from server.support.seat_tokens import same_token

_COST: Final = 2**14
_MINUTE_S: Final = 60.0
_LONGEST_STEM: Final = 24
# Of a name, so that a number fits after it.
_OF_GUEST: Final = "guest:"
# Begins their tokens.


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_hex(20)


def hashed(token: str, salt: bytes) -> bytes:
    """The hash of a token that the ledger keeps."""
    from hashlib import scrypt

    return scrypt(token.encode("utf-8", "surrogateescape"), salt=salt, n=_COST, r=8, p=1)


def register(ledger: Ledger, name: str, chips: int) -> tuple[Registered, str]:
    """A new player with a token, which only the caller knows.

    Raises:
        LedgerError: the name is taken, or is not a valid name.
    """
    check_name(name)
    token, salt = new_token(), secrets.token_bytes(16)
    return ledger.add_player(name, "registered", chips, salt, hashed(token, salt)), token


def renew(ledger: Ledger, name: str) -> tuple[Registered, str]:
    """Another token for a player, who may have lost theirs.

    Raises:
        LedgerError: there is no such player.
    """
    player = ledger.player(name)
    if player is None or player.kind != "registered":
        raise LedgerError(f"there is no registered player {name!r}")
    token, salt = new_token(), secrets.token_bytes(16)
    ledger.set_token(player, salt, hashed(token, salt))
    return player, token


def stem_of(bot: str) -> str:
    """The part of a house bot's name that is before its number."""
    return bot.partition(":")[0][:_LONGEST_STEM]


def check_name(name: str) -> None:
    """Make sure that a player can have this name.

    Raises:
        LedgerError: they cannot.
    """
    if not NAME.fullmatch(name):
        raise LedgerError(
            "expected a name of 1 to 32 letters, digits and _ . -, the first a letter or a digit, "
            f"got {name[:80]!r}"
        )


class Identities:
    """Says who a client is that gives a name, and perhaps a token."""

    def __init__(self, config: RoomConfig, ledger: Ledger) -> None:
        self._config = config
        self._ledger = ledger
        wrong, guests = config.guesses_per_minute, config.guests_per_minute
        self._guesses = Allowances(wrong / _MINUTE_S, wrong)  # by address and player
        self._guests = Allowances(guests / _MINUTE_S, guests)  # by address
        self._known: dict[bytes | None, bytes] = {}  # quick hashes of tokens that were right, by the others
        self._secrets: dict[int, str] = {}  # what guests who may come back were told, by their numbers
        self._bots: dict[str, Registered] = {}  # the house's, by their tokens
        self._present: dict[int, str] = {}  # names of guests and bots, in lower case, by their numbers
        self._hashing = trio.CapacityLimiter(1)  # guesses wait for each other

    def expect_bot(self, bot: str) -> tuple[str, str]:
        """A name for one of the house's bots, and a token that is good for one visit."""
        player = self._arriving(stem_of(bot) + "-1", "house")
        token = new_token()
        self._bots[token] = player
        return player.name, token

    def forget_bot(self, token: str) -> None:
        """Forget an expected bot that does not come."""
        if token in self._bots:
            self.has_left(self._bots.pop(token))

    def forget_bots(self) -> None:
        """Forget all expected bots."""
        for token in list(self._bots):
            self.forget_bot(token)

    def _arriving(self, wanted: str, kind: str) -> Registered:
        """A player of a name that nobody has, or that belonged to somebody of the same kind who has gone."""
        stem = stem_of(wanted.removesuffix("-1"))
        taken = set(self._present.values())  # to ask the ledger for each takes a thousand guests 6 s
        for name in itertools.chain((wanted,), (f"{stem}-{number}" for number in itertools.count(1))):
            if name.lower() in taken:
                continue
            known = self._ledger.player(name)
            if known is None or (known.kind == kind and known.id not in self._present):
                break
        player = known or self._ledger.add_player(name, kind)
        self._present[player.id] = player.name.lower()
        return player

    async def identify(self, name: str, token: str, address: str) -> Registered:
        """The player who gives a name and a token, either of which may be empty.

        Raises:
            RequestRefused: they are not who they claim to be, or may not come in.
        """
        bot = self._bots.pop(token, None)
        if bot is not None:
            return bot
        if not token or token.startswith(_OF_GUEST):
            back = next((number for number, secret in self._secrets.items() if secret == token), None)
            return self._guest(name, address) if back is None else self._ledger.player_of(back)
        player = self._ledger.player(name) if name else None
        quick = sha256(token.encode("utf-8", "surrogateescape")).digest()
        known = None if player is None else self._known.get(player.token)
        if player is not None and known is not None and same_token(quick, known):
            return player
        key = address, None if player is None else player.id
        is_awaited = player is not None and known is None and self._ledger.has_seat(player)
        if not is_awaited and not self._guesses.of(key).take():
            raise RequestRefused("too many wrong tokens from this address: wait a minute")
        found = b""
        if player is not None and player.salt is not None:
            async with self._hashing:
                found = await trio.to_thread.run_sync(hashed, token, player.salt)
        if player is None or player.token is None or not same_token(found, player.token):
            raise RequestRefused("the name and the token do not belong together")
        self._known[player.token] = quick
        return player

    def admit(self, player: Registered) -> Registered:
        """The player as they are known now, who may have come in long ago.

        Raises:
            RequestRefused: they may not sit down: they are banned, or have been given another token.
        """
        now = self._ledger.player_of(player.id)
        if now.is_banned or now.token != player.token:
            raise RequestRefused(f"{player.name} may not come in")
        return now

    def _guest(self, wanted: str, address: str) -> Registered:
        """A player without a token, with a name that nobody else has, and chips to play with."""
        if not self._config.guests:
            raise RequestRefused("a name and its token are needed here (riverboat room add-player)")
        if not self._guests.of(address).take():
            raise RequestRefused("too many guests from this address: wait a minute")
        player = self._arriving(wanted if NAME.fullmatch(wanted) else "guest-1", "guest")
        self._ledger.issue(player, self._config.guest_chips)
        return self._ledger.player_of(player.id)

    def secret_of(self, guest: Registered) -> str:
        """The secret with which a guest comes back as the same."""
        return self._secrets.setdefault(guest.id, _OF_GUEST + new_token())

    def has_left(self, player: Registered) -> None:
        """Note that nobody is connected under this name any more, and no seat is kept for it."""
        if player.kind == "guest" and (player.id not in self._present or self._ledger.has_seat(player)):
            return
        self._secrets.pop(player.id, None)
        self._present.pop(player.id, None)
        if player.kind == "guest":
            self._ledger.take_back(player)
