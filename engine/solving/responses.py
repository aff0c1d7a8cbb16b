"""Counter-strategies: responses that win from a model of the opponent without becoming easy to exploit.

====================  =====================================================================================
`full_response`       the best response: wins the most from the model, but can itself be exploited badly
`restricted_nash`     RNR(p): the opponent plays the model in a part p of all hands, and whatever hurts the
                      player most in the others; the player cannot tell which is which
`data_biased`         DBR: at each information set the opponent plays the model with a probability that grows
                      with how often it has been seen there
`frequentist_model`   FBR is the best response to this model: the observed frequencies, and calling where
                      nothing was seen
====================  =====================================================================================

Restricted Nash and data-biased responses are equilibria of a modified game, found by CFR+ for each seat
separately.  The functions return one policy that has the response in the slots of both seats.

Source: Johanson, Zinkevich, Bowling, *Computing Robust Counter-Strategies* (2007); Johanson, Bowling, *Data
Biased Robust Counter Strategies* (2009).
"""

from __future__ import annotations

from typing import Final

import attrs
import numpy as np

from engine.kernels.solving.tree import TERMINAL
from engine.solving.deals import TwofoldDeals
from engine.solving.game_tree import GameTree
from engine.solving.solver import Constraints, Solver
from engine.solving.strategies import best_response, exploitability, normalised, policy_with, values
from engine.support.arrays import Floats

_ITERATIONS: Final = 2000
"""Iterations of CFR+; results in Leduc are then right to 0.0001 antes or better."""


@attrs.frozen(eq=False)
class Response:
    """A counter-strategy and its value, in chips per hand, the mean over both seats."""

    policy: Floats
    exploitation: float
    """What it wins from the opponent it is measured against."""
    exploitability: float
    """What a best response wins from it."""


def evaluate(tree: GameTree, policy: Floats, opponent: Floats) -> Response:
    """Measure a policy against an opponent and against a best response.

    Raises:
        ValueError: the game is not for two players.
    """
    _check_heads_up(tree)
    return Response(policy, won_of(tree, policy, opponent), exploitability(tree, policy).mean)


def won_of(tree: GameTree, policy: Floats, opponent: Floats) -> float:
    """Chips per hand that a policy wins from another, the mean over both seats; for two players."""
    return sum(values(tree, _seated(tree, policy, opponent, seat=seat))[seat] for seat in (0, 1)) / 2


def full_response(tree: GameTree, model: Floats) -> Floats:
    """The best response to a model, in both seats.

    Raises:
        ValueError: the game is not for two players.
    """
    _check_heads_up(tree)
    return _seated(tree, *(best_response(tree, model, seat).policy for seat in (0, 1)))


def restricted_nash(tree: GameTree, model: Floats, part: float, iterations: int = _ITERATIONS) -> Floats:
    """RNR(p): the restricted Nash response to an opponent who plays a model in a part p of all hands.

    Args:
        tree: a game for two players.
        model: the opponent's policy.
        part: p, from 0 (an equilibrium) to 1 (a best response).
        iterations: iterations of CFR+.

    Raises:
        ValueError: the part is outside 0 to 1, or the game is not for two players.
    """
    _check_heads_up(tree)
    if not 0 <= part <= 1:
        raise ValueError(f"expected a part from 0 to 1, got {part}")
    if part == 1:
        return full_response(tree, model)
    policies = []
    for seat in (0, 1):
        # Chance decides whether the opponent is free or bound to the model; only it sees which.
        twofold = GameTree(tree.game, TwofoldDeals(tree.deals, 1 - seat, part))
        solver = Solver(twofold, constraints=_bound_in_second(tree, twofold, 1 - seat, model))
        solver.run(iterations)
        policies.append(_folded(tree, twofold, solver.average().policy))
    return _seated(tree, *policies)


def data_biased(
    tree: GameTree, model: Floats, bound_to_model: Floats, iterations: int = _ITERATIONS
) -> Floats:
    """DBR: the data-biased response to an opponent who must play a model where much is known of it.

    Args:
        tree: a game for two players.
        model: the opponent's policy.
        bound_to_model: by information set, the probability that the opponent must play the model there, from
            0 (it is free) to 1 (it is bound); see `confidence`.
        iterations: iterations of CFR+.

    Raises:
        ValueError: the game is not for two players.
    """
    _check_heads_up(tree)
    policies = []
    for seat in (0, 1):
        bound, loose = np.zeros(tree.num_slots), np.ones(tree.num_slots)
        for node in tree.decisions:
            if node.kind != seat:
                trust = bound_to_model[node.first_set : node.first_set + node.num_views]
                node.slots(bound)[:] = trust * node.slots(model)
                node.slots(loose)[:] = 1 - trust
        solver = Solver(tree, constraints=Constraints(bound, loose))
        solver.run(iterations)
        policies.append(solver.average().policy)
    return _seated(tree, *policies)


