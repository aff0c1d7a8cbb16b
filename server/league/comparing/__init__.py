"""Two versions of a player, compared: the same deals, the same opponents, a test that was declared before.

=============  ==================================================================================
``plan``       what is compared; ``plan.toml``, which is written before the first hand
``versions``   a player at a commit, checked out aside and built; what tells versions apart
``house``      the matches of both versions, round by round, in the journal of a tournament
``where``      where play differs, and what it brought: street, position, ending, situation
``result``     ``result.json``, and the same in words
=============  ==================================================================================
"""
