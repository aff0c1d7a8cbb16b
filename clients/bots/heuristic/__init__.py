"""The heuristic bot: expected values from betting chains and rough rules (Saukonoja and Pasanen 2008).

==============  ===================================================================================
``agent``       the bot itself, which puts the parts together
``config``      its options
``preflop``     probabilistic rules before the flop
``rough``       expert rules for the evaluation when little has been seen
``evaluation``  the value of an action: the strategic method and direct estimation
``selector``    draws one of the profitable actions, better ones more often
``store``       what it remembers of the hands it has played
``prediction``  how likely opponents are to fold: by counts, by a model, or by models that vote
==============  ===================================================================================
"""
