"""The options of the sampling bot."""

from __future__ import annotations

import math
from typing import Final, Literal, get_args

import attrs

from clients.bots.opponent_book import DEFAULT_NOISE, DEFAULT_POTENTIAL, ModelName, check_model
from clients.core.options import parse_bet_sizes
from engine.players.table_reader import PotentialName
from engine.players.trials.selective_sampling import Criterion

DEFAULT_TRIALS: Final = 20_000
DEFAULT_SECONDS: Final = 0.050
SEEDED_TRIALS: Final = 2_000
"""Trials per decision with a seed, when time is not limited so that matches are repeatable."""
MOST_TRIALS: Final = 10**9
"""The most trials that can be asked for; one decision would take hours."""

ChooseName = Literal["best", "mixed"]
ObviousName = Literal["deviation", "error", "paired", "never"]


@attrs.frozen
class SamplingConfig:
    """How a sampling bot plays.

    Raises:
        ValueError: a number out of range, or an unknown word.
    """

    trials: int | None = None
    """The most trials per decision; None: 20,000, with a seed 2,000."""
    seconds: float | None = None
    """The most time per decision; None: 0.05, with a seed as long as the trials take."""
    model: ModelName = "specific"
    """How opponents are modelled."""
    choose: ChooseName = "best"
    """The best action, or a mixture of those that are nearly as good."""
    bet_sizes: str = "half+pot+all-in"
    """The raises simulated in no-limit games, as shares of the pot."""
    obvious: ObviousName = "paired"
    """The criterion by which an action is obvious, so that no more trials are played."""
    noise: float = DEFAULT_NOISE
    """Noise factor of the re-weighting."""
    explain: bool = False
    """State the values in a comment line before each action."""
    potential: PotentialName = DEFAULT_POTENTIAL
    """The hands against which hand potential is computed: a random hand, or the opponents' weight tables."""

    def __attrs_post_init__(self) -> None:
        if self.trials is not None and not 1 <= self.trials <= MOST_TRIALS:
            raise ValueError(f"trials: expected 1 to {MOST_TRIALS}, got {self.trials}")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"seconds: expected more than 0, got {self.seconds}")
        if not 0 <= self.noise <= 1:
            raise ValueError(f"noise: expected 0 to 1, got {self.noise}")
        check_model(self.model)
        for name, words in (
            ("choose", ("best", "mixed")),
            ("obvious", tuple(criterion.value for criterion in Criterion)),
            ("potential", get_args(PotentialName)),
        ):
            if getattr(self, name) not in words:
                raise ValueError(f"{name}: expected {' or '.join(words)}, got {getattr(self, name)!r}")
        try:
            parse_bet_sizes(self.bet_sizes)
        except ValueError as error:
            raise ValueError(f"bet-sizes: {error}") from None

    @property
    def shares(self) -> tuple[float, ...]:
        """`bet_sizes` as numbers; all in is infinite."""
        return parse_bet_sizes(self.bet_sizes)

    @property
    def criterion(self) -> Criterion:
        """The criterion of the simulation that `obvious` names."""
        return Criterion(self.obvious)

    def max_trials(self, seeded: bool) -> int:
        """The most trials per decision."""
        if self.trials is not None:
            return self.trials
        return SEEDED_TRIALS if seeded else DEFAULT_TRIALS

    def max_seconds(self, seeded: bool) -> float:
        """The most seconds per decision; infinite if time is not limited."""
        if self.seconds is not None:
            return self.seconds
        return math.inf if seeded else DEFAULT_SECONDS
