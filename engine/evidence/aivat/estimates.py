"""AIVAT of many hands: from what their players have told to what each position won."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.evidence.aivat.games import why_not
from engine.evidence.aivat.policy import Policy
from engine.evidence.control_variates import Observations, corrected
from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.rules import GameDefinition, HandState

__all__ = ["Aivat", "Told", "why_not"]

Floats = NDArray[np.float64]

_PRIOR_DEALS: Final = 64.0
# There are a hundred coefficients.  With 16 deals, enough for the coefficients of equity, rare situations
# were extrapolated, and limit-2p formula v simple had a fifth more variance left.

_MOST_REASONS: Final = 20
"""The number of different errors that are reported one by one."""

Told = Mapping[str, Callable[[], Sequence[bytes]]]
"""What players told in a hand, by the betting at the decision: a function that returns the columns of a
policy (`Policy.of_columns`), or raises ValueError if they told no policy."""


@attrs.define(eq=False)
class Aivat:
    """The hands of a match, taken one after the other.

    A player that tells its strategy at all is known in the hands in which it has told it at each of its
    decisions.

    Args:
        game: a game that has AIVAT (`engine.evidence.aivat.games.why_not`).

    Raises:
        ValueError: another game.
    """

    game: GameDefinition = attrs.field()
    _hands: list[tuple[HandState, tuple[int, ...], int, Told]] = attrs.Factory(list)
    faults: Counter[str] = attrs.Factory(Counter)
    """Errors in policies, in words, and how often each occurred; filled by `values`."""

    @game.validator
    def _check_game(self, attribute: attrs.Attribute[GameDefinition], game: GameDefinition) -> None:
        fault = why_not(game)
        if fault is not None:
            raise ValueError(f"AIVAT: {fault}")

    def add(self, hand: HandState, players: Sequence[int], deal: int, told: Told) -> None:
        """Add a hand.

        Args:
            hand: the hand at its end, with all cards of players who do not tell their strategies.
            players: by position, the number of the player who sat there, from 0.
            deal: the deal's number, from 0 without gaps in the order dealt; hands of one deal had the same
                cards.
            told: what players told in this hand.
        """
        self._hands.append((hand, tuple(players), deal, told))

    def telling(self) -> frozenset[int]:
        """The players who have told their strategy in some hand."""
        found: set[int] = set()
        for hand, players, _, told in self._hands:
            if told:
                found.update(
                    players[position] for before, position, _ in hand.betting.steps() if before.text in told
                )
        return frozenset(found)

    def values(self, settled: Floats | None = None, brought: Floats | None = None) -> Floats | None:
        """What each position won in each hand, with the luck taken out, in chips, shape (hands, positions).

        None if nobody has told anything.

        Args:
            settled: what each position won, as a mean over the cards that came when nobody could act any
                more, shape (hands, positions).
            brought: the changes in its share of the pot by all other cards, for each betting round one term
                without and one with the pot, shape (hands, positions, terms).  Both are needed for three or
                more players of hold'em.
        """
        telling = self.telling()
        if not telling or not self._hands:
            return None
        if not self.game.is_holdem:
            return self._values_of_solution(telling)
        if self.game.num_players == 2:
            return self._values_of_two(telling)
        assert settled is not None
        assert brought is not None
        return self._values_of_many(telling, settled, brought)

    def _values_of_many(self, telling: frozenset[int], settled: Floats, brought: Floats) -> Floats:
        from engine.evidence.aivat.many import NUM_TERMS, PolicyError, terms_of  # compiled code

        drawn = np.zeros((*settled.shape, NUM_TERMS))
        for number, (hand, players, _, told) in enumerate(self._hands):
            known = {position for position, player in enumerate(players) if player in telling}
            try:
                drawn[number] = terms_of(hand, *self._policies(hand, known, told, _combo))
            except PolicyError as error:
                self._doubt(str(error))
        changes = np.concatenate([brought, drawn], axis=2)
        n = self.game.num_players
        seen = Observations(
            settled.ravel(),
            changes.reshape(-1, changes.shape[2]),
            np.repeat(np.array([deal for _, _, deal, _ in self._hands], np.int64), n),
            np.array([players for _, players, _, _ in self._hands], np.int64).ravel(),
        )
        prior = np.zeros(changes.shape[2])
        prior[1 : brought.shape[2] : 2] = 1.0
        return corrected(seen, prior, _PRIOR_DEALS).reshape(settled.shape)

    def _values_of_two(self, telling: frozenset[int]) -> Floats:
        from engine.evidence.aivat.holdem import NUM_TERMS, PRIOR, PolicyError, terms_of  # compiled code

        chips, changes = np.empty(len(self._hands)), np.empty((len(self._hands), NUM_TERMS))
        for number, (hand, players, _, told) in enumerate(self._hands):
            policies = self._policies(hand, {p for p in (0, 1) if players[p] in telling}, told, _combo)
            try:
                terms = terms_of(hand, *policies)
            except PolicyError as error:
                self._doubt(str(error))
                terms = terms_of(hand, {}, ())
            chips[number], changes[number] = terms.chips, terms.changes
        seated = np.array([players for _, players, _, _ in self._hands], np.int64)
        # From the view of the player with the smaller number: it has the same coefficients in both positions.
        signs = np.where(seated[:, 0] < seated[:, 1], 1.0, -1.0)
        seen = Observations(
            signs * chips,
            signs[:, None] * changes,
            np.array([deal for _, _, deal, _ in self._hands], np.int64),
            seated.min(axis=1),
        )
        won = signs * corrected(seen, PRIOR, _PRIOR_DEALS)
        return np.stack([won, -won], axis=-1)

    def _values_of_solution(self, telling: frozenset[int]) -> Floats:
        from engine.evidence.aivat.small import PolicyError, SmallGame  # the solver is compiled code

        game = SmallGame(self.game)
        won = np.empty((len(self._hands), self.game.num_players))
        for number, (hand, players, _, told) in enumerate(self._hands):
            known = {position for position, player in enumerate(players) if player in telling}
            policies = self._policies(hand, known, told, game.place_of, game.num_hands)
            try:
                won[number] = game.won(hand, *policies)
            except PolicyError as error:
                self._doubt(str(error))
                won[number] = game.won(hand, {}, ())
        return won

    def _policies(
        self,
        hand: HandState,
        telling: set[int],
        told: Told,
        row: Callable[[Sequence[int]], int],
        num_hands: int = NUM_COMBOS,
    ) -> tuple[dict[str, Policy], set[int]]:
        """What known players told in a hand, and who is known.

        A player whose policies in the hand are missing or false is not known in it.
        """
        policies: dict[str, tuple[int, Policy]] = {}
        known = set(telling)
        for before, position, action in hand.betting.steps():
            if position not in known:
                continue
            try:
                policy = Policy.of_columns(told[before.text](), num_hands)
                cards = hand.deal.hole_cards[position]
                if cards and not policy.chances(action)[row(cards)] > 0:
                    raise ValueError("a player told that it never does with its hand what it did")
                policies[before.text] = position, policy
            except KeyError:
                self._doubt("nothing was told")
                known.discard(position)
            except ValueError as error:
                self._doubt(str(error))
                known.discard(position)
        return {text: policy for text, (position, policy) in policies.items() if position in known}, known

    def _doubt(self, what: str) -> None:
        """Count an error; after `_MOST_REASONS` different ones, all further ones are counted together."""
        is_one_more = what not in self.faults and len(self.faults) >= _MOST_REASONS
        self.faults["other reasons" if is_one_more else what] += 1


def _combo(cards: Sequence[int]) -> int:
    return combo_index(*cards)
