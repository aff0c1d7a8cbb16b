"""What has been seen: how hands went on after an action, and what a player did after a chain."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

import attrs

from engine.players.betting_chains.chains import ChainEnding, OwnAction, PlayedHand, chain_of
from engine.players.betting_chains.values import Prospect, Prospects
from engine.poker.records import ProbabilityTriple
from engine.poker.rules.betting import BettingState


@attrs.define
class _Tally:
    """Sums over the hands that ended in one way, in the unit of the store."""

    hands: int = 0
    growth: float = 0.0
    """What the pot grew by from the action on."""
    bets: float = 0.0
    strength: float = 0.0
    strengths_known: int = 0


class ChainStore:
    """How hands went on after an action, by the chain that it ended, or by any other key.

    In limit games amounts are chips, since the same chain has the same pot; in no-limit games they are parts
    of the pot in which the action was taken.
    """

    def __init__(self) -> None:
        self._tallies: dict[str, dict[ChainEnding, _Tally]] = {}

    def __len__(self) -> int:
        return len(self._tallies)

    def observe(self, key: str, action: OwnAction, hand: PlayedHand) -> None:
        """One more hand in which an action was taken."""
        tally = self._tallies.setdefault(key, {}).setdefault(hand.ending, _Tally())
        unit = _unit(action.before, action.pot)
        tally.hands += 1
        tally.growth += (hand.pot - action.pot) / unit
        tally.bets += action.bets / unit
        if hand.opponent_strength is not None:
            tally.strength += hand.opponent_strength
            tally.strengths_known += 1

    def hands(self, key: str) -> int:
        """How many hands had it."""
        return sum(tally.hands for tally in self._tallies.get(key, {}).values())

    def prospects(
        self, key: str, betting: BettingState, usual_strength: float = 0.5, prior: float = 0.0
    ) -> Prospects:
        """What came of it, in chips of the present pot.

        Args:
            key: of hands that have been observed.
            betting: the present state, before the action.
            usual_strength: of opponents at a showdown, where none has been seen.
            prior: showdowns that it counts as much as.

        Raises:
            ValueError: no hand had the key.
        """
        tallies = self._tallies.get(key, {})
        total = self.hands(key)
        if not total:
            raise ValueError(f"no hand went on from {key!r}: there is nothing to tell")
        pot = float(betting.pot)
        unit = _unit(betting, pot)
        endings = {
            ending: Prospect(
                tally.hands / total, pot + unit * tally.growth / tally.hands, unit * tally.bets / tally.hands
            )
            for ending, tally in tallies.items()
        }
        showdown = tallies.get(ChainEnding.SHOWDOWN, _Tally())
        seen = showdown.strengths_known + prior
        strength = (showdown.strength + prior * usual_strength) / seen if seen else usual_strength
        return Prospects(MappingProxyType(endings), strength)


def _unit(betting: BettingState, pot: float) -> float:
    """Chips in which the amounts of similar hands are alike."""
    return 1.0 if betting.game.is_limit else max(pot, 1.0)


_WEIGHT: Final = 4.0
"""Of the more general in predictions, in actions."""


class ActionFrequencies:
    """What a player did after the same chain, as a prediction: the betting of hands, and no cards.

    What was done after the chain is drawn towards what was done in the same betting round with as many
    raises, and that towards whatever is legal, each counting as four actions.
    """

    def __init__(self) -> None:
        self._counts: dict[str, list[float]] = {}

    def observe(self, betting: BettingState, action: int) -> None:
        """The player to act in a state folded, called or raised: `action` is a `TripleIndex`.

        Raises:
            ValueError: the hand is over.
        """
        for key in _keys(betting):
            self._counts.setdefault(key, [0.0, 0.0, 0.0])[action] += 1

    def predicted(self, betting: BettingState) -> ProbabilityTriple:
        """What the player to act in a state will do.

        Raises:
            ValueError: the hand is over.
        """
        chain, kind = _keys(betting)
        legal = betting.legal_actions()
        allowed = [1.0 if can else 0.0 for can in (legal.can_fold, True, legal.can_raise)]
        expected = [each / sum(allowed) for each in allowed]
        for key in (kind, chain):
            counts = [
                count * can for count, can in zip(self._counts.get(key, (0.0,) * 3), allowed, strict=True)
            ]
            total = sum(counts) + _WEIGHT
            expected = [
                (count + _WEIGHT * before) / total for count, before in zip(counts, expected, strict=True)
            ]
        return ProbabilityTriple(*expected)


def _keys(betting: BettingState) -> tuple[str, str]:
    """The chain up to a decision, and the kind of decision, of the player to act."""
    position = betting.position_to_act
    if position is None:
        raise ValueError(f"after {betting.text!r} the hand is over: nobody is to act")
    facing = "b" if betting.amount_to_call(position) > 0 else "u"
    kind = f"{min(betting.betting_round, 1)}{min(betting.raises_in_round, 2)}{facing}"
    return chain_of(betting, position), kind
