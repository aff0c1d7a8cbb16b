"""Poker itself: cards, rules, evaluation, opponent models, simulation.  No sockets, clocks or printing.

``engine.cards``, ``engine.rules``      pure Python, import in milliseconds
``engine.evaluation``                   strength, potential, odds, equity, preflop tables (numpy; kernels on
                                        first call)
``engine.opponents``                    weight tables, probability triples, models of opponents
``engine.kernels``                      the numba code behind them; nothing outside ``engine`` imports it
"""
