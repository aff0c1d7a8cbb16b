"""The learning curve of the street-learner."""
