"""A person as an agent, and at a seat for ``telnet`` and ``nc``: asked, answered, informed."""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import attrs
import pytest
import trio
import trio.testing

from clients.bots.baselines import AlwaysCall, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.program import ProgramError, TableAddress, join_table
from clients.core.session import DealerGone, play
from clients.human.agent import Human
from clients.human.keyboard_lines import Key, LineAssembler, TelnetDecoder
from clients.human.odds import NOT_AVAILABLE, describe_odds
from clients.human.shell import Ending, sit_down
from clients.human.style import DISPLAYS, PLAIN, Style
from clients.human.telnet import TelnetDesk, open_telnet_port, read_listen_address
from clients.lab.testing import Scripted
from engine.poker.cards import parse_cards
from engine.poker.rules import HandView, initial_betting, load_game, parse_betting
from server.table.config import TimeLimits
from tests.support.dealer_process import run_to_end
from tests.support.people import Nc
from tests.support.tables import Table, always, folding_config, table_of
from tests.support.terminal.person import ScreenText, Watched, type_match

# --- A person as an agent -----------------------------------------------------------------------------------

LIMIT = load_game("limit-2p")

WORDS = [
    "c", "c", "c", "c", "f", "k", "r", "r 300", "r +200", "r pot", "r half", "all in", "?", "history", "last",
    "table", "", "check", "fold", "nonsense", "r 1", "r -5", "quit me", "odds",
]  # fmt: skip


def random_bytes(rng: random.Random) -> bytes:
    """One line of what people, cats and port scanners type, its end included."""
    kind = rng.randrange(12)
    if kind < 6:
        line = rng.choice(WORDS).encode()
    elif kind == 6:
        line = rng.randbytes(rng.randrange(40)).replace(b"\n", b"").replace(b"\r", b"")
    elif kind == 7:
        line = b"\x1b[" + rng.choice([b"A", b"31m", b"2J", b"6n"]) + rng.choice([b"", b"c"])
    elif kind == 8:
        line = rng.choice([b"c", b"r 9", b"\xff"]) * rng.randrange(2000)
    elif kind == 9:
        line = b"".join(
            bytes([255, rng.choice([251, 252, 253, 254]), rng.randrange(256)])
            for _ in range(rng.randrange(5))
        )
        line += rng.choice([b"", b"\xff\xf4", b"\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0", b"c"])
    elif kind == 10:
        line = f"r {rng.choice(['', '+', 'to '])}{rng.randrange(40000)}".encode()
    else:
        line = "ça vä ♥ ٣".encode()[: rng.randrange(16)]
    return line + rng.choice([b"\n", b"\r\n", b"\r\0"])


def random_lines(seed: int, count: int) -> Callable[[Human], Iterator[str]]:
    """A number of random lines, as they come out of a telnet connection, less those that would leave."""

    def lines(human: Human) -> Iterator[str]:
        rng, telnet, assembler = random.Random(seed), TelnetDecoder(), LineAssembler()
        made = 0
        while made < count:
            for item in assembler.feed(telnet.feed(random_bytes(rng))):
                made += 1
                if not isinstance(item, Key):
                    yield item

    return lines


