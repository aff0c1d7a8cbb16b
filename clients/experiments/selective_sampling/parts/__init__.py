"""The parts of the experiment: each has a function ``run(settings, work)`` that gives its findings.

=======================  ============================================================================
``self_play``            (a) sampling bots against formula bots, ten seats
``stability``            (b) how many trials until values and decisions stay as they are
``obvious_moves``        (c) how often each criterion finds a move obvious
``uniform_dealing``      (d) dealing from weight tables against dealing any cards
``wrong_models``         (e) what a wrong model or a table without the nuts costs
``equal_time``           (f) few costly trials against many cheap ones
``robustness``           (g) what was promised against what was won
=======================  ============================================================================
"""
