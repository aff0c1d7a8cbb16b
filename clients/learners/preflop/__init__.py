"""The four learners of the Poker Learner thesis: they learn before the flop and move all in after it."""
