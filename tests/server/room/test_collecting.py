"""How often a room's process collects everything."""

from __future__ import annotations

import gc

from server.room.collecting import seldom_of_everything


def test_everything_is_collected_seldom_and_as_before_afterwards() -> None:
    before = gc.get_threshold()

    with seldom_of_everything():
        young, middle, old = gc.get_threshold()

    assert (young, middle) == before[:2]
    assert old >= 10 * before[2]
    assert gc.get_threshold() == before
