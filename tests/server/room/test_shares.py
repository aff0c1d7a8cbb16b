"""Nobody takes what others need: seats, names, guesses, accounts; nobody leaves with chips and comes back."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
import trio

from server.room import identities
from server.room.identities import Identities, register
from server.room.ledger.ledger import Ledger
from server.room.operator import Operator
from server.room.tables.place import RequestRefused
from tests.support.rooms import Guest, OpenRoom, account, room_config, room_of, table_config

OTHER = "127.0.0.2"
"""Another address of this machine."""


async def from_elsewhere(room: OpenRoom, words: str = "") -> Guest:
    """A client from another address that has come into the lobby."""
    guest = Guest(await trio.open_tcp_stream("127.0.0.1", room.addresses.port, local_address=OTHER))
    room._guests.append(guest)
    await guest.enter(words)
    return guest


async def crowded(room: OpenRoom, *names: str) -> None:
    """Let guests of one address sit down and play."""
    for name in names:
        guest = await room.sit_down(words=f"name={name}")
        room.start_soon(guest.play_hands, 1 << 30)


@pytest.mark.parametrize("wish", ["a", "any"])
async def test_guests_of_one_address_make_room_for_those_of_another(wish: str, tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path)) as room:
        await crowded(room, *[f"P{number}" for number in range(6)])
        other = await from_elsewhere(room, "name=Bob")
        late = await room.enter("name=Late")
        await late.say(f"#join {wish}")
        await late.until("#refused all seats of")  # it would only take the place of its own
        await other.say(f"#join {wish}")
        await other.until("#seated a")

        seated = [place.player.name for place in room.room.tables["a"].places if place is not None]
        assert len(seated) == 6
        assert "Bob" in seated


async def test_a_registered_player_has_a_seat_before_the_second_guest_of_an_address(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config(game="nolimit-2p-100bb"))
    words = account(config)
    async with room_of(config) as room:
        await crowded(room, "Eve", "Bob")
        ann = await room.sit_down(words=words)
        assert ann.lines[-1].startswith("#seated a")


def identities_of(ledger: Ledger, folder: Path, **changes: int) -> Identities:
    return Identities(room_config(folder, **changes), ledger)


async def test_wrong_tokens_lock_out_nobody_else_behind_the_same_address(tmp_path: Path) -> None:
    with Ledger(tmp_path / "room") as ledger:
        _, token = register(ledger, "Ann", 0)
        _, others = register(ledger, "Bob", 0)
        who = identities_of(ledger, tmp_path, guesses_per_minute=3)
        for name in ("Ann", "nobody"):
            for text in ["do not belong together"] * 3 + ["too many wrong tokens"] * 2:
                with pytest.raises(RequestRefused, match=text):
                    await who.identify(name, "0" * 40, OTHER)

        assert (await who.identify("Bob", others, OTHER)).name == "Bob"
        assert (await who.identify("Ann", token, "127.0.0.1")).name == "Ann"


@pytest.mark.parametrize("has_been_here", [True, False])
async def test_who_has_a_seat_is_never_locked_out(has_been_here: bool, tmp_path: Path) -> None:
    with Ledger(tmp_path / "room") as ledger:
        ann, token = register(ledger, "Ann", 100)
        ledger.open_table("a")
        ledger.sit_down("a", 0, ann, 100)
        who = identities_of(ledger, tmp_path, guesses_per_minute=3)
        if has_been_here:
            await who.identify("Ann", token, OTHER)
        for _ in range(5):
            with pytest.raises(RequestRefused):
                await who.identify("Ann", "0" * 40, OTHER)

        assert (await who.identify("ann", token, OTHER)).name == "Ann"
        identities.renew(ledger, "Ann")
        with pytest.raises(RequestRefused):
            await who.identify("Ann", token, OTHER)


async def test_a_name_is_the_registered_players_whatever_guests_have_called_themselves(
    tmp_path: Path,
) -> None:
    async with room_of(room_config(tmp_path)) as room:
        await crowded(room, "Ann", "Bob")
        await room.have_played(2)
        _, token = register(room.room.ledger, "Ann", 500)

        ann = await room.sit_down(words=f"name=Ann token={token}")

        assert ann.lines[-1] == "#seated a 2 200"
        room.start_soon(ann.play_hands, 1 << 30)
        again = await room.sit_down(words="name=Ann")
        assert again.lines[-1].startswith("#seated a 3")
        seated = [place.player for place in room.room.tables["a"].places if place is not None]
        assert len({player.id for player in seated}) == 4


async def test_no_two_guests_are_one_player_however_they_write_their_names(tmp_path: Path) -> None:
    """Whoever shares an account may take the other's seat over, in the middle of a hand."""
    with Ledger(tmp_path / "room") as ledger:
        who = identities_of(ledger, tmp_path)
        names = "ann", "ann", "ANN", "Ann", "aNN-1", "ann-2"
        assert len({(await who.identify(name, "", OTHER)).id for name in names}) == 6
        bot, token = who.expect_bot("formula")
        assert (await who.identify(bot, "", OTHER)).name == "formula-2"
        assert (await who.identify(bot, token, OTHER)).kind == "house"
        with patch.object(Ledger, "player", side_effect=ledger.player) as look_up:
            assert [(await who.identify("", "", OTHER)).name for _ in range(9)][-1] == "guest-9"
        assert look_up.call_count == 18  # two each, however many there are


