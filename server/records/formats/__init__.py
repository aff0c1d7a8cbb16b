"""Reads and writes hands in other formats: PHH, PokerStars' text, and ACPC logs.

==================  ==============================================================================
``hands``           a hand that was played, in any format; replaying it; comparing it with PokerKit
``phh``             the Poker Hand History file format, https://phh.readthedocs.io
``pokerstars``      PokerStars' text, read and written
``acpc``            ACPC logs, one for each game that was played, with its game file
``reading``         recognises the format of a file
==================  ==============================================================================
"""
