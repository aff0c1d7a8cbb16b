"""AIVAT of many hands: from what their players have told to what each position won."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

import attrs
import numpy as np

from engine.evidence.aivat.games import why_not
from engine.evidence.aivat.policy import Policy, PolicyError
from engine.evidence.control_variates import Observations, corrected
from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.rules import GameDefinition, HandState
from engine.support.arrays import Floats, Ints

T = TypeVar("T")

_PRIOR_DEALS: Final = 8.0
# There are a hundred coefficients, most of which few deals tell of.  Between 4 and 16 little changes.

_MOST_REASONS: Final = 20
"""The number of different errors that are reported one by one."""

Told = Mapping[str, Callable[[], Sequence[bytes]]]
"""What players told in a hand, by the betting at the decision: a function that returns the columns of a
policy (`Policy.of_columns`), or raises ValueError if they told no policy."""


@attrs.define(eq=False)
class Aivat:
    """The hands of a match.

    A player that tells its strategy at all is known in the hands in which it has told it at each of its
    decisions.

    Args:
        game: a game that has AIVAT (`engine.evidence.aivat.games.why_not`).
        hands: each hand at its end, with all cards of players who do not tell their strategies, and what
            players told in it.
        players: the numbers of the players who sat in each position, from 0.  Shape (hands, positions).
        deals: the deals' numbers, from 0 without gaps in the order dealt; hands of one deal had the same
            cards.  Shape (hands,).

    Raises:
        ValueError: another game.
    """

    game: GameDefinition = attrs.field()
    hands: Sequence[tuple[HandState, Told]]
    players: Ints
    deals: Ints
    faults: Counter[str] = attrs.field(factory=Counter, init=False)
    """Errors in policies, in words, and how often each occurred; filled by `values`."""

    @game.validator
    def _check_game(self, attribute: attrs.Attribute[GameDefinition], game: GameDefinition) -> None:
        fault = why_not(game)
        if fault is not None:
            raise ValueError(f"AIVAT: {fault}")

    def telling(self) -> frozenset[int]:
        """The players who have told their strategy in some hand."""
        found: set[int] = set()
        for (hand, told), players in zip(self.hands, self.players.tolist(), strict=True):
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
        if not self.telling():
            return None
        if not self.game.is_holdem:
            return self._values_of_solution()
        if self.game.num_players == 2:
            return self._values_of_two()
        assert settled is not None
        assert brought is not None
        return self._values_of_many(settled, brought)

    def _values_of_many(self, settled: Floats, brought: Floats) -> Floats:
        from engine.evidence.aivat.many import terms_of  # compiled code

        changes = np.concatenate([brought, np.array(self._of_each(terms_of))], axis=2)
        seen = Observations.by_position(settled, changes, self.deals, self.players)
        prior = np.zeros(changes.shape[2])
        prior[1 : brought.shape[2] : 2] = 1.0
        return corrected(seen, prior, _PRIOR_DEALS).reshape(settled.shape)

    def _values_of_two(self) -> Floats:
        from engine.evidence.aivat.heads_up import PRIOR, terms_of  # compiled code

        terms = self._of_each(terms_of)
        # From the view of the player with the smaller number: it has the same coefficients in both positions.
        signs = np.where(self.players[:, 0] < self.players[:, 1], 1.0, -1.0)
        seen = Observations(
            signs * np.array([each.chips for each in terms]),
            signs[:, None] * np.array([each.changes for each in terms]),
            self.deals,
            self.players.min(axis=1),
        )
        won = signs * corrected(seen, PRIOR, _PRIOR_DEALS)
        return np.stack([won, -won], axis=-1)

    def _values_of_solution(self) -> Floats:
        from engine.evidence.aivat.enumerated import SmallGame  # the solver is compiled code

        game = SmallGame(self.game)
        return np.array(self._of_each(game.won, game.place_of, game.num_hands))

    def _of_each(
        self,
        of_hand: Callable[[HandState, Mapping[str, Policy], Collection[int]], T],
        row: Callable[[Sequence[int]], int] = lambda cards: combo_index(*cards),
        num_hands: int = NUM_COMBOS,
    ) -> list[T]:
        """What is to be computed of each hand, with nobody known where policies cannot be true.

        Args:
            of_hand: computes it from the hand, the policies of known players, and who is known.
            row: the row of a policy for some hole cards.
            num_hands: the number of rows.
        """
        telling, found = self.telling(), []
        for (hand, told), players in zip(self.hands, self.players.tolist(), strict=True):
            known = {position for position, player in enumerate(players) if player in telling}
            policies = self._policies(hand, known, told, row, num_hands)
            try:
                found.append(of_hand(hand, *policies))
            except PolicyError as error:
                self._doubt(str(error))
                found.append(of_hand(hand, {}, ()))
        return found

    def _policies(
        self,
        hand: HandState,
        telling: set[int],
        told: Told,
        row: Callable[[Sequence[int]], int],
        num_hands: int,
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
