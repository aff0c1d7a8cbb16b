"""Retells hands that were played: ``telling`` in lines, ``page`` in HTML."""
