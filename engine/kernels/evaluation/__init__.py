"""Kernels of hand strength, potential, equity and roll-outs."""
