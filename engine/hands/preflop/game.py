"""The two-player preflop roll-out game: bet before the flop, then deal the board and show down.

A strategy only needs to know the starting hand, so the whole game is its betting tree (`call_or_fold_game`,
`limit_game`) and two 169 x 169 matrices: how often the starting hands meet, and their equities.

`solve` solves them, down to the exploitability asked for, by regret matching+ with linear averaging.
`iterated_strategy` plays the same trees by iterated roll-outs as Poki does; `exploitability` says how close
to optimal that is, and `differences` on which hands they differ.

The big blind is 1, so that 1000 times a value is mbb/h.  Values are the first player's (the small blind's).

Source: *Poki* section 3.2, last paragraph.  Regret matching+: Tammelin, CFR+ (2014).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import attrs
import numpy as np

from engine.hands.equity import preflop_equities, preflop_pair_counts
from engine.kernels.hands import rollouts
from engine.kernels.poker.tables import ranking_table
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_NAMES, STARTING_HAND_OF_COMBO
from engine.support.arrays import Floats, as_chances

AnyNode: TypeAlias = "Fork | Fold | Showdown"

Strategy: TypeAlias = Mapping[str, Floats]
"""For each decision, by its history, the probability of each action with each hand: shape (actions, 169)."""

_SMALL_BLIND: Final = 0.5
_MAX_BETS: Final = 4
# Of iterated roll-outs, as in ``engine.hands.preflop.roll_outs``; the noise is in big blinds.
_GENERATIONS: Final = 10
_TRIALS: Final = 50_000
_FINAL_TRIALS: Final = 500_000
_NOISE: Final = 0.5
_COOLING: Final = 0.6


@attrs.frozen
class Fold:
    """The end by a fold: what the small blind wins, in big blinds."""

    first_wins: float


@attrs.frozen
class Showdown:
    """The end by a showdown: what each player has in the pot, in big blinds."""

    stake: float


@attrs.frozen
class Fork:
    """A decision of one player."""

    history: str
    """The actions that led here, such as ``"cr"``; the first decision's is ``""``."""
    position: int
    """0 the small blind, 1 the big blind."""
    actions: tuple[str, ...]
    """``fold``, ``call``, ``raise``; a call of nothing is a check."""
    children: tuple[AnyNode, ...]
    """What follows each action."""


@attrs.frozen
class PreflopGame:
    """A betting tree."""

    name: str
    root: Fork

    def decisions(self) -> tuple[Fork, ...]:
        """All decisions, parents before children."""
        found: list[Fork] = []
        waiting: list[AnyNode] = [self.root]
        while waiting:
            node = waiting.pop(0)
            if isinstance(node, Fork):
                found.append(node)
                waiting += node.children
        return tuple(found)


def call_or_fold_game() -> PreflopGame:
    """The small blind plays for two big blinds or folds; then the big blind calls or folds.

    The stake is that of the iterated roll-outs (``engine.hands.preflop.roll_outs``).
    """
    answer = Fork("c", 1, ("fold", "call"), (Fold(1.0), Showdown(2.0)))
    return PreflopGame(
        "call or fold for 2 big blinds", Fork("", 0, ("fold", "call"), (Fold(-_SMALL_BLIND), answer))
    )


def limit_game() -> PreflopGame:
    """Limit betting before the flop: the big blind is the first of four bets of 1 each.

    The small blind acts first and may fold, call or raise; the big blind may raise a call.
    """

    def decision(history: str, position: int, bets: int) -> Fork:
        behind = _SMALL_BLIND if not history else float(bets - 1)
        may_check = history == "c"
        actions = [] if may_check else ["fold"]
        children: list[AnyNode] = [] if may_check else [Fold(-behind if position == 0 else behind)]
        actions.append("call")
        # The small blind's call does not end the betting: the big blind has not acted yet.
        children.append(Showdown(float(bets)) if history else decision(history + "c", 1 - position, bets))
        if bets < _MAX_BETS:
            actions.append("raise")
            children.append(decision(history + "r", 1 - position, bets + 1))
        return Fork(history, position, tuple(actions), tuple(children))

    return PreflopGame(f"limit, {_MAX_BETS} bets", decision("", 0, 1))


@attrs.frozen(eq=False)
class Matchups:
    """How often starting hands meet, and with what result."""

    met: Floats
    """The chance of each pair, small blind's hand in the row: sums to 1.  Shape (169, 169)."""
    balance: Floats
    """Per unit at stake: ``met * (2 * share of the small blind - 1)``.  Shape (169, 169)."""


def exact_matchups() -> Matchups:
    """The exact matchups, with card removal."""
    met = preflop_pair_counts() / preflop_pair_counts().sum()
    return Matchups(met, met * (2 * preflop_equities() - 1))


def sampled_matchups(trials: int, rng: np.random.Generator) -> Matchups:
    """Matchups as counted in a number of deals.

    Raises:
        ValueError: no trials.
    """
    if trials < 1:
        raise ValueError(f"{trials} trials: expected at least 1")
    met = np.zeros((NUM_STARTING_HANDS, NUM_STARTING_HANDS))
    won = np.zeros_like(met)
    rollouts.roll_out_heads_up(
        ranking_table(), STARTING_HAND_OF_COMBO, int(rng.integers(1 << 62)), trials, met, won
    )
    return Matchups(met / trials, (2 * won - met) / trials)


