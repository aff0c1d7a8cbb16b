"""Kernels of ``engine.evidence``: shares of the pot of known hands, and statistics of long logs.

===============  ====================================================================================
``bettors``      the betting confidence sequence: a deal, or all deals of a match
``hand_texts``   finished hands, read from the texts of their betting and cards
``pair_points``  every pair of hole cards against every other, over all boards
``pot_shares``   the hands of a match, at the moments when cards were dealt
``walked``       what players did in finished hands, in columns; loads no compiler
===============  ====================================================================================
"""
