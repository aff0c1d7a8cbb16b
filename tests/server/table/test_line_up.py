"""Button, blinds, chips and time to think."""

from __future__ import annotations

import contextlib
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from fractions import Fraction

import attrs
import pytest
import trio
from hypothesis import given, settings, strategies as st
from trio.testing import MockClock

from engine.poker.rules import GameDefinition, HandState, Rake, load_game
from server.support.errors import FailureKind
from server.table.config import MatchConfig, TimeLimits
from server.table.rules.chips import settle, whole_chips
from server.table.rules.line_up import Blinds, Joining, LineUp, can_use_up_chips, line_up, posts_blinds
from tests.support.hands.strategies import choices, games, play
from tests.support.tables import Player, Table, always, match_config, play_match, seated

# --- Button and blinds, whoever comes and goes --------------------------------------------------------------

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

    assert (found.blinds, found.seats) == (Blinds(4, 4, 1), (1, 4))
    assert found.game == attrs.evolve(
        load_game("nolimit-2p-100bb"), stacks=(200, 200), max_raises=SIX.max_raises
    )


def test_the_small_blind_is_dead_when_its_player_has_left() -> None:
    found = of({0: IN, 1: IN, 3: IN, 4: IN}, Blinds(0, 1, 2))  # seat 2 had the big blind

    assert (found.blinds, found.seats, found.game.blinds) == (Blinds(1, 2, 3), (3, 4, 0, 1), (2, 0, 0, 0))
    assert found.game.first_positions == (1, 0, 0, 0)


def test_the_button_is_dead_when_its_player_has_left() -> None:
    found = of({0: IN, 2: IN, 3: IN, 4: IN}, Blinds(0, 1, 2))  # seat 1 had the small blind

    assert (found.blinds, found.seats, found.game.blinds) == (Blinds(1, 2, 3), (2, 3, 4, 0), (1, 2, 0, 0))


def test_newcomers_wait_for_the_big_blind() -> None:
    entries = {0: IN, 1: IN, 2: IN, 4: WAITS}

    assert of(entries, Blinds(0, 1, 2)).seats == (2, 4, 0, 1)  # it is theirs
    assert of(entries, Blinds(2, 0, 1)).seats == (1, 2, 0)


def test_newcomers_may_post_a_live_big_blind_but_not_behind_the_button() -> None:
    entries = {0: IN, 1: IN, 2: IN, 4: POSTS}

    found = of(entries, Blinds(2, 0, 1))
    assert (found.seats, found.game.blinds) == ((1, 2, 4, 0), (1, 2, 2, 0))
    assert of({0: IN, 2: IN, 3: IN, 1: POSTS}, Blinds(3, 0, 2)).seats == (2, 3, 0)


def test_a_player_with_less_than_the_blind_posts_what_they_have() -> None:
    found = line_up(SIX, {0: (1, IN), 3: (200, IN)}, Blinds(0, 0, 3), lambda below: 0)

    assert found is not None
    assert (found.game.stacks, found.game.blinds) == ((1, 200), (1, 1))


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


# --- Whole chips and the rake -------------------------------------------------------------------------------


def test_odd_chips_go_to_the_left_of_the_button_first() -> None:
    third = 1 / 3

    assert whole_chips((-1.0, third, third, third)) == (-1, 1, 0, 0)
    assert whole_chips((2.5, -5.0, 2.5)) == (3, -5, 2)
    assert whole_chips((-7.0, 7.0)) == (-7, 7)


def test_chips_that_nobody_has_won_go_to_the_winner() -> None:
    assert whole_chips((-30.0, 20.0, -4.0)) == (-30, 34, -4)


@given(games(), st.integers(0, 2**32 - 1), choices)
@settings(max_examples=30)
def test_any_hand_is_settled_within_a_chip(game: GameDefinition, seed: int, made: list[int]) -> None:
    *_, final = play(game, seed, made)
    exact = final.chips_won()

    whole = whole_chips(exact)

    assert sum(whole) == 0
    if abs(sum(exact)) < 1e-6:
        assert all(abs(each - chips) < 1 for each, chips in zip(whole, exact, strict=True))


