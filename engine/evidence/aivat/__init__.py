"""AIVAT: estimates of what players win, with all computable luck taken out.

If the strategies of some players are known, so is what else they could have held and done.  The estimate

    A(z) = mean payoff over what they could have held + sum of corrections

has a correction for each card and each of their actions: the expectation before it, less the value after it,
both as means over all hands they could hold.  Each has mean zero whatever values v it is computed from, so A
has the mean of the chips; the better v, the less of their variance is left.  Special cases: nobody known
(MIVAT, for the cards only), v = 0 (imaginary observations), v = the equity of the pot once nobody can act
(all-in equity).

==============  ===========================================================================================
``games``       for which games there is AIVAT
``estimates``   estimates from many hands and what players told in them
``policy``      what a player has told of one decision
``enumerated``  exact, in games small enough to be enumerated: Kuhn's, Leduc, with the values of a solution
``heads_up``    the terms of one hand of hold'em for two, from what both may hold
``many``        the terms of one hand of hold'em for three and more
==============  ===========================================================================================

Source: N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling, "AIVAT: A New Variance Reduction Technique
for Agent Evaluation in Imperfect Information Games" (AAAI 2018).
"""
