"""Equilibria and how far others are from them: whole games as trees, solved and answered exactly.

==================  ===============================================================================
``sizes``           nodes, sequences and information sets of any limit game, counted without a tree
``deals``           all deals of a small game, and what each player sees of them
``game_tree``       a small game as arrays: public nodes, information sets, payoffs
``strategies``      strategies on a tree: from a function, a bot's triple, a file
``values``          what a strategy is worth: by node, against a best response; exploitability
``solver``          CFR, CFR+, DCFR, LCFR and external sampling
``responses``       counter-strategies: restricted Nash, data-biased, frequentist best responses
``mixtures``        several strategies together: the range of skill
``strategy_file``   strategies and checkpoints as files
``levels``          chances on buckets as these keep them
``saved_states``    what a solver needs to go on, checked before it is taken over
``bounds``          what the best opponent would win in games that are too large for that
``warm_up``         compiles what all this takes before a clock runs
``holdem``          heads-up hold'em on buckets of hands: limit by public chance sampling, no-limit by deals
==================  ===============================================================================
"""
