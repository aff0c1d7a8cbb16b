"""Hands played in the engine by themselves: what programs simulate and learn from.

======================  ===========================================================================
``selective_sampling``  values of moves by samples, and when they are enough; knows nothing of poker
``trials``              the poker part: a decision, its samples, what an action is worth in each
``sampler``             hole cards of all players together, from their weight tables
``players``             models of opponents as the players of a trial
``strata``              how hands lie in classes of strength, and move from one board to the next
``betting_arrays``      games and bettings as the arrays that kernels take
``deal_pool``           deals in advance, for programs that play millions of hands
``street_learning``     the street-learner: what it tells apart, what it learns, its training
``street_decision``     its decisions one at a time, at a table
======================  ===========================================================================
"""
