"""Heads-up limit hold'em: a strategy on buckets of hands, by public chance sampling.

================  =================================================================================
``betting``       the game's betting as steps of a walk, and where each node's chances stand
``buckets``       hands in classes: the 169 before the flop, then by the percentile of E[HS²]
``bucketed``      a strategy on buckets, asked with a hand
``board_solver``  regrets from boards drawn one after the other, on several threads
================  =================================================================================
"""
