"""No card shown early, no chip made or lost, whatever anybody says."""

from __future__ import annotations

import contextlib
import random
import socket
from pathlib import Path
from unittest.mock import Mock

import pytest
import trio

from engine.poker.cards import format_cards
from engine.poker.rules import parse_game
from protocol import DealerConnection
from protocol.records import HandReader
from server.room.ledger.ledger import HandEntry
from server.room.tables.spectating import Shown
from server.support.talk import beside
from server.table.channel import Channel, ChannelBroken
from server.table.seat import Client
from tests.support.rooms import Guest, OpenRoom, account, room_config, room_of, table_config
from tests.support.tables import VERSION, split_state


def assert_no_card_came_early(lines: list[str], name: str, hands: dict[int, HandEntry]) -> int:
    """What a player was shown of others' cards, by the ledger's account of each hand; returns the states."""
    seen = 0
    for line in lines:
        if line.startswith("#"):
            continue
        position, number, betting, cards = split_state(line)
        if number not in hands:
            continue  # it was not finished
        entry = hands[number]
        record, final = HandReader(parse_game(entry.game.replace(";", "\n"))).read(entry.line)
        assert record.names[position] == name
        dealt = record.cards.split("/")[0].split("|")
        shown = cards.split("/")[0].split("|")
        is_end = betting == record.betting
        for other, text in enumerate(shown):
            if other == position or (
                is_end and final.betting.is_showdown and not final.betting.folded[other]
            ):
                assert text == dealt[other]
            else:
                assert text == ""
        boards = record.cards.split("/")[1:]
        assert cards.split("/")[1:] == boards[: betting.count("/")]
        seen += 1
    return seen


def assert_watchers_saw_public_cards(seen: list[Shown], hands: dict[int, HandEntry]) -> None:
    for shown in seen:
        entry = hands[shown.hand]
        record, final = HandReader(parse_game(entry.game.replace(";", "\n"))).read(entry.line)
        holes, *boards = record.cards.split("/")
        assert format_cards(shown.board) == "".join(boards[: shown.betting.betting_round])
        is_showdown = bool(shown.chips) and final.betting.is_showdown
        assert [format_cards(cards) for cards in shown.holes] == [
            dealt if is_showdown and not out else ""
            for dealt, out in zip(holes.split("|"), final.betting.folded, strict=True)
        ]
        assert sum(shown.chips) == 0


async def come_and_go(room: OpenRoom, name: str, seed: int, heard: list[Guest]) -> None:
    """Sit down, play wildly, stand up or just vanish, again and again."""
    dice = random.Random(seed)
    while True:
        guest = await room.enter(f"name={name}")
        heard.append(guest)
        await guest.say("#join a")
        await guest.play_hands(
            dice.randint(1, 6), lambda betting: dice.choice(["c", "c", "f", "r30", "r400"])
        )
        if dice.random() < 0.5:
            await guest.say("#leave", "#sit-out", "#join b")
        await guest.leave()


async def test_nobody_is_shown_a_card_early_whoever_comes_and_goes(tmp_path: Path) -> None:
    heard: list[list[Guest]] = [[] for _ in range(4)]
    seen: list[Shown] = []
    async with room_of(room_config(tmp_path, guest_chips=10**9)) as room:
        table = room.room.tables["a"]

        table.audience.listen(Mock(hear=seen.append))
        async with trio.open_nursery() as people:
            for number in range(4):
                people.start_soon(come_and_go, room, f"P{number}", number, heard[number])
            await room.have_played(25)
            people.cancel_scope.cancel()
        hands = {hand.number: hand for hand in room.room.ledger.hands_from("a", 0)}
        assert "Traceback" not in room.console.stderr
    states = 0
    for guests in heard:
        for guest in guests:
            name = next((line.split()[-1] for line in guest.lines if line.startswith("#names")), None)
            if name is not None:
                own = guest.notes["names"].split("|")[int(guest.notes["seat"])]
                states += assert_no_card_came_early(guest.lines, own, hands)
    assert states > 50
    assert len({shown.hand for shown in seen if shown.chips}) > 10
    assert_watchers_saw_public_cards([shown for shown in seen if shown.hand in hands], hands)