def confidence(tree: GameTree, counts: Floats, most: float = 1.0, enough: float = 10.0) -> Floats:
    """Confidence in a model, by information set: ``most * min(1, n / enough)`` after n observations there.

    Args:
        tree: the game.
        counts: how often each action was seen, by slot.
        most: the greatest confidence, 0 to 1.
        enough: the number of observations from which on it is the greatest.
    """
    seen = np.empty(tree.num_information_sets)
    for node in tree.decisions:
        seen[node.first_set : node.first_set + node.num_views] = node.slots(counts).sum(axis=0)
    return most * np.minimum(1.0, seen / enough)


def frequentist_model(tree: GameTree, counts: Floats) -> Floats:
    """The policy that observed counts suggest: frequencies, and calling where nothing was seen; by slot."""
    calls = policy_with(tree, (0, 1, 0))
    model = normalised(tree, counts)
    for node in tree.decisions:
        unseen = node.slots(counts).sum(axis=0) == 0
        node.slots(model)[:, unseen] = node.slots(calls)[:, unseen]
    return model


def probe_policy(tree: GameTree) -> Floats:
    """The policy for watching an opponent: calls and raises equally often, and never folds."""
    return policy_with(tree, (0, 1, 1))


def counts_of_hands(
    tree: GameTree, opponent: Floats, probe: Floats, hands: int, generator: np.random.Generator
) -> Floats:
    """How often an opponent is seen to take each action, if all cards are known after the hand; by slot.

    Args:
        tree: a game for two players.
        opponent: the policy that is watched.
        probe: the policy that plays against it.
        hands: the number of hands with the opponent in each seat.
        generator: draws cards and actions.

    Raises:
        ValueError: the game is not for two players.
    """
    _check_heads_up(tree)
    counts = np.zeros(tree.num_slots)
    for watched in (0, 1):
        policy = _seated(tree, opponent, probe, seat=watched)
        upcoming = {0: generator.integers(0, tree.arrays.deals.size, hands)}
        for node in tree.nodes:
            deals = upcoming.pop(node.number, None)
            if deals is None or node.kind == TERMINAL:
                continue
            if node.kind < 0:
                ways = tree.nodes[node.children[0]].size // node.size
                upcoming[node.children[0]] = deals * ways + generator.integers(0, ways, deals.size)
                continue
            seen = tree.views_at(node)[deals]
            limits = np.cumsum(node.slots(policy), axis=0)[:-1, seen]
            chosen = (generator.random(deals.size) >= limits).sum(axis=0)
            if node.kind == watched:
                np.add.at(node.slots(counts), (chosen, seen), 1.0)
            for number, child in enumerate(node.children):
                upcoming[child] = deals[chosen == number]
    return counts


def _bound_in_second(tree: GameTree, twofold: GameTree, opponent: int, model: Floats) -> Constraints:
    """Constraints by which the opponent plays the model in hands of the second kind."""
    bound, loose = np.zeros(twofold.num_slots), np.ones(twofold.num_slots)
    for node, original in zip(twofold.nodes, tree.nodes, strict=True):
        if node.kind == opponent:
            node.slots(bound)[:, original.num_views :] = original.slots(model)
            node.slots(loose)[:, original.num_views :] = 0.0
    return Constraints(bound, loose)


def _folded(tree: GameTree, twofold: GameTree, policy: Floats) -> Floats:
    """A policy of the twofold game as one of the original; the opponent's part is what it plays when free."""
    result = np.zeros(tree.num_slots)
    for node, original in zip(twofold.nodes, tree.nodes, strict=True):
        if node.kind >= 0:
            original.slots(result)[:] = node.slots(policy)[:, : original.num_views]
    return result


def _seated(tree: GameTree, first: Floats, second: Floats, *, seat: int = 0) -> Floats:
    """The policy that is `first` in a seat and `second` in the other."""
    policy = second.copy()
    for node in tree.decisions:
        if node.kind == seat:
            node.slots(policy)[:] = node.slots(first)
    return policy


def _check_heads_up(tree: GameTree) -> None:
    if tree.game.num_players != 2:
        raise ValueError(f"counter-strategies are for two players, the game has {tree.game.num_players}")
