"""Who plays whom."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.poker.rules import load_game
from server.league.formats.knock_out import bracket, bracket_order
from server.league.formats.round_robin import choices, gauntlet_choices, seatings
from server.league.formats.schedule import schedule
from server.league.formats.swiss import pairing, rounds
from server.league.plan import Event, Match
from tests.server.league.houses import HEAD, plan_of, plan_text

NAMES = tuple("abcdefghijkl")


def test_a_round_robin_has_every_pair_once_a_number() -> None:
    plan = plan_of(plan_text(*["random"] * 5))

    found = schedule(plan, {})

    assert found.is_all
    assert len(found.matches) == len(set(found.matches)) == math.comb(5, 2) * 2
    assert [match.number for match in found.matches] == [1] * 10 + [2] * 10


def test_a_gauntlet_has_its_challengers_matches_only() -> None:
    assert gauntlet_choices(NAMES[:4], ["b"], 2) == [("a", "b"), ("b", "c"), ("b", "d")]
    for challengers in (["a"], ["c", "l"]):
        tables = gauntlet_choices(NAMES, challengers, 6)
        for challenger in challengers:
            assert set().union(*[table for table in tables if challenger in table]) == set(NAMES)
        assert all(set(challengers) & set(table) for table in tables)


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 8), st.integers(0, 6))
def test_at_few_tables_everybody_meets_everybody_and_newcomers_change_none(seats: int, more: int) -> None:
    names = [f"p{k}" for k in range(seats + more)]

    tables = choices(names, seats, 0)

    met = {pair for table in tables for pair in itertools.combinations(table, 2)}
    assert met == set(itertools.combinations(names, 2))
    assert all(len(set(table)) == seats for table in tables)
    assert choices([*names, "new"], seats, 0)[: len(tables)] == tables
    assert len(choices(names, seats, 3)) == min(3, math.comb(len(names), seats))
    assert len(choices(names, seats, None)) == math.comb(len(names), seats)


def test_seatings_of_a_sample_are_balanced() -> None:
    game = load_game("nolimit-6p")
    every = seatings(NAMES[:6], Event("g", game, 1, seatings=None))
    sample = seatings(NAMES[:6], Event("g", game, 1, seatings=5))

    assert len(set(every)) == math.factorial(5)
    assert all(order[0] == "a" for order in every)
    beside = Counter(pair for order in sample for pair in zip(order, order[1:] + order[:1], strict=True))
    assert len(sample) == len(set(sample)) == 5
    assert max(beside.values()) <= 2
    assert len(seatings(NAMES[:6], Event("g", game, 1))) == 1
    assert len(seatings(NAMES[:9], Event("g", game, 1, seatings=4))) == 4


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 13), st.randoms(use_true_random=False))
def test_swiss_pairs_nobody_twice_and_gives_byes_in_turn(n: int, drawn: object) -> None:
    import random

    assert isinstance(drawn, random.Random)
    names = [f"p{k:02}" for k in range(n)]
    number = max(1, math.ceil(math.log2(n)))
    scores: dict[Match, dict[str, float]] = {}
    for _ in range(number):
        found = rounds(names, scores, number)
        assert not found.is_all
        for match in found.matches:
            lead = drawn.uniform(-1, 1)
            scores.setdefault(match, dict(zip(match.players, (lead, -lead), strict=True)))

    found = rounds(names, scores, number)

    assert found.is_all
    assert len(found.matches) == len({frozenset(match.players) for match in found.matches})
    assert len(found.matches) == number * (n // 2)
    assert sorted(name for group in found.placing for name in group) == names
    if n % 2:
        byes = [note.rpartition("; ")[2] for note in found.notes]
        assert len(set(byes)) == number


def test_swiss_pairs_those_who_stand_alike() -> None:
    pairs, bye = pairing(["a", "b", "c", "d", "e"], {frozenset("ab")}, {"e"})

    assert bye == "d"
    assert pairs == [("a", "c"), ("b", "e")]


def test_swiss_lets_players_meet_again_rather_than_never() -> None:
    pairs, bye = pairing(["a", "b"], {frozenset("ab")}, set())

    assert (pairs, bye) == ([("a", "b")], None)


def test_the_best_seeds_meet_last() -> None:
    assert bracket_order(4) == [1, 4, 2, 3]
    assert bracket_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]


@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.parametrize("third_place", [True, False])
def test_in_a_knock_out_the_better_seed_wins_where_it_always_wins(n: int, *, third_place: bool) -> None:
    names = list(NAMES[:n])
    scores: dict[Match, dict[str, float]] = {}
    while not (found := bracket(names, scores, third_place=third_place)).is_all:
        scores |= {
            match: {name: -float(names.index(name)) for name in match.players} for match in found.matches
        }

    assert all(match in scores for match in found.matches)
    placed = [name for group in found.placing for name in group]
    assert placed[:2] == ["a", "b"]
    assert sorted(placed) == names
    assert len(found.matches) == n - 1 + (third_place and n >= 4)
    if third_place and n >= 4:
        assert found.placing[2] == ("c",)
    assert len(found.notes) == math.ceil(math.log2(n))


def test_a_draw_is_played_again_and_then_the_better_seed_goes_on() -> None:
    scores: dict[Match, dict[str, float]] = {}
    for _ in range(4):
        found = bracket(["z", "a"], scores, third_place=True)
        assert not found.is_all
        scores[found.matches[-1]] = {"z": 0.0, "a": 0.0}

    found = bracket(["z", "a"], scores, third_place=True)

    assert found.is_all
    assert found.placing == (("z",), ("a",))


def test_halving_spends_its_budget_on_those_who_are_left() -> None:
    head = HEAD.replace("matches = 2\n", "") + "[budget]\nhands = 6000\nspend = 'halving'\n"
    plan = plan_of(plan_text(*["random"] * 8, head=head))
    scores: dict[Match, dict[str, float]] = {}
    while not (found := schedule(plan, scores)).is_all:
        for match in found.matches:
            one, other = match.players
            lead = float(int(other[1:]) - int(one[1:]))
            scores[match] = {one: lead, other: -lead}

    assert [name for group in found.placing for name in group] == [f"p{k}" for k in range(8)]
    hands = len(found.matches) * 12 * 2
    assert 0.7 * 6000 < hands <= 6000
    of_best = sum({"p0", "p1"} == set(match.players) for match in found.matches)
    assert of_best > 5 * sum({"p6", "p7"} == set(match.players) for match in found.matches)


def test_a_budget_is_shared_out_evenly_where_nothing_else_is_said() -> None:
    head = HEAD.replace("matches = 2\n", "") + "[budget]\nhands = 1000\n"

    matches = schedule(plan_of(plan_text(*["random"] * 4, head=head)), {}).matches

    assert Counter(match.number for match in matches) == dict.fromkeys(range(1, 7), 6)  # 6 x 6 x 24 hands
