"""Agents that learn, and the files that keep what they have learnt.

===================  ==========================================================================
``preflop``          the four learners of the Poker Learner thesis: before the flop, then all in
``street``           the street-learner: the whole hand, limit and no-limit
``flag``             whether a bot learns while it plays, which the house asks before a match
``training``         training against bots in this process, or by the learner's own loop; long ones compiled
``store``            a learner's knowledge and its file, from the first hand to the last
``knowledge_file``   the file: an archive with one writer, and a journal between two writes
``reports``          the contents of a file as a table, for every kind of learner
===================  ==========================================================================
"""
