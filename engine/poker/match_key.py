"""The source of a match's cards and its players' seeds: a secret key, or a seed that everybody may know.

A key is 256 bits from the operating system.  Before the first hand its *commitment* is published, from which
nothing can be computed.  After the last hand the key itself is published, so anybody can check the
commitment, deal the cards again (`engine.poker.rules.KeyedDealer`) and replay the match.

The cards and each player's seed come from different keyed hashes, so no player's seed says anything about the
cards or about another seed.

A seed (`MatchSeed`) is a number of 32 bits and deals as the ACPC dealer does.  It can be found from a few
hands, and any player's own seed gives it away: it is for players whom you trust.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

import attrs

from engine.poker.rules.dealing import CardDealer, KeyedDealer
from engine.poker.rules.game_definition import GameDefinition
from engine.support.seeds import derive_seed
from engine.support.user_input import parse_whole

KEY_BYTES: Final = 32
_LEAST_KEY: Final = 2**128
"""Numbers from here on are keys; a random key is smaller with a probability of 2^-128."""
_TEXT: Final = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}")


@attrs.frozen
class MatchKey:
    """The secret key from which all randomness of a match follows."""

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
            ValueError: the text is not a key.
        """
        if not _TEXT.fullmatch(text):
            raise ValueError(f"expected a key of {2 * KEY_BYTES} hexadecimal digits, got {text!r}")
        return cls(bytes.fromhex(text))

    @property
    def text(self) -> str:
        """The key as 64 hexadecimal digits; show it only when the last hand is over."""
        return self.secret.hex()

    @property
    def number(self) -> int:
        """The key as a big-endian whole number; show it only when the last hand is over."""
        return int.from_bytes(self.secret, "big")

    @property
    def label(self) -> str:
        """The key in a few characters, for people; show it only when the last hand is over."""
        return f"key {self.text[:8]}..."

    @property
    def announced(self) -> str:
        """The text that replaces the seed in a log's header."""
        return "random"

    @property
    def commitment(self) -> str:
        """The text to publish before the first hand: SHA-256 of ``riverboat key`` and the key."""
        from hashlib import sha256  # loads OpenSSL: only matches with a key wait for it

        return sha256(b"riverboat key" + self.secret).hexdigest()

    def dealer(self, game: GameDefinition) -> KeyedDealer:
        """The match's cards, from hand 0 on."""
        return KeyedDealer(game, self.secret)

    def player_seed(self, seat: int) -> int:
        """The 32-bit seed of the player whose first seat is `seat`.

        It is the first four bytes of ``HMAC-SHA256(key, "riverboat player" || seat)``, with the seat as 8
        bytes; both are big-endian.
        """
        from hmac import digest

        return int.from_bytes(
            digest(self.secret, b"riverboat player" + seat.to_bytes(8, "big"), "sha256")[:4], "big"
        )

    def player_seeds(self, players: Sequence[int]) -> tuple[int, ...]:
        """By seat, the seed of the player who sits there.

        A player keeps the same seed in all passes of a duplicate match, so nobody can know from an earlier
        pass what another player will draw in this one.

        Args:
            players: by seat, the player's number, which is that of their first seat.
        """
        return tuple(map(self.player_seed, players))


@attrs.frozen
class MatchSeed:
    """A public seed from which all randomness of a match follows, as with the ACPC dealer."""

    number: int = attrs.field()

    @number.validator
    def _check(self, _: object, value: int) -> None:
        if not 0 <= value < 2**32:
            raise ValueError(f"a match seed has 32 bits, got {value}")

    @property
    def label(self) -> str:
        """The seed, for people."""
        return f"seed {self.number}"

    @property
    def announced(self) -> str:
        """The seed in a log's header."""
        return str(self.number)

    def dealer(self, game: GameDefinition) -> CardDealer:
        """The match's cards, from hand 0 on: the ACPC dealer's."""
        return CardDealer(game, self.number)

    def player_seeds(self, players: Sequence[int]) -> tuple[int, ...]:
        """By seat, the seed of the player who sits there: here it depends on the seat alone.

        Args:
            players: by seat, the player's number.
        """
        return tuple(derive_seed(self.number, seat) for seat in range(len(players)))


def parse_match_seed(text: str) -> MatchSeed | MatchKey:
    """The seed or key that a user asks for.

    Args:
        text: ``random`` for a new key; a seed; or a key that has been revealed, as 64 hexadecimal digits or
            as a whole number.

    Raises:
        ValueError: anything else; the message is one line.
    """
    if text == "random":
        return MatchKey.random()
    if _TEXT.fullmatch(text):  # also where all digits are decimal ones: one key in 10^13
        return MatchKey.parse(text)
    try:
        number = parse_whole(text)
    except ValueError:
        number = -1
    if 0 <= number < 2**32:
        return MatchSeed(number)
    if _LEAST_KEY <= number < 256**KEY_BYTES:
        return MatchKey(number.to_bytes(KEY_BYTES, "big"))
    raise ValueError(
        "expected a seed: 'random', a whole number up to 4294967295, or the key of an earlier match "
        f"(64 hexadecimal digits, or its whole number), got {text[:80]!r}"
    )
