"""Heads-up hold'em: strategies on buckets of hands and, in no-limit games, on a few sizes of raises.

=================  ================================================================================
``betting``        the betting a strategy knows, and the slots of each decision
``translation``    the known bettings that stand for one with other raises
``rounds``         limit betting round by round, as arrays for kernels
``abstraction``    the interface of abstractions, which put hands into buckets
``kinds``          all kinds of abstractions: read from files and made anew
``distributions``  buckets by the distribution of a hand's final strength
``clusters``       the same, on boards clustered by the values of starting hands there
``buckets``        buckets by percentile of E[HS²]
``bucketed``       a strategy on buckets, which answers for a hand
``board_solver``   solving limit games from sampled boards, on several threads
``deal_solver``    solving no-limit games from sampled deals
``counter``        counter-strategies to a model on buckets
=================  ================================================================================
"""
