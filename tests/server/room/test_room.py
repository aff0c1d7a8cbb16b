"""A room with many tables behind one door: coming, playing, leaving, coming back."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from clients.bots.baselines import AlwaysCall, Random
from clients.core.guess import RoomSeat
from clients.core.program import ProgramError, TableAddress, join_table
from clients.core.session import Refusal
from engine.poker.rules import Rake, load_game
from protocol.records import HandReader, parse_hand
from server.room.config import Policy
from server.room.ledger.damage import LedgerError
from server.room.ledger.ledger import Ledger
from server.table.config import TimeLimits
from tests.support.rooms import OpenRoom, account, play_each, room_config, room_of, table_config
from tests.support.tables import VERSION


async def test_the_lobby_lists_tables_and_says_no_in_words(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, table_config("a"), table_config("b", "limit-2p"))) as room:
        guest = await room.enter("name=Ann")
        await guest.say(
            "#list", "#join c", "#join a 7", "#join a many", "#join", "#leave", "nonsense", "#list"
        )

        await guest.heard(
            "#table a ring nolimit-6p-100bb 0/6 40-400",
            "#table b ring limit-2p 0/2 40-400",
            "#tables 2",
            "#refused there is no table 'c'",
            "#refused bring 40 to 400 chips, not 7",
            "#refused expected a whole number of chips, got 'many'",
            "#refused expected #join TABLE, #join TABLE CHIPS, or either with seat=NUMBER",
            "#refused leave: you have no seat",
            "#table a ring nolimit-6p-100bb 0/6 40-400",
        )


@pytest.mark.parametrize(
    ("first", "answer"),
    [
        (b"hello\r\n", "# this port speaks the protocol of Riverboat's rooms; people: "),
        (b"GET / HTTP/1.1\r\n\r\n", "HTTP/1.0 400 Bad Request"),
        (
            b"\x16\x03\x01\x02\0\x01",
            "# this port speaks the protocol of Riverboat's rooms, without TLS; people: ",
        ),
    ],
)
async def test_who_speaks_something_else_is_told_what_is_spoken(
    first: bytes, answer: str, tmp_path: Path
) -> None:
    async with room_of(room_config(tmp_path)) as room:
        stranger = await room.connect()
        await stranger.stream.send_all(first)
        assert (await stranger.line() or "").startswith(answer)


async def test_people_come_play_and_take_their_chips_away(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path)) as room:
        ann = await room.sit_down(words="name=Ann", chips="100")
        assert ann.lines[-1] == "#seated a 0 100"
        bob = await room.sit_down(words="name=Bob", chips="300")
        await play_each([ann, bob], 5)
        await ann.say("#leave")
        async with trio.open_nursery() as playing:
            playing.start_soon(bob.play_hands, 2)
            await ann.play_hands(2)
            playing.cancel_scope.cancel()
        assert ann.lines[-1] == "#lobby you have left the table"

        won = room.won()
        assert room.chips_of("Ann") == 1000 + won["Ann"]
        assert won["Ann"] == -won["Bob"]
        await ann.say(f"#join a {100 + won['Ann']}")
        await ann.until(f"#seated a 0 {100 + won['Ann']}")
    with Ledger(tmp_path / "room", read_only=True) as ledger:
        check = ledger.check()
        assert (check.is_balanced, check.tables, check.accounts) == (True, 0, 0)  # guests leave nothing


async def test_before_a_hand_its_players_are_told_who_plays_for_what(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path)) as room:
        ann = await room.sit_down(words="name=Ann", chips="100")
        bob = await room.sit_down(words="name=Bob", chips="300")
        await ann.until("MATCHSTATE")
        await bob.until("MATCHSTATE")

        number = int(ann.lines[-1].split(":")[2])
        for guest, name, stack in ((ann, "Ann", "100"), (bob, "Bob", "300")):
            position = int(guest.lines[-1].split(":")[1])
            assert guest.notes["names"].split("|")[int(guest.notes["seat"])] == name
            assert guest.notes["stacks"].split("|")[position] == stack
            assert (int(guest.notes["seat"]) - number) % 2 == position
            assert len(guest.notes["commit"]) == 64
        assert ann.notes["commit"] == bob.notes["commit"]


async def test_a_seat_is_kept_for_a_name_with_a_token_and_given_back(tmp_path: Path) -> None:
    limits = TimeLimits(60.0, 600.0, 1e6, grace=60.0)
    config = room_config(tmp_path, table_config(limits=limits))
    words = account(config)
    async with room_of(config) as room:
        ann = await room.sit_down(words=words, chips="100")
        bob = await room.sit_down(words="name=Bob", chips="100")
        await ann.until("MATCHSTATE")
        state = ann.lines[-1]
        await ann.leave()
        ann = await room.sit_down(words=words.replace("Ann", "ann"))
        assert ann.lines[-1] == "#seated a 0 100"
        assert await ann.until("MATCHSTATE") == state  # the same hand, with the same cards
        await play_each([ann, bob], 3)
    async with room_of(config) as room:  # it has closed in good order: the chips are in the account
        assert room.chips_of("Ann") == 500 + room.won()["Ann"]


async def test_two_seats_of_a_table_are_never_one_players(tmp_path: Path) -> None:
    config = room_config(tmp_path)
    words = account(config)
    async with room_of(config) as room:
        first = await room.sit_down(words=words, chips="100")
        second = await room.sit_down(words=words, chips="200")

        assert second.lines[-1] == "#seated a 0 100"
        assert await first.line() == "#lobby you play in another window now"
        assert await first.line() is None
        assert [place is not None for place in room.room.tables["a"].places] == [True] + [False] * 5


async def test_a_player_who_has_lost_everything_brings_more_until_the_account_is_empty(
    tmp_path: Path,
) -> None:
    async with room_of(room_config(tmp_path, table_config(game="nolimit-2p-100bb"))) as room:
        ann = await room.sit_down(words="name=Ann", chips="400")
        bob = await room.sit_down(words="name=Bob", chips="400")

        def all_in(betting: str) -> str:
            return "c" if "r" in betting else "r400"

        async with trio.open_nursery() as playing:

            async def until_broke(guest: object, other: object) -> None:
                await guest.play_hands(1000, all_in)  # type: ignore[attr-defined]
                await other.say("#leave")  # type: ignore[attr-defined]
                playing.cancel_scope.cancel()

            playing.start_soon(until_broke, ann, bob)
            playing.start_soon(until_broke, bob, ann)
        check = room.room.ledger.check()
        assert check.is_balanced
        assert check.accounts + check.tables == 2000


async def test_the_rake_is_booked(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, table_config(rake=Rake(10, 5)))) as room:
        guests = await room.seated("Ann", "Bob")
        await play_each(guests, 10, lambda betting: "c" if betting else "r10")

        hands = [hand.line.split(":") for hand in room.room.ledger.hands_from("a", 0)]
        raked = sum("/" in betting and chips != "0|0" for _, _, betting, _, chips, _ in hands)
        assert raked > 0
        assert room.room.ledger.check().rake == raked * 2  # a tenth of 20, of whoever has won something


async def test_a_plain_client_plays_at_the_tables_own_port(tmp_path: Path) -> None:
    game = load_game("limit-2p")
    config = room_config(tmp_path, table_config("a", "limit-2p", port=0, least=400, most=4000))
    async with room_of(config) as room, trio.open_nursery() as playing:
        plain = TableAddress("127.0.0.1", room.addresses.table_ports["a"], game=game, extension=False)
        known = TableAddress("127.0.0.1", room.addresses.port, room=RoomSeat("a", "Bob"))
        playing.start_soon(join_table, AlwaysCall(), plain, print)
        playing.start_soon(join_table, Random(), known, print)
        await room.have_played(20)
        playing.cancel_scope.cancel()


async def test_a_plain_client_is_not_dealt_a_hand_that_its_game_file_does_not_tell(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, table_config("a", "nolimit-2p-100bb", port=0))) as room:
        plain = await room.connect(room.addresses.table_ports["a"])
        await plain.say(VERSION)
        ann = await room.sit_down(chips="300")
        with trio.move_on_after(0.3):
            await ann.until("MATCHSTATE")
            raise AssertionError("a hand was dealt")
        assert plain.lines == []


async def test_a_match_table_begins_every_hand_with_the_games_stacks(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, table_config("a", "leduc", policy=Policy.MATCH))) as room:
        ann, bob = await room.seated("Ann", "Bob")
        async with trio.open_nursery() as playing:
            playing.start_soon(ann.play_hands, 20, lambda betting: "r")
            playing.start_soon(bob.play_hands, 20)

        won = room.won()
        assert won["Ann"] == -won["Bob"]
        assert room.room.ledger.check().tables == 0


async def test_the_log_says_what_the_ledger_says_and_replays_to_the_same_chips(tmp_path: Path) -> None:
    from engine.poker.rules import parse_game
    from server.table.rules.chips import whole_chips

    async with room_of(room_config(tmp_path)) as room:
        for number in range(3):
            guest = await room.sit_down(words=f"name=P{number}", chips="150")
            room.start_soon(guest.play_hands, 1000, lambda betting: "r20" if betting == "" else "c")
        await room.have_played(15)
        hands = list(room.room.ledger.hands_from("a", 0))
    log = (tmp_path / "room" / "tables" / "a.log").read_text()

    assert len(hands) >= 15
    for hand in hands:
        game = parse_game(hand.game.replace(";", "\n"))
        record, state = HandReader(game).read(hand.line)
        assert record.chips == whole_chips(state.chips_won())
        assert hand.line in log
    numbers = [int(line.split(":")[1]) for line in log.splitlines() if parse_hand(line)]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= len(hands)
    assert (tmp_path / "room" / "tables" / "a.log").stat().st_mode & 0o077 == 0


async def test_a_player_who_does_not_answer_costs_nobody_else_time(
    virtual_clock: MockClock, tmp_path: Path
) -> None:
    async with room_of(room_config(tmp_path)) as room:
        silent = await room.sit_down(words="name=Silent")
        ann, bob = await room.seated("Ann", "Bob")
        await room.play([ann, bob], 30)

        assert trio.current_time() < 60  # a late answer or two, of 10 s each
        assert silent.lines


async def test_a_seat_that_nobody_comes_back_to_is_given_up(virtual_clock: MockClock, tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config(keep_seat_s=60.0))
    words = account(config)
    async with room_of(config) as room:
        ann = await room.sit_down(words=words, chips="100")
        await ann.leave()
        await trio.sleep(59)
        assert room.room.tables["a"].places[0] is not None
        await trio.sleep(2)
        assert room.room.tables["a"].places[0] is None
        assert room.chips_of("Ann") == 500


async def test_a_guest_who_has_gone_is_missed_whatever_they_have_said(tmp_path: Path) -> None:
    """An answer out of turn waits for the turn; the end of the stream behind it does not."""
    async with room_of(room_config(tmp_path)) as room:
        guest = await room.sit_down(words="name=Ann")
        await guest.say("MATCHSTATE:0:0::|AsKs:c")
        await guest.stream.send_eof()

        while await guest.line() is not None:
            pass
        while room.room.tables["a"].places[0] is not None:
            await trio.lowlevel.checkpoint()


async def test_our_bots_play_and_stand_up_when_the_room_closes(tmp_path: Path) -> None:
    hands: list[int] = []
    config = room_config(tmp_path, guest_chips=10**9)

    async def play(room: OpenRoom, name: str) -> None:
        seat = TableAddress("127.0.0.1", room.addresses.port, room=RoomSeat("any", name))
        hands.append(await join_table(Random(), seat, print))

    async with trio.open_nursery() as nursery, room_of(config) as room:
        for name in ("Ann", "Bob", "Eve"):
            nursery.start_soon(play, room, name)
        await room.have_played(50)

    assert len(hands) == 3
    assert sum(hands) >= 50


async def test_our_bots_say_why_they_were_refused(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path)) as room:
        for seat, why in (
            (RoomSeat("nowhere"), "the room refused: there is no table 'nowhere'"),
            (RoomSeat("a", chips=7), "the room refused: bring 40 to 400 chips, not 7"),
        ):
            with pytest.raises(Refusal, match=why):
                await join_table(Random(), TableAddress("127.0.0.1", room.addresses.port, room=seat), print)


@pytest.mark.parametrize("error", [TypeError("None"), LedgerError("the ledger is damaged: page 3")])
async def test_a_fault_of_ours_ends_one_table_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception
) -> None:
    def ask(*_: object, **__: object) -> None:
        raise error

    config = room_config(tmp_path, table_config("a"), table_config("b"))
    words = account(config)
    async with room_of(config) as room:
        ann = await room.sit_down("a", words=words, chips="100")
        bob = await room.sit_down("a")
        others = [await room.sit_down("b") for _ in range(2)]
        table = room.room.tables["a"]
        await ann.until("MATCHSTATE")
        monkeypatch.setattr(table._table.asking, "ask", ask)
        async with trio.open_nursery() as playing:
            playing.start_soon(ann.play_hands, 1)
            playing.start_soon(bob.play_hands, 1)
            for other in others:
                playing.start_soon(other.play_hands, 10)

        assert room.room.faults == 1
        said = room.console.stderr
        assert ("Traceback" in said) is isinstance(error, TypeError)
        assert f"{error}" in said
        room.room.faults = 0
        while room.room.tables.get("a") in (None, table):
            await trio.lowlevel.checkpoint()
        ann = await room.sit_down("a", words=words)
        assert ann.lines[-1] == "#seated a 0 100"  # the hand was not finished: it never was


def test_addresses_of_rooms() -> None:
    from clients.core.program import read_address

    assert read_address(["127.0.0.1", "4000"]) == ("127.0.0.1", 4000, None)
    assert read_address(["127.0.0.1:4000"]) == ("127.0.0.1", 4000, "any")
    assert read_address(["[::1]:4000/limit-6p"]) == ("::1", 4000, "limit-6p")
    for wrong in (["127.0.0.1"], ["127.0.0.1:x/a"], [":4000/a"], ["h:1/a b"], ["a", "1", "2"]):
        with pytest.raises(ProgramError, match="expected"):
            read_address(wrong)


async def test_a_player_who_was_late_and_lost_the_seat_is_listened_to_in_the_lobby(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    limits = TimeLimits(1.0, 600.0, 1e6, grace=0.0)
    async with room_of(room_config(tmp_path, table_config(limits=limits, keep_seat_s=1.0))) as room:
        ann = await room.sit_down(words="name=Ann")
        room.start_soon(ann.play_hands, 1 << 30)
        for _ in range(6):  # two tasks want to read in the same moment, in either order
            late = await room.sit_down(words="name=Bob")
            await late.until("#lobby")
            await late.say("#list")
            await late.until("#tables 1")
            await late.leave()
        assert "Traceback" not in room.console.stderr
