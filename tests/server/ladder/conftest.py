"""Fixtures of the ladder's tests."""

from tests.server.tournament.houses import arena_workers

__all__ = ["arena_workers"]
