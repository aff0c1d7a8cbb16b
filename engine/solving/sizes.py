"""The size of a game: betting nodes, sequences and information sets, counted without building a tree.

Information sets are counted, not listed: heads-up limit hold'em has 3.19e14 of them.  The walk over all
bettings is that of `engine.solving.betting_tree`, which keeps what it finds.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Final

import attrs

from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    Action,
    BettingState,
    GameDefinition,
    initial_betting,
    raise_to,
)

__all__ = [
    "Actions",
    "BettingSize",
    "GameSize",
    "TooLarge",
    "every_action",
    "game_size",
    "num_canonical_views",
    "num_deals",
    "num_views",
    "walk",
]

MOST_BETTINGS: Final = 2_000_000
"""Public nodes that are walked, in some ten seconds, before a game counts as too large."""


class TooLarge(ValueError):
    """A game has more nodes than can be counted or kept; the message is one line for people."""


@attrs.frozen
class BettingSize:
    """The size of one betting round, over all sequences that lead to it."""

    starts: int
    """The number of sequences that begin the round with somebody to act."""
    decisions: tuple[int, ...]
    """By position, the number of nodes at which it is to act."""
    by_num_actions: dict[int, int]
    """The number of nodes for each number of actions."""
    folds: int
    """The number of folds that end the hand."""
    showdowns: int
    """The number of bettings that end in a showdown; only in the last round."""

    @property
    def num_decisions(self) -> int:
        """The number of nodes at which somebody is to act."""
        return sum(self.decisions)

    @property
    def num_actions(self) -> int:
        """The number of actions at all nodes."""
        return sum(actions * nodes for actions, nodes in self.by_num_actions.items())


@attrs.frozen
class GameSize:
    """The size of a game."""

    rounds: tuple[BettingSize, ...]
    information_sets: tuple[int, ...]
    """The number of information sets by position, if every card is told from every other."""
    sequences: tuple[int, ...]
    """The number of sequences by position: one for each action at an information set, and the empty one."""
    canonical_information_sets: int
    """The information sets of all positions, without those that differ only in the names of suits."""
    histories: int
    """The nodes of the whole game tree, deals included, at which somebody is to act or the hand is over."""

    @property
    def num_decisions(self) -> int:
        """The number of public nodes at which somebody is to act."""
        return sum(size.num_decisions for size in self.rounds)

    @property
    def num_ends(self) -> int:
        """The number of bettings that end a hand."""
        return sum(size.folds + size.showdowns for size in self.rounds)


Actions = Callable[[BettingState], dict[Action, float]]
"""The actions at a betting in ascending order, each with the part of the pot that it raises by, or 0."""


def every_action(betting: BettingState) -> dict[Action, float]:
    """All legal actions: fold, call, then raises by size."""
    legal = betting.legal_actions()
    actions = [FOLD, CALL] if legal.can_fold else [CALL]
    if legal.min_raise_to is not None and legal.max_raise_to is not None:
        totals = range(legal.min_raise_to, legal.max_raise_to + 1)
        actions += [LIMIT_RAISE] if legal.is_limit else map(raise_to, totals)
    return dict.fromkeys(actions, 0.0)


def walk(
    game: GameDefinition, actions: Actions = every_action
) -> Iterator[tuple[int, BettingState, dict[Action, float]]]:
    """All bettings of a game, each before those below it, and what is below one action before the next.

    Yields:
        The number of the betting before, counted in this order, -1 at the start; the betting; its actions,
        none where the hand is over.
    """
    stack = [(-1, initial_betting(game))]
    for number in itertools.count():
        if not stack:
            return
        before, betting = stack.pop()
        found = {} if betting.is_finished else actions(betting)
        yield before, betting, found
        stack.extend((number, betting.apply(action)) for action in reversed(found))


def game_size(game: GameDefinition, most: int = MOST_BETTINGS) -> GameSize:
    """The size of a game.

    Args:
        game: any limit game, or a no-limit game with few chips.
        most: the most public nodes to walk.

    Raises:
        TooLarge: the game has more public nodes.
    """
    decisions: dict[int, Counter[int]] = defaultdict(Counter)
    by_num_actions: dict[int, Counter[int]] = defaultdict(Counter)
    by_position_actions: dict[int, Counter[int]] = defaultdict(Counter)
    starts: Counter[int] = Counter()
    folds: Counter[int] = Counter()
    showdowns: Counter[int] = Counter()
    for number, (_, betting, actions) in enumerate(walk(game)):
        if number >= most:
            raise TooLarge(f"the betting of the game has more than {most} nodes")
        betting_round = betting.betting_round
        if betting.position_to_act is None:
            (showdowns if betting.is_showdown else folds)[betting_round] += 1
            continue
        starts[betting_round] += betting.actions_in_round == 0
        decisions[betting_round][betting.position_to_act] += 1
        by_num_actions[betting_round][len(actions)] += 1
        by_position_actions[betting_round][betting.position_to_act] += len(actions)

    positions = range(game.num_players)
    sizes = tuple(
        BettingSize(
            starts[r], tuple(decisions[r][p] for p in positions), dict(sorted(by_num_actions[r].items())),
            folds[r], showdowns[r],
        )
        for r in range(game.num_rounds)
    )  # fmt: skip
    views = [num_views(game, r) for r in range(game.num_rounds)]
    return GameSize(
        sizes,
        tuple(sum(views[r] * size.decisions[p] for r, size in enumerate(sizes)) for p in positions),
        tuple(
            1 + sum(views[r] * by_position_actions[r][p] for r in range(game.num_rounds)) for p in positions
        ),
        sum(num_canonical_views(game, r) * size.num_decisions for r, size in enumerate(sizes)),
        sum(
            num_deals(game, r) * (size.num_decisions + size.folds + size.showdowns)
            for r, size in enumerate(sizes)
        ),
    )


def num_views(game: GameDefinition, betting_round: int) -> int:
    """The number of views in a round: ways to see own cards and the board cards of each round so far."""
    left = len(game.deck)
    number = 1
    for cards in (game.num_hole_cards, *game.num_board_cards[: betting_round + 1]):
        number *= math.comb(left, cards)
        left -= cards
    return number


def num_deals(game: GameDefinition, betting_round: int) -> int:
    """The number of deals up to a round: all players' hole cards and the board so far."""
    left = len(game.deck)
    number = 1
    for cards in (*(game.num_hole_cards,) * game.num_players, *game.num_board_cards[: betting_round + 1]):
        number *= math.comb(left, cards)
        left -= cards
    return number


