"""Counterfactual regret minimisation: passes over the arrays of a whole game tree, and sampled ones."""
