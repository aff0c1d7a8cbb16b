"""Programs that nobody wants at his table, each started as ``python FILE HOST PORT [ARGUMENT...]``."""
