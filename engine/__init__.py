"""Poker itself: cards, rules, evaluation, opponent models, simulation, learning.  No sockets, no clocks.

==========================  =========================================================================
``cards``, ``card_text``    cards as small integers, as text, as people write them
``rules``                   games, dealing, betting, showdowns, the hand loop
``situations``              situations to test players in, and why an action is illegal
``match_key``               the secret from which a match's cards and its players' seeds follow
``seeds``                   seeds derived from seeds
``records``                 records of a decision that plain Python and kernels share
``intervals``               means and rates with their intervals
``interruption``            how Ctrl-C, SIGTERM and SIGHUP end a program
``at_once``                 the same in a program's first moments
``user_input``              what people type and programs send: numbers, names, text that is safe to show
``files``                   files replaced in one step, read without trust, and the user's cache
``preparation``             compiling before a clock runs, checked without loading the compiler
``combos``                  pairs of hole cards and starting hands as indices
``evaluation``              strength, potential, odds, equity, preflop tables
``opponents``               weight tables, probability triples, models of opponents
``betting_arrays``          games, bettings and actions as arrays for kernels
``trials``                  simulation: the value of an action, by selective sampling
``learning``                reinforcement learning: deals in advance, the street-learner's training
``evidence``                what played hands show: statistics of play, verdicts, luck taken out
``miximax``                 expectimax over all betting sequences, against counted habits
``equilibrium``             small games solved; best responses, exploitability, counter-strategies
``kernels``                 the numba code behind them; nothing outside ``engine`` imports it
==========================  =========================================================================

The packages down to ``preparation`` are plain Python and import in milliseconds; the others import numpy, and
load numba when a kernel is first called at the latest.  The engine writes its caches, and one line on stderr
before it compiles kernels.
"""
