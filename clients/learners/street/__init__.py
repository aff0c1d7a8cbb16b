"""The street-learner: learns the whole hand, all four betting rounds, limit and no-limit."""
