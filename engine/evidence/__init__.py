"""Evidence: what played hands show about the players, and how certain it is.

=======================  ==========================================================================
``verdict``              who is better, by pairs, with α divided among them
``confidence_sequence``  intervals that hold whenever you look, for payoffs with declared bounds
``payoff_bounds``        the most that a hand can lose or win, by the rules of a game
``aivat``                takes out the luck of cards and of known players' random draws
``play_statistics``      VPIP, PFR, 3-bet, AF, WTSD, W$SD and what was won where; plain Python
``estimates``            from hands to estimates by player, with luck taken out
``control_variates``     coefficients from earlier deals, which correct later ones
``all_in``               expected payoffs once nobody could act any more
``equity``               the expected share of the pot of known hands whenever cards are dealt
``pair_equities``        exact equities of two known hands before the flop
``moments``              the public half: when cards were dealt, for which pot, among whom
``columns``              the hands of long logs, thousands at a time, by compiled loops
``ranking``              many players, ranked by what they won from one another
=======================  ==========================================================================

Every correction for luck is unbiased: what it takes out has mean zero whatever the players do, since it is a
sum of changes in expectation that only the cards caused.
"""
