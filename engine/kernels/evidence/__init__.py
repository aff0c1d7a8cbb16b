"""Kernels behind ``engine.evidence``: what share of the pot known hands win, and what long logs say.

===============  ====================================================================================
``bettors``      the betting confidence sequence, over all deals of a match
``hand_texts``   finished hands, read from the texts of their bettings and cards
``pair_points``  every pair of hole cards against every other, over all boards
``pot_shares``   the hands of a match, at the moments when cards fell
===============  ====================================================================================
"""
