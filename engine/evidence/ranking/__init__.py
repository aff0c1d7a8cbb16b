"""Rankings of many players by what they won from one another, with what is not known about them.

===================  ========================================================================
``crosstable``       pairs and rates with their intervals, dependent deals taken together
``significance``     p-values, Holm's correction, ranks as ranges
``run_off``          total bankroll and the ACPC's run-offs
``bootstrap``        how often a ranking would come out again with other matches
``margins``          Bradley-Terry on margins: one number a player that explains the pairs
``nash``             who beats whom in a circle, and the Nash average
===================  ========================================================================

Everything here is a pure function of arrays.  Players are numbers from 0; matrices are row against column,
antisymmetric, in mbb/h; what two players never played is NaN.
"""
