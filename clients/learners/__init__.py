"""Agents that learn, and the files that keep what they have learnt.

===================  ==========================================================================
``preflop``          the four learners of the Poker Learner thesis: before the flop, then all in
``street``           the street-learner: the whole hand, limit and no-limit
``flag``             whether a bot learns while it plays, as the house asks before a match
``training``         a learner against bots in this process, or by a loop of its own
``compiled``         long trainings among players who go by rules, by a compiled loop
``store``            a learner's knowledge and its file, from the first hand to the last
``knowledge_file``   the file: checks, one writer, atomic replacement, a journal between writings
``journal``          the journal's own format
``reports``          what a file says as a table, for every kind of learner
===================  ==========================================================================
"""
