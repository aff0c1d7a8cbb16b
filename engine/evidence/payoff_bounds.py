"""The most that a hand can lose or win: the bounds for which a verdict is valid.

They follow from the rules of a game alone.  A position puts in at most its stack; in a limit game at most the
sum of all raises allowed, which is 24 small bets in heads-up limit hold'em with blinds of half a small bet
and one.  What a position bets beyond what anybody else could match is returned to it; an ante is not.
"""

from __future__ import annotations

import attrs

from engine.poker.rules import GameDefinition
from engine.poker.rules.betting import initial_betting
from engine.poker.rules.game_definition import MAX_ACTIONS_PER_ROUND, UNLIMITED_STACK

__all__ = ["PayoffBounds", "payoff_bounds"]


@attrs.frozen
class PayoffBounds:
    """Bounds of the chips that players can win or lose in a hand."""

    most_lost: tuple[int, ...]
    """The most chips that each position can lose."""
    most_won: tuple[int, ...]
    """The most chips that each position can win."""

    def of_a_player(self) -> tuple[int, int]:
        """The least and the most that a player can win in any position."""
        return -max(self.most_lost), max(self.most_won)

    def of_a_lead(self) -> float:
        """The most by which one player can lead another in a hand: see `engine.evidence.verdict`."""
        positions = range(len(self.most_lost))
        widest = max(self.most_won[p] + self.most_lost[q] for p in positions for q in positions if p != q)
        return widest / 2 if len(positions) == 2 else widest


def payoff_bounds(game: GameDefinition) -> PayoffBounds | None:
    """The bounds of a game; None if it has none because it names no stacks."""
    bet = _most_bet(game)
    stacks, antes = game.betting_stacks, game.antes_posted
    most_spent = tuple(min(stack, bet) for stack in stacks)
    if min(sorted(most_spent)[-2:]) >= UNLIMITED_STACK:
        return None
    if game.is_limit and any(spent == stack for spent, stack in zip(most_spent, stacks, strict=True)):
        # A short stack's raise can lower the bet; a player who then folds loses more than anybody matched.
        lost = tuple(spent + ante for spent, ante in zip(most_spent, antes, strict=True))
        return PayoffBounds(lost, tuple(sum(lost) - each for each in lost))
    matched = [
        min(spent, max(most_spent[:position] + most_spent[position + 1 :]))
        for position, spent in enumerate(most_spent)
    ]
    won = [
        sum(min(spent, other) + antes[q] for q, other in enumerate(matched) if q != position)
        for position, spent in enumerate(matched)
    ]
    lost = tuple(spent + ante for spent, ante in zip(matched, antes, strict=True))
    return PayoffBounds(lost, tuple(won))


def _most_bet(game: GameDefinition) -> int:
    """The chips that a position with no limit has put in after all raises allowed."""
    raises = [min(most, MAX_ACTIONS_PER_ROUND + 1 - game.num_players) for most in game.max_raises]
    bet = initial_betting(game).max_spent
    if game.is_limit:
        return bet + sum(size * number for size, number in zip(game.raise_sizes, raises, strict=True))
    return UNLIMITED_STACK if any(raises) else bet