async def test_a_guest_never_becomes_whoever_is_given_the_name(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path)) as room:
        operator = Operator(room.room)
        guest = await room.sit_down(words="keep name=Ann")
        secret = guest.notes["keep"]
        made = operator._do("add-player", {"do": "add-player", "name": "ann"})
        assert await guest.until("#lobby") == "#lobby the operator has given out a token for this name"
        back = await room.sit_down(words=f"keep name=Ann token={secret}")
        assert [place.player.name for place in room.room.tables["a"].places if place is not None] == ["Ann~1"]

        await back.leave()
        await guest.leave()
        ann = await room.enter(f"name=Ann token={made['player_token']}")
        await ann.say("#join a")
        await ann.until("#refused ann has 0 chips")
        operator._do("new-token", {"do": "new-token", "name": "ann"})  # somebody else has the old one
        await ann.say("#join a")
        await ann.until("#refused ann may not come in")


async def test_guests_who_never_played_leave_no_account(tmp_path: Path) -> None:
    async with room_of(room_config(tmp_path, guests_per_minute=5)) as room:
        for number in range(5):
            guest = await room.sit_down(words=f"name=P{number}", chips="100")
            await guest.leave()
            while room.room.tables["a"].places[0] is not None:
                await trio.lowlevel.checkpoint()
        for name in ("P0", "P9"):
            guest = await room.enter(f"name={name}")
            await guest.say("#join a")
            await guest.until("#refused too many guests from this address: wait a minute")
        elsewhere = await from_elsewhere(room)
        await elsewhere.say("#join a")
        await elsewhere.until("#seated")
        assert [player.name for player in room.room.ledger.players()] == ["guest-1"]


async def test_who_leaves_with_chips_comes_back_with_them(tmp_path: Path) -> None:
    """Going south: leaving with what was won, and coming back with the least."""
    async with room_of(room_config(tmp_path, table_config(least=40, most=100), guest_chips=1000)) as room:
        ann = await room.sit_down(words="name=Ann", chips="100")
        place = room.room.tables["a"].places[0]
        assert place is not None
        room.room.ledger.top_up("a", 0, place.player, 300)
        await ann.say("#leave")
        await ann.until("#lobby")
        for wish, answer in (
            ("40", "#refused you left a with 400 chips: bring as many, not 40"),
            ("500", "#refused you left a with 400 chips: bring as many, not 500"),
            ("", "#seated a 0 400"),
        ):
            await ann.say(f"#join a {wish}".rstrip())
            await ann.until("#seated" if wish == "" else "#refused")
            assert ann.lines[-1] == answer


@pytest.mark.parametrize(("seconds", "least"), [(3600.0, 400), (0.0, 0)])
def test_chips_are_brought_back_for_a_while_wherever_they_are(
    seconds: float, least: int, tmp_path: Path
) -> None:
    with Ledger(tmp_path / "room") as ledger:
        ann, _ = register(ledger, "Ann", 1000)
        for table in "ab":
            ledger.open_table(table)
        ledger.sit_down("a", 0, ann, 400)
        ledger.sit_down("a", 1, ann, 40)
        for seat in (0, 1):
            ledger.stand_up("a", seat)
        ledger.sit_down("b", 0, ann, 950)
        assert ledger.left_with("a", ann, seconds) == least