WORDS = [
    "#list", "#join a", "#join b", "#join a 100", "#join any", "#join a -5", "#join", "#leave", "#sit-out",
    "#sit-in", "#top-up 5", "#top-up 99999999999999999999", "#name=Bob", "#name=../../x", "#token=0",
    "#riverboat/1 lobby", "#riverboat/1 lobby name=Ann token=x", "# hm", "#", ";", "MATCHSTATE:0:0::AhAs|:c",
    "MATCHSTATE:1:1:r:|:f", "VERSION:2.0.0", "\0\xff", "x" * 5000, "#seated a 0 5", "#lobby", "#stacks 1|2",
]  # fmt: skip


async def flood(room: OpenRoom, lines: int, seed: int) -> list[str]:
    """Say a lot of nonsense; returns what was heard."""
    dice = random.Random(seed)
    heard: list[str] = []
    while lines > 0:
        guest = await room.connect()
        try:
            await guest.say(VERSION, "#riverboat/1 lobby seat names game stacks")
            for _ in range(10):
                batch = [
                    dice.choice(WORDS) if dice.random() < 0.9 else dice.randbytes(30).hex() for _ in range(30)
                ]
                await guest.say(*batch)
                lines -= len(batch)
        except trio.BrokenResourceError:
            pass  # the room has had enough of it
        with trio.move_on_after(1):
            while (line := await guest.line()) is not None:
                heard.append(line)
                if line.startswith("#refused"):
                    break
        await guest.leave()
    return heard


async def nonsense_is_said(tmp_path: Path, lines: int) -> None:
    config = room_config(
        tmp_path, table_config("a"), table_config("b"), requests_per_second=1e6, guest_chips=10**6
    )
    account(config, "Ann")
    async with room_of(config) as room:
        honest = [await room.sit_down("b", words=f"name=H{number}") for number in range(2)]
        async with trio.open_nursery() as people:
            for guest in honest:
                people.start_soon(guest.play_hands, 1 << 30)
            heard = await flood(room, lines, seed=1)
            before = room.room.tables["b"].hands_played
            await room.have_played(before + 3, "b")
            people.cancel_scope.cancel()
        assert "Traceback" not in room.console.stderr
        assert room.room.ledger.check().faults == ()
        assert room.chips_of("Ann") == 500
    assert any(line.startswith("#refused") for line in heard)


async def test_nonsense_in_the_lobby_harms_nobody(tmp_path: Path) -> None:
    await nonsense_is_said(tmp_path, 900)


@pytest.mark.slow
async def test_much_nonsense_harms_nobody(tmp_path: Path) -> None:
    """A hundred thousand lines are `tests.stress.room`'s."""
    await nonsense_is_said(tmp_path, 20_000)


async def test_a_client_that_goes_while_the_room_closes_breaks_nothing() -> None:
    """Its failure must not stand in a group with the room's cancellation, where nobody would look for it."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    client = Client(Channel(ours), DealerConnection(None))
    with (
        contextlib.closing(theirs),
        contextlib.closing(client.channel),
        trio.CancelScope() as closing,
        contextlib.suppress(ChannelBroken),
    ):
        async with beside(client.channel.keep_flushing):
            closing.cancel()
            theirs.close()
            while True:
                client.channel.send(b"hello")


async def come_from(address: str, port: int) -> trio.SocketStream:
    sock = trio.socket.socket()
    await sock.bind((address, 0))
    await sock.connect(("127.0.0.1", port))
    return trio.SocketStream(sock)


async def test_more_connections_than_are_allowed_are_closed_and_others_notice_nothing(tmp_path: Path) -> None:
    config = room_config(tmp_path, connections=30, connections_per_address=10)
    async with room_of(config) as room, contextlib.AsyncExitStack() as closing:
        ann, bob = await room.seated("Ann", "Bob")

        async def flood_from(address: str, number: int) -> int:
            """How many of so many connections are not closed at once."""
            streams = [
                await closing.enter_async_context(await come_from(address, room.addresses.port))
                for _ in range(number)
            ]
            kept = 0
            for stream in streams:
                try:
                    await stream.send_all(f"{VERSION}\r\n#riverboat/1 lobby\r\n".encode())
                    kept += bool(await stream.receive_some(1))
                except trio.BrokenResourceError:
                    pass
            return kept

        assert await flood_from("127.0.0.1", 40) == 8  # two play
        assert await flood_from("127.0.0.2", 40) == 10
        assert await flood_from("127.0.0.3", 40) == 10
        assert await flood_from("127.0.0.4", 40) == 0  # thirty are there
        await room.play([ann, bob], 3)
        told = [line for line in room.console.stderr.splitlines() if "turned away" in line]
        assert told[0].endswith("127.0.0.1 has 10 connections already (1 so far)")
        assert len(told) == 3  # the first, the tenth, the hundredth
