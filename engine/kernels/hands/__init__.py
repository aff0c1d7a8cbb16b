"""Kernels of hand strength, hand potential, equity and roll-outs."""
