"""Sit-and-go tables of a room: buy-ins, levels, who is out as which, prizes; and the ledger at any moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import attrs
import pytest
import trio
from trio.testing import MockClock

from engine.poker.rules import load_game
from server.room import identities
from server.room.config import Policy, TableConfig
from server.room.ledger.ledger import Ledger
from server.room.ledger.sit_and_gos import Ranked, SitAndGos
from server.table.rules.chips import whole_shares
from server.table.rules.sit_and_go import Level, SitAndGo
from tests.support.rooms import account, play_each, room_config, room_of, table_config

TERMS: Final = SitAndGo(100, (Level(2, (1, 2)), Level(2, (5, 10), 1), Level(1, (20, 40))), (0.7, 0.3))


@pytest.fixture(autouse=True)
def cheap_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens are not what is tried here."""
    monkeypatch.setattr(identities, "hashed", lambda token, salt: token.encode() + salt)


def contest_config(players: int = 3, terms: SitAndGo = TERMS, **changes: Any) -> TableConfig:
    """A sit-and-go of so many, for 50 chips."""
    game = attrs.evolve(
        load_game("nolimit-6p"),
        num_players=players,
        stacks=(1000,) * players,
        blinds=(10, 5) if players == 2 else (5, 10, *[0] * (players - 2)),
        antes=(0,) * players,
        first_positions=(1 if players == 2 else 2 % players, 0, 0, 0),
    )
    config = table_config("a", game, policy=Policy.SIT_AND_GO, least=50, most=50, sit_and_go=terms)
    return attrs.evolve(config, **changes)


def all_in(betting: str) -> str:
    return "c" if "r" in betting else "r100000"


async def test_a_player_who_loses_all_is_out_and_places_are_paid(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, contest_config())) as room:
        guests = await room.seated("Ann", "Bob", "Eve")
        assert guests[0].lines[-1] == "#seated a 0 100"

        await play_each(guests, act=all_in)

        (past,) = SitAndGos(room.room.ledger).last("a", 9)
        check = room.room.ledger.check()
        assert (check.is_balanced, check.tables, check.rake) == (True, 0, 0)
        assert sum(each.prize or 0 for each in past.entrants) == past.pool == 150
        for guest, name in zip(guests, ("Ann", "Bob", "Eve"), strict=True):
            (own,) = [each for each in past.entrants if each.name == name]
            assert room.chips_of(name) == 950 + (own.prize or 0)
            assert guest.lines[-1].startswith(f"#lobby you are {own.place}")
        won = room.won()
        assert won == {each.name: (each.prize or 0) - 50 for each in past.entrants}
        for name, chips in won.items():
            player = room.room.ledger.player(name)
            assert player is not None
            assert sum(room.room.ledger.bankroll(player)) == chips

        again = await room.seated("Joe", "Kim", "Lea")  # and the next one
        await play_each(again, act=all_in)
        assert len(SitAndGos(room.room.ledger).last("a", 9)) == 2


async def test_blinds_rise_and_players_are_told_before_the_hand(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, contest_config())) as room:
        guests = await room.seated("Ann", "Bob", "Eve")
        games: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

        async with trio.open_nursery() as playing:
            for guest in guests[1:]:
                playing.start_soon(guest.play_hands, 1 << 30)
            for _ in range(5):
                await guests[0].play_hands(1)
                game = guests[0].game()
                games.append((tuple(sorted(game.blinds)), game.antes))
            playing.cancel_scope.cancel()

        assert games == [
            *[((0, 1, 2), (0, 0, 0))] * 2, *[((0, 5, 10), (1, 1, 1))] * 2, ((0, 20, 40), (0, 0, 0)),
        ]  # fmt: skip
        messages = [line.removeprefix("#message ") for line in guests[0].lines if "#message" in line]
        assert messages == [
            "the sit-and-go begins, 3 players; prizes: 105, 45; level 1: blinds 1/2",
            "level 2: blinds 5/10, antes 1",
            "level 3: blinds 20/40",
        ]


