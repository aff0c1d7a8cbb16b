"""The settings of the experiment."""

from __future__ import annotations

from typing import Final

import attrs

from engine.poker.rules import load_game

DEFAULT_GAME: Final = "limit-10p"


@attrs.frozen
class Settings:
    """The settings of the experiment, from which alone its results follow.

    Raises:
        ValueError: a number that is too small, or a no-limit game.
        OSError: there is no such game.
    """

    seed: int = 1
    game: str = DEFAULT_GAME
    """The game of self-play, in parts a to d: a limit game."""
    simulating: tuple[int, ...] = ()
    """How many of the players simulate in self-play, for each line-up; empty for half of them, and one."""
    hands: int = 20_000
    """Hands of self-play for each line-up."""
    spots: int = 300
    """The number of decisions that are examined in parts b, c and d."""
    duel_hands: int = 4_000
    """Heads-up hands of each pairing in parts e, f and g."""
    trials: int = 500
    """Trials for each decision of a sampling bot."""
    reference: int = 100_000
    """The number of trials whose values count as the truth."""
    until: float | None = None
    """Self-play ends when the gain is known to this many mbb/h; it is checked after each match."""
    sampling: str = "sampling"
    """The bot that simulates, without its number of trials."""
    formula: str = "formula"
    """The bot against which it is measured."""

    def __attrs_post_init__(self) -> None:
        game = load_game(self.game)
        if not game.is_limit:
            raise ValueError(f"game: expected a limit game, got {self.game}: the papers count in small bets")
        if not game.is_holdem:
            raise ValueError(f"game: expected Texas hold'em, got {self.game}")
        for name in ("hands", "duel_hands", "spots", "trials", "reference"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected 1 or more, got {getattr(self, name)}")
        seats = load_game(self.game).num_players
        for players in self.simulating:
            if not 0 < players < seats:
                raise ValueError(f"simulating: expected 1 to {seats - 1} of {seats} players, got {players}")
        if self.until is not None and self.until <= 0:
            raise ValueError(f"until: expected more than 0 mbb/h, got {self.until}")

    def sampling_bot(self, trials: int | None = None) -> str:
        """The simulating bot as ``BOT:KEY=VALUE``, with a number of trials or the usual one."""
        joint = "," if ":" in self.sampling else ":"
        return f"{self.sampling}{joint}trials={trials or self.trials}"
