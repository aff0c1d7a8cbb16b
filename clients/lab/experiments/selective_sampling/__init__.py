"""``riverboat experiment selective-sampling``: reproduces Loki's experiments and Poki's warnings.

=================  ==================================================================================
``experiment``     the command: the parts (a) to (g), one after the other; (a) sampling bots against formula
                   bots, ten seats
``settings``       the settings, and the tasks of the parts
``spots``          (b), (c), (d) decisions, each simulated many times: what these say of trials, of stopping
                   early, and of dealing
``duels``          heads-up matches of a bot that records its stated values
``stated_values``  (e) what a wrong model, or a table without the nuts, costs; (g) stated values compared with
                   what was won
``equal_time``     (f) few costly trials compared with many cheap ones
=================  ==================================================================================

Source: Billings, Papp, Peña, Schaeffer and Szafron, "Using Selective-Sampling Simulations in Poker" (1999);
Poki 3.5.
"""
