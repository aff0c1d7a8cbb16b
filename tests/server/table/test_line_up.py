"""Button and blinds, whoever comes and goes."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.poker.rules import load_game
from server.table.rules.line_up import Blinds, Joining, LineUp, can_use_up_chips, line_up, posts_blinds

SIX = load_game("nolimit-6p-100bb")
IN, WAITS, POSTS = Joining.IN, Joining.WAITS, Joining.POSTS


def of(entries: dict[int, Joining], last: Blinds | None, stack: int = 200) -> LineUp:
    found = line_up(SIX, {seat: (stack, entry) for seat, entry in entries.items()}, last, lambda below: 0)
    assert found is not None
    return found


def test_one_player_plays_nobody() -> None:
    assert line_up(SIX, {3: (200, IN)}, None, lambda below: 0) is None


def test_a_full_table_plays_the_game_of_the_file() -> None:
    found = of(dict.fromkeys(range(6), IN), Blinds(5, 0, 1))

    assert found.game == SIX
    assert found.seats == (1, 2, 3, 4, 5, 0)
    assert found.blinds == Blinds(0, 1, 2)


def test_two_players_post_as_the_acpc_has_it() -> None:
    found = of({1: IN, 4: IN}, Blinds(1, 1, 4))

    assert found.blinds == Blinds(4, 4, 1)
    assert found.seats == (1, 4)
    assert found.game == attrs.evolve(
        load_game("nolimit-2p-100bb"), stacks=(200, 200), max_raises=SIX.max_raises
    )


def test_the_small_blind_is_dead_when_its_player_has_left() -> None:
    found = of({0: IN, 1: IN, 3: IN, 4: IN}, Blinds(0, 1, 2))  # seat 2 had the big blind

    assert found.blinds == Blinds(1, 2, 3)
    assert found.seats == (3, 4, 0, 1)
    assert found.game.blinds == (2, 0, 0, 0)
    assert found.game.first_positions == (1, 0, 0, 0)


def test_the_button_is_dead_when_its_player_has_left() -> None:
    found = of({0: IN, 2: IN, 3: IN, 4: IN}, Blinds(0, 1, 2))  # seat 1 had the small blind

    assert found.blinds == Blinds(1, 2, 3)
    assert found.seats == (2, 3, 4, 0)
    assert found.game.blinds == (1, 2, 0, 0)


def test_newcomers_wait_for_the_big_blind() -> None:
    entries = {0: IN, 1: IN, 2: IN, 4: WAITS}

    assert of(entries, Blinds(0, 1, 2)).seats == (2, 4, 0, 1)  # it is theirs
    assert of(entries, Blinds(2, 0, 1)).seats == (1, 2, 0)


def test_newcomers_may_post_a_live_big_blind_but_not_behind_the_button() -> None:
    entries = {0: IN, 1: IN, 2: IN, 4: POSTS}

    found = of(entries, Blinds(2, 0, 1))
    assert found.seats == (1, 2, 4, 0)
    assert found.game.blinds == (1, 2, 2, 0)
    assert of({0: IN, 2: IN, 3: IN, 1: POSTS}, Blinds(3, 0, 2)).seats == (2, 3, 0)


def test_a_player_with_less_than_the_blind_posts_what_they_have() -> None:
    found = line_up(SIX, {0: (1, IN), 3: (200, IN)}, Blinds(0, 0, 3), lambda below: 0)

    assert found is not None
    assert found.game.stacks == (1, 200)
    assert found.game.blinds == (1, 1)


def test_a_game_without_the_usual_blinds_needs_all_its_players() -> None:
    kuhn = load_game("kuhn-3p")
    ready = dict.fromkeys(range(3), (2, IN))

    assert not posts_blinds(kuhn)
    assert line_up(kuhn, {0: (2, IN), 1: (2, IN)}, None, lambda below: 0) is None
    first = line_up(kuhn, ready, None, lambda below: 0)
    assert first is not None
    assert first.seats == (0, 1, 2)
    second = line_up(kuhn, ready, first.blinds, lambda below: 0)
    assert second is not None
    assert (second.seats, second.game) == ((1, 2, 0), attrs.evolve(kuhn, stacks=(2, 2, 2)))


@pytest.mark.parametrize("name", ["limit-2p", "limit-6p", "nolimit-6p-ante", "nolimit-2p-100bb"])
def test_packaged_games_can_be_played_by_fewer(name: str) -> None:
    assert posts_blinds(load_game(name))


def test_antes_are_kept() -> None:
    game = load_game("nolimit-6p-ante")
    found = line_up(game, dict.fromkeys(range(3), (30, IN)), Blinds(0, 1, 2), lambda below: 0)

    assert found is not None
    assert found.game.antes == (10, 10, 10)
    assert found.game.blinds == (20, 20, 0)  # all that is left behind the ante


def test_chips_that_a_limit_hand_cannot_use_up() -> None:
    game = load_game("limit-6p")

    assert not can_use_up_chips(attrs.evolve(game, stacks=(241,) * 6))
    assert can_use_up_chips(attrs.evolve(game, stacks=(240,) * 6))
    assert can_use_up_chips(SIX)


changes = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["come", "post", "go"])), min_size=0, max_size=3
)


@given(st.lists(changes, min_size=1, max_size=40), st.integers(0, 5))
def test_the_big_blind_moves_on_and_nobody_plays_for_nothing(
    moves: list[list[tuple[int, str]]], b: int
) -> None:
    """Over any comings and goings; an independent account of who owes what."""
    ready: dict[int, Joining] = {0: IN, 2: IN, 3: IN}
    last: Blinds | None = None
    for step in moves:
        for seat, what in step:
            if what == "go":
                ready.pop(seat, None)
            else:
                ready.setdefault(seat, WAITS if what == "come" else POSTS)
        found = line_up(SIX, {s: (200, e) for s, e in ready.items()}, last, lambda below: b % below)
        if found is None:
            assert len(ready) < 2
            continue
        seats, blinds = found.seats, found.blinds
        assert set(seats) <= set(ready)
        assert len(set(seats)) == len(seats) == found.game.num_players >= 2
        assert found.game.blinds[seats.index(blinds.big)] == 2
        restarted = last is None or sum(entry is IN for entry in ready.values()) < 2
        if last is not None:  # clockwise, to the next who is ready
            passed = {(last.big + k) % 6 for k in range(1, (blinds.big - last.big - 1) % 6 + 1)}
            assert passed.isdisjoint(ready)
        for seat in seats:
            posted = found.game.blinds[seats.index(seat)]
            if ready[seat] is not IN and not restarted and len(seats) > 2:
                assert posted == 2
            elif seat not in (blinds.big, blinds.small) and not restarted:
                assert posted == 0
        if len(seats) > 2:
            assert seats.index(blinds.big) == (1 if blinds.small in seats else 0)
            assert found.game.first_positions[0] == (seats.index(blinds.big) + 1) % len(seats)
        for seat in ready:
            ready[seat] = IN if seat in seats else (POSTS if ready[seat] is POSTS else WAITS)
        last = blinds
