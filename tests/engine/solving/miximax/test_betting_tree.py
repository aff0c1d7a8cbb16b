"""The tree of all bettings against what equals it on paper, and the contexts of its nodes."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from engine.kernels.solving.miximax.values import MiximaxKind
from engine.poker.rules import load_game, parse_betting
from engine.solving.miximax.trees import ACTIONS, LEVELS, ContextTree, TooManyBettings, betting_tree
from tests.support.asserting import refuses

TREE = betting_tree(load_game("limit-2p"))


def test_it_has_the_bettings_of_heads_up_limit_holdem() -> None:
    """6,378 decisions and 16,583 actions; half of the ends are folds (counted by hand, and as published)."""
    kinds, rounds = TREE.arrays.kinds, TREE.arrays.rounds

    assert [int(((kinds == MiximaxKind.DECISION) & (rounds == r)).sum()) for r in range(4)] == [
        8,
        70,
        630,
        5670,
    ]
    assert int((TREE.arrays.children >= 0).sum()) == 16_583
    assert int((kinds == MiximaxKind.FOLD).sum()) == int((kinds == MiximaxKind.SHOWDOWN).sum()) == 5_103


def test_ends_are_worth_what_the_loser_has_put_in() -> None:
    for text, small_bets in (("f", 0.5), ("rf", 1.0), ("rrrc/rrrrc/rrrrc/rrrrc", 24.0), ("cc/cc/cc/cc", 1.0)):
        node = TREE.node(parse_betting(TREE.game, text))

        assert TREE.arrays.amounts[node] == small_bets


def test_contexts_become_coarser_and_tell_apart_what_is_allowed() -> None:
    """A context never holds decisions with different legal actions: their counts would not go together."""
    arrays = TREE.arrays
    decisions = arrays.kinds == MiximaxKind.DECISION
    sizes = [len(np.unique(arrays.contexts[decisions, level])) for level in range(LEVELS)]

    assert sizes[0] == 6378
    assert sizes == sorted(sizes, reverse=True)
    for level in range(LEVELS):
        allowed: dict[int, set[tuple[bool, ...]]] = {}
        for context, children in zip(
            arrays.contexts[decisions, level], arrays.children[decisions], strict=True
        ):
            allowed.setdefault(int(context), set()).add(tuple(bool(each) for each in children >= 0))
        assert {len(kinds) for kinds in allowed.values()} == {1}


def test_stacks_that_end_the_betting_lead_to_a_showdown() -> None:
    game = attrs.evolve(load_game("limit-2p"), stacks=(30, 30))
    tree = ContextTree(game)
    node = tree.node(parse_betting(game, "rrc///"))

    assert tree.arrays.kinds[node] == MiximaxKind.SHOWDOWN
    assert tree.arrays.amounts[node] == 3.0


def test_other_games_are_refused() -> None:
    refuses(ValueError, "expected limit hold'em for two", ContextTree, load_game("nolimit-2p"))
    refuses(ValueError, "no betting of this game", TREE.node, parse_betting(load_game("leduc"), "r"))


def test_games_with_too_many_bettings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.solving.miximax.trees._MOST_NODES", 300)
    refuses(TooManyBettings, "fewer raises", ContextTree, TREE.game)


def test_actions_are_those_of_a_triple() -> None:
    assert [str(action) for action in ACTIONS] == ["f", "c", "r"]
