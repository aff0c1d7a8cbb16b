"""Rankings of many players by what they won from one another, with the uncertainty of each.

==============  ====================================================================================
``crosstable``  pairs and rates with their intervals, with dependent deals grouped; p-values,
                Holm's correction, ranges of ranks
``ratings``     one number per player that explains the pairs; cycles, the Nash average; total
                bankroll and the ACPC's run-offs; how often other matches would give the same
==============  ====================================================================================

Everything here is a pure function of arrays.  Players are numbers from 0; matrices are row against column,
antisymmetric, in mbb/h; what two players never played is NaN.
"""
