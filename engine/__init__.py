"""Poker itself: rules, hands, players, solutions, learning, evidence.  No sockets, no clocks.

=============  =======================================================================================
``poker``      cards, rules, situations: plain Python
``support``    what is not poker: files, signals, input, intervals, seeds
``kernels``    the numba code behind the rest, in folders of the same names; only ``engine`` imports it
``hands``      strength, potential, odds, equity, preflop tables
``players``    weight tables, action probabilities, models of opponents, simulation
``learning``   reinforcement learning: deals in advance, the street-learner's training
``solving``    equilibria, best responses, counter-strategies; expectimax against counted habits
``evidence``   what played hands show: statistics of play, verdicts, luck taken out
``compiling``  the one list of what is compiled before a clock runs, by purpose
=============  =======================================================================================

``poker`` (but for ``combos``) and ``support`` import in milliseconds; the others import numpy, and load numba
when a kernel is first called at the latest.  The engine writes its caches, and one line on stderr before it
compiles kernels.
"""

from engine.support.moved import find_moved_modules

find_moved_modules()
