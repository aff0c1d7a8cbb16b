"""The learners of the Poker Learner thesis: they learn what to do before the flop, and then move all in.

=================  ==============================================================================
``hole_cards``     HCLearner: judges actions by hole cards
``winning_hand``   WHLearner: judges them by the hand that wins
``name``           Name Learner: knows opponents by name, learns how to judge
``poker``          Poker Learner: knows them by playing style, learns how to judge
``learner``        what the four have in common, and every decision on what the thesis leaves open
``readings``       where the thesis can be read in more than one way
``state``          what a state is
``action_values``  the values of actions: update rules and choice
``verdicts``       whether an action was right: the two ways to compare cards
``playing_style``  the styles of the players at a table
``knowledge``      the values of all states, in memory and in a knowledge file
``report``         the tables of ``riverboat knowledge``
=================  ==============================================================================
"""
