"""Agents that learn, and the files that keep what they have learnt.

======================  ===========================================================================
``knowledge_file``      the file: checks, one writer, atomic replacement, a journal between two writings
``journal``             the journal's own format
======================  ===========================================================================
"""
