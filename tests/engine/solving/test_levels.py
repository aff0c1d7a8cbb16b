"""Chances on buckets in parts of one: what comes back, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from engine.poker.rules import load_game
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import HoldemBetting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.levels import PARTS, format_levels, parse_levels
from engine.solving.strategy_file import StrategyFileError, read_strategy, write_strategy
from tests.engine.solving.test_strategy_file import edited

ONE_RAISE = attrs.evolve(load_game("limit-2p"), max_raises=(1, 1, 1, 1))
BETTING = HoldemBetting(ONE_RAISE, Percentiles(3).num_buckets)


@pytest.fixture(scope="module")
def strategy() -> BucketedStrategy:
    """At random, with many actions that are never done."""
    generator = np.random.default_rng(1)
    weights = generator.exponential(size=BETTING.num_slots) * generator.integers(0, 2, BETTING.num_slots)
    return BucketedStrategy.of(ONE_RAISE, Percentiles(3), weights)


def test_every_chance_comes_back_within_one_part(strategy: BucketedStrategy) -> None:
    levels = format_levels(BETTING, strategy.policy)

    policy = parse_levels(BETTING, levels, PARTS)

    assert levels.shape == (BETTING.num_slots - BETTING.num_information_sets,)
    # Sums of chances are rounded: each of two that a chance lies between is off by half a part at most.
    assert np.abs(policy - strategy.policy).max() <= 1 / PARTS
    for decision in BETTING.decisions.values():
        for bucket in range(BETTING.num_buckets[decision.betting_round]):
            assert policy[decision.slots(bucket)].sum() == pytest.approx(1, abs=1e-12)
    assert (policy[strategy.policy == 0] == 0).all()
    assert (policy[strategy.policy == 1] == 1).all()


def test_writing_what_was_read_changes_nothing(strategy: BucketedStrategy, tmp_path: Path) -> None:
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    write_strategy(first, strategy, {})
    found = read_strategy(first).strategy
    assert isinstance(found, BucketedStrategy)

    write_strategy(second, found, {})

    again = read_strategy(second).strategy
    assert np.array_equal(again.policy, found.policy)


def test_older_files_have_a_byte_for_every_action(strategy: BucketedStrategy, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, strategy, {})

    def as_before(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["schema"] = 2
        del header["notes"]["parts"]
        arrays["policy"] = np.rint(strategy.policy * 255).astype(np.uint8)

    edited(path, as_before)

    assert read_strategy(path).strategy.policy == pytest.approx(strategy.policy, abs=1 / 250)


def _cut(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["policy"] = arrays["policy"][:-1]


def _too_much(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["policy"] = np.full_like(arrays["policy"], PARTS)


def _fractions(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["policy"] = arrays["policy"].astype(np.float32)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (_cut, r"is damaged: expected \d+ chances, got an array of shape"),
        (_too_much, f"is damaged: expected chances that add up to {PARTS} parts at most"),
        (_fractions, "is damaged: expected chances as bytes in 'policy'"),
        (
            lambda header, _: header["notes"].update(parts=256),
            "is damaged: expected 1 to 255 'parts', got 256",
        ),
        (lambda header, _: header["notes"].update(parts="all"), "expected 1 to 255 'parts', got 'all'"),
    ],
)
def test_impossible_chances_are_refused(
    edit: Any, message: str, strategy: BucketedStrategy, tmp_path: Path
) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, strategy, {})
    edited(path, edit)

    with pytest.raises(StrategyFileError, match=message):
        read_strategy(path)
