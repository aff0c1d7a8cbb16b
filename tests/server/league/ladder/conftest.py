"""Fixtures of the ladder's tests."""

from tests.server.league.houses import arena_workers

__all__ = ["arena_workers"]
