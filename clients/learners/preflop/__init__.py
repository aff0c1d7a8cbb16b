"""The learners of the Poker Learner thesis: they learn what to do before the flop, and then move all in.

=================  ==============================================================================
``hole_cards``     HCLearner: judges actions by hole cards
``winning_hand``   WHLearner: judges actions by the winning hand
``name``           Name Learner: knows opponents by name, learns how to judge
``poker``          Poker Learner: knows opponents by playing style, learns how to judge
``learner``        what the four have in common, and how we filled the gaps that the thesis leaves
``readings``       passages of the thesis that can be read in more than one way
``state``          the state: hand, position, last player, last action
``action_values``  the values of actions: update rules and choice
``verdicts``       whether an action was right: the two ways to compare cards
``playing_style``  the styles of the players at a table
``knowledge``      the values of all states, in memory and in a knowledge file
``report``         the tables of ``riverboat knowledge``
=================  ==============================================================================
"""
