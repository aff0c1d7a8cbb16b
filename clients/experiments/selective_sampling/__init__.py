"""``riverboat experiment selective-sampling``: Loki's experiments and Poki's warnings, played again.

===================  ==============================================================================
``bots``             sampling bots with one thing changed: watched, noting, with a wrong model
``command``          the command line
``duels``            heads-up matches of a bot that notes what it thinks
``formula_trials``   trials in which everybody acts by the whole formula
``parts``            the seven parts (a) to (g) of the experiment
``settings``         how large it is
``slow_player``      a player who hides very strong hands
``spots``            decisions, each simulated many times over
``tasks``            what the tasks of all parts have in common
===================  ==============================================================================

Source: Billings, Papp, Peña, Schaeffer and Szafron, "Using Selective-Sampling Simulations in Poker" (1999);
Poki 3.5.
"""
