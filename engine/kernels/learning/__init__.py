"""Kernels of learners: the street-learner's hands and values by the hundred thousand, those of the thesis's
pre-flop learners, and tables stepped together.
"""
