"""Heads-up hold'em: strategies on buckets of hands and, in no-limit games, on a few sizes of raises.

=================  ================================================================================
``betting``        the betting a strategy knows; the known bettings that stand for one with other raises
``abstraction``    the interface of abstractions, which put hands into buckets; percentiles of E[HS²]
``distributions``  buckets by the distribution of a hand's final strength, on boards of several classes
``kinds``          all kinds of abstractions: read from files and made anew
``bucketed``       a strategy on buckets, which says what it does with a hand
``board_solver``   solving limit games from sampled boards, on several threads
``deal_solver``    solving no-limit games from sampled deals; counter-strategies to a model
=================  ================================================================================
"""
