"""Kernels of the street-learner: hands played, values learnt by the hundred thousand; and of tables stepped
together.
"""
