"""The prior of the player model: a population of styles, its matches, and what is learnt from them.

============  ====================================================================
``styles``    players drawn wide, each habit present or absent by chance
``fitting``   mean and covariance of what players do, by EM over the population
``made``      the matches of a population, and the prior that follows from a seed
``__main__``  the command: ``python -m clients.lab.player_prior FILE``
============  ====================================================================
"""
