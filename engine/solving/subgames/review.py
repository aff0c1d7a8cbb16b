"""Looks back at a hand of heads-up no-limit hold'em: what each decision lost against the solution.

A round is solved from its start to the end of the hand, with all hands of both players and the bets that were
really made.  Their ranges are what they say of themselves; where they say nothing, what a blueprint would
have come here with.  The *loss* of a decision is the value of the best action less that of the action taken,
for the hand that was held, if both play the solution afterwards.  The opponent is believed: against somebody
who plays otherwise another action may be better.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from typing import Final

import attrs
import numpy as np

from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.rules import Action, BettingState, GameDefinition, HandState, initial_betting, raise_to
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.subgames.menus import Where
from engine.solving.subgames.resolving import (
    Solution,
    as_played,
    chance_in,
    player_in,
    point_of,
    reaches,
    usual_betting,
)
from engine.solving.subgames.solver import Board, Subgame
from engine.solving.subgames.spots import BoardAnswer, SolvableSpot, answers, cost
from engine.solving.walk import TooLarge
from engine.support.arrays import Floats

_UNEXPECTED: Final = 1e-6
"""The weight of a hand that was held though its range excludes it: next to nothing, so that nobody plays
against it, and still it is told what to do."""
_FAR: Final = 1e-3
"""Where the opponent's range has lost all but this part, a round is solved again from there."""

_ON_RIVERS: Final = 5
"""Times as many iterations: rivers take a twentieth of a turn's time, and the value of a single hand is known
much later than that of the game."""

Told = Callable[[BettingState, Action], Floats | None]
"""How likely the player to act says that it takes an action with each combo; None where it says nothing."""


class Known(StrEnum):
    """The source of both players' ranges."""

    STATED = "stated"
    BLUEPRINT = "blueprint"
    BOTH = "stated and blueprint"


@attrs.frozen(kw_only=True, eq=False)
class Judged:
    """A decision and what it lost."""

    position: int
    before: BettingState
    action: Action
    values: Mapping[Action, float]
    """Chips that the hand wins from here on with each action; the pot as it stands is to be won."""
    loss: float
    """In chips; 0 where it is less than the solution is sure of."""
    known: Known
    is_unexpected: bool
    """Whether its range excludes the hand that was held."""

    @property
    def best(self) -> Action:
        """The action that wins the most."""
        return max(self.values, key=self.values.__getitem__)

    @property
    def at_stake(self) -> float:
        """The value of the best action less that of the worst, in chips."""
        return max(self.values.values()) - min(self.values.values())


class Stopped(Exception):
    """The review was told to stop."""


@attrs.frozen(kw_only=True, eq=False)
class Reviewer:
    """Looks back at hands; the same hand gets the same answer."""

    blueprint: BucketedStrategy
    """The strategy of players who say nothing; in hands with other stacks, bets are those in big blinds."""
    first_round: int = 2
    """The first round that is looked at: 1, 2 or 3."""
    iterations: int = 100
    """Of each solution; five times as many on rivers."""
    memory: float = 4.0
    """A round that needs more gigabytes is refused."""
    threads: int = 1
    stops: Callable[[], bool] = bool
    """Asked after every iteration."""

    def review(
        self, hand: HandState, told: Told = lambda before, action: None, positions: Collection[int] = (0, 1)
    ) -> Iterator[Judged]:
        """The decisions of a hand that is over, of players whose cards are known.

        Args:
            hand: the hand.
            told: what its players have stated.
            positions: whose decisions are wanted.

        Raises:
            TooLarge: a round needs too much memory.
            Stopped: see `stops`.
        """
        steps = hand.betting.steps()
        for betting_round in range(self.first_round, 4):
            taken = [step for step in steps if step[0].betting_round == betting_round]
            wanted = [p for p in positions if hand.deal.hole_cards[p] and p in (step[1] for step in taken)]
            if not wanted:
                continue
            ranges = _Ranges(hand, self.blueprint, told)
            root, played = taken[0][0], _played(taken)
            found = self._solved(root, played, ranges)
            for before, position, action in taken:
                if position not in wanted:
                    continue
                combo = combo_index(*hand.deal.hole_cards[position])
                if found.is_far(before, position, combo):
                    found = self._solved(before, played, ranges)
                values, done = found.values(before, position, combo), as_played(before, action)
                values.setdefault(done, 0.0)  # a fold where a check was free
                loss = max(values.values()) - values[done]
                yield Judged(
                    position=position,
                    before=before,
                    action=done,
                    values=values,
                    loss=loss if loss > found.unsure else 0.0,
                    known=ranges.known,
                    is_unexpected=bool(ranges.at(before)[position][combo] <= 0),
                )

    def _solved(self, root: BettingState, played: Mapping[Where, float], ranges: _Ranges) -> _SolvedRound:
        pair = [weights / weights.max() for weights in ranges.at(root)]
        for position, cards in enumerate(ranges.hand.deal.hole_cards):
            if cards:
                held = combo_index(*cards)
                pair[position][held] = max(pair[position][held], _UNEXPECTED)
        first = root.game.first_positions[root.betting_round]
        weights = pair[first], pair[1 - first]
        board = ranges.hand.board[: root.num_board_cards]
        start, betting = point_of(root), usual_betting(root, played)
        if start.bets == (0, 0):
            spot = SolvableSpot(
                board=board, ranges=weights, pot=start.pot, stack=start.stack, betting=betting
            )
            needed = cost(spot).bytes / 1e9
            if needed > self.memory:
                raise TooLarge(f"needs {needed:.1f} GB, more than {self.memory:g}")
        game = Subgame(board, weights, start, betting, schedule="hs", threads=self.threads)
        total = self.iterations * (_ON_RIVERS if len(game.trees) == 1 else 1)
        while game.iterations < total:
            game.run(1, total)
            if self.stops():
                raise Stopped
        return _SolvedRound(Solution(game, root, 0), board)


