"""Kernels that rank hands and count cards."""
