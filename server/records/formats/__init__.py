"""Reads and writes hands in other formats: PHH, PokerStars' text, Open Hand History, and ACPC logs.

=====================  ==========================================================================
``said``               what a source says about a hand, before any rules
``playing``            makes a hand of it by our rules, and compares what is said twice
``second_opinion``     has PokerKit play what a source says
``hands``              a hand that was played, in any format
``phh``                the Poker Hand History file format, https://phh.readthedocs.io
``pokerstars``         PokerStars' text
``open_hand_history``  Open Hand History, https://hh-specs.handhistory.org
``acpc``               ACPC logs, one for each game that was played, with its game file
``reading``            recognises the format of a file: the one reader for all commands; reads again what
                       is written
=====================  ==========================================================================
"""
