"""Experiments, including those of the papers, in one folder each: settings, tasks, numbers, report, command.

======================  ====================================================================
``calibration``         predictions and stated values compared with what happens
``circle``              each bot against each, with learning curves
``command_line``        options of their commands, and how commands end
``findings``            numbers, report and pictures, and their files
``heuristic``           Table 1 of Saukonoja and Pasanen
``killer``              the book of flop configurations
``line_up``             the seats of two kinds of bots that play each other
``next_action``         how well opponent models predict the next action
``poker_learner``       the Poker Learner thesis, chapter 5
``range_of_skill``      lists of strategies, each of which beats all before it
``regression``          lines and means of points that come in clusters
``resuming``            tasks whose results are kept, so that an experiment can be resumed
``selective_sampling``  Loki's experiments and Poki's warnings
``sensitivity``         how much each of the formula's constants matters
``street_learner``      the learning curve of the street-learner
======================  ====================================================================
"""