@pytest.mark.parametrize(
    ("name", "seed"), [("limit-2p", 1), ("nolimit-3p", 2), ("leduc", 3), ("nolimit-2p", 4)]
)
@pytest.mark.slow
async def test_ten_thousand_random_lines_never_do_anything_illegal(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2500 lines a game: no crash, no illegal action, and the hands a bot would have played."""
    monkeypatch.setattr("clients.human.agent.describe_odds", lambda view, style: ["(odds)"])
    game = load_game(name)

    def opponents() -> list[Agent]:
        return [Random(0.1, 0.6, 0.3) for _ in range(game.num_players - 1)]

    sitting = await type_match(game, opponents(), 10**6, seed, random_lines(seed, 2500))

    assert len(sitting.human.actions) > 300  # `type_match` checks that each was legal
    assert sitting.human.screen.written.replace("\n", "").isprintable()
    replayed: list[str] = []
    bot = Arena(game, [Scripted(sitting.human.actions), *opponents()], seed)
    bot.play(len(sitting.log), record=replayed.append)
    assert replayed == sitting.log


# --- in turn and out of turn -------------------------------------------------------------------------------


async def test_a_pasted_heap_plays_one_decision() -> None:
    screen = ScreenText()
    human = Watched(screen)
    arena = Arena(LIMIT, [human, AlwaysCall()], 1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(arena.play_async, 3)
        await trio.testing.wait_all_tasks_blocked()
        for line in ("what?", "c", "c", "r", "nonsense", "f"):
            human.hear(line)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert len(human.actions) == 1
    assert "It is not your turn: what you typed is not played." in screen.text
    assert "(4 lines typed before your turn were not played.)" in screen.text


async def test_who_speaks_out_of_turn_is_told_whose_turn_it_is() -> None:
    screen = ScreenText()
    human = Human(screen)
    human.game, human.seat, human.names = LIMIT, 0, ("Ann", "Bob")
    human.match_started(LIMIT, 0)
    view = HandView(initial_betting(LIMIT), 0, 0, ((0, 1), ()), ())  # position 1 opens
    assert view.betting.position_to_act == 1
    human.hand_started(view)
    human.hear("c")
    assert "It is not your turn but Bob's: what you typed is not played." in screen.text


async def test_questions_are_answered_at_any_time() -> None:
    human = Human(ScreenText())

    for line in ("?", "table", "history", "last", "odds", "", "r 300", "huh", "c"):
        human.hear(line)

    assert isinstance(human._screen, ScreenText)
    assert human._screen.text.splitlines()[-6:] == [
        "No hand has been dealt yet.", "No hand has been dealt yet.", "There is no hand before this one.",
        "No hand has been dealt yet.", "No hand has been dealt yet.",
        "It is not your turn: what you typed is not played.",
    ]  # fmt: skip


# --- clocks, and dealers that go on or away ----------------------------------------------------------------


async def sit_at(table: Table, human: Watched, seat: int = 0) -> int:
    async with await trio.open_tcp_stream("127.0.0.1", table.server.ports[seat]) as stream:
        return await play(human, stream)


async def test_the_clock_is_shown_and_its_end_is_announced(autojump_clock: trio.testing.MockClock) -> None:
    """Nobody types anything: warned ten seconds before the end, informed that it was too late."""
    screen = ScreenText()
    async with table_of(folding_config("limit-2p", 1, response=40.0)) as table:
        other = await table.join(1)
        table.start_soon(other.play, always(LIMIT, "r"))
        table.start_soon(sit_at, table, Watched(screen))
        await table.outcome()

    assert "[40 s] > \nHurry: 10 s left, then the dealer acts for you.\n[10 s] > " in screen.text
    assert "Too late: the dealer has acted for you.\nYou fold.\n" in screen.text


async def test_a_table_without_a_clock_shows_none(autojump_clock: trio.testing.MockClock) -> None:
    screen = ScreenText()
    human = Watched(screen)
    limits = TimeLimits(response=1e9, hand=1e9, per_hand=1e9)
    async with table_of(folding_config("limit-2p", 1, limits=limits)) as table:
        other = await table.join(1)
        table.start_soon(other.play, always(LIMIT, "c"))
        table.start_soon(sit_at, table, human)
        await human.has_question.wait()

    assert screen.text.endswith("\n> ")


async def test_a_dealer_that_leaves_ends_the_question() -> None:
    screen = ScreenText()
    human = Watched(screen)
    errors: list[DealerGone] = []

    async def sit(table: Table) -> None:
        try:
            await sit_at(table, human)
        except DealerGone as error:
            errors.append(error)

    async with trio.open_nursery() as nursery, table_of(folding_config("limit-2p", 1)) as table:
        other = await table.join(1)
        table.start_soon(other.play, always(LIMIT, "c"))
        nursery.start_soon(sit, table)
        await human.has_question.wait()
        # the table goes first

    assert "in the middle of hand 0" in str(errors[0])


# --- odds ------------------------------------------------------------------------------------------------


def flop_view(betting: str = "cc/r", board: str = "QhJs2c") -> HandView:
    node = parse_betting(LIMIT, betting)
    return HandView(node, 1, 0, ((), parse_cards("AdQc")), parse_cards(board))


def test_odds_are_the_engines() -> None:
    from engine.hands.hand_strength import hand_potential, hand_strength

    text = "\n".join(describe_odds(flop_view(), PLAIN))

    cards, board = parse_cards("AdQc"), parse_cards("QhJs2c")
    strength, potential = hand_strength(cards, board), hand_potential(cards, board)
    assert f"hand strength   {strength.value:6.1%}" in text
    assert f"potential       {potential.positive:6.1%}" in text
    assert "pot odds         25.0%   calling 10 to win 30" in text


def test_odds_have_less_to_say_without_a_board_and_more_on_the_river() -> None:
    preflop = "\n".join(describe_odds(flop_view("", ""), PLAIN))
    river = "\n".join(describe_odds(flop_view("cc/cc/cc/", "QhJs2c3d4s"), PLAIN))

    assert "hand strength" not in preflop
    assert "at the showdown" in preflop
    assert "potential" not in river
    assert "there is nothing to call" in river


async def test_odds_come_while_the_question_stays_open() -> None:
    screen = ScreenText()
    human = Watched(screen)
    arena = Arena(LIMIT, [human, AlwaysCall()], 1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(human.work_out_odds)
        nursery.start_soon(arena.play_async, 1)
        await human.has_question.wait()
        human.hear("odds")
        human.hear("odds")
        while screen.text.count("Odds of") < 2:  # noqa: ASYNC110 - a person, too, looks at the screen
            await trio.sleep(0.01)
        nursery.cancel_scope.cancel()

    assert screen.text.endswith("> ")


def test_other_games_have_no_odds() -> None:
    node = parse_betting(load_game("leduc"), "")

    assert describe_odds(HandView(node, 0, 0, (parse_cards("Kh"), ()), ()), PLAIN) == [NOT_AVAILABLE]


def test_a_table_opens_without_numpy() -> None:
    """Everything a table needs, in a fresh interpreter; the odds come later."""
    code = "import sys, clients.human.program; print(sorted({'numpy', 'numba', 'rich'} & set(sys.modules)))"
    done = run_to_end([sys.executable, "-c", code], check=True)

    assert done.stdout == "[]\n"


# --- A seat for `telnet` and `nc` ---------------------------------------------------------------------------

NO_CLOCK = TimeLimits(response=1e9, hand=1e9, per_hand=1e9)


@attrs.define(eq=False)
class Desk:
    """A served seat."""

    port: int
    human: Human
    reports: list[str] = attrs.Factory(list)
    endings: list[Ending] = attrs.Factory(list)
    _connected: list[Nc] = attrs.Factory(list)

    async def connect(self) -> Nc:
        """Somebody connects."""
        nc = Nc(await trio.open_tcp_stream("127.0.0.1", self.port))
        self._connected.append(nc)
        return nc

    def close(self) -> None:
        """Close all connections of the other side."""
        for nc in self._connected:
            nc.stream.socket.close()


@asynccontextmanager
async def desk_at_table(hands: int = 3, style: Style = PLAIN, opponent: str = "c") -> AsyncIterator[Desk]:
    """A table with a program of one action in seat 1, and seat 0 offered by telnet."""
    async with table_of(folding_config("limit-2p", hands, limits=NO_CLOCK)) as table:
        reports: list[str] = []
        telnet = TelnetDesk(style, reports.append)
        human = Human(telnet, hands)
        listeners = await open_telnet_port("127.0.0.1", 0)
        desk = Desk(listeners[0].socket.getsockname()[1], human, reports)

        async def serve() -> None:
            async def join() -> int:
                await telnet.first_person.wait()
                return await join_table(human, TableAddress("127.0.0.1", table.server.ports[0]), human.say)

            listen = functools.partial(telnet.listen, human, listeners)
            try:
                desk.endings.append(await sit_down(human, join, listen))
                human.say(desk.endings[0].text)
            finally:
                await telnet.finish()
                listeners[0].socket.close()

        other = await table.join(1)
        table.start_soon(other.play, always(LIMIT, opponent))
        table.start_soon(serve)
        try:
            yield desk
        finally:
            desk.close()


async def test_a_hand_through_nc() -> None:
    async with desk_at_table(hands=1) as desk:
        nc = await desk.connect()
        for count in range(1, 5):
            await nc.until("\n> ", count)
            await nc.send(b"c\n")
        text = await nc.rest()

    assert text.startswith("Welcome to Riverboat.\nYou are in seat 1 of 2.")
    assert text.endswith("after 1 hand.\nThe dealer has closed the table.\n")
    assert text.isascii()
    assert desk.endings[0].is_played_out


async def test_nobody_is_sent_telnet_commands_unasked() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")

        assert "�" not in nc.text
        await nc.send(b"\xff\xfb\x1f\xff\xfa\x1f\x00\x28\x00\x18\xff\xf0?\r\n")
        await nc.until("leave the match")
        assert "��\x1f" in nc.text  # DO NAWS
        assert desk.human._screen.style.width == 38


async def test_a_second_person_is_told_that_the_seat_is_taken() -> None:
    async with desk_at_table() as desk:
        first, second = await desk.connect(), await desk.connect()

        assert await second.rest() == "This seat is taken. Try again later.\n"
        await first.until("> ")


async def test_a_person_who_comes_back_sees_where_things_stand() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")
        await nc.send(b"r\n")
        await nc.until("> ", 2)
        await nc.stream.aclose()
        await trio.sleep(0.05)

        back = await desk.connect()
        await back.until("> ")

        assert desk.reports == ["the connection has ended; the seat waits for its player on the same port"]
        assert "Welcome back to Riverboat." in back.text
        assert "You raise to 20 (10 more); p1 calls 10." in back.text
        assert back.text.endswith("c check  |  r bet 10\n> ")
        await back.send(b"c\n")
        await back.until("Turn")


async def test_a_connection_that_is_reset_keeps_the_seat() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")
        await nc.send(b"f")
        nc.stream.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # SO_LINGER of 0 s: closing resets
        await nc.stream.aclose()
        await trio.sleep(0.05)

        back = await desk.connect()
        await back.until("> ")


async def test_keys_that_end_programs_do_not_lose_the_seat() -> None:
    async with desk_at_table() as desk:
        nc = await desk.connect()
        await nc.until("> ")
        await nc.send(b"\xff\xf4\xff\xfd\x06\x04")
        await nc.until('Ctrl-D does nothing here; "quit" leaves the match.\n> ')

        assert "Ctrl-C does nothing here" in nc.text
        await nc.send(b"quit\n")
        assert (await nc.rest()).endswith("You leave the table.\n")
    assert desk.endings[0].status == 0


async def test_symbols_are_sent_where_somebody_said_so() -> None:
    async with desk_at_table(style=DISPLAYS["symbols"]) as desk:
        nc = await desk.connect()
        await nc.until("> ")

    assert any(symbol in nc.text for symbol in "♣♦♥♠")


@pytest.mark.parametrize("seed", [1, 2])
async def test_random_bytes_never_break_the_connection(seed: int) -> None:
    """2000 lines in chunks of any size; at the end the same hand is still on, and can be played."""
    rng = random.Random(seed)
    data = b"".join(random_bytes(rng) for _ in range(2000)).replace(b"odds", b"????")

    async with desk_at_table(hands=10**6) as desk:
        nc = await desk.connect()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(nc.rest)
            while data:
                size = rng.choice([1, 7, 100, 5000])
                await nc.send(data[:size])
                data = data[size:]
                if rng.random() < 0.1:
                    await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
        await nc.send(b"\xff\xf0\r\ntable\nhistory\n")
        nc.text = ""
        await nc.until("Posted")
        assert not desk.endings


def test_addresses_to_listen_on() -> None:
    assert read_listen_address("4000") == ("127.0.0.1", 4000)
    assert read_listen_address("0.0.0.0:4000") == ("0.0.0.0", 4000)
    assert read_listen_address("[::1]:0") == ("::1", 0)
    for text in ("", "http", "1.2.3.4", "x:99999"):
        with pytest.raises(ProgramError, match=r"expected \[HOST:\]PORT"):
            read_listen_address(text)


async def test_a_port_that_is_taken_is_an_error_in_words() -> None:
    listeners = await open_telnet_port("127.0.0.1", 0)
    port = listeners[0].socket.getsockname()[1]

    with pytest.raises(ProgramError, match=f"cannot listen on 127.0.0.1 port {port}: Address already in use"):
        await open_telnet_port("127.0.0.1", port)
    await listeners[0].aclose()
