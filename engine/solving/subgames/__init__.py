"""Subgames of hold'em, every hand apart: their betting, their solution, and safe ways to use it."""
