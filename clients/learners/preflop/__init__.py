"""The learners of the Poker Learner thesis: they learn what to do before the flop, and then move all in.

=================  ===================================================================================
``learners``       the four: HCLearner, WHLearner, Name Learner and Poker Learner
``learner``        what the four have in common, and how we filled the gaps that the thesis leaves
``state``          the state: hand, position, last player and the player's style, last action
``action_values``  the values of actions: whether one was right, update rules, choice; readings of the thesis
``knowledge``      the values of all states, in memory, in a knowledge file, and as a table
=================  ===================================================================================
"""
