"""Programs that nobody wants at a table, started as ``python hostile.py NAME HOST PORT [ARGUMENT...]``."""
