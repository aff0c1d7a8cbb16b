"""Experiments, those of the papers among them, one folder each: settings, tasks, numbers, report, command.

======================  ====================================================================
``calibration``         predictions and stated values beside what comes
``circle``              each bot against each, with learning curves
``command_line``        options and endings of their commands
``findings``            numbers, report and pictures, and the files they go into
``heuristic``           Table 1 of Saukonoja and Pasanen
``killer``              the book of flop configurations
``line_up``             the seats of two kinds of bots that play each other
``next_action``         how well models of an opponent predict its next action
``poker_learner``       the Poker Learner thesis, chapter 5
``range_of_skill``      lists of strategies each of which beats all before it
``regression``          lines and means of points that come in clusters
``resuming``            tasks whose results are kept, so that an experiment can go on
``selective_sampling``  Loki's experiments and Poki's warnings
``sensitivity``         what each of the formula's own constants is worth
``street_learner``      the learning curve of the street-learner
======================  ====================================================================
"""
