"""The hands of long logs in columns: read, counted and corrected for luck thousands at a time, compiled.

Each module has a counterpart that takes hands one by one, gives the same results to the last digit, and
serves short logs and games other than hold'em without the compiler.

===========  ==========================================  =================================================
module       does for many hands                         what is done for one
===========  ==========================================  =================================================
``hands``    reading texts by the rules                  ``engine.poker.rules.parse_betting``, ``HandReader``
``play``     counting play and winnings                  ``engine.evidence.play_statistics``
``moments``  when cards came, for which pot, among whom  ``engine.evidence.moments``, ``all_in``
``leads``    who is better                               ``engine.evidence.verdict``
``warm_up``  compiling, before somebody waits for it
===========  ==========================================  =================================================
"""
