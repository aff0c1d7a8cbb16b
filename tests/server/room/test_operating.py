"""What an operator sees and does: files with mistakes, orders, certificates, logs that are checked."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path
from typing import Any, Final

import pytest
import trio
from click.testing import CliRunner

from clients.bots.baselines import AlwaysCall
from clients.core.guess import RoomSeat
from clients.core.program import ProgramError, TableAddress, Tls, join_table
from server.commands.look_back.verify import verify
from server.commands.operate.room import room as room_command
from server.room.config import Policy, RoomError, default_room, load_room
from server.room.ledger.ledger import Ledger
from server.room.operator import TOKEN, Operator
from server.room.tls import self_signed
from server.table.rules.line_up import Joining
from tests.support.rooms import OpenRoom, room_config, room_of, table_config

MISTAKES: Final = [
    case.partition("\n")[::2]
    for case in Path(__file__).with_name("mistakes.txt").read_text("utf-8").split("=== ")[1:]
]
"""Complaints, each with the file that it is about."""


@pytest.mark.parametrize(("fault", "text"), MISTAKES, ids=[fault for fault, _ in MISTAKES])
def test_a_mistake_in_the_file_is_one_line_with_its_place(tmp_path: Path, fault: str, text: str) -> None:
    path = tmp_path / "room.toml"
    path.write_text(text)

    with pytest.raises(RoomError) as raised:
        load_room(path)

    assert fault in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_file_of_the_readme_is_a_room(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[3] / "server" / "README.md").read_text()
    text = readme.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "room.toml").write_text(text)

    room = load_room(tmp_path / "room.toml")

    (table,) = room.tables
    assert (table.policy, table.joining, table.rake.percent) == (Policy.RING, Joining.WAITS, 5.0)
    assert room.data == tmp_path / "room"
    assert [table.name for table in default_room().tables] == ["limit-2p", "limit-6p", "nolimit-6p", "show"]


def order(operator: Operator, room: OpenRoom, **request: Any) -> dict[str, Any]:
    token = (room.room.config.data / TOKEN).read_text().strip()
    return operator.answer(json.dumps({"token": token, **request}).encode())


async def test_the_operator_lists_kicks_bans_closes_and_opens(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config("a"), table_config("b"))
    async with room_of(config) as room:
        operator = Operator(room.room)
        await room.nursery.start(operator.serve)
        token = order(operator, room, do="add-player", name="Ann", chips=500)["player_token"]
        ann = await room.sit_down("a", words=f"name=Ann token={token}", chips="100")

        listed = order(operator, room, do="list")
        assert listed["tables"][0]["seats"][0]["player"] == "Ann"
        assert listed["connections"] == 1
        assert order(operator, room, do="message", text="hello\n#lobby\x1b[2J") == {}
        assert await ann.until("#message") == "#message hello #lobby?[2J"
        assert order(operator, room, do="kick", name="Bob") == {"error": "'Bob' has no seat"}
        assert order(operator, room, do="ban", name="Ann", reason="bad manners") == {}
        assert await ann.until("#lobby") == "#lobby bad manners"
        await ann.say("#join a")
        assert await ann.until("#refused") == "#refused Ann may not come in"
        await ann.leave()
        again = await room.enter(f"name=Ann token={token}")
        await again.say("#join a")
        assert await again.until("#refused") == "#refused Ann may not come in"
        assert order(operator, room, do="unban", name="Ann") == {}
        assert order(operator, room, do="close", name="b") == {}
        while "b" in room.room.tables:
            await trio.lowlevel.checkpoint()
        assert order(operator, room, do="open", name="b") == {}
        assert "b" in room.room.tables
        assert order(operator, room, do="open", name="b") == {"error": "the table b is open"}
        modes = [stat.S_IMODE((config.data / name).stat().st_mode) for name in (TOKEN, "operator.sock")]
        assert modes == [0o600, 0o600]


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b'{"do": 3}', b'{"do": "list"}', b'{"do": "list", "token": 3}', b"[" * 100_000]
)
async def test_without_the_token_nothing_is_done(tmp_path: Path, line: bytes) -> None:
    async with room_of(room_config(tmp_path)) as room:
        assert set(Operator(room.room).answer(line)) == {"error"}


def test_players_are_made_while_no_room_is_open(tmp_path: Path) -> None:
    runner = CliRunner()
    arguments = ["--data", str(tmp_path / "room"), "--save", str(tmp_path / "token")]

    made = runner.invoke(room_command, ["add-player", "Ann", "--chips", "7", *arguments])

    assert (made.exit_code, made.output) == (0, "")
    assert len((tmp_path / "token").read_text().strip()) == 40
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
    with Ledger(tmp_path / "room") as ledger:
        player = ledger.player("ann")
        assert player is not None
        assert player.chips == 7
        assert (tmp_path / "token").read_text().strip().encode() not in (player.token or b"")
    again = runner.invoke(room_command, ["add-player", "Ann", *arguments[:2]])
    assert again.exit_code == 1
    assert "there is a player Ann already" in again.output
    closed = runner.invoke(room_command, ["list", *arguments[:2]])
    assert "no room is open" in closed.output


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
async def test_our_clients_speak_tls_and_know_a_wrong_certificate(tmp_path: Path) -> None:
    pair = self_signed(tmp_path / "own", "127.0.0.1")
    other = self_signed(tmp_path / "other", "127.0.0.1")
    config = room_config(tmp_path, table_config(), tls=pair, guest_chips=10**6)
    assert stat.S_IMODE(pair.key.stat().st_mode) == 0o600
    async with room_of(config) as room, trio.open_nursery() as people:
        for name in ("Ann", "Bob"):
            secure = Tls(str(pair.certificate))
            table = TableAddress("127.0.0.1", room.addresses.port, room=RoomSeat("a", name), tls=secure)
            people.start_soon(join_table, AlwaysCall(), table, print)
        await room.have_played(10)
        for tls, why in (
            (Tls(str(other.certificate)), "its certificate is not to be trusted: self-signed certificate"),
            (Tls(), "its certificate is not to be trusted: self-signed certificate"),
        ):
            table = TableAddress("127.0.0.1", room.addresses.port, room=RoomSeat("a", "Eve"), tls=tls)
            with pytest.raises(ProgramError, match=why):
                await join_table(AlwaysCall(), table, print)
        plain = await room.connect()
        await plain.say("VERSION:2.0.0", "#riverboat/1 lobby")
        await plain.heard("# this port speaks TLS; people: riverboat play --tls HOST:PORT")
        people.cancel_scope.cancel()
    assert "Traceback" not in room.console.stderr


async def played(tmp_path: Path) -> Path:
    """The log of a table at which some hands were played."""
    async with room_of(room_config(tmp_path, guest_chips=10**6)) as room:
        for number in range(3):
            guest = await room.sit_down(words=f"name=P{number}")
            room.start_soon(guest.play_hands, 1000, lambda betting: "c" if betting else "r9")
        await room.have_played(12)
    return tmp_path / "room" / "tables" / "a.log"


async def test_a_rooms_log_is_verified_hand_by_hand(tmp_path: Path) -> None:
    log = await played(tmp_path)

    found = CliRunner().invoke(verify, [str(log), "--json"])

    report = json.loads(found.output)
    assert report["valid"] is True
    assert report["hands"] >= 12

    lines = log.read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith("STATE:"))
    key = next(number for number, line in enumerate(lines) if " key " in line)
    for number, old, new, what in (
        (at, lines[at].split(":")[4], "5|-5", "chips: expected"),
        (key, lines[key][-10:-1], "0" * 9, "the key is not the one that was committed to"),
        (at, lines[at].split(":")[3][:4], "2c2d", ""),
    ):
        changed = lines.copy()
        changed[number] = lines[number].replace(old, new, 1)
        if changed == lines:
            continue
        log.write_text("".join(changed))
        report = json.loads(CliRunner().invoke(verify, [str(log), "--json"]).output)
        assert report["valid"] is False
        assert what in report["first_problem"]["what"]
        assert report["first_problem"]["line"] in (number + 1, key + 1)


async def test_a_log_that_lags_behind_the_ledger_is_completed(tmp_path: Path) -> None:
    log = await played(tmp_path)
    whole = [line for line in log.read_text().splitlines() if not line.startswith("# seat")]
    log.write_text("".join(f"{line}\n" for line in whole[: len(whole) // 2]) + "STATE:7:torn")

    async with room_of(room_config(tmp_path)):
        pass

    again = [line for line in log.read_text().splitlines() if not line.startswith("# seat")]
    assert [line for line in again if line.startswith("STATE")] == [
        line for line in whole if line.startswith("STATE")
    ]
    report = json.loads(CliRunner().invoke(verify, [str(log), "--json"]).output)
    assert report["valid"] is True, report
