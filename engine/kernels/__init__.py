"""Compiled inner loops; the only place with numba.  The rest of ``engine`` wraps them in public functions."""
