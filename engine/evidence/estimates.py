"""From hands to estimates by player: what they won, and what they won with luck taken out.

::

    evidence = Evidence(game)
    for hands in lots:                                     # in the order they were played
        evidence.add(hands, chips, players, deals)
    evidence.estimates()["equity"][player]                 # chips per hand, with its interval

=============  ================================================================================
``chips``      the chips won
``all_in``     with the mean over all cards instead of those dealt when nobody could act any more
``equity``     that, corrected for the other cards by control variates
``aivat``      corrected for cards and for the draws of players with known strategies; only if asked for
=============  ================================================================================

All have the same mean.  Hands of the same deal, the passes of a duplicate match, are one sample together.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import attrs
import numpy as np

from engine.evidence.aivat.estimates import Aivat, Told
from engine.evidence.aivat.games import why_not
from engine.evidence.columns.hands import NO_CARD, HandColumns
from engine.evidence.columns.moments import Moments, moments_of
from engine.evidence.columns.play import totals_by_deal
from engine.evidence.confidence_sequence import AtAllTimes, payoff_bounds
from engine.evidence.control_variates import Observations, fitted
from engine.evidence.equity import KnownCards, pot_shares
from engine.evidence.verdict import ALPHA
from engine.kernels.evidence.bettors import MOST_RISKED
from engine.poker.rules import GameDefinition, HandState
from engine.support.arrays import Floats, Ints
from engine.support.intervals import Estimate, critical_value, estimate, half_width

_MOST_RISKED: Final = 0.9
"""The share of the capital that is risked at most on equity, which hardly ever comes near its bounds."""

ESTIMATORS: Final = ("chips", "all_in", "equity")

Columns = TypeVar("Columns")


@attrs.frozen(eq=False)
class _Hands:
    """Some hands, a row for each."""

    moments: Moments
    cards: KnownCards
    chips: Floats
    """Shape (hands, positions)."""
    players: Ints
    """Shape (hands, positions)."""
    deals: Ints
    """Shape (hands,)."""
    passes: Ints
    """Shape (hands,)."""

    def __len__(self) -> int:
        return len(self.deals)


def _joined(parts: Sequence[Columns]) -> Columns:
    """The rows of several lots in one, in the same order.

    Args:
        parts: one or more objects of an attrs class, whose fields are arrays or such objects.
    """
    kind: Any = type(parts[0])
    values = []
    for field in attrs.fields(kind):
        columns = [getattr(part, field.name) for part in parts]
        is_array = isinstance(columns[0], np.ndarray)
        values.append(np.concatenate(columns) if is_array else _joined(columns))
    return kind(*values)


class _Shares:
    """The expected shares of the pot at all moments at which luck is to be taken out of hands.

    Args:
        game: the game played.
        hands: the hands.
        with_cards: whether these are all moments at which cards were dealt; otherwise only those at which
            nobody could act any more.
    """

    _OUT_BITS: Final = 3
    _SHARING_BITS: Final = 10

    def __init__(self, game: GameDefinition, hands: _Hands, *, with_cards: bool) -> None:
        self._num_players = game.num_players
        self._moments = moments = hands.moments
        asked = []
        for betting_round in range(game.num_rounds if with_cards else 0):
            rows = np.flatnonzero(moments.left[:, betting_round])
            left = moments.left[rows, betting_round]
            outs = {game.board_ends[max(0, betting_round - 1)], game.board_ends[betting_round]}
            asked += [self._key(rows, left, out) for out in outs]
        for pot in range(moments.sharing.shape[1]):
            sharing = moments.sharing[:, pot]
            rows = np.flatnonzero(moments.is_run_out & (sharing & (sharing - 1) != 0))
            asked.append(self._key(rows, sharing[rows], moments.out[rows]))
        self._keys = np.unique(np.concatenate(asked))
        hand = self._keys >> self._OUT_BITS + self._SHARING_BITS
        positions = self._keys >> self._OUT_BITS & (1 << self._SHARING_BITS) - 1
        out_there = self._keys & (1 << self._OUT_BITS) - 1
        self._shares = pot_shares(game, hands.cards, np.stack([hand, positions, out_there], axis=-1))

    def _key(self, hands: Ints, sharing: Ints, out: Ints | int) -> Ints:
        return (hands << self._SHARING_BITS | sharing) << self._OUT_BITS | out

    def at(self, hands: Ints, sharing: Ints, out: Ints | int) -> Floats:
        """The shares at some of these moments.  Shape (hands, positions)."""
        return self._shares[np.searchsorted(self._keys, self._key(hands, sharing, out))]

    def of_pots(self, hands: Ints) -> Floats:
        """The shares of each pot of hands in which nobody could act any more; 1 if nobody shares the pot.

        Shape (hands, pots, positions).
        """
        sharing = self._moments.sharing[hands]
        found = np.ones((*sharing.shape, self._num_players))
        rows, pots = np.nonzero(sharing & (sharing - 1))
        found[rows, pots] = self.at(hands[rows], sharing[rows, pots], self._moments.out[hands[rows]])
        return found


@attrs.frozen(eq=False)
class Brought:
    """The changes that cards caused in shares of the pot, and what those changes multiply."""

    changes: Floats
    """The change in each position's share of the pot, shape (hands, positions, rounds)."""
    surest: Floats
    """The most that they might have been, whatever came, in any position.  Shape (hands, rounds)."""
    constants: Floats
    """What the first of a round's two coefficients multiplies, shape (rounds,)."""
    pots: Floats
    """What the second one multiplies, shape (hands, rounds)."""

    @property
    def terms(self) -> Floats:
        """The changes times each of these, shape (hands, positions, 2 * rounds)."""
        pairs = np.stack([self.changes * self.constants, self.changes * self.pots[:, None, :]], axis=-1)
        hands, positions, rounds = self.changes.shape
        return pairs.reshape(hands, positions, 2 * rounds)

    def luck(self, hands: Ints, coefficients: Floats, most: float) -> Floats:
        """What is to be taken out of some hands: never more, whatever cards come, than a hand can pay.

        The limit, like a coefficient, is known before the cards come, so the mean stays right.  Shape (hands,
        positions).
        """
        taken = np.zeros((len(hands), self.changes.shape[1]))
        by_constant, by_pot = coefficients.reshape(-1, 2).T
        for number, pots in enumerate(self.pots[hands].T):
            room = (most - np.abs(taken).max(axis=1)) / self.surest[hands, number]
            worth = by_constant[number] * self.constants[number] + by_pot[number] * pots
            taken += np.clip(worth, -room, room)[:, None] * self.changes[hands, :, number]
        return taken


