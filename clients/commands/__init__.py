"""The players' commands, found through the entry-point group ``riverboat.commands``; nothing imports them.

===================  ===============================================================================
``play``             sit down: bots, people, workers
``ask``              ask and learn: odds, tables, bots' decisions, training
``solve``            equilibria, counter-strategies, exploitability
``lab``              experiments, kernels, the signature
===================  ===============================================================================
"""
