"""The betting of heads-up limit hold'em as the steps of a walk through all of it."""

from __future__ import annotations

import functools

import attrs
import numpy as np
from numpy.typing import NDArray

from engine.equilibrium.sizes import actions_of
from engine.kernels.equilibrium.boards import Column, Step
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
        self.depths = 0
        self._rows: list[tuple[int, ...]] = []
        self._add(initial_betting(game), 0)
        self.steps: NDArray[np.int64] = np.array(self._rows, np.int64)

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

    def _add(self, betting: BettingState, depth: int) -> None:
        self.depths = max(self.depths, depth + 1)
        player = betting.position_to_act
        if player is None:
            if betting.is_showdown:
                row = (Step.SHOWDOWN, 0, 0, depth, betting.max_spent, 0)
            else:
                folder = betting.folded.index(True)
                row = (Step.FOLD, folder, 0, depth, betting.spent[folder], 0)
            self._rows.append(row)
            return
        actions = tuple(actions_of(betting))
        betting_round, slot = betting.betting_round, self.num_slots
        self.decisions[betting.text] = Decision(player, betting_round, actions, slot)
        self.num_slots += self.num_buckets[betting_round] * len(actions)
        self._rows.append((Step.OPEN, player, len(actions), depth, slot, betting_round))
        for number, action in enumerate(actions):
            self._rows.append((Step.GO, player, number, depth, slot, betting_round))
            self._add(betting.apply(action), depth + 1)
            self._rows.append((Step.BACK, player, number, depth, slot, betting_round))
        self._rows.append((Step.CLOSE, player, len(actions), depth, slot, betting_round))


@functools.lru_cache(maxsize=4)
def holdem_betting(game: GameDefinition, num_buckets: tuple[int, ...]) -> HoldemBetting:
    """A game's betting, remembered."""
    assert len(Column) == 6
    return HoldemBetting(game, num_buckets)
