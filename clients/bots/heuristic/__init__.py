"""The heuristic bot: expected values from betting chains and rough rules (Saukonoja and Pasanen 2008).

==============  ===================================================================================
``agent``       the bot: what it asks, in which order
``config``      its options
``preflop``     probabilistic rules before the flop
``rough``       the parameters of the evaluation where little has been seen: expert rules
``evaluation``  what an action is worth: the strategic method and direct estimation
``selector``    one of the profitable actions, the better the likelier
``store``       what it remembers of the hands it has played
``prediction``  how likely opponents fold: by counts, by a model, or by models that vote
==============  ===================================================================================
"""
