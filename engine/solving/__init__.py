"""Equilibria, and how far strategies are from them: small games solved exactly, hold'em on buckets.

==================  ===============================================================================
``walk``            all bettings of a game, one after the other
``betting_tree``    the betting of a game as one tree, from which all others here are made
``deals``           all deals of a small game, and what each player sees of them; their numbers
``game_tree``       a small game as arrays: public nodes, information sets, payoffs
``strategies``      strategies on a tree, their values, best responses and exploitability
``solver``          CFR, CFR+, DCFR, LCFR and external sampling
``responses``       counter-strategies: restricted Nash, data-biased and frequentist best responses
``mixtures``        several strategies together: mixtures, the range of skill, portfolios
``strategy_file``   strategies and checkpoints as files
``bounds``          bounds on exploitability in games too large for an exact best response
``miximax``         expectimax over all betting sequences, against counted habits
``holdem``          heads-up hold'em on buckets: limit by public chance sampling, no-limit by deals
``subgames``        subgames of hold'em, every hand apart, and safe ways to use them
==================  ===============================================================================
"""
