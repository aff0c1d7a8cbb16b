"""The prior of the player model: a population of styles, its matches, and what is learnt from them.

===========  ====================================================================
``styles``   players drawn wide, each habit present or absent by chance
``made``     the matches of a population, and the prior that follows from them by EM
===========  ====================================================================

``python -m clients.lab.player_prior FILE`` is its command.
"""