def num_canonical_views(game: GameDefinition, betting_round: int) -> int:
    """The number of views in a round, where views that differ only in the names of suits count once.

    By Burnside's lemma it is the mean, over all permutations of the suits, of the number of views that each
    permutation leaves unchanged.  In such a view, the cards of each part are whole cycles of the permutation.
    """
    parts = (game.num_hole_cards, *game.num_board_cards[: betting_round + 1])
    total = 0
    permutations = list(itertools.permutations(range(game.num_suits)))
    for permutation in permutations:
        ways: Counter[tuple[int, ...]] = Counter({(0,) * len(parts): 1})
        for length in _cycle_lengths(permutation) * game.num_ranks:
            after = Counter(ways)
            for filled, number in ways.items():
                for part, most in enumerate(parts):
                    if filled[part] + length <= most:
                        after[(*filled[:part], filled[part] + length, *filled[part + 1 :])] += number
            ways = after
        total += ways[parts]
    return total // len(permutations)


def _cycle_lengths(permutation: tuple[int, ...]) -> list[int]:
    """The lengths of a permutation's cycles."""
    lengths, seen = [], set[int]()
    for start in range(len(permutation)):
        length, at = 0, start
        while at not in seen:
            seen.add(at)
            at = permutation[at]
            length += 1
        if length:
            lengths.append(length)
    return lengths
