"""Poker itself: cards, rules, evaluation, opponent models, simulation, learning.  No sockets, no clocks.

==========================  =========================================================================
``cards``, ``card_text``    cards as small integers, as text, as people write them
``rules``                   games, dealing, betting, showdowns, the hand loop
``situations``              what players are tried in, and why an action is illegal
``match_key``               the secret that a match's cards and its players' seeds follow from
``seeds``                   seeds derived from seeds
``records``                 what plain Python and kernels share of a decision: situation, context, triple
``intervals``               means and rates, and how far they can be trusted
``interruption``            how Ctrl-C, SIGTERM and SIGHUP end a program
``at_once``                 the same in a program's first moments
``user_input``              what people type and programs say: numbers, names, text that is safe to show
``files``                   files replaced in one step, read without trust, and the user's cache
``preparation``             compiling before a clock runs, known without loading the compiler
``combos``                  pairs of hole cards and starting hands as indices
``evaluation``              strength, potential, odds, equity, preflop tables
``opponents``               weight tables, probability triples, models of opponents
``betting_arrays``          games, bettings and actions as kernels take them
``trials``                  simulation: what an action is worth, by selective sampling
``learning``                reinforcement learning: deals in advance, the street-learner's training
``evidence``                what played hands show: statistics of play, verdicts, luck taken out
``miximax``                 expectimax over all bettings, against habits that have been counted
``equilibrium``             small games solved; best responses, exploitability, counter-strategies
``kernels``                 the numba code behind them; nothing outside ``engine`` imports it
==========================  =========================================================================

Those down to ``preparation`` are plain Python and import in milliseconds; the others take numpy, and numba at
the latest when a kernel is first called.  What is written: caches, and one line on stderr before kernels are
compiled.
"""
