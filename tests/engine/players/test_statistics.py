"""What is counted of a player, and what it says about them."""

from __future__ import annotations

import json

import pytest

from engine.players.statistics import Looseness, PlayerStatistics, PlayingStyle, Rate
from engine.poker.rules import load_game, parse_betting

GAME = load_game("limit-3p")


def observed(*hands: tuple[str, int, float | None]) -> PlayerStatistics:
    statistics = PlayerStatistics()
    for betting, position, won in hands:
        statistics.observe_hand(parse_betting(GAME, betting), position, won)
    return statistics


def test_counts_of_a_showdown_and_of_a_fold_before_the_flop() -> None:
    # Three players: position 2 acts first before the flop, position 0 after it.
    statistics = observed(("rfc/cc/rc/cc", 2, 35.0), ("frc/cc/cc/cc", 2, 0.0))

    assert statistics.rates() == {
        "flops_seen": Rate(1, 2),
        "voluntary": Rate(1, 2),
        "preflop_raises": Rate(1, 2),
        "went_to_showdown": Rate(1, 1),
        "won_at_showdown": Rate(1, 1),
    }
    assert (statistics.bets_and_raises, statistics.calls, statistics.folds) == (1, 1, 1)


def test_a_check_is_no_call() -> None:
    statistics = observed(("ccc/ccc/ccc/ccc", 1, -10.0))  # the big blind, who only checks

    assert statistics.calls == 0
    assert statistics.aggression_factor == 1
    assert statistics.rates()["won_at_showdown"] == Rate(0, 1)


def test_a_player_who_only_raises_is_aggressive() -> None:
    """As Fig. 4.2 is meant: its code calls them passive."""
    statistics = observed(("rrfc/cc/cc/cc", 0, None))

    assert statistics.aggression_factor == float("inf")
    assert statistics.style is PlayingStyle.LOOSE_AGGRESSIVE


@pytest.mark.parametrize(
    ("flops", "raises", "calls", "style"),
    [
        (28, 3, 2, PlayingStyle.TIGHT_AGGRESSIVE),
        (28, 2, 2, PlayingStyle.TIGHT_PASSIVE),
        (29, 3, 2, PlayingStyle.LOOSE_AGGRESSIVE),
        (29, 0, 2, PlayingStyle.LOOSE_PASSIVE),
    ],
)
def test_the_four_styles(flops: int, raises: int, calls: int, style: PlayingStyle) -> None:
    """Poker Learner, Fig. 4.2, with 28 as per cent."""
    statistics = PlayerStatistics(hands=100, flops_seen=flops, bets_and_raises=raises, calls=calls)

    assert statistics.style is style


def test_at_40_per_cent_flops_against_an_ideal_20_a_bet_counts_half() -> None:
    """Killer, "Opponent Model for the preflop itself", a)."""
    looseness = Looseness(flops_seen=40, hands=100)

    assert looseness.scaled_bets(1, 0.20) == pytest.approx(0.5)
    assert Looseness(flops_seen=10, hands=100).scaled_bets(1, 0.20) == pytest.approx(2)


def test_old_hands_fade_by_halving() -> None:
    looseness = Looseness(halve_after=10)
    for _ in range(9):
        looseness.observe(True)
    looseness.observe(False)

    assert (looseness.flops_seen, looseness.hands) == (4.5, 5)
    assert looseness.rate(0.2) == pytest.approx(0.9)


def test_statistics_survive_json() -> None:
    statistics = observed(("rfc/cc/rc/cc", 2, 35.0), ("frc/cc/cc/cc", 2, 0.0))

    assert PlayerStatistics.from_dict(json.loads(json.dumps(statistics.as_dict()))) == statistics


@pytest.mark.parametrize("wrong", [{}, {"hands": -1}, {"hands": "many"}])
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"expected|missing"):
        PlayerStatistics.from_dict({**PlayerStatistics().as_dict(), "looseness": None, **wrong})
