"""Compiled loops of expectimax over a betting tree: what hands may become, and what actions are worth."""