async def test_levels_may_last_minutes(virtual_clock: MockClock, tmp_path: Path) -> None:
    terms = attrs.evolve(TERMS, levels=(Level(0, (1, 2), 0, 1.0), Level(0, (5, 10), 0, 1.0)))
    config = contest_config(2, terms, pause_s=25.0)
    async with room_of(room_config(tmp_path, config)) as room:
        guests = await room.seated("Ann", "Bob")
        blinds = []
        async with trio.open_nursery() as playing:
            playing.start_soon(guests[1].play_hands, 1 << 30)
            for _ in range(5):
                await guests[0].play_hands(1)
                blinds.append(guests[0].game().big_blind)
            playing.cancel_scope.cancel()

        assert blinds == [2, 2, 2, 10, 10]


async def test_two_who_are_out_in_one_hand_are_placed_by_what_they_began_it_with(tmp_path: Path) -> None:
    terms = SitAndGo(100, (Level(1000, (1, 2)),), (0.5, 0.3, 0.2))
    async with room_of(room_config(tmp_path, contest_config(4, terms))) as room:
        for _ in range(8):
            guests = await room.seated("Ann", "Bob", "Eve", "Joe")
            await play_each(guests, act=all_in)
            for guest in guests:
                await guest.leave()
            while room.room.door.connections:
                await trio.lowlevel.checkpoint()
        shared = 0
        for past in SitAndGos(room.room.ledger).last("a", 99):
            places = [each.place for each in past.entrants]
            prizes = dict.fromkeys(places, 0)
            for each in past.entrants:
                prizes[each.place] += each.prize or 0
            shared += len(prizes) < 4
            by_place = [100, 60, 40, 0]
            for place in prizes:
                assert place is not None
                sharing = places.count(place)
                assert prizes[place] == sum(by_place[place - 1 : place - 1 + sharing])
        assert shared  # all four begin with the same, so those who lose the first hand share
        assert room.room.ledger.check().is_balanced


async def test_unequal_stacks_decide_between_two_who_are_out_together(tmp_path: Path) -> None:
    config = contest_config()
    async with room_of(room_config(tmp_path, config)) as room:
        await room.seated("Ann", "Bob", "Eve")
        contest = room.room.tables["a"].company.contest
        assert contest is not None
        while not contest.is_on:
            await trio.lowlevel.checkpoint()
        for place, stack in zip(room.room.tables["a"].places, (120, 80, 100), strict=True):
            assert place is not None
            place.stack = stack

        outs = contest.lost_all({0: 180, 1: -80, 2: -100})

        assert [(out.seat, out.place, out.prize) for out in outs] == [(1, 3, 0), (2, 2, 45), (0, 1, 105)]
        for place in room.room.tables["a"].places:
            assert place is not None
            place.stack = 100
        assert [(out.place, out.prize) for out in contest.lost_all({0: -100, 1: -100, 2: 200})] == [
            (2, 23), (2, 22), (1, 105),
        ]  # fmt: skip


async def test_before_it_begins_the_buy_in_goes_back_and_nobody_joins_later(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, contest_config())) as room:
        ann, bob = await room.seated("Ann", "Bob")
        assert room.chips_of("Ann") == 950
        await ann.say("#sit-out", "#top-up 7", "#leave")
        assert await ann.until("#lobby") == "#lobby you have left the table"
        assert "#refused sit-out: not in a sit-and-go" in ann.lines
        assert "#refused top-up: not in a sit-and-go" in ann.lines
        assert room.chips_of("Ann") == 1000
        await ann.say("#join a 60", "#join a 50")
        assert await ann.until("#refused") == "#refused a seat costs 50 chips, not 60"
        await ann.until("#seated a 0 100")
        eve = await room.sit_down(words="name=Eve")
        await eve.until("MATCHSTATE")
        late = await room.enter("name=Late")
        await late.say("#join a", "#join any", "#list")

        assert await late.until("#refused") == (
            "#refused a sit-and-go is being played at a: come when it is over"
        )
        assert await late.until("#refused") == "#refused all seats of all tables are taken"
        assert await late.until("#table") == "#table a sit-and-go GAME 3/3 50-50"
        await play_each([ann, bob, eve], act=all_in)


