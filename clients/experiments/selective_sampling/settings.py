"""What the parts of the experiment are given."""

from __future__ import annotations

from typing import Final

import attrs

from engine.rules import load_game

DEFAULT_GAME: Final = "limit-10p"


@attrs.frozen
class Settings:
    """How large the experiment is.  Results follow from these alone.

    Raises:
        ValueError: a number that is too small, or a no-limit game.
        OSError: there is no such game.
    """

    seed: int = 1
    game: str = DEFAULT_GAME
    """The game of self-play, in parts a to d: a limit game."""
    simulating: tuple[int, ...] = ()
    """How many of the players simulate in self-play, for each line-up; without, half of them, and one."""
    hands: int = 20_000
    """Played by each pairing of players."""
    spots: int = 300
    """Decisions that are looked at in parts b, c and d."""
    duel_hands: int = 4_000
    """Played heads-up by each pairing in parts e, f and g."""
    trials: int = 500
    """Trials for each decision of a sampling bot."""
    reference: int = 100_000
    """Trials whose values count as the truth."""
    until: float | None = None
    """Self-play ends when the gain is known to this many mbb/h, at one of a few fixed looks."""
    sampling: str = "sampling"
    """The bot that simulates, without its number of trials."""
    formula: str = "formula"
    """The bot it is measured against."""

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
