"""Heads-up hold'em: strategies on buckets of hands, and in no-limit games of some sizes of raises.

=================  ================================================================================
``betting``        the betting a strategy knows, and where each decision's chances stand
``translation``    which of it stands for a betting with other raises
``rounds``         limit betting round by round, as kernels have it
``abstraction``    what makes hands the same: its interface
``kinds``          the abstractions there are, from files and made anew
``distributions``  by the distribution of the strength that hands may come to
``clusters``       the same, on boards told apart by what starting hands are worth there
``buckets``        by percentile of E[HS²]
``bucketed``       a strategy on buckets, asked with a hand
``board_solver``   limit: regrets from boards drawn one after the other, on several threads
``deal_solver``    no-limit: regrets from deals, by external sampling
``counter``        answers to an opponent that is known by bucket
=================  ================================================================================
"""
