"""Sit-and-go: stacks, blinds and the button from hand to hand, places and prizes; and what the log proves."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import Final

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.poker.rules import load_game
from server.league.checking import check_tournament
from server.support.toml_text import FileMistake
from server.table.rules.sit_and_go import Level, SitAndGo, SitAndGoTable
from tests.server.league.houses import Kill, plan_of, plan_text, played, played_until_killed

PLAN: Final = SitAndGo(
    100, (Level(2, (5, 10)), Level(2, (10, 20), 1), Level(1, (50, 100))), (0.7, 0.3), button_moves=True
)
BASE: Final = load_game("nolimit-6p")
HEAD: Final = Path(__file__).with_name("sit_and_go.toml").read_text("utf-8")
BOTS: Final = ("random:raise=0.3", "always-call", "random", "random:raise=0.1")


def table(*players: str) -> SitAndGoTable:
    return SitAndGoTable(players, PLAN, BASE)


def test_blinds_rise_by_hands_and_stay_at_the_last_level() -> None:
    room = table("a", "b", "c")

    blinds = []
    for _ in range(7):
        blinds.append((room.level().blinds, room.level().ante))
        room.finish([0.0, 0.0, 0.0])

    assert blinds == [((5, 10), 0)] * 2 + [((10, 20), 1)] * 2 + [((50, 100), 0)] * 3


def test_the_button_moves_and_skips_who_is_out() -> None:
    room = table("a", "b", "c")
    assert room.seating() == ("a", "b", "c")  # c has the button
    room.finish([0.0, -100.0, 100.0])
    assert room.left == ("a", "c")
    assert room.seating() == ("c", "a")  # a has the button, and between two the small blind
    game = room.game()
    assert (game.blinds, game.stacks, game.first_positions[:2]) == ((10, 5), (200, 100), (1, 0))


def test_a_dead_button_stands_at_the_seat_of_a_player_who_is_out() -> None:
    room = SitAndGoTable(("a", "b", "c", "d"), attrs.evolve(PLAN, button_moves=False), BASE)
    assert room.seating() == ("a", "b", "c", "d")  # d has the button
    room.finish([-100.0, 100.0, 0.0, 0.0])
    assert room.seating() == ("b", "c", "d")  # it stands at a's seat: b posts the small blind, c the big one
    assert room.game().blinds == (5, 10, 0)
    assert plan_of(plan_text(*BOTS, head=HEAD)).sit_and_go.button_moves  # type: ignore[union-attr]
    dead = plan_of(plan_text(*BOTS, head=HEAD.replace("stack = 200", 'stack = 200\nbutton = "dead"')))
    assert not dead.sit_and_go.button_moves  # type: ignore[union-attr]


def test_three_handed_the_button_acts_first_before_the_flop() -> None:
    game = table("a", "b", "c").game()

    assert game.blinds == (5, 10, 0)
    assert game.first_positions == (2, 0, 0, 0)


def test_a_player_with_less_than_a_blind_posts_what_there_is() -> None:
    room = table("a", "b", "c")
    room.stacks = {"a": 3, "b": 293, "c": 4}
    room.hands = 2  # blinds 10 and 20, antes of 1

    game = room.game()

    assert game.stacks == (3, 293, 4)
    assert game.blinds == (2, 20, 0)
    assert game.antes_posted == (1, 1, 1)


def test_players_who_leave_in_the_same_hand_are_placed_by_what_they_began_it_with() -> None:
    room = table("a", "b", "c", "d")
    room.stacks = {"a": 50, "b": 80, "c": 80, "d": 190}

    room.finish([-50.0, -80.0, -80.0, 210.0])

    assert room.is_over
    assert room.places() == [("d",), ("b", "c"), ("a",)]
    assert room.payouts() == pytest.approx({"d": 0.7, "b": 0.15, "c": 0.15, "a": 0.0})


def test_odd_chips_go_to_the_left_of_the_button() -> None:
    room = table("a", "b", "c")

    room.finish([50 / 3 - 10, 50 / 3 - 10, -40 / 3])

    assert sum(room.stacks.values()) == 300
    assert room.stacks == {"a": 107, "b": 107, "c": 86}


def test_chips_do_not_come_from_nowhere() -> None:
    with pytest.raises(ValueError, match="add up"):
        table("a", "b").finish([10.0, 10.0])


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(0, 2**32))
def test_no_chip_is_lost_and_everybody_has_one_place(n: int, seed: int) -> None:
    drawn = random.Random(seed)
    room = table(*[f"p{k}" for k in range(n)])
    while not room.is_over:
        game = room.game()
        lost = [drawn.choice([0, drawn.randrange(stack + 1), stack]) for stack in game.stacks]
        winner = drawn.randrange(game.num_players)
        lost[winner] = 0
        won = [float(-each) for each in lost]
        won[winner] = float(sum(lost))
        room.finish(won)
        assert sum(room.stacks.values()) == 100 * n

    assert sorted(name for group in room.places() for name in group) == sorted(room.players)
    assert math.fsum(room.payouts().values()) == pytest.approx(1.0)


@pytest.mark.usefixtures("arena_workers")
def test_sit_and_gos_are_played_ranked_and_verified(tmp_path: Path) -> None:
    content = played(tmp_path, plan_text(*BOTS, head=HEAD), pages=True)

    assert content["unit"] == "buy-ins/1000"
    assert content["matches"] == 4
    assert sum(player["mbb_per_hand"] for player in content["players"]) == pytest.approx(0.0)
    assert [line.split(": ", 1)[0].rpartition(", ")[0] for line in content["rounds"]] == [
        f"p0 v p1 v p2 v p3, match {k}" for k in range(1, 5)
    ]
    checked = check_tournament(tmp_path)
    assert checked.problem is None
    assert checked.hands == content["hands"] >= 8

    log = tmp_path / "matches/p0-v-p1-v-p2-v-p3-002/match.log"
    lines = log.read_text().splitlines(keepends=True)
    cards = lines[1].split(":")[3]
    log.write_text(
        "".join([lines[0], lines[1].replace(cards, cards[2:4] + cards[:2] + cards[4:]), *lines[2:]])
    )
    assert f"{log}:2: other cards" in str(check_tournament(tmp_path).problem)


@pytest.mark.usefixtures("arena_workers")
def test_a_sit_and_go_that_was_killed_comes_out_the_same(tmp_path: Path) -> None:
    text = plan_text(*BOTS, head=HEAD.replace("matches = 4", "matches = 1"))
    whole = played(tmp_path / "whole", text)
    with pytest.MonkeyPatch.context() as patch:
        counted = Kill(patch)
        played(tmp_path / "counted", text)

    for number in range(2):
        path = tmp_path / f"killed-{number}"
        for part in (1, 2):
            played_until_killed(path, text, counted.written * (2 * number + part) // 5)
        assert played(path, text) == whole


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"nolimit-6p"', '"limit-2p"', "a sit-and-go is for no-limit games; limit-2p is none"),
        ("[0.65, 0.35]", "[0.65, 0.3]", "payouts: expected shares that add up to 1, got [0.65, 0.3]"),
        ("small = 20\n", "", "levels]] has no small"),
        ("matches = 4", "duplicate = true", "a sit-and-go has no second pass"),
        ("ante = 2", "aunt = 2", "has no key 'aunt' (did you mean ante?)"),
    ],
)
def test_mistakes_of_a_sit_and_go_are_told(old: str, new: str, complaint: str) -> None:
    with pytest.raises(FileMistake, match=re.escape(complaint)):
        plan_of(plan_text(*BOTS, head=HEAD.replace(old, new, 1)))
