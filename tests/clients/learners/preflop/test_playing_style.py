"""Playing styles at a table: as meant and as printed (Poker Learner 4.2.1.2, 5.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.learners.preflop.playing_style import Classifier, StyleTable
from engine.players.statistics import (
    PlayerStatistics,
    PlayingStyle,
    style_as_meant,
    style_as_printed,
)
from engine.poker.rules import HandView, load_game

TA, TP = PlayingStyle.TIGHT_AGGRESSIVE, PlayingStyle.TIGHT_PASSIVE
LA, LP = PlayingStyle.LOOSE_AGGRESSIVE, PlayingStyle.LOOSE_PASSIVE


class Watcher(AlwaysCall):
    """Calls, and keeps both tables and the engine's statistics of seat 1."""

    def __init__(self) -> None:
        self.tables: dict[str, StyleTable] = {}
        self.statistics = PlayerStatistics()

    def match_started(self, game, seat):  # type: ignore[no-untyped-def]
        classifiers: tuple[Classifier, ...] = ("as-meant", "as-printed")
        self.tables = {name: StyleTable(game.num_players, name) for name in classifiers}

    def hand_finished(self, view: HandView) -> None:
        for table in self.tables.values():
            table.observe_hand(view.betting, self.seat_of(view, 0))
        position = (1 - self.seat_of(view, 0)) % view.game.num_players
        self.statistics.observe_hand(view.betting, position, None)


def styles(game: str, others: list[Agent], classifier: str, hands: int = 60) -> list[PlayingStyle]:
    watcher = Watcher()
    Arena(load_game(game), [watcher, *others], 5).play(hands)
    table = watcher.tables[classifier]
    return [table.style(seat) for seat in range(1, len(others) + 1)]


TABLES = [
    ("nolimit-2p", 1),
    ("nolimit-3p", 2),
    ("nolimit-6p", 5),
]


@pytest.mark.parametrize(("game", "others"), TABLES)
def test_always_all_in_is_loose_aggressive_as_meant(game: str, others: int) -> None:
    assert styles(game, [AlwaysAllIn() for _ in range(others)], "as-meant") == [LA] * others


@pytest.mark.parametrize(("game", "others"), [*TABLES, ("limit-10p", 9)])
def test_always_call_is_loose_passive_as_meant(game: str, others: int) -> None:
    assert styles(game, [AlwaysCall() for _ in range(others)], "as-meant") == [LP] * others


def test_always_call_is_loose_passive_among_those_who_move_all_in() -> None:
    found = styles("nolimit-6p", [AlwaysCall(), *(AlwaysAllIn() for _ in range(4))], "as-meant")

    assert found == [LP, LA, LA, LA, LA]


def test_a_player_who_always_folds_is_tight_passive() -> None:
    others: list[Agent] = [AlwaysFold(), AlwaysAllIn()]

    assert styles("nolimit-3p", others, "as-meant")[0] is TP


@pytest.mark.parametrize(("game", "others"), [("nolimit-2p", 1), ("nolimit-6p", 5)])
def test_always_all_in_is_tight_passive_as_printed(game: str, others: int) -> None:
    assert styles(game, [AlwaysAllIn() for _ in range(others)], "as-printed") == [TP] * others


@pytest.mark.parametrize(
    ("hands", "flops", "calls", "raises", "meant", "printed"),
    [
        (0, 0, 0, 0, TP, TP),
        (100, 28, 0, 0, TP, TP),
        (100, 29, 0, 0, LP, TP),
        (100, 28, 10, 11, TA, TA),
        (100, 29, 10, 11, LA, TA),
        (100, 100, 10, 10, LP, TP),  # an aggression of 1 is passive
        (100, 100, 0, 50, LA, TP),  # the figure: "AF = 1; if (ncalls != 0) ..."
        (100, 5, 0, 5, TA, TP),
    ],
)
def test_the_thresholds(
    hands: int, flops: int, calls: int, raises: int, meant: PlayingStyle, printed: PlayingStyle
) -> None:
    assert style_as_meant(hands, flops, calls, raises) is meant
    assert style_as_printed(hands, flops, calls, raises) is printed


@given(st.integers(0, 1000), st.floats(0, 1), st.integers(0, 1000), st.integers(0, 1000))
def test_as_printed_nobody_is_ever_loose(hands: int, share: float, calls: int, raises: int) -> None:
    assert style_as_printed(hands, int(share * hands), calls, raises) in (TA, TP)


@pytest.mark.parametrize("game", ["limit-2p", "nolimit-3p", "limit-10p"])
def test_as_printed_counts_are_the_engines(game: str) -> None:
    others: list[Agent] = [Random() for _ in range(load_game(game).num_players - 1)]
    watcher = Watcher()
    Arena(load_game(game), [watcher, *others], 5).play(80)

    counted = watcher.statistics
    assert watcher.tables["as-printed"].style(1) is style_as_printed(
        counted.hands, counted.flops_seen, counted.calls, counted.bets_and_raises
    )
    assert watcher.tables["as-printed"].counts[1] == [
        counted.flops_seen,
        counted.calls,
        counted.bets_and_raises,
    ]
