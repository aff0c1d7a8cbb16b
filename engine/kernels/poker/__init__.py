"""Kernels that rank hands, count cards and follow the betting."""
