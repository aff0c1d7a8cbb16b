"""Everybody at one table: an ACPC client of old, a bot over TLS, people by telnet and in the browser."""

from __future__ import annotations

import contextlib
import functools
import json
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
import trio

import tests.support.acpc_player
from clients.bots.baselines import Random
from clients.core.guess import RoomSeat
from clients.core.program import TableAddress, Tls, join_table
from clients.core.session import SessionError
from engine.poker.rules import load_game, parse_game
from protocol.records import HandReader
from server.room.config import Certificate
from server.room.ledger.ledger import Ledger
from server.room.tls import self_signed
from tests.support.dealer_process import environment, program
from tests.support.people import telnet_person
from tests.support.rooms import room_config, standings_of, table_config
from tests.support.web import OpenPages, pages_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
HANDS = 200
FOUR_HANDED = Path(__file__).with_name("four.game")


@attrs.frozen
class Company:
    """Who comes to the table, and how."""

    pages: OpenPages
    certificate: Certificate

    @property
    def table(self) -> TableAddress:
        """For those who speak TLS."""
        addresses = self.pages.room.addresses
        tls = Tls(str(self.certificate.certificate))
        return TableAddress(addresses.host, addresses.port, tls=tls, room=RoomSeat("a"))

    async def acpc(self) -> None:
        port = str(self.pages.room.addresses.table_ports["a"])
        words = [sys.executable, tests.support.acpc_player.__file__, str(FOUR_HANDED), "127.0.0.1", port]
        await trio.run_process(words, check=False, capture_stdout=True, stderr=subprocess.DEVNULL)

    async def bot(self) -> None:
        table = attrs.evolve(self.table, room=RoomSeat("a", "bot"))
        await join_table(Random(5), table, lambda line: None)

    async def telnet(self) -> None:
        table = attrs.evolve(self.table, room=RoomSeat("a", "telnet"))
        async with telnet_person(table) as nc:
            prompt = 0
            while True:
                prompt += 1
                await nc.until("> ", prompt)
                await nc.type("r" if prompt % 7 == 0 else "f" if prompt % 11 == 0 else "c")

    async def browser(self) -> None:
        seat = await self.pages.browser(words="name=browser")
        await seat.play_hands(1 << 30)

    async def until(self, hands: int, who: str) -> None:
        """Play until so many hands are over at the table, then go, whatever the hand that is on."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._play, who)
            await self.pages.room.have_played(hands)
            nursery.cancel_scope.cancel()

    async def _play(self, who: str) -> None:
        with contextlib.suppress(SessionError):
            await getattr(self, who)()

    async def come_and_go(self, who: str, away: tuple[int, int]) -> None:
        """Play all hands but some."""
        await self.until(away[0], who)
        await self.pages.room.have_played(away[1])
        await self.until(HANDS, who)


async def test_four_kinds_of_players_at_one_table_come_and_go_and_the_chips_add_up(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path / "tls", "127.0.0.1")
    table = table_config(
        "a", load_game(str(FOUR_HANDED)), least=20_000, most=20_000, port=0, port_without_tls=True
    )
    config = room_config(tmp_path, table, tls=certificate, guest_chips=100_000)
    async with pages_of(config) as pages:
        company = Company(pages, certificate)
        async with trio.open_nursery() as nursery:
            absences = {"acpc": (60, 80), "bot": (90, 110), "telnet": (120, 140), "browser": (150, 170)}
            for who, away in absences.items():
                nursery.start_soon(functools.partial(company.come_and_go, who, away))
        hands = list(pages.room.room.ledger.hands_from("a", 0))
        played = {name: count for name, _, count, _ in standings_of(pages.room.room.ledger)}

    assert len(hands) >= HANDS
    assert len(played) >= 4
    assert all(count >= 50 for name, count in played.items() if name in ("bot", "telnet", "browser"))
    assert any(name.startswith("acpc") for name in played)
    for hand in hands:
        record, state = HandReader(parse_game(hand.game.replace(";", "\n"))).read(hand.line)
        assert sum(record.chips) == 0
        assert all(abs(won - said) < 1 for won, said in zip(state.chips_won(), record.chips, strict=True))
    with Ledger(config.data, read_only=True) as ledger:
        check = ledger.check()
    assert check.faults == ()
    assert (check.hands, check.tables, check.accounts) == (len(hands), 0, 0)  # guests leave nothing behind
    log = tmp_path / "room" / "tables" / "a.log"
    words = program("verify", str(log), "--json")
    done = await trio.run_process(words, env=environment(), capture_stdout=True, check=False)
    told = json.loads(done.stdout)
    assert (told["valid"], told["hands"]) == (True, len(hands))
