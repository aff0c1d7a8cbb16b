"""The player model in plain numpy, hand by hand, from its published formulas: no code of the kernels."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SITUATION = (
    "always", "preflop", "flop", "turn", "river", "raised preflop", "facing", "two bets", "raises",
    "raised last", "called last", "has acted", "price", "pot", "opponents", "entered", "behind", "capped",
    "last raise", "no limit", "size", "after flop",
)  # fmt: skip
STREETS = ("preflop", "flop", "turn", "river")


def situation_of(public: Any) -> Mapping[str, float]:
    """The features of a public situation by name."""
    own = 1 << public.position
    acted_last = bool((public.raised_last | public.called_last) & own)
    bets = (
        0
        if public.to_call == 0
        else 1 + (public.to_call > public.bet if public.is_limit else 2 * public.to_call > public.pot)
    )
    before = public.pot - public.to_call
    size = np.clip(np.log(public.to_call / before), -1.5, 2) if public.to_call and not public.is_limit else 0
    return dict(
        zip(
            SITUATION,
            map(
                float,
                (
                    1, *(public.betting_round == street for street in range(4)),
                    public.betting_round == 0 and public.raises > 0, public.to_call > 0, bets == 2,
                    public.raises / 4, bool(public.raised_last & own), bool(public.called_last & own),
                    acted_last if public.betting_round == 0 else bool(public.is_in & own),
                    public.to_call / (public.pot + public.to_call), np.log(public.pot / public.bet) / 2,
                    (public.opponents.bit_count() - 1) / 3, public.entered.bit_count() / 3,
                    public.to_respond != 0, not public.can_raise, public.raises_left == 1,
                    not public.is_limit, size, public.betting_round > 0,
                ),
            ),
            strict=True,
        )
    )  # fmt: skip


def hands_of(share: Floats, value: Floats, showdown: Floats, price: float) -> Mapping[str, Floats]:
    """The features of hands by name, arrays of one length."""
    r = share - 0.5
    return {
        "": np.ones_like(r),
        "share": r,
        "value": value - 0.5,
        "square": 4 * r * r,
        "chance": showdown - price,
    }


def features(names: Sequence[str], situation: Mapping[str, float], hands: Mapping[str, Floats]) -> Floats:
    """The features of each hand, shape (hands, names); a name is ``HAND x SITUATION``, or a situation's."""
    columns = []
    for name in names:
        hand, _, where = name.rpartition(" x ")
        columns.append(situation[where] * hands[hand])
    return np.array(columns).T


def tanh(x: Floats) -> Floats:
    """Lambert's continued fraction for tanh to its seventh term, held where it comes to 1."""
    x = np.clip(x, -4.97, 4.97)
    fraction = 13 * np.ones_like(x)
    for odd in (11, 9, 7, 5, 3, 1):
        fraction = odd + x * x / fraction
    return x / fraction


class Curve:
    """A normal distribution of theta, and what it says of hands."""

    def __init__(self, names: Sequence[str], mean: Floats, covariance: Floats) -> None:
        self.names, self.mean, self.covariance = names, mean.copy(), covariance.copy()
        self._prior = covariance.copy()

    def _read(self, rows: Floats, weights: Floats) -> tuple[Floats, float]:
        middle = weights @ rows / weights.sum()
        kappa = (1 + np.pi / 8 * (middle @ self.covariance @ middle)) ** -0.5
        return 0.0005 + 0.999 * (0.5 + tanh(kappa * (rows @ self.mean) / 2) / 2), kappa

    def chances(self, rows: Floats, weights: Floats) -> Floats:
        """The answer yes with each hand; of rows of features, and weights."""
        return self._read(rows, weights)[0]

    def step(self, rows: Floats, weights: Floats, came: bool) -> Floats:
        """Moment matching with one answer; the chances before it."""
        self.covariance += 0.0003 * (self._prior - self.covariance)
        chances, kappa = self._read(rows, weights)
        chance = weights @ chances / weights.sum()
        slope = (weights * chances * (1 - chances)) @ rows * kappa / weights.sum()
        gain = self.covariance @ slope
        variance = max(chance * (1 - chance), slope @ gain / 0.9)
        self.mean += gain * (came - chance) / variance
        self.covariance -= np.outer(gain, gain) / variance
        return chances
