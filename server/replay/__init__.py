"""Hands that were played, told again: ``telling`` in lines, ``page`` in HTML."""
