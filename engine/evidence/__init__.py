"""Evidence: what played hands show about the players, and how far it can be trusted.

=======================  ==========================================================================
``verdict``              who is better, in words that hold: by pairs, with the α shared out
``confidence_sequence``  intervals that hold whenever you look, for payoffs with declared bounds
``payoff_bounds``        the most that a hand can cost or bring, by the rules of a game
``aivat``                luck taken out as far as strategies are known: what cards and players drew
``play_statistics``      VPIP, PFR, 3-bet, AF, WTSD, W$SD and what was won where; plain Python
``estimates``            hands in, estimates by player out, with luck taken out of them
``control_variates``     coefficients from earlier deals, and what they take out of later ones
``all_in``               payoffs as expected once nobody could act any more
``equity``               the share of the pot that known hands expect when cards fall
``pair_equities``        two known hands before the flop, exact
``moments``              the public half: when cards fell in a hand, for which pot, among whom
``columns``              the hands of long logs, thousands at a time, by compiled loops
``ranking``              many players, by what they won from one another
=======================  ==========================================================================

Every correction for luck is unbiased: what it takes away has mean zero whatever the players do, since it is a
sum of changes in expectation that the cards alone brought.
"""