@given(games(), st.integers(0, 2**32 - 1), choices, st.floats(0, 0.2), st.integers(0, 50))
@settings(max_examples=30)
def test_the_rake_is_a_share_of_the_pot_and_only_winners_pay_it(
    game: GameDefinition, seed: int, made: list[int], share: float, most: int
) -> None:
    *_, final = play(game, seed, made)

    settled = settle(final, Rake(100 * share, most or math.inf))

    assert all(0 <= taken <= max(0, won) for won, taken in zip(settled.chips, settled.rake, strict=True))
    assert sum(settled.rake) <= Fraction(share) * final.betting.pot + 1
    assert most == 0 or sum(settled.rake) <= most
    if not final.betting.num_board_cards:
        assert sum(settled.rake) == 0


@pytest.mark.parametrize(("share", "most", "expected"), [(0.05, 0, 4), (0.05, 3, 3), (0.0, 3, 0)])
def test_what_nobody_called_is_not_raked(share: float, most: int, expected: int) -> None:
    game = attrs.evolve(load_game("nolimit-2p-100bb"))
    state: HandState = _after(game, "cr40c/cr150f")

    assert sum(settle(state, Rake(100 * share, most or math.inf)).rake) == expected  # of 80


def _after(game: GameDefinition, betting: str) -> HandState:
    from engine.poker.rules import CardDealer, parse_betting

    return HandState(parse_betting(game, betting), 0, CardDealer(game, 1).deal())


# --- Time to think ------------------------------------------------------------------------------------------

OUT_OF_TIME = "ERROR: seat 1 ran out of time\n"


def no_action(seconds: float, limit: float) -> str:
    return (
        f"ERROR: could not get action from seat 1\n{seconds:.1f} seconds spent waiting; timeout {limit:.1f}\n"
    )


@asynccontextmanager
async def begun(config: MatchConfig) -> AsyncIterator[tuple[Table, Player, Player]]:
    """A table of Leduc whose players have seen their first states; the first is to act."""
    async with seated(config) as (table, (first, second)):
        await first.heard("MATCHSTATE:0:0::Ah|")
        await second.heard("MATCHSTATE:1:0::|Ks")
        yield table, first, second


async def test_silence_ends_the_match_after_the_response_time(virtual_clock: MockClock) -> None:
    async with begun(match_config()) as (table, first, second):
        start = trio.current_time()
        assert await first.line() is None
        assert 600 <= trio.current_time() - start < 602
        assert await second.line() is None
        outcome = await table.outcome()

    assert outcome.error == no_action(600, 600)
    assert table.failures(0) == [FailureKind.STALLED]


async def test_a_response_just_in_time_counts(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0, per_hand=10.0))) as (_, first, _):
        await trio.sleep(9.5)
        await first.answer("c")
        await first.heard("MATCHSTATE:0:0:c:Ah|")


@pytest.mark.parametrize(("hand_s", "per_hand_s"), [(15.0, 1000.0), (1000.0, 15.0)])
async def test_the_times_of_a_hand_and_of_a_match_add_up(
    hand_s: float, per_hand_s: float, virtual_clock: MockClock
) -> None:
    limits = TimeLimits(response=10.0, hand=hand_s, per_hand=per_hand_s)
    async with begun(match_config(limits=limits)) as (table, first, second):
        await trio.sleep(8)
        await first.answer("c")
        await second.heard("MATCHSTATE:1:0:c:|Ks")
        await trio.sleep(9)  # the other's time is not ours
        await second.answer("r")
        await first.heard("MATCHSTATE:0:0:c:Ah|", "MATCHSTATE:0:0:cr:Ah|")
        await trio.sleep(8)
        await first.answer("c")
        assert await first.line() is None
        outcome = await table.outcome()

    assert outcome.error == OUT_OF_TIME
    assert table.failures(0) == [FailureKind.STALLED]


