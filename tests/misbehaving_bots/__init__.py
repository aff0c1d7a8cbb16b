"""Programs that nobody wants at a table, each started as ``python FILE HOST PORT [ARGUMENT...]``."""
