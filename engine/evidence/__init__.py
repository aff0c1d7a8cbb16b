"""Evidence: what a number of hands shows about the players, and how far it can be trusted.

====================  =============================================================================
``play_statistics``   VPIP, PFR, 3-bet, AF, WTSD, W$SD and what was won where; plain Python
====================  =============================================================================
"""