class _SolvedRound:
    """A solution, and where in it the decisions of a hand are."""

    def __init__(self, solution: Solution, board: Board) -> None:
        self._solution, self._board = solution, board
        self._answer: BoardAnswer = answers(solution.game)[0, 0, 0]
        self.unsure = 2 * solution.game.exploitability()
        """Losses below this, in chips, may be errors of the solution."""

    def is_far(self, before: BettingState, position: int, combo: int) -> bool:
        """Whether the opponent hardly ever comes here by the solution, which knows little of such places."""
        node, player, place = self._find(before, position, combo)
        here, there = (self._answer.met(each, player)[place] for each in (node, 0))
        return bool(node and here <= _FAR * there)

    def values(self, before: BettingState, position: int, combo: int) -> dict[Action, float]:
        """The value of each action with a hand, in chips."""
        node, _, place = self._find(before, position, combo)
        tree = self._answer.tree
        found = self._answer.action_values(node)[place].tolist()
        actions = [self._solution.action(tree, node, child) for child in tree.children(node)]
        return dict(zip(actions, found, strict=True))

    def _find(self, before: BettingState, position: int, combo: int) -> tuple[int, int, int]:
        """The node of a decision, the player there, and the place of its hand."""
        _, node, missed = self._solution.find(before, self._board)
        assert missed is None  # the bets of the hand are in the tree
        player = player_in(before, position)
        return node, player, int(np.flatnonzero(self._answer.combos[player] == combo)[0])


class _Ranges:
    """Both players' ranges in a hand, by what is known of them."""

    def __init__(self, hand: HandState, blueprint: BucketedStrategy, told: Told) -> None:
        self.hand, self._blueprint, self._told = hand, blueprint, told
        self._asked = {True: 0, False: 0}
        states = in_game(hand.betting, blueprint.game)
        self._like = {step[0].text: state for step, state in zip(hand.betting.steps(), states, strict=False)}

    @property
    def known(self) -> Known:
        """How both players' ranges were known so far."""
        if not self._asked[False]:
            return Known.STATED
        return Known.BOTH if self._asked[True] else Known.BLUEPRINT

    def at(self, betting: BettingState) -> list[Floats]:
        """Both positions' ranges at a betting."""
        return reaches(betting, self.hand.board, self._chance)

    def _chance(self, before: BettingState, position: int, action: Action) -> Floats:
        said = self._told(before, action)
        self._asked[said is not None] += 1
        if said is not None:
            return said
        like = self._like.get(before.text)
        if like is None or like[0].is_finished:  # all-in there, and not here
            return np.ones(NUM_COMBOS)
        actions, chances = self._blueprint.chances_of_all(like[0], self.hand.board[: like[0].num_board_cards])
        return chance_in((actions, np.nan_to_num(chances)), like[1])


def in_game(betting: BettingState, game: GameDefinition) -> list[tuple[BettingState, Action]]:
    """The steps to a betting as they are in a game of other stacks or blinds, in big blinds.

    They end where the hand would be over there.
    """
    state, found = initial_betting(game), []
    for _, _, action in betting.steps():
        if state.is_finished:
            break
        if action.raise_to is not None:
            action = raise_to(round(action.raise_to * game.big_blind / betting.game.big_blind))
        action = state.legal_actions().nearest(action)
        found.append((state, action))
        state = state.apply(action)
    return found


def _played(taken: list[tuple[BettingState, int, Action]]) -> dict[Where, float]:
    """The bets of a round, as `BettingPlan.played` has them."""
    before_round = taken[0][0].max_spent
    return {
        point_of(before).where: float(action.raise_to - before_round)
        for before, _, action in taken
        if action.raise_to is not None
    }
