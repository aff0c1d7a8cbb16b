"""Checks whether a log is true: `log_checker` computes again everything that follows from something else."""
