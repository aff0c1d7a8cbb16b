"""The parts of the experiment: each has a function ``run(settings, work)`` that returns its findings.

=======================  ============================================================================
``self_play``            (a) sampling bots against formula bots, ten seats
``stability``            (b) how many trials it takes until values and decisions are stable
``obvious_moves``        (c) how often each criterion finds a move obvious
``uniform_dealing``      (d) dealing from weight tables compared with dealing uniformly
``wrong_models``         (e) what a wrong model, or a table without the nuts, costs
``equal_time``           (f) few costly trials compared with many cheap ones
``robustness``           (g) stated values compared with what was won
=======================  ============================================================================
"""