def _terminal_values(leaf: Fold | Showdown, position: int, matchups: Matchups, reach: Floats) -> Floats:
    """Winnings of each hand of `position` at a leaf, by the opponent's reaches.  Shape (169,)."""
    if isinstance(leaf, Fold):
        sign = leaf.first_wins if position == 0 else -leaf.first_wins
        return sign * (matchups.met @ reach if position == 0 else reach @ matchups.met)
    if position == 0:
        return leaf.stake * (matchups.balance @ reach)
    return -leaf.stake * (reach @ matchups.balance)


def action_values(
    game: PreflopGame, strategy: Strategy, matchups: Matchups, position: int
) -> dict[str, Floats]:
    """The value of each action with each hand, if the strategy is followed afterwards.

    Args:
        game: the betting tree.
        strategy: both players'.
        matchups: exact or sampled.
        position: the player whose values are computed.

    Returns:
        For each decision of `position`, shape (actions, 169), in big blinds times the joint probability of
        the hand and the opponent's actions; zero for decisions that the opponent never leads to.
    """
    return _values(game, strategy, matchups, position, best=False)[0]


def _values(
    game: PreflopGame, strategy: Strategy, matchups: Matchups, position: int, *, best: bool
) -> tuple[dict[str, Floats], Floats]:
    """`action_values`, and the value of each hand at the start; `best` takes the best actions instead."""
    values: dict[str, Floats] = {}

    def value(node: AnyNode, reach: Floats) -> Floats:
        if not isinstance(node, Fork):
            return _terminal_values(node, position, matchups, reach)
        chances = strategy[node.history]
        if node.position == position:
            below = values[node.history] = np.array([value(child, reach) for child in node.children])
            return below.max(axis=0) if best else (chances * below).sum(axis=0)
        parts = [value(child, reach * chance) for child, chance in zip(node.children, chances, strict=True)]
        return np.sum(parts, axis=0)

    return values, value(game.root, np.ones(NUM_STARTING_HANDS))


def game_value(game: PreflopGame, strategy: Strategy, matchups: Matchups) -> float:
    """The small blind's mean winnings if both play ``strategy``, in big blinds per hand."""
    return float((action_values(game, strategy, matchups, 0)[""] * strategy[""]).sum())


def exploitability(game: PreflopGame, strategy: Strategy, matchups: Matchups) -> float:
    """What a perfect opponent wins against ``strategy``, averaged over both seats, in mbb/h.

    Half the sum of the best responses' values: 0 for an optimal strategy.
    """
    both = sum(float(_values(game, strategy, matchups, each, best=True)[1].sum()) for each in (0, 1))
    return 1000 * both / 2


def _filled(game: PreflopGame, entry: Callable[[int], float]) -> dict[str, Floats]:
    """Arrays like those of a strategy, whose entries follow from the number of actions."""
    return {
        node.history: np.full((len(node.actions), NUM_STARTING_HANDS), entry(len(node.actions)))
        for node in game.decisions()
    }


def solve(
    game: PreflopGame,
    matchups: Matchups | None = None,
    *,
    max_exploitability: float = 0.01,
    max_iterations: int = 20_000,
) -> dict[str, Floats]:
    """An optimal strategy for both players, by regret matching+ on the exact matrix.

    Args:
        game: the betting tree.
        matchups: the exact ones if None.
        max_exploitability: stop below this exploitability, in mbb/h.
        max_iterations: stop after this many iterations in any case.

    Returns:
        The average strategy, weighted by the iteration.

    Raises:
        RuntimeError: the exploitability was not reached.
    """
    if matchups is None:
        matchups = exact_matchups()
    strategy = _filled(game, lambda actions: 1 / actions)
    regrets, sums = _filled(game, lambda _: 0.0), _filled(game, lambda _: 0.0)
    for iteration in range(1, max_iterations + 1):
        for position in (0, 1):
            for history, values in action_values(game, strategy, matchups, position).items():
                gain = values - (strategy[history] * values).sum(axis=0)
                regrets[history] = np.maximum(regrets[history] + gain, 0.0)
                strategy[history] = as_chances(regrets[history], axis=0)
            _add_reached(game.root, position, strategy, np.full(NUM_STARTING_HANDS, float(iteration)), sums)
        if iteration % 50 == 0:
            average = {history: as_chances(total, axis=0) for history, total in sums.items()}
            if exploitability(game, average, matchups) <= max_exploitability:
                return average
    raise RuntimeError(
        f"{game.name}: not within {max_exploitability} mbb/h after {max_iterations} iterations"
    )


def _add_reached(
    node: AnyNode, position: int, strategy: Strategy, reach: Floats, sums: dict[str, Floats]
) -> None:
    """Add the strategy to each decision of `position`, weighted by its own probability of getting there."""
    if not isinstance(node, Fork):
        return
    chances = strategy[node.history]
    if node.position == position:
        sums[node.history] += reach * chances
    for child, chance in zip(node.children, chances, strict=True):
        _add_reached(child, position, strategy, reach * chance if node.position == position else reach, sums)


