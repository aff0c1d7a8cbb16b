"""Miximax: what actions are worth against an opponent whose habits have been counted.

================  ================================================================================
``trees``         the tree of a game, whichever kind it is
``betting_tree``  all bettings of a heads-up limit game
``no_limit``      those of a no-limit game, with raises of a few sizes, and what stands for others
``contexts``      in which actions and shown hands are counted, from the exact betting to the coarsest
``habits``        what an opponent did and showed, by context
``strength``      what a hand may become by the showdown: percentiles and buckets
``departure``     whether an opponent departs from an equilibrium
``values``        expectimax over the betting tree
``shipped``       the habits of a reasonable player, and how hands change from round to round
``warm_up``       compiles what all this takes before a clock runs
================  ================================================================================

Source: D. Billings, A. Davidson, T. Schauenberg, N. Burch, M. Bowling, R. Holte, J. Schaeffer, D. Szafron,
*Game-Tree Search with Adaptation in Stochastic Imperfect-Information Games* (2004).
"""