def by_pot(game: GameDefinition) -> Floats:
    """The coefficients fixed beforehand: the pot, at each change.  Shape (2 * rounds,)."""
    return np.tile([0.0, 1.0], game.num_rounds)


class Evidence:
    """The hands of a match, or of several with the same game and players."""

    def __init__(self, game: GameDefinition, *, with_aivat: bool = False) -> None:
        self._game = game
        self.estimators = (*ESTIMATORS, "aivat") if with_aivat else ESTIMATORS
        """Their names."""
        self._told: list[tuple[HandState, Told]] = []
        self._lots: list[_Hands] = []
        self.missing: dict[str, str] = {}
        """By estimator's name, why it has no estimates."""
        self.doubts: dict[str, int] = {}
        """Errors in what players told of their strategies, and how often each occurred; less luck is taken
        out of these hands."""

    def __len__(self) -> int:
        return sum(map(len, self._lots))

    def add(
        self,
        hands: HandColumns,
        chips: Floats,
        players: Ints,
        deals: Ints,
        passes: int = 1,
        told: Sequence[tuple[HandState, Told]] = (),
    ) -> None:
        """Add hands.

        Args:
            hands: the hands at their ends.
            chips: the chips won, shape (hands, positions).
            players: the number of the player who sat in each position, from 0; shape (hands, positions).
            deals: the deals' numbers, shape (hands,); hands with the same number had the same cards and count
                as one sample.  Deals are assumed to have been played in the order of their numbers.
            passes: how many hands each deal has when it is complete; intervals use complete deals only.
            told: for AIVAT, each hand and what players told of their strategies in it.
        """
        moments, unknown = moments_of(hands), hands.unknown
        for name, rows in (("equity", unknown >= 0), ("all_in", (unknown >= 0) & moments.is_run_out)):
            for row in np.flatnonzero(rows)[:1].tolist():
                text = f"hand {hands.numbers[row]} does not show those of position {unknown[row]}"
                self.missing.setdefault(name, f"it needs everybody's hole cards: {text}")
        holes = np.where((unknown < 0)[:, None, None], hands.holes, 0).astype(np.uint8)
        board = np.where(hands.board == NO_CARD, 0, hands.board).astype(np.uint8)
        cards = KnownCards(hands.numbers, holes, board)
        self._lots.append(_Hands(moments, cards, chips, players, deals, np.full(len(hands), passes)))
        self._told += told
        for name in ("_all", "_values", "parts"):
            self.__dict__.pop(name, None)

    @functools.cached_property
    def _all(self) -> _Hands:
        """All hands, in one lot."""
        if not self._lots:
            nobody = np.zeros((0, self._game.num_players), np.int64)
            self.add(HandColumns.of(self._game, ()), nobody.astype(np.float64), nobody, nobody[:, 0])
        if len(self._lots) > 1:
            self._lots = [_joined(self._lots)]
        return self._lots[0]

    @property
    def players(self) -> Ints:
        """The players' seats, shape (hands, positions)."""
        return self._all.players

    @property
    def deals(self) -> Ints:
        """The deal of each hand, counted from 0 without gaps.  Shape (hands,)."""
        _, numbers = np.unique(self._all.deals, return_inverse=True)
        return numbers.astype(np.int64)

    def values(self, estimator: str) -> Floats | None:
        """What each position won in each hand by an estimator, in chips, shape (hands, positions).

        None if the estimator has no estimates; `missing` says why.
        """
        return self._values[estimator]

    def estimates(self, sequence: AtAllTimes = None) -> dict[str, tuple[Estimate | None, ...]]:
        """By estimator, each player's chips per hand with an interval.

        None for players without a hand, and for estimators without estimates.

        Args:
            sequence: gives the intervals (`engine.evidence.confidence_sequence.sequence_of`), except for
                ``aivat``, which has no bounds; None if the number of deals was fixed in advance.
        """
        return {name: self._estimates(name, sequence) for name in self.estimators}

    def _estimates(self, estimator: str, sequence: AtAllTimes) -> tuple[Estimate | None, ...]:
        values = self.values(estimator)
        if not len(self):
            return ()
        seated, deals, passes = self.players, self.deals, self._all.passes
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
            half = self._half_width(samples, estimator, sequence)
            found.append(Estimate(float(won.mean()), half, len(samples)))
        return tuple(found)

    def leads(self, estimator: str) -> tuple[Estimate, ...]:
        """How much more each player won than each later one, per hand, in chips; of two players, half of it.

        The intervals hold for all pairs together, in a number of deals that was fixed in advance.  Deals that
        not all passes have played do not count.

        Args:
            estimator: one that has estimates.
        """
        values = self.values(estimator)
        assert values is not None
        num_players = int(self.players.max()) + 1
        count = np.bincount(self.deals)
        is_complete = count[self.deals] == self._all.passes
        won = totals_by_deal(self.deals, self.players, values, num_players) / count[:, None]
        won = won[np.unique(self.deals[is_complete])] * (0.5 if num_players == 2 else 1.0)
        pairs = list(itertools.combinations(range(num_players), 2))
        critical = critical_value(ALPHA / len(pairs))
        return tuple([estimate((won[:, one] - won[:, other]).tolist(), critical) for one, other in pairs])

    def _half_width(self, samples: Floats, estimator: str, sequence: AtAllTimes) -> float | None:
        """How far a player's worth may be from its winnings by an estimator."""
        if sequence is None:
            return half_width(samples.tolist())
        bounds = payoff_bounds(self._game)
        if bounds is None or estimator == "aivat":
            return None
        low, high = bounds.of_a_player()
        taken = self._most if estimator == "equity" else 0.0
        found = sequence(low - taken, high + taken, most_risked=_MOST_RISKED if taken else MOST_RISKED)
        found.add_all(samples)
        return found.distance

    @property
    def _most(self) -> float:
        """The most that is taken out of a hand: what a hand can pay or cost at most."""
        bounds = payoff_bounds(self._game)
        return math.inf if bounds is None else max(map(abs, bounds.of_a_player()))

    @functools.cached_property
    def _values(self) -> dict[str, Floats | None]:
        found: dict[str, Floats | None] = {"chips": self._all.chips, **dict.fromkeys(self.estimators[1:])}
        if "all_in" in self.missing:
            self.missing.update(dict.fromkeys(self.estimators[3:], self.missing["all_in"]))
            return found
        found["all_in"], brought = self.parts
        if brought is not None:
            found["equity"] = self._equity(self.parts[0], brought)
            if "aivat" in self.estimators:
                found["aivat"] = self._aivat(self.parts[0], brought.terms)
        elif "aivat" in self.estimators:
            self.missing["aivat"] = self.missing["equity"]
        return found

    @functools.cached_property
    def parts(self) -> tuple[Floats, Brought | None]:
        """The chips won, with the mean over all cards where nobody could act; and what other cards brought.

        Of the first, nothing is taken out of hands that hide cards; of the second, there is then nothing.
        """
        if "all_in" in self.missing:
            return self._all.chips, None
        with_cards = "equity" not in self.missing
        shares = _Shares(self._game, self._all, with_cards=with_cards)
        return self._all_in(self._all.chips, shares), self._brought(shares) if with_cards else None

    def _aivat(self, settled: Floats, brought: Floats) -> Floats | None:
        """Each position's winnings, corrected for the draws of known players, too."""
        fault = why_not(self._game)
        if fault is not None:
            self.missing["aivat"] = fault
            return None
        aivat = Aivat(self._game, self._told, self.players, self.deals)
        values = aivat.values(settled, brought)
        if values is None:
            self.missing["aivat"] = "no player has told how it plays"
        self.doubts = dict(aivat.faults)
        return values

    def _all_in(self, chips: Floats, shares: _Shares) -> Floats:
        settled = chips.copy()
        moments = self._all.moments
        hands = np.flatnonzero(moments.is_run_out)
        settled[hands] = moments.expected_chips(hands, shares.of_pots(hands))
        return settled

    def _brought(self, shares: _Shares) -> Brought:
        game, moments = self._game, self._all.moments
        shape = (len(self), game.num_players, game.num_rounds)
        changes, surest = np.zeros(shape), np.ones((len(self), game.num_rounds))
        for betting_round in range(game.num_rounds):
            hands = np.flatnonzero(moments.left[:, betting_round])
            left = moments.left[hands, betting_round]
            after = shares.at(hands, left, game.board_ends[betting_round])
            if betting_round:
                expected = shares.at(hands, left, game.board_ends[betting_round - 1])
            else:
                expected = np.full(after.shape, 1.0 / game.num_players)
            changes[hands, :, betting_round] = after - expected
            surest[hands, betting_round] = np.maximum(expected, 1.0 - expected).max(axis=1)
        # The pot of the deal is itself a constant.
        constants = np.full(game.num_rounds, float(game.big_blind))
        constants[0] = 0.0
        return Brought(changes, surest, constants, moments.pots.astype(float))

    def _equity(self, settled: Floats, brought: Brought) -> Floats:
        game = self._game
        seen = Observations.by_position(settled, brought.terms, self.deals, self.players)
        result = settled.copy()
        for rows, coefficients in fitted(seen, by_pot(game)):
            hands = np.flatnonzero(rows[:: game.num_players])
            result[hands] -= brought.luck(hands, coefficients, self._most)
        return result
