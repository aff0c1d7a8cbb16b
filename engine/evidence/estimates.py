"""Hands in, estimates by player out: what they won, and what they won with luck taken out.

::

    evidence = Evidence(game)
    for hand in hands:                                     # in the order they were played
        evidence.add(hand.state, hand.chips, hand.players, deal)
    evidence.estimates()["equity"][player]                 # chips per hand, with its interval

=============  ================================================================================
``chips``      what was won
``all_in``     the mean over the cards that came when nobody could act any more
``equity``     that, less what the other cards brought, by control variates
``aivat``      what was won, less what cards and players drew whose strategies are known; where asked for
=============  ================================================================================

All have the same mean.  Hands with the same deal, passes of a duplicate match, are one sample together.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.evidence.aivat.estimates import Aivat, Told, why_not
from engine.evidence.all_in import expected_chips, unknown_cards
from engine.evidence.control_variates import Observations, corrected
from engine.evidence.equity import KnownHand, Moment, pot_shares
from engine.evidence.moments import Moments, moments_of
from engine.intervals import Z95, Estimate, half_width
from engine.rules import GameDefinition, HandState

__all__ = ["ESTIMATORS", "Evidence"]

ESTIMATORS: Final = ("chips", "all_in", "equity")

_REMEMBERED: Final = 1 << 15
"""Bettings whose moments are kept."""

Floats = NDArray[np.float64]


class Evidence:
    """The hands of a match, or of several with the same game and players."""

    def __init__(self, game: GameDefinition, *, with_aivat: bool = False) -> None:
        self._game = game
        self.estimators = (*ESTIMATORS, "aivat") if with_aivat else ESTIMATORS
        """Their names."""
        self._told: list[tuple[HandState, Told]] = []
        self._no_cards = ((0,) * game.num_hole_cards,) * game.num_players
        self._moments: dict[str, Moments] = {}
        self._of_hand: list[Moments] = []
        self._cards: list[KnownHand] = []
        self._chips: list[tuple[float, ...]] = []
        self._players: list[tuple[int, ...]] = []
        self._deals: list[int] = []
        self._passes: list[int] = []
        self.missing: dict[str, str] = {}
        """Why an estimator says nothing, by its name."""
        self.doubts: dict[str, int] = {}
        """What was wrong with what players told of their strategies, and how often; their hands counted with
        less luck taken out."""

    def __len__(self) -> int:
        return len(self._chips)

    def add(
        self,
        hand: HandState,
        chips: Sequence[float],
        players: Sequence[int],
        deal: int,
        passes: int = 1,
        told: Told | None = None,
    ) -> None:
        """Take a hand.

        Args:
            hand: its end.
            chips: what it paid, by position.
            players: by position, the number of the player who sat there, from 0.
            deal: number of the deal; hands with the same number had the same cards and count as one sample.
                Deals are taken to have been played in the order of their numbers.
            passes: how many hands the deal has when it is complete; intervals are those of complete deals.
            told: what players have told of their strategies in it, for AIVAT.

        Raises:
            ValueError: the hand is not over.
        """
        betting = hand.betting
        moments = self._moments.get(betting.text)
        if moments is None:
            if len(self._moments) >= _REMEMBERED:
                self._moments.clear()
            moments = self._moments[betting.text] = moments_of(betting)
        unknown = unknown_cards(hand)
        if unknown is not None:
            self.missing.setdefault("equity", f"it needs everybody's hole cards: {unknown}")
            if moments.is_run_out:
                self.missing.setdefault("all_in", f"it needs everybody's hole cards: {unknown}")
        self._of_hand.append(moments)
        cards = hand.deal.hole_cards if unknown is None else self._no_cards
        self._cards.append(KnownHand(hand.hand_number, cards, hand.board))
        self._chips.append(tuple(chips))
        self._players.append(tuple(players))
        self._deals.append(deal)
        self._passes.append(passes)
        if "aivat" in self.estimators:
            self._told.append((hand, told or {}))
        self.__dict__.pop("_values", None)

    @property
    def players(self) -> NDArray[np.int64]:
        """Who sat where, shape (hands, positions)."""
        return np.array(self._players, np.int64).reshape(len(self), self._game.num_players)

    @property
    def deals(self) -> NDArray[np.int64]:
        """The deal of each hand, counted from 0 without gaps.  Shape (hands,)."""
        _, numbers = np.unique(np.array(self._deals, np.int64), return_inverse=True)
        return numbers.astype(np.int64)

    def values(self, estimator: str) -> Floats | None:
        """What each position won in each hand by an estimator, in chips, shape (hands, positions).

        None where it says nothing; `missing` says why.
        """
        return self._values[estimator]

    def estimates(self, critical_value: float = Z95) -> dict[str, tuple[Estimate | None, ...]]:
        """By estimator, chips per hand of each player, and how far they can be trusted.

        None for players without a hand, and where the estimator says nothing.

        Args:
            critical_value: how many standard errors half an interval is wide.
        """
        return {name: self._estimates(self.values(name), critical_value) for name in self.estimators}

    def _estimates(self, values: Floats | None, critical_value: float) -> tuple[Estimate | None, ...]:
        if not len(self):
            return ()
        seated, deals = self.players, self.deals
        passes = np.array(self._passes, np.int64)
        found: list[Estimate | None] = []
        for player in range(int(seated.max()) + 1):
            hands, positions = np.nonzero(seated == player)
            if values is None or not len(hands):
                found.append(None)
                continue
            won = values[hands, positions]
            count = np.bincount(deals[hands])
            sums = np.bincount(deals[hands], won)
            complete = np.unique(deals[hands[count[deals[hands]] == passes[hands]]])
            samples = sums[complete] / count[complete]
            half = half_width(samples.tolist(), critical_value)
            found.append(Estimate(float(won.mean()), half, len(samples)))
        return tuple(found)

    @functools.cached_property
    def _values(self) -> dict[str, Floats | None]:
        chips = np.array(self._chips, np.float64).reshape(len(self), self._game.num_players)
        found: dict[str, Floats | None] = {"chips": chips, **dict.fromkeys(self.estimators[1:])}
        if "all_in" in self.missing:
            self.missing.update(dict.fromkeys(self.estimators[3:], self.missing["all_in"]))
            return found
        with_cards = "equity" not in self.missing
        asking = [with_cards or moments.is_run_out for moments in self._of_hand]
        first: list[int] = []
        asked: list[Moment] = []
        for hand, (moments, is_asking) in enumerate(zip(self._of_hand, asking, strict=True)):
            first.append(len(asked))
            if is_asking:
                asked += [(hand, sharing, out) for sharing, out in moments.asked]
        shares = pot_shares(self._game, self._cards, asked)
        found["all_in"] = settled = self._all_in(chips, first, shares)
        if with_cards:
            brought = self._brought(settled.shape, first, shares)
            found["equity"] = self._equity(settled, brought)
            if "aivat" in self.estimators:
                found["aivat"] = self._aivat(settled, brought)
        elif "aivat" in self.estimators:
            self.missing["aivat"] = self.missing["equity"]
        return found

    def _aivat(self, settled: Floats, brought: Floats) -> Floats | None:
        """What each position won with what known players drew taken out, too."""
        fault = why_not(self._game)
        if fault is not None:
            self.missing["aivat"] = fault
            return None
        aivat = Aivat(self._game)
        for (hand, told), players, deal in zip(self._told, self._players, self.deals.tolist(), strict=True):
            aivat.add(hand, players, deal, told)
        values = aivat.values(settled, brought)
        if values is None:
            self.missing["aivat"] = "no player has told how it plays"
        self.doubts = dict(aivat.faults)
        return values

    def _all_in(self, chips: Floats, first: Sequence[int], shares: Floats) -> Floats:
        settled = chips.copy()
        for hand, moments in enumerate(self._of_hand):
            if moments.is_run_out:
                of_layers = [shares[first[hand] + layer.asked].tolist() for layer in moments.layers]
                settled[hand] = expected_chips(moments.paid, moments.layers, of_layers)
        return settled

    def _brought(self, shape: tuple[int, ...], first: Sequence[int], shares: Floats) -> Floats:
        """The change in each position's share that each round's cards brought, times a constant and the pot.

        Shape (hands, positions, 2 * rounds).
        """
        game = self._game
        fallen = [
            (hand, fall.betting_round, fall.pot, first[hand] + fall.before, first[hand] + fall.after)
            if fall.before >= 0
            else (hand, fall.betting_round, fall.pot, -1, first[hand] + fall.after)
            for hand, moments in enumerate(self._of_hand)
            for fall in moments.falls
        ]
        hands, rounds, pots, before, after = np.array(fallen, np.int64).reshape(-1, 5).T
        expected = np.where(before[:, None] >= 0, shares[before], 1.0 / game.num_players)
        change = shares[after] - expected
        changes = np.zeros((*shape, 2 * game.num_rounds))
        changes[hands, :, 2 * rounds] = game.big_blind * change
        changes[hands, :, 2 * rounds + 1] = pots[:, None] * change
        changes[:, :, 0] = 0.0  # the pot of the deal is itself a constant
        return changes

    def _equity(self, settled: Floats, brought: Floats) -> Floats:
        game = self._game
        prior = np.tile([0.0, 1.0], game.num_rounds)
        seen = Observations(
            settled.ravel(),
            brought.reshape(-1, brought.shape[2]),
            np.repeat(self.deals, game.num_players),
            self.players.ravel(),
        )
        return corrected(seen, prior).reshape(settled.shape)
