"""``riverboat experiment selective-sampling``: reproduces Loki's experiments and Poki's warnings.

===================  ==============================================================================
``bots``             sampling bots with one change: watched, recording, or with a wrong model
``command``          the command line
``duels``            heads-up matches of a bot that records its stated values
``formula_trials``   trials in which everybody acts by the whole formula
``parts``            the seven parts (a) to (g) of the experiment
``settings``         the settings of the experiment
``slow_player``      a player who slow-plays very strong hands
``spots``            decisions, each simulated many times
``tasks``            what the tasks of all parts have in common
===================  ==============================================================================

Source: Billings, Papp, Peña, Schaeffer and Szafron, "Using Selective-Sampling Simulations in Poker" (1999);
Poki 3.5.
"""
