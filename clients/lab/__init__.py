"""The laboratory: what examines programs and the room itself; it may use the house.

===============  ==========================================================
``command``      ``riverboat signature``
``signature``    one number for all behaviour, from games and sums of fixed seeds
===============  ==========================================================
"""
