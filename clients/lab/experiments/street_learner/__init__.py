"""``riverboat experiment street-learner``: the learning curve of the street-learner.

In each run the learner trains from nothing, against the population of its own training loop.  From time to
time the training stops, and the learner plays matches with what it knows then, with learning off, against
bots that were not in its training.  Every stop of a run plays the same cards.  A rate has two intervals: over
all hands, which holds for what was learnt, and over runs (Student's t), which includes the luck of learning.

===========  =====================================================================
``tasks``    settings; training with its stops, and the matches played at each
``report``   the results as numbers, tables and pictures
``command``  the command line
===========  =====================================================================
"""
