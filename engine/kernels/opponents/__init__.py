"""Kernels of probability triples and re-weighting: how players act, and what their actions tell."""
