"""Kernels behind ``engine.evidence``: what share of the pot known hands win, over all cards to come.

===============  ====================================================================================
``pair_points``  every pair of hole cards against every other, over all boards
``pot_shares``   the hands of a match, at the moments when cards fell
===============  ====================================================================================
"""
