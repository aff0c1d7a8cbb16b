"""Poker itself, in plain Python: cards, combos, rules, keys of matches.

===================  ===============================================================================
``cards``            cards as small integers, and as people write them
``combos``           pairs of hole cards and starting hands as indices (arrays: loads numpy)
``rules``            games, dealing, betting, showdowns, the hand loop
``situations``       situations to test players in, and why an action is illegal
``match_key``        the secret from which a match's cards and its players' seeds follow
``records``          records of a decision that plain Python and kernels share
``ranges``           ranges of hands as people write them
===================  ===============================================================================
"""
