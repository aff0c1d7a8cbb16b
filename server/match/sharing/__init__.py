"""The tables of a pass over sockets: one, or several that share its hands."""
