"""What `tests.stress.fuzz` feeds to every reader of what comes from outside, and what it may answer."""
