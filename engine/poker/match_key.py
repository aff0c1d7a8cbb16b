"""The source of a match's cards and its players' seeds: a secret key, or a seed that everybody may know.

A key is 256 bits from the operating system.  The cards and each player's seed come from different keyed
hashes, so no player's seed says anything about the cards or about another seed.

**A key for each deal** (`DealKeys`) is what a match without a seed has.  The key of a deal is the SHA-256 of
``riverboat deal`` and the key of the next one; every `DEALS_PER_CHAIN` deals such a chain begins anew, with
``HMAC-SHA256(key, "riverboat deals" || number of the chain)`` for its last deal.  Before the first deal what
would be the key of the deal before is published, the *commitment*, from which nothing can be computed; and
when a deal is over, its own key is.  So anybody can check that the cards were fixed beforehand, and deal them
again (`protocol.records.RevealedKeys`), and nobody learns anything about a deal to come, whatever is read:
the key itself is in the memory of the house alone, until the match is over.

**One key for all deals** (`MatchKey`) is what earlier versions had: the commitment is published before the
first hand, the key after the last.  Such a key can still be given (``--seed KEY``), and a room has one for
each hand.

A seed (`MatchSeed`) is a number of 32 bits and deals as the ACPC dealer does.  It can be found from a few
hands, and any player's own seed gives it away: it is for players whom you trust.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final, Self

import attrs

from engine.poker.rules.dealing import CardDealer, KeyedDealer
from engine.poker.rules.game_definition import GameDefinition
from engine.support.seeds import derive_seed
from engine.support.user_input import parse_whole

KEY_BYTES: Final = 32
_LEAST_KEY: Final = 2**128
"""Numbers from here on are keys; a random key is smaller with a probability of 2^-128."""
_TEXT: Final = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}")
_PER_DEAL: Final = "deals:"
DEALS_PER_CHAIN: Final = 4096


@attrs.frozen
class MatchKey:
    """The secret key from which all randomness of a match follows."""

    secret: bytes = attrs.field(repr=False)

    @secret.validator
    def _check(self, _: object, value: bytes) -> None:
        if len(value) != KEY_BYTES:
            raise ValueError(f"a match key has {KEY_BYTES} bytes, got {len(value)}")

    @classmethod
    def random(cls) -> Self:
        """A new key from the operating system."""
        return cls(os.urandom(KEY_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The key that `MatchKey.text` wrote.

        Raises:
            ValueError: the text is not a key.
        """
        if not _TEXT.fullmatch(text):
            raise ValueError(f"expected a key of {2 * KEY_BYTES} hexadecimal digits, got {text!r}")
        return cls(bytes.fromhex(text))

    @classmethod
    def parse_committed(cls, text: str, commitment: str | None) -> Self:
        """The key that a text is; it must be the one that was committed to, if any was.

        Raises:
            ValueError: the text is not a key, or is another one.
        """
        key = cls.parse(text)
        if commitment not in (None, key.commitment):
            raise ValueError(
                "the key is not the one that was committed to: "
                f"expected SHA-256 {commitment}, got {key.commitment}"
            )
        return key

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
        return f"key {self.secret.hex()[:8]}..."

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
class DealKeys(MatchKey):
    """The secret from which the keys of a match's deals follow."""

    is_drawn: bool = attrs.field(default=False, eq=False)
    """It is known to nobody: it was drawn for this sitting, and ends with it."""
    _chains: dict[int, list[bytes]] = attrs.field(factory=dict, init=False, eq=False, repr=False)
    # The keys of the two chains that were needed last, by their numbers.

    @classmethod
    def random(cls) -> Self:
        """A new one from the operating system."""
        return cls(os.urandom(KEY_BYTES), is_drawn=True)

    @classmethod
    def parse(cls, text: str) -> Self:
        """What `DealKeys.text` wrote.

        Raises:
            ValueError: the text is something else.
        """
        return cls(MatchKey.parse(text.removeprefix(_PER_DEAL)).secret)

    @property
    def text(self) -> str:
        """It as ``deals:`` and 64 hexadecimal digits; show it only when the last hand is over."""
        return _PER_DEAL + self.secret.hex()

    @property
    def commitment(self) -> str:
        """The text to publish before the first deal."""
        return self.commitment_from(0)

    def commitment_from(self, deal: int) -> str:
        """The text to publish before a deal: by it this and later deals of its chain can be checked."""
        return earlier_key(self.key(deal)).hex()

    def key(self, deal: int) -> bytes:
        """The key of a deal; show it only when the deal is over."""
        number, place = divmod(deal, DEALS_PER_CHAIN)
        if number not in self._chains:
            from hmac import digest

            keys = [digest(self.secret, b"riverboat deals" + number.to_bytes(8, "big"), "sha256")]
            while len(keys) < DEALS_PER_CHAIN:
                keys.append(earlier_key(keys[-1]))
            while len(self._chains) > 1:
                self._chains.pop(next(iter(self._chains)))
            self._chains[number] = keys[::-1]
        return self._chains[number][place]

    def dealer(self, game: GameDefinition) -> KeyedDealer:
        """The match's cards, from deal 0 on."""
        return KeyedDealer(game, self.key)


def earlier_key(key: bytes, steps: int = 1) -> bytes:
    """The key of a deal that is so many deals before the one whose key is given."""
    from hashlib import sha256

    for _ in range(steps):
        key = sha256(b"riverboat deal" + key).digest()
    return key


@attrs.frozen
class MatchSeed:
    """A public seed from which all randomness of a match follows, as with the ACPC dealer."""

    number: int = attrs.field()

    @number.validator
    def _check(self, _: object, value: int) -> None:
        if not 0 <= value < 2**32:
            raise ValueError(f"a match seed has 32 bits, got {value}")

    @property
    def text(self) -> str:
        """The seed as digits."""
        return str(self.number)

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
        text: ``random`` for new keys, one for each deal; a seed; or a key that has been revealed, as a result
            has it.

    Raises:
        ValueError: anything else; the message is one line.
    """
    if text == "random":
        return DealKeys.random()
    if text.startswith(_PER_DEAL):
        return DealKeys.parse(text)
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
        f"(64 hexadecimal digits, perhaps after 'deals:'), got {text[:80]!r}"
    )
