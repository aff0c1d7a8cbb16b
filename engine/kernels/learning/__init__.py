"""Kernels of the street-learner: hands played and values learnt by the hundred thousand."""
