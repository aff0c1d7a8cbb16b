"""``riverboat experiment heuristic``: Table 1 of Saukonoja and Pasanen, played with what sits here.

Each variant of the heuristic bot meets a game theoretic player that does not learn, one that learns how it is
played, and one after Poki, in heads-up limit.  Matches are long, for the third column of the story is time:
the paper's bot lost to the learner from about the thousandth hand on.

===========  =======================================================================
``paper``    the paper's figures, and who stands in for its opponents
``tasks``    settings; matches, every deal played from both seats
``report``   what the tasks have found as numbers, tables and pictures
``command``  the command line
===========  =======================================================================
"""
