"""``riverboat experiment heuristic``: Table 1 of Saukonoja and Pasanen, played against our own bots.

In heads-up limit each variant of the heuristic bot meets a game-theoretic player that does not learn, one
that learns how its opponent plays, and one after Poki.  Matches are long, since the paper's bot lost to the
learner from about the thousandth hand on.

===========  =======================================================================
``paper``    the paper's figures, and the bots that stand in for its opponents
``tasks``    settings; matches, every deal played from both seats
``report``   the results as numbers, tables and pictures
``command``  the command line
===========  =======================================================================
"""
