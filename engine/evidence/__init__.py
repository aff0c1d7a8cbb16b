"""Evidence: what played hands show about the players, and how certain it is.

=======================  ================================================================================
``verdict``              who is better, by pairs, with α divided among them
``confidence_sequence``  intervals that hold whenever you look, for payoffs with declared bounds
                         and the bounds of a game: the most that a hand can lose or win, by its rules
``play_statistics``      VPIP, PFR, 3-bet, AF, WTSD, W$SD and what was won where; plain Python
``columns``              finished hands, thousands at a time: read, counted, and when their cards came
``estimates``            from hands to estimates by player, with luck taken out
``equity``               the expected share of the pot of known hands whenever cards are dealt
``pair_equities``        exact equities of two known hands before the flop
``control_variates``     coefficients from earlier deals, which correct later ones
``aivat``                takes out the luck of cards and of known players' random draws
``differences``          what one version wins more than another on the same deals
``ranking``              many players, ranked by what they won from one another
``field_test``           whether a version is better, by a test that may be looked at after every deal
=======================  ================================================================================

Verdicts and statistics of play also go hand by hand, in plain Python, for matches while they are played;
reports, analyses and estimates have their hands in columns only.

Every correction for luck is unbiased: what it takes out has mean zero whatever the players do, since it is a
sum of changes in expectation that only the cards caused.
"""
