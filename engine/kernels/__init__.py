"""Compiled inner loops; the only place with numba.  Public functions in ``engine.evaluation`` stand in
front of them.
"""
