"""Kernels of learners: training of the street-learner and of the pre-flop learners, and tables in batches."""
