"""The experiments of the Poker Learner thesis (chapter 5)."""
