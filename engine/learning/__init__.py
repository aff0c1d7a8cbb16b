"""Reinforcement learning over whole hands, in loops that play hundreds of thousands of hands a second.

===============  ====================================================================
``deal_pool``    deals in advance, for programs that play millions of hands
``street``       the street-learner: what it tells apart, what it learns, its training
``decision``     its decisions one at a time, at a table
``table_batch``  many tables stepped together, for learners of other people's
``preflop``      a pre-flop learner of the Poker Learner thesis among players by rules
===============  ====================================================================
"""
