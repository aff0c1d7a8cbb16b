"""Evidence: what a number of hands shows about the players, and how far it can be trusted.

====================  =============================================================================
``aivat``             luck taken out as far as strategies are known: what cards and players drew
``play_statistics``   VPIP, PFR, 3-bet, AF, WTSD, W$SD and what was won where; plain Python
====================  =============================================================================
"""
