"""Finished hands in columns, thousands at a time: read, counted, and looked at for luck.

===========  ===================================================================================
``hands``    what was done in them and with which cards: from states, or read by compiled loops
``play``     their play and winnings, counted together for `engine.evidence.play_statistics`
``moments``  when cards came, for which pot, among whom
===========  ===================================================================================
"""
