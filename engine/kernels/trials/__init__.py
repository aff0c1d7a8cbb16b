"""Kernels of trials: hands dealt as the ranges say and played out to the showdown."""
