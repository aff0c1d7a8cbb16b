"""The betting of heads-up limit hold'em: its decisions, and where their chances stand."""

from __future__ import annotations

import functools

import attrs

from engine.equilibrium.sizes import actions_of
from engine.rules import Action, BettingState, GameDefinition, initial_betting

__all__ = ["Decision", "HoldemBetting", "holdem_betting", "is_heads_up_limit_holdem"]


def is_heads_up_limit_holdem(game: GameDefinition) -> bool:
    """Whether a game can be solved on buckets: Texas hold'em for two, limit, with stacks beyond reach."""
    return (
        game.is_holdem
        and game.is_limit
        and game.num_players == 2
        and max(game.max_raises) <= 8
        and min(game.stacks) >= 1000 * game.big_blind
    )


@attrs.frozen
class Decision:
    """A public node at which somebody is to act."""

    position: int
    betting_round: int
    actions: tuple[Action, ...]
    first_slot: int
    """A bucket's slots, one for each action, follow those of the bucket before it."""

    def slots(self, bucket: int) -> slice:
        """A bucket's actions in arrays by slot."""
        first = self.first_slot + bucket * len(self.actions)
        return slice(first, first + len(self.actions))


class HoldemBetting:
    """All bettings of a game.

    Args:
        game: heads-up limit hold'em.
        num_buckets: by betting round.

    Raises:
        ValueError: another game.
    """

    def __init__(self, game: GameDefinition, num_buckets: tuple[int, ...]) -> None:
        if not is_heads_up_limit_holdem(game):
            raise ValueError("expected limit hold'em for two")
        self.game = game
        self.num_buckets = num_buckets
        self.decisions: dict[str, Decision] = {}
        """By the betting's text."""
        self.num_slots = 0
        self._add(initial_betting(game))

    def decision(self, betting: BettingState) -> Decision:
        """Where a betting stands.

        Raises:
            ValueError: nobody is to act, or it is another game.
        """
        found = self.decisions.get(betting.text)
        if found is None or betting.game != self.game:
            raise ValueError(f"after {betting.text!r} nobody is to act in this game")
        return found

    @property
    def num_information_sets(self) -> int:
        """Buckets, at all decisions."""
        return sum(self.num_buckets[decision.betting_round] for decision in self.decisions.values())

    def _add(self, betting: BettingState) -> None:
        player = betting.position_to_act
        if player is None:
            return
        actions = tuple(actions_of(betting))
        self.decisions[betting.text] = Decision(player, betting.betting_round, actions, self.num_slots)
        self.num_slots += self.num_buckets[betting.betting_round] * len(actions)
        for action in actions:
            self._add(betting.apply(action))


@functools.lru_cache(maxsize=4)
def holdem_betting(game: GameDefinition, num_buckets: tuple[int, ...]) -> HoldemBetting:
    """A game's betting, remembered."""
    return HoldemBetting(game, num_buckets)
