"""Kernels of the betting and of the settling of pots."""
