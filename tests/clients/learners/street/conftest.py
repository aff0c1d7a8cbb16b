"""Learners here train on few deals, which are made at once."""

from __future__ import annotations

import pytest

from clients.learners.street import agent as street
from engine.learning.deal_pool import DealPool
from tests.engine.learning.pools import small_pool


@pytest.fixture(autouse=True)
def _few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    def pool(num_players: int, **_: object) -> DealPool:
        return small_pool(num_players)

    monkeypatch.setattr(street, "deal_pool", pool)
