"""Kernels of trials: hands dealt as the ranges say and played out to the showdown.

==================  =================================================================================
``joint_sampling``  hole cards of all players together, no card twice
``strata``          classes of hand strength, and how hands move between them
``players``         what is known of the players
``tree``            the betting tree: its nodes, and the ranges of all players in each
``situations``      the public situation in a node
``nodes``           what the actor of a node does
``trials``          the loop that plays the hands
==================  =================================================================================
"""
