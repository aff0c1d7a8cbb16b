"""Miximax: what actions are worth against an opponent whose habits have been counted.

================  ================================================================================
``trees``         the tree of a game, limit or no-limit, and the contexts in which actions are counted
``habits``        what an opponent did and showed, by context; the habits of a reasonable player
``strength``      what a hand may become by the showdown: percentiles and buckets
``departure``     whether an opponent departs from an equilibrium
``values``        expectimax over the betting tree
================  ================================================================================

Source: D. Billings, A. Davidson, T. Schauenberg, N. Burch, M. Bowling, R. Holte, J. Schaeffer, D. Szafron,
*Game-Tree Search with Adaptation in Stochastic Imperfect-Information Games* (2004).
"""
