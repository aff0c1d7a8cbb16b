"""Heads-up limit hold'em: a strategy on buckets of hands, by public chance sampling.

=================  ================================================================================
``betting``        the game's betting, and where each decision's chances stand
``rounds``         the same round by round, as kernels have it
``abstraction``    what makes hands the same: its interface
``kinds``          the abstractions there are, from files and made anew
``distributions``  by the distribution of the strength that hands may come to
``buckets``        by percentile of E[HS²]
``bucketed``       a strategy on buckets, asked with a hand
``board_solver``   regrets from boards drawn one after the other, on several threads
=================  ================================================================================
"""
