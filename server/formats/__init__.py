"""Hands in the formats of others: PHH, PokerStars' text, and ACPC logs, both ways.

==================  ==============================================================================
``hands``           a hand that was played, whatever it was written in; playing one from its lines
``phh``             the Poker Hand History file format, https://phh.readthedocs.io
``pokerstars``      PokerStars' text: writing it
``stars_reader``    PokerStars' text: reading it
``acpc``            ACPC logs, one for each game that was played, with its game file
``reading``         which format a file is in
``second_opinion``  what PokerKit makes of a hand
==================  ==============================================================================
"""
