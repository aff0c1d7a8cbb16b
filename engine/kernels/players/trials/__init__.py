"""Kernels of trials: hands dealt from ranges and played to their end.

==================  =================================================================================
``joint_sampling``  hole cards of all players, drawn jointly so that no card is dealt twice
``strata``          classes of hand strength, and how hands move between them
``players``         the models of the players
``tree``            the betting tree: its nodes, and the ranges of all players at each
``situations``      the public situation at a node
``sizes``           how much we bet in no-limit games
``nodes``           what the player to act at a node does
``trials``          the loop that plays the hands
``values``          what the strata of a range are worth at a node
==================  =================================================================================
"""
