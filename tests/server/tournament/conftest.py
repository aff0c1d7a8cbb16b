"""Fixtures of the tournaments' tests."""

from tests.server.tournament.houses import arena_workers

__all__ = ["arena_workers"]
