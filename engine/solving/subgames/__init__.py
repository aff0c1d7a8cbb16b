"""Subgames of hold'em solved with every hand apart: their betting, their solution, and safe ways to use it."""
