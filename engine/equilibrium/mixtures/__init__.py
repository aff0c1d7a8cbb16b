"""Several strategies of a small game together.

===================  ===========================================================================
``mixing``           a mixture of strategies as one strategy; matrix games, solved exactly
``range_of_skill``   a list of strategies each of which beats all before it
``portfolio``        several strategies, of which the one that would have won most gets most of the say
===================  ===========================================================================
"""
