"""The heuristic bot: expected values from betting chains and rough rules (Saukonoja and Pasanen 2008).

==============  ===================================================================================
``agent``       the bot itself: draws one of the profitable actions, better ones more often
``preflop``     probabilistic rules before the flop
``evaluation``  the value of an action: rough rules, the strategic method, direct estimation
``store``       what it remembers of the hands it has played
``prediction``  how likely opponents are to fold: by counts, by a model, or by models that vote
==============  ===================================================================================
"""
