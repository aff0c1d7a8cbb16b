"""The secret that a match's cards and its players' seeds follow from, and the promise not to change it.

A key is 256 bits of the operating system's.  Before the first hand its *commitment* is published, from which
nothing can be computed; after the last hand the key itself, so that anybody can check the commitment, deal
the cards again (`engine.rules.KeyedDealer`) and play the match again.

Different keyed hashes serve the cards and each player, so no player's seed says anything about the cards
or about another's seed.
"""

from __future__ import annotations

import os
import re
from typing import Final

import attrs

from engine.rules.dealing import KeyedDealer
from engine.rules.game_definition import GameDefinition

KEY_BYTES: Final = 32
_TEXT: Final = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}")


@attrs.frozen
class MatchKey:
    """Where a match's randomness comes from."""

    secret: bytes = attrs.field(repr=False)

    @secret.validator
    def _check(self, _: object, value: bytes) -> None:
        if len(value) != KEY_BYTES:
            raise ValueError(f"a match key has {KEY_BYTES} bytes, got {len(value)}")

    @classmethod
    def random(cls) -> MatchKey:
        """A new key from the operating system."""
        return cls(os.urandom(KEY_BYTES))

    @classmethod
    def parse(cls, text: str) -> MatchKey:
        """The key that `MatchKey.text` wrote.

        Raises:
            ValueError: it is no key.
        """
        if not _TEXT.fullmatch(text):
            raise ValueError(f"expected a key of {2 * KEY_BYTES} hexadecimal digits, got {text!r}")
        return cls(bytes.fromhex(text))

    @property
    def text(self) -> str:
        """The key as 64 hexadecimal digits: to be shown only when the last hand is over."""
        return self.secret.hex()

    @property
    def commitment(self) -> str:
        """What may be published before the first hand: SHA-256 of ``riverboat key`` and the key."""
        from hashlib import sha256  # loads OpenSSL: only matches with a key wait for it

        return sha256(b"riverboat key" + self.secret).hexdigest()

    def dealer(self, game: GameDefinition) -> KeyedDealer:
        """The match's cards, from hand 0 on."""
        return KeyedDealer(game, self.secret)

    def player_seed(self, seat: int) -> int:
        """The 32-bit seed of the player whose first seat is `seat`.

        The first four bytes, big end first, of ``HMAC-SHA256(key, "riverboat player" || seat)``, seat as 8
        bytes, big end first.
        """
        from hmac import digest

        return int.from_bytes(
            digest(self.secret, b"riverboat player" + seat.to_bytes(8, "big"), "sha256")[:4], "big"
        )
