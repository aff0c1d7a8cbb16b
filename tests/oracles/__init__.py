"""Slow and obvious implementations that the fast ones are held to."""
