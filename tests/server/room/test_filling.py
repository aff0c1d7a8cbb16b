"""The house's bots at a table: each is made before the room opens, and one that cannot come is left out."""

from pathlib import Path

import pytest

from server.room.config import RoomError
from server.room.house_bots import check_house_bots
from server.room.operator import Operator
from tests.support.rooms import room_config, table_config, until
from tests.support.web import pages_of

WRONG = "random:fold=often"


def test_a_bot_that_cannot_be_made_keeps_the_room_closed(tmp_path: Path) -> None:
    check_house_bots(room_config(tmp_path, table_config(fill=("always-call",), advice=())))
    for bot, why in ((WRONG, "fold"), ("nobody", "nobody")):
        config = room_config(tmp_path, table_config(fill=("always-call", bot), advice=()))
        with pytest.raises(RoomError, match=rf"^table a: fill: '{bot}' cannot play: .*{why}"):
            check_house_bots(config)


async def test_a_bot_that_ends_twice_is_called_no_more_and_everybody_is_told(tmp_path: Path) -> None:
    config = room_config(tmp_path, table_config("a", "limit-2p", fill=(WRONG,)))
    async with pages_of(config) as pages:
        await pages.room.sit_down(words="name=Ann")
        table = pages.room.room.tables["a"]
        await until(lambda: table.company.filling.unfilled)
        assert "fold" in table.company.filling.unfilled[WRONG]
        assert len([line for line in pages.room.console.stderr.splitlines() if "random" in line]) == 2
        (row,) = (await pages.get("/tables.json")).json()
        assert row["unfilled"] == ["random"]
        assert 'riverboat_unfilled{table="a"} 1.0' in (await pages.get("/metrics")).text
        assert "random does not come" in (await pages.get("/")).text
        listed = Operator(pages.room.room)._do("list", {})
        assert listed["tables"][0]["unfilled"].keys() == {WRONG}
