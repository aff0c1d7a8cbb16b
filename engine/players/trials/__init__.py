"""Simulation: what an action is worth, by hands dealt as the ranges say and played to their end.

======================  ===========================================================================
``selective_sampling``  values of moves by samples, and when they are enough; knows nothing of poker
``trials``              the poker part: a decision, its samples, what an action is worth in each
``sampler``             hole cards of all players together, from their weight tables
``players``             models of opponents as the players of a trial
``strata``              how hands lie in classes of strength, and move from one board to the next
======================  ===========================================================================
"""
