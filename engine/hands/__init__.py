"""The arithmetic of poker: hand ranks, strength, potential, odds, equity, preflop income rates."""
