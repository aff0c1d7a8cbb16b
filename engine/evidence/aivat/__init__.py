"""AIVAT: what a hand says of its players once all luck is out of it that somebody can compute.

Where the strategy of some players is known, so is what else they could have held and done.  The estimate

    A(z) = mean payoff over what they could have held + sum of corrections

has a correction for each card and each of their actions: what was to be expected before, less what came, both
as means over all they could hold.  Each has mean zero whatever the values v that it is made of, so A has the
mean of the chips; the better v, the less is left of their variance.  Special cases: nobody known (MIVAT, for
the cards alone), v = 0 (imaginary observations), v = the equity of the pot once nobody can act (all-in
equity).

==============  ===========================================================================
``games``       for which games there is AIVAT
``estimates``   many hands and what was told in them in, what was won out
``enumerated``  exactly, in games small enough to look at all of them: Kuhn's, Leduc
``small``       the hands of such a game, with the values of its solution
``holdem``      the terms of one hand of hold'em for two
``many``        the terms of one hand of hold'em for three and more
``ranges``      what two players may hold, and what that is worth
``policy``      what a player has told of one decision
==============  ===========================================================================

Source: N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling, "AIVAT: A New Variance Reduction Technique
for Agent Evaluation in Imperfect Information Games" (AAAI 2018).
"""
