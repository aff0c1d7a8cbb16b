"""The state: each of its variables (Poker Learner 4.2.1.4)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.learners.preflop.state import (
    ACTIONS,
    HAND_GROUP,
    POSITIONS,
    Classifier,
    StateVariables,
    StyleTable,
    button_positions,
    last_caller_or_raiser,
    split_key,
    state_key,
)
from engine.players.statistics import PlayerStatistics, PlayingStyle, style_as_meant, style_as_printed
from engine.poker.combos import starting_hand
from engine.poker.rules import HandView, load_game, parse_betting


@given(st.integers(0, 168), st.integers(0, 2), st.integers(0, 500), st.integers(0, 2))
def test_a_key_has_all_variables_in_it(group: int, position: int, last_player: int, last_action: int) -> None:
    key = state_key(group, position, last_player, last_action)

    assert split_key(key) == StateVariables(group, position, last_player, last_action)


def test_hands_of_the_same_ranks_are_one_group_but_for_suited_ones() -> None:
    for card, other in itertools.permutations(range(52), 2):
        assert HAND_GROUP[52 * card + other] == starting_hand(card, other)
    assert len(set(HAND_GROUP)) == 169


@pytest.mark.parametrize(
    ("game", "positions"),
    [
        ("limit-2p", "el"),
        ("nolimit-2p", "el"),
        ("nolimit-3p", "eml"),
        ("nolimit-6p", "eemmll"),
        ("limit-10p", "eeemmmmlll"),
    ],
)
def test_the_button_is_late_and_who_acts_first_after_the_flop_is_early(game: str, positions: str) -> None:
    found = button_positions(load_game(game))

    assert "".join(POSITIONS[index][0] for index in found) == positions


@pytest.mark.parametrize(
    ("game", "betting", "position", "action"),
    [
        ("nolimit-2p", "", 0, "blind"),  # the big blind is in position 0 heads-up
        ("nolimit-2p", "c", 1, "call"),
        ("nolimit-2p", "r300", 1, "raise"),
        ("nolimit-2p", "cr300", 0, "raise"),
        ("nolimit-6p", "", 1, "blind"),
        ("nolimit-6p", "ff", 1, "blind"),
        ("nolimit-6p", "cff", 2, "call"),
        ("nolimit-6p", "r300c", 3, "call"),
        ("nolimit-6p", "r300cff", 3, "call"),
        ("nolimit-6p", "r300r900f", 3, "raise"),
        ("nolimit-6p", "r300ffffr900", 1, "raise"),
        ("nolimit-6p", "r20000c", 3, "raise"),  # all in is a raise, also where none is allowed any more
        ("nolimit-6p", "r19900c", 3, "call"),
        ("limit-3p", "rc", 0, "call"),
    ],
)
def test_the_last_player_is_who_last_called_or_raised(
    game: str, betting: str, position: int, action: str
) -> None:
    state = parse_betting(load_game(game), betting)

    found, index = last_caller_or_raiser(state)

    assert (found, ACTIONS[index]) == (position, action)


# --- playing styles -----------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    ("classifier", "kinds", "expected"),
    [
        *(("as-meant", [AlwaysAllIn] * others, [LA] * others) for others in (1, 2, 5)),
        *(("as-meant", [AlwaysCall] * others, [LP] * others) for others in (1, 2, 5)),
        ("as-meant", [AlwaysCall, *[AlwaysAllIn] * 4], [LP, LA, LA, LA, LA]),
        ("as-meant", [AlwaysFold, AlwaysAllIn], [TP, LA]),
        *(("as-printed", [AlwaysAllIn] * others, [TP] * others) for others in (1, 5)),
    ],
)
def test_the_style_of_players_who_always_do_the_same(
    classifier: str, kinds: list[type[Agent]], expected: list[PlayingStyle]
) -> None:
    game = f"nolimit-{len(kinds) + 1}p"

    assert styles(game, [kind() for kind in kinds], classifier) == expected


def test_always_call_is_loose_passive_in_limit_as_well() -> None:
    assert styles("limit-10p", [AlwaysCall() for _ in range(9)], "as-meant") == [LP] * 9


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