@pytest.mark.parametrize(
    ("limits", "is_in_time"),
    [
        (TimeLimits(response=10.0, hand=15.0, per_hand=1000.0), True),
        (TimeLimits(response=10.0, hand=1000.0, per_hand=12.0), True),
        (TimeLimits(response=10.0, hand=1000.0, per_hand=7.0), False),
    ],
)
async def test_the_time_of_a_hand_begins_anew_and_that_of_the_match_does_not(
    limits: TimeLimits, is_in_time: bool, virtual_clock: MockClock
) -> None:
    async with begun(match_config(hands=2, limits=limits)) as (_, first, second):
        await trio.sleep(8)
        await first.answer("r")
        await second.heard("MATCHSTATE:1:0:r:|Ks")
        await second.answer("f")
        await second.heard("MATCHSTATE:1:0:rf:|Ks", "MATCHSTATE:0:1::Qh|")
        await second.answer("c")
        await first.heard("MATCHSTATE:0:0:r:Ah|", "MATCHSTATE:0:0:rf:Ah|", "MATCHSTATE:1:1::|Qs")
        await first.heard("MATCHSTATE:1:1:c:|Qs")
        await trio.sleep(8)
        await first.answer("c")

        line = await first.line()

    assert line == ("MATCHSTATE:1:1:cc/:|Qs/Ks" if is_in_time else None)


async def test_junk_before_an_answer_is_not_charged_again_and_again(virtual_clock: MockClock) -> None:
    """The C dealer books each line's time since the state was sent: 2 + 4 + 6 + 8 seconds here."""
    limits = TimeLimits(response=10.0, hand=9.0, per_hand=1000.0)
    async with begun(match_config(limits=limits)) as (table, first, _):
        for _ in range(3):
            await trio.sleep(2)
            await first.say("junk")
        await trio.sleep(2)
        await first.answer("c")
        await first.heard("MATCHSTATE:0:0:c:Ah|")

    assert 8 <= table.server.seats[0].clock.in_hand < 8.5


@pytest.mark.parametrize("line", ["junk", "# thinking"])
async def test_a_line_restarts_the_wait_but_not_the_clock(line: str, virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0))) as (table, first, _):
        await trio.sleep(6)
        await first.say(line)
        await trio.sleep(6)
        await first.answer("c")
        assert await first.line() is None
        outcome = await table.outcome()

    assert outcome.error == OUT_OF_TIME


async def test_comments_without_end_are_silence(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0))) as (table, first, _):
        start = trio.current_time()
        with contextlib.suppress(trio.BrokenResourceError):
            for _ in range(20):
                await first.say("# thinking")
                await trio.sleep(3)
        assert await first.line() is None
        assert trio.current_time() - start < 30
        outcome = await table.outcome()

    assert outcome.error is not None
    assert table.failures(0) == [FailureKind.STALLED]


async def test_drips_are_silence(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0))) as (table, first, _):
        for byte in b"MATCHSTATE:0":
            await first.stream.send_all(bytes([byte]))
            await trio.sleep(1)
        assert await first.line() is None
        outcome = await table.outcome()

    assert outcome.error == no_action(10, 10)


async def test_the_trace_tells_seconds_after_every_hundredth_hand() -> None:
    config = match_config("kuhn-2p", hands=202, quiet=False)

    table, _ = await play_match(config, [always(config.game, "c")] * 2)

    lines = [line for line in table.console.stderr.splitlines() if line.startswith("Seconds")]
    assert lines == [f"Seconds cumulatively spent in match for seat {seat}: 0" for seat in (0, 1)] * 3


async def test_the_first_decision_of_a_seat_may_take_longer(virtual_clock: MockClock) -> None:
    limits = TimeLimits(response=10.0, first_response=60.0, hand=30.0, per_hand=20.0)
    async with begun(match_config(hands=2, limits=limits)) as (table, first, second):
        await trio.sleep(55)
        await first.answer("c")
        await second.line()
        clock = table.server.seats[0].clock

        assert (clock.in_hand, clock.in_match) == (10.0, 10.0)  # the rest of it is on nobody's clock
        assert clock.left() == 10.0
        await table.outcome()


async def test_the_second_decision_of_a_seat_may_not(virtual_clock: MockClock) -> None:
    async with begun(match_config(limits=TimeLimits(response=10.0, first_response=60.0))) as (
        table,
        first,
        second,
    ):
        await first.answer("r")
        await second.line()
        await second.answer("r")
        start = trio.current_time()
        await second.hear_out()  # until the match has ended
        waited = trio.current_time() - start
        await table.outcome()

    assert waited == pytest.approx(10, abs=2)
    assert table.failures(0) == [FailureKind.STALLED]