def iterated_strategy(
    game: PreflopGame, rng: np.random.Generator, *, cumulative: bool = False
) -> dict[str, Floats]:
    """The strategy that iterated roll-outs arrive at: each generation plays the best actions of the last.

    Each of ten generations deals 50,000 hands and values every action at every decision with each of them,
    against the opponent's strategy of the generation before.  Noise that cools is added to each value, and
    the best action becomes the strategy.  The last generation is longer and has no noise.  The result in call
    or fold is 0.1 to 0.2 mbb/h from optimal, and differs in one or two hands of 169: the
    paper's "near-optimal" is right.  In the limit game it is 60 to 110 mbb/h from optimal: every generation
    answers the one before, and where the optimal strategy mixes (which hands to raise again) the answers
    swing from one side to the other.  If values are kept over the generations it is 26 to 32 mbb/h, and no
    pure strategy that was found came below 12.

    Args:
        game: the betting tree.
        rng: seeds the deals and draws the noise.
        cumulative: whether values are averaged over all generations, instead of starting again in each.

    Returns:
        A pure strategy for both players: probabilities of 0 and 1.

    Source: *Poki* section 3.2, applied to both players' decisions.
    """
    strategy = _filled(game, lambda actions: 1 / actions)
    noise = _NOISE
    kept: dict[str, Floats] = {}
    for generation in range(_GENERATIONS + 1):
        last = generation == _GENERATIONS
        matchups = sampled_matchups(_FINAL_TRIALS if last else _TRIALS, rng)
        hand_chances = (matchups.met.sum(axis=1), matchups.met.sum(axis=0))
        chosen: dict[str, Floats] = {}
        for position in (0, 1):
            frequency = np.maximum(hand_chances[position], 1 / _FINAL_TRIALS)
            for history, values in action_values(game, strategy, matchups, position).items():
                rates = values / frequency
                if cumulative:
                    rates = kept[history] = kept.get(history, 0.0) + (rates - kept.get(history, 0.0)) / (
                        generation + 1
                    )
                disturbed = rates + (0.0 if last else noise) * rng.standard_normal(values.shape)
                chosen[history] = (np.argmax(disturbed, axis=0) == np.arange(len(values))[:, None]).astype(
                    np.float64
                )
        strategy = chosen
        noise *= _COOLING
    return strategy


@attrs.frozen
class Difference:
    """A hand that two strategies play differently."""

    history: str
    """The decision, by the actions that lead to it."""
    hand: str
    """The starting hand, such as ``"K7o"``."""
    played: str
    """The action of the strategy that is judged."""
    optimal: str
    """The likeliest action of the optimal strategy."""
    cost: float
    """What the action played loses each time against the optimal strategy, in thousandths of a big blind."""


def differences(
    game: PreflopGame, strategy: Strategy, optimal: Strategy, matchups: Matchups, *, tolerance: float = 0.5
) -> list[Difference]:
    """The hands on which a strategy takes an action that the optimal one takes less often than ``tolerance``.

    Decisions that the optimal strategy does not reach with a hand are left out.  The most expensive
    differences come first.
    """
    found: list[Difference] = []
    for position in (0, 1):
        values = action_values(game, optimal, matchups, position)
        reached = _filled(game, lambda _: 0.0)
        _add_reached(game.root, position, optimal, np.ones(NUM_STARTING_HANDS), reached)
        opponent_chance = _opponent_chances(game, optimal, matchups, position)
        for node in game.decisions():
            if node.position != position:
                continue
            own_chance = reached[node.history].sum(axis=0)
            for hand, name in enumerate(STARTING_HAND_NAMES):
                action = int(np.argmax(strategy[node.history][:, hand]))
                chance = float(optimal[node.history][action, hand])
                frequency = float(opponent_chance[node.history][hand])
                if chance >= tolerance or own_chance[hand] < 0.01 or frequency < 1e-6:
                    continue
                worth = values[node.history][:, hand] / frequency
                cost = 1000 * float(worth.max() - worth[action])
                likeliest = node.actions[int(np.argmax(optimal[node.history][:, hand]))]
                found.append(Difference(node.history, name, node.actions[action], likeliest, cost))
    return sorted(found, key=lambda difference: -difference.cost)


def _opponent_chances(
    game: PreflopGame, strategy: Strategy, matchups: Matchups, position: int
) -> dict[str, Floats]:
    """Joint probabilities of each hand of `position` and the opponent's actions, by decision."""
    chances = {}

    def walk(node: AnyNode, reach: Floats) -> None:
        if isinstance(node, Fork):
            chances[node.history] = matchups.met @ reach if position == 0 else reach @ matchups.met
            for child, chance in zip(node.children, strategy[node.history], strict=True):
                walk(child, reach if node.position == position else reach * chance)

    walk(game.root, np.ones(NUM_STARTING_HANDS))
    return chances
