"""The laboratory: what examines programs and the room itself; it may use the house.

==================  ==========================================================================
``experiments``     the papers' experiments
``environments``    tables as environments of reinforcement-learning libraries
``testing``         a kit for authors of agents
``check_bot``       the examination of a bot as a program
``exploitability``  what the best opponent would win from a bot
``review``          the loss of each decision of a match against the solution
``adapters``        bots of other frameworks
``benchmark``       clients that play over HTTP against bots of the house, and are measured
``player_prior``    the prior of the player model, made from a population
``seats``           bots that are asked, and seats played from elsewhere
``signature``       one number for all behaviour, from games and sums of fixed seeds
==================  ==========================================================================
"""
