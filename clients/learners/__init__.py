"""Agents that learn, and the files that keep what they have learnt.

======================  ===========================================================================
``hole_cards``          HCLearner: judges actions by hole cards
``winning_hand``        WHLearner: judges them by the hand that wins
``name``                Name Learner: knows opponents by name, learns how to judge
``poker``               Poker Learner: knows them by playing style, learns how to judge
``preflop_learner``     what the four have in common, and every decision on what the thesis leaves open
``state``               what a state is
``action_values``       the values of actions: update rules and choice
``judging``             whether an action was right: the two ways to compare cards
``playing_style``       the styles of the players at a table
``knowledge``           the values of all states, in memory and on disk
``knowledge_file``      the file: checks, one writer, atomic replacement, a journal between two writings
``journal``             the journal's own format
``reports``             what a file says as a table, for every kind of learner
``preflop_report``      the tables of the four
``street``              street-learner: learns the whole hand, limit and no-limit
``street_knowledge``    what it knows, in memory and on disk
``street_report``       its tables
``street_experiment``   its learning curve
======================  ===========================================================================
"""
