"""Hands played in the engine by themselves: what programs simulate and learn from."""
