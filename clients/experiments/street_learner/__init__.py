"""``riverboat experiment street-learner``: how the street-learner gets better the more it learns.

In each run the learner trains alone, against the population of its own training loop, from nothing.  On the
way it stops again and again and plays matches with what it knows then, learning off, against bots that were
not in its training.  Every stop of a run plays the same cards.  A rate has two intervals: over all hands, for
what is known given what was learnt, and over runs (Student's t), which has the luck of learning in it.

===========  =====================================================================
``tasks``    settings; training with its stops, and the matches played at each
``report``   what the tasks have found as numbers, tables and pictures
``command``  the command line
===========  =====================================================================
"""
