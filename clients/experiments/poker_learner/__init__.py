"""``riverboat experiment poker-learner``: chapter 5 of the Poker Learner thesis, played again.

*The game* is no-limit hold'em with blinds 1/2 and 200 chips, 100 big blinds, at every seat and in every hand
(see ``thesis``).

*Training* (5.1, first phase): each learner sits with five equal opponents until its values have settled, from
an empty knowledge base; a knowledge base for each kind of opponent.  *Heads-up* (second phase): with that
knowledge against one of the same kind, learning on, and frozen, which has no counterpart in the thesis.
*Competition* (5.2.5): one learner and the four bots at five seats, and, since the thesis speaks of five
opponents, at six seats with the simple bot twice; with knowledge from all four, a quarter of the training
hands each, learning on.  *Learned tables* (5.3): from the same training with the classifier of styles as it
is printed, whose styles are theirs.

All learners get the same cards.  Each run (`--seeds`) trains and plays again with other cards.  Rates of one
learner against one bot have two intervals: over all hands, for what is known given what was learnt, and over
runs (Student's t), which has the luck of learning in it.

===========  ==========================================================================
``thesis``   what the thesis prints
``tasks``    settings; training and matches, cut into tasks for several processes
``summary``  the numbers that follow from what the tasks have found
``score``    how much of the thesis comes out
``report``   the numbers as tables and pictures, beside the thesis's
``command``  the command line
===========  ==========================================================================

Source: Poker Learner, chapter 5.
"""
