"""Several strategies of a game together.

===================  ===========================================================================
``mixing``           a mixture of strategies as one strategy; matrix games solved exactly
``range_of_skill``   a list of strategies each of which beats all before it
``portfolio``        several strategies, weighted by what each would have won
===================  ===========================================================================
"""
