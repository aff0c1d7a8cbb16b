"""Reinforcement learning over whole hands, in loops that play hundreds of thousands of hands a second.

===============  ====================================================================
``deal_pool``    deals in advance, for programs that play millions of hands
``street``       the street-learner: its situations, its action values, its training
``decision``     its decisions one at a time, at a table
``table_batch``  many tables stepped together, for other people's learners
``preflop``      a pre-flop learner of the Poker Learner thesis among rule-based players
===============  ====================================================================
"""
