"""``riverboat experiment poker-learner``: reproduces chapter 5 of the Poker Learner thesis.

*The game* is no-limit hold'em with blinds 1/2 and 200 chips, 100 big blinds, at every seat and in every hand
(see ``thesis``).

*Training* (5.1, first phase): each learner plays with five opponents of one kind until its values have
settled, starting from an empty knowledge base; there is a knowledge base for each kind of opponent.
*Heads-up* (second phase): with that knowledge it plays one opponent of the same kind, once while it continues
to learn, and once frozen, which has no counterpart in the thesis.  *Competition* (5.2.5): one learner and the
four bots play at five seats and, since the thesis mentions five opponents, at six seats with the simple bot
twice; the learner has knowledge from all four, a quarter of the training hands each, and continues to learn.
*Learned tables* (5.3): from the same training, with the classifier of styles as it is printed, which gives
the tables' styles.

All learners get the same cards.  Each run (`--seeds`) trains and plays again with other cards.  Rates of one
learner against one bot have two intervals: over all hands, which holds for what was learnt, and over runs
(Student's t), which includes the luck of learning.

==============  =================================================================
``training``    the numbers that the thesis prints; settings; training and matches, cut into tasks
``experiment``  the command; what comes out, compared with the thesis
==============  =================================================================

Source: Poker Learner, chapter 5.
"""