async def test_a_player_who_leaves_is_out_and_the_last_one_wins(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, contest_config())) as room:
        ann, bob, eve = await room.seated("Ann", "Bob", "Eve")
        for guest in (ann, bob, eve):
            await guest.until("MATCHSTATE")
        await ann.leave()  # a guest who has gone does not come back
        contest = room.room.tables["a"].company.contest
        assert contest is not None

        def act(betting: str) -> str:
            return "f" if "r" in betting else "c"

        async with trio.open_nursery() as playing:
            playing.start_soon(bob.play_hands, 1 << 30, act)
            while not contest.out:
                await eve.play_hands(1, act)
            await eve.say("#leave")
            await eve.play_hands(1 << 30, act)

        assert eve.lines[-1] == "#lobby you have left the table: you are 2nd of 3 and win 45 chips"
        assert bob.lines[-1] == "#lobby you are 1st of 3 and win 105 chips"
        (past,) = SitAndGos(room.room.ledger).last("a", 9)
        assert past.entrants == (Ranked("Bob", 1, 105), Ranked("Eve", 2, 45), Ranked("Ann", 3, 0))


async def test_the_table_waits_for_a_player_who_has_gone_but_not_for_ever(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    config = room_config(tmp_path, contest_config(2, keep_seat_s=60.0))
    words = account(config)
    async with room_of(config) as room:
        ann = await room.sit_down(words=words)
        (bob,) = await room.seated("Bob")
        room.start_soon(bob.play_hands, 1 << 30)
        contest = room.room.tables["a"].company.contest
        assert contest is not None
        await ann.play_hands(1)
        await ann.leave()
        await trio.sleep(40)
        assert contest.hands <= 2  # the one that was on is over; no other is dealt
        ann = await room.sit_down(words=words)
        assert contest.is_on
        await ann.play_hands(2)
        await ann.leave()
        await trio.sleep(15)
        assert contest.is_on
        await trio.sleep(30)  # 40 + 15 + 30 s is more than the seat is kept

        assert not contest.is_on
        assert bob.lines[-1] == "#lobby you are 1st of 2 and win 70 chips"
        assert room.chips_of("Ann") == 480


@pytest.mark.parametrize("is_killed", [False, True])
async def test_one_that_cannot_go_on_is_called_off(tmp_path: Path, is_killed: bool) -> None:
    config = room_config(tmp_path, contest_config())
    everybody = [account(config, name) for name in ("Ann", "Bob", "Eve")]
    copy = tmp_path / "copy"
    async with room_of(config) as room:
        guests = [await room.sit_down(words=words) for words in everybody]
        await room.play(guests, 1)
        table = room.room.tables["a"]
        stacks = {place.player.name: place.stack for place in table.places if place is not None}
        if is_killed:
            copy.mkdir()
            for file in (tmp_path / "room").glob("ledger.db*"):
                (copy / file.name).write_bytes(file.read_bytes())
    if is_killed:
        async with room_of(attrs.evolve(config, data=copy)):
            pass
    with Ledger(copy if is_killed else config.data, read_only=True) as ledger:
        (past,) = SitAndGos(ledger).last("a", 9)
        check = ledger.check()
        assert (check.is_balanced, check.accounts, check.tables) == (True, 1500, 0)
        assert past.is_called_off
        if is_killed:
            shares = dict(zip(stacks, whole_shares(150, [*stacks.values()]), strict=True))
            assert {each.name: each.prize for each in past.entrants} == shares
        assert past.entrants[0].place == 1
        assert sum(each.prize or 0 for each in past.entrants) == 150


async def test_a_seat_that_was_paid_for_is_kept_through_a_restart(tmp_path: Path) -> None:
    config = room_config(tmp_path, contest_config())
    words = account(config)
    with Ledger(config.data) as ledger:
        ann = ledger.player("Ann")
        assert ann is not None
        ledger.open_table("a")
        ledger.sit_down("a", 1, ann, 50)
    async with room_of(config) as room:
        guest = await room.sit_down(words=words)
        assert guest.lines[-1] == "#seated a 1 100"
        assert room.chips_of("Ann") == 450
