"""Kernels of betting and of settling pots."""
