"""Makes the habits of a reasonable player, which the adaptive bot expects of players it has never met.

That player acts by the generic model, against itself and against players who bring it into every kind of
betting; its actions and the hands it shows are counted.
"""

from __future__ import annotations

from typing import Final

from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.experiments.findings import Say
from engine.poker.rules import GameDefinition, HandState
from engine.solving.miximax.habits import Habits
from engine.solving.miximax.shipped import format_shipped
from engine.solving.miximax.strength import count_changes
from engine.solving.miximax.trees import betting_tree
from engine.support.seeds import derive_seed

__all__ = ["make_reasonable"]

_REASONABLE: Final = "formula:model=generic"
_OPPONENTS: Final = ((_REASONABLE, 4), ("random", 2), ("always-raise", 1), ("always-call", 1))
"""The opponents, with the shares of hands played against each."""
_NO_LIMIT_OPPONENTS: Final = (*_OPPONENTS, ("always-all-in", 1))


def make_reasonable(
    game: GameDefinition, hands: int, deals: int, seed: int, progress: Say = lambda line: None
) -> bytes:
    """The contents of a file of ``engine/data/miximax``.

    Args:
        game: the game to play.
        hands: the number of hands in which the reasonable player is watched.
        deals: the number of deals from which the changes of hands from round to round are counted.
        seed: the same seed gives the same file.
        progress: receives a line about each finished opponent.
    """
    habits = Habits(betting_tree(game))
    opponents = _OPPONENTS if game.is_limit else _NO_LIMIT_OPPONENTS
    parts = sum(part for _, part in opponents)
    for number, (opponent, part) in enumerate(opponents):
        watched = {0, 1} if opponent == _REASONABLE else {0}

        def count(state: HandState, chips: tuple[float, ...], watched: set[int] = watched) -> None:
            for position, cards in enumerate(state.deal.hole_cards):
                if (position + state.hand_number) % 2 in watched:
                    habits.observe(state.betting, position, cards, state.board)

        arena = Arena(game, [make_bot(_REASONABLE), make_bot(opponent)], derive_seed(seed, number))
        arena.play(hands * part // parts // len(watched), on_hand=count)
        progress(f"{habits.hands} hands of {hands} watched, the last of them against {opponent}")
    return format_shipped(habits, count_changes(deals, seed))
