"""How large a game is: nodes of its betting, sequences, information sets, counted without making a tree.

Information sets of hold'em are counted, not listed: there are 3.19e14 of them in heads-up limit.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

import attrs

from engine.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    Action,
    BettingState,
    GameDefinition,
    initial_betting,
    raise_to,
)

__all__ = ["BettingSize", "GameSize", "TooLarge", "game_size", "num_canonical_views", "num_views"]

MOST_BETTINGS: Final = 2_000_000
"""Public nodes that are walked before a game counts as too large: some ten seconds."""


class TooLarge(ValueError):
    """A game with more nodes than can be counted or kept; one line for people."""


@attrs.frozen
class BettingSize:
    """The betting of one round of a game, all sequences that lead there taken together."""

    starts: int
    """Sequences that begin the round with somebody to act."""
    decisions: tuple[int, ...]
    """Nodes at which each position is to act."""
    by_num_actions: dict[int, int]
    """How many nodes have so many actions."""
    folds: int
    """Folds that end the hand."""
    showdowns: int
    """Bettings that end the hand in a showdown; of the last round."""

    @property
    def num_decisions(self) -> int:
        """Nodes at which somebody is to act."""
        return sum(self.decisions)

    @property
    def num_actions(self) -> int:
        """Actions of all nodes."""
        return sum(actions * nodes for actions, nodes in self.by_num_actions.items())


@attrs.frozen
class GameSize:
    """How large a game is."""

    rounds: tuple[BettingSize, ...]
    information_sets: tuple[int, ...]
    """By position, every card told from every other."""
    sequences: tuple[int, ...]
    """By position: actions at information sets, and the empty sequence."""
    canonical_information_sets: int
    """Of all positions, hands that differ only in the names of the suits taken as one."""
    histories: int
    """Nodes of the whole game tree in which somebody is to act or the hand is over, by deals."""

    @property
    def num_decisions(self) -> int:
        """Public nodes at which somebody is to act."""
        return sum(size.num_decisions for size in self.rounds)

    @property
    def num_ends(self) -> int:
        """Bettings that end a hand."""
        return sum(size.folds + size.showdowns for size in self.rounds)


def actions_of(betting: BettingState) -> Iterator[Action]:
    """All legal actions: fold, call, raises by size."""
    legal = betting.legal_actions()
    if legal.can_fold:
        yield FOLD
    yield CALL
    if legal.min_raise_to is None or legal.max_raise_to is None:
        return
    if legal.is_limit:
        yield LIMIT_RAISE
        return
    for total in range(legal.min_raise_to, legal.max_raise_to + 1):
        yield raise_to(total)


def game_size(game: GameDefinition, most: int = MOST_BETTINGS) -> GameSize:
    """How large a game is.

    Args:
        game: any limit game, or a no-limit one with few chips.
        most: public nodes that may be walked.

    Raises:
        TooLarge: it has more.
    """
    decisions: dict[int, Counter[int]] = defaultdict(Counter)
    by_num_actions: dict[int, Counter[int]] = defaultdict(Counter)
    by_position_actions: dict[int, Counter[int]] = defaultdict(Counter)
    starts: Counter[int] = Counter()
    folds: Counter[int] = Counter()
    showdowns: Counter[int] = Counter()
    walked = 0
    stack = [initial_betting(game)]
    while stack:
        betting = stack.pop()
        walked += 1
        if walked > most:
            raise TooLarge(f"the betting of the game has more than {most} nodes")
        betting_round = betting.betting_round
        if betting.position_to_act is None:
            (showdowns if betting.is_showdown else folds)[betting_round] += 1
            continue
        starts[betting_round] += betting.actions_in_round == 0
        decisions[betting_round][betting.position_to_act] += 1
        actions = list(actions_of(betting))
        by_num_actions[betting_round][len(actions)] += 1
        by_position_actions[betting_round][betting.position_to_act] += len(actions)
        stack.extend(map(betting.apply, actions))

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
    """What a player may hold and see in a round: own cards, and the cards of each round so far."""
    left = len(game.deck)
    number = 1
    for cards in (game.num_hole_cards, *game.num_board_cards[: betting_round + 1]):
        number *= math.comb(left, cards)
        left -= cards
    return number


def num_deals(game: GameDefinition, betting_round: int) -> int:
    """All players' cards and the board up to a round."""
    left = len(game.deck)
    number = 1
    for cards in (*(game.num_hole_cards,) * game.num_players, *game.num_board_cards[: betting_round + 1]):
        number *= math.comb(left, cards)
        left -= cards
    return number


def num_canonical_views(game: GameDefinition, betting_round: int) -> int:
    """`num_views` with those counted as one that differ only in the names of the suits.

    By Burnside's lemma: the mean, over all permutations of the suits, of how many views each leaves as they
    are; the cards of each part of such a view are whole cycles of the permutation.
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
